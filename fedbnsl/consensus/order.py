"""A node order for fusion: the greedy heuristic of Puerta et al. (2021)."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus import _inputs, _kernels
from fedbnsl.graphs.graph import Graph


def node_order(graphs: Sequence[Graph], weights: Sequence[float] | None = None) -> list[str]:
    """Order the variables so that the fusion of the graphs under it tends to be sparse.

    The order is built from its last element backwards. The next element is the node X that is
    cheapest to turn into a sink, where the cost, summed over the graphs (times their weights), is

    - for each child c of X, the number of parents of X that are not adjacent to c, plus
    - the number of distinct other parents of X's children that are not adjacent to X, plus
    - the number of children of X less one.

    Of equally cheap nodes the first in variable order is taken. In a working copy of every graph X
    is then turned into a sink and taken out: while X has children, take a child c to which no other
    directed path leads from X (the first in variable order of several), give X and c each other's
    parents, and reverse X → c.

    Source: Puerta, Aledo, Gámez, Laborda (2021), "Efficient and accurate structural fusion of
    Bayesian networks", Information Fusion 66.

    Parameters
    ----------
    graphs : sequence of Graph
        DAGs over the same variables; their order of variables is that of the first. CPDAGs are
        extended to a DAG first.
    weights : sequence of float, optional
        Positive, one for each graph; only their ratios count. Default: all alike.

    Returns
    -------
    list of str
        All variables.

    Raises
    ------
    InputError
        If there is no graph, variables differ, a graph has a directed cycle, or the weights are not
        one positive number for each graph.
    """
    dags = _inputs.as_dags(graphs)
    return order_of_dags(dags, _inputs.whole_weights(weights, len(dags)))


def order_of_dags(
    dags: Sequence[Graph], weights: Sequence[int] | None = None, before: np.ndarray | None = None
) -> list[str]:
    """:func:`node_order` for graphs and whole weights that are checked already.

    ``before``, of shape (d, d) and without a cycle, tells which variables must come before which: of
    the others only one may be taken next that needs to come before none of those left.
    """
    parents, _ = _inputs.parent_rows(dags)
    weights = np.ones(len(dags)) if weights is None else weights
    d = dags[0].n_nodes
    later = _kernels.pack(np.zeros((d, d)) if before is None else before)
    order = _kernels.node_order(parents, np.asarray(weights, dtype=np.int64), later)
    return [dags[0].names[v] for v in order]
