"""Structural intervention distance, through the gadjid library."""

import numpy as np

from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph

_ROW_TO_COLUMN = "from row to column"


def sid(estimate: Graph | WeightedGraph, truth: Graph | WeightedGraph) -> int:
    """Ordered pairs (i, j) whose causal effect the estimate gets wrong, 0 … d(d − 1).

    Between DAGs: the structural intervention distance (Peters and Bühlmann 2015), computed by
    ``gadjid.sid`` (Henckel, Würtzen and Weichwald 2024). The effect of i on j is right if adjusting
    for the estimate's parents of i is valid in the truth, or, where j is such a parent, if i has no
    effect on j. Not symmetric; an estimate that contains the truth has distance 0.

    With a CPDAG on either side: ``gadjid.parent_aid``, the same count where an effect that a CPDAG
    does not identify is a third answer besides "adjust for these" and "no effect", right only if
    the other graph does not identify it either. An undirected edge therefore costs both its pairs
    against a DAG. A PDAG stands for its CPDAG.

    Parameters
    ----------
    estimate, truth : Graph or WeightedGraph
        Over the same variables, in any order.

    Raises
    ------
    InputError
        If the variables differ, or a graph is no DAG and has no DAG that extends it.
    """
    import gadjid

    truth = as_graph(truth)
    estimate = as_graph(estimate).reordered(truth.names)
    if truth.n_nodes < 2:  # gadjid refuses these
        return 0
    compare = gadjid.sid if truth.is_dag() and estimate.is_dag() else gadjid.parent_aid
    return int(compare(_coded(truth), _coded(estimate), edge_direction=_ROW_TO_COLUMN)[1])


def _coded(graph: Graph) -> np.ndarray:
    """gadjid's coding: 1 in [i, j] is i → j, 2 in one of [i, j] and [j, i] is i — j."""
    if graph.is_dag():
        return graph.adjacency
    a = graph.cpdag().adjacency
    undirected = a & a.T
    return np.ascontiguousarray(a - undirected + 2 * np.triu(undirected)).astype(np.int8)
