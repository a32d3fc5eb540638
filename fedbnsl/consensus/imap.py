"""Minimal I-maps of a DAG under a node order."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus import _inputs, _kernels
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph


def minimal_imap(graph: Graph, order: Sequence[str]) -> Graph:
    """The minimal I-map of a DAG whose arcs all point forwards in ``order``.

    It is unique. The parents of x are those of its predecessors that a path can reach from x with
    no other predecessor on it, in the moral graph of the ancestral set of x and its predecessors:
    the smallest set that separates x from the other predecessors. One breadth-first search a node.

    The arc-reversal methods of Matzkevich and Abramson (1992), as corrected by Peña (2011), "Finding
    consensus Bayesian network structures", reach the same graph; reversals in another sequence can
    leave arcs too many.

    Parameters
    ----------
    graph : Graph
        A DAG; a CPDAG is extended to a DAG first.
    order : sequence of str
        Every variable once.

    Returns
    -------
    Graph
        A DAG with the graph's order of variables.

    Raises
    ------
    InputError
        If the graph has a directed cycle or the order does not list each variable once.
    """
    [checked] = _inputs.as_dags([graph])
    order = _inputs.checked_order(order, checked.names)
    if order is None:
        raise InputError("a minimal I-map needs a node order", remedy="node_order(graphs) proposes one")
    return imap_of_dag(checked, order)


def imap_of_dag(dag: Graph, order: Sequence[str]) -> Graph:
    """:func:`minimal_imap` for a graph and an order that are checked already."""
    index = {name: v for v, name in enumerate(dag.names)}
    parents, topological = _inputs.parent_rows([dag])
    nodes = np.array([index[name] for name in order], dtype=np.int64)
    rows = _kernels.minimal_imap(parents[0], topological[0], nodes)
    return Graph(dag.names, _kernels.unpack(rows, dag.n_nodes).T)
