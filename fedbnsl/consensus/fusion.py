"""Structural fusion: the union of minimal I-maps under one node order."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus import _inputs
from fedbnsl.consensus.imap import imap_of_dag
from fedbnsl.consensus.order import order_of_dags
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import checked_seed


def fuse(
    graphs: Sequence[Graph], order: Sequence[str] | None = None, weights: Sequence[float] | None = None
) -> Graph:
    """The fusion G⁺ of DAGs: an independence holds in it only if it holds in every input.

    Every input is brought to its minimal I-map under the order, and the arcs of all are united.

    Sources: Puerta, Aledo, Gámez, Laborda (2021), "Efficient and accurate structural fusion of Bayesian
    networks"; Peña (2011), "Finding consensus Bayesian network structures".

    Parameters
    ----------
    graphs : sequence of Graph
        DAGs over the same variables, whose order is that of the first. CPDAGs, which GES returns,
        are extended to a DAG first.
    order : sequence of str, optional
        Every variable once. Default: :func:`fedbnsl.consensus.node_order` of the graphs.
    weights : sequence of float, optional
        Positive, one for each graph. They count in the default order alone.

    Returns
    -------
    Graph
        A DAG whose arcs point forwards in the order.

    Raises
    ------
    InputError
        If there is no graph, variables differ, a graph has a directed cycle, the order does not list
        each variable once, or the weights are not one positive number for each graph.
    """
    dags = _inputs.as_dags(graphs)
    order = _inputs.checked_order(order, dags[0].names)
    weights = _inputs.whole_weights(weights, len(dags))
    return fuse_dags(dags, order_of_dags(dags, weights) if order is None else order)


def fuse_dags(dags: Sequence[Graph], order: Sequence[str]) -> Graph:
    """:func:`fuse` for graphs and an order that are checked already."""
    union = np.zeros_like(dags[0].adjacency)
    for dag in dags:
        union |= imap_of_dag(dag, order).adjacency
    return Graph(dags[0].names, union)


def fusion(graphs: Sequence[Graph], *, seed: int) -> Graph:
    """:func:`fuse` as an entry of the register of methods; it draws nothing, so ``seed`` is not used."""
    checked_seed(seed)
    return fuse(graphs)
