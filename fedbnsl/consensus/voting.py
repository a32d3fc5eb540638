"""Voting: the edges that enough of the graphs have."""

from collections.abc import Sequence
from numbers import Real

import numpy as np

from fedbnsl.consensus import _inputs
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import checked_seed


def vote(graphs: Sequence[Graph], threshold: float = 0.5) -> Graph:
    """The DAG of the edges that at least a share of the graphs have.

    A pair of variables is joined if at least one graph and at least the share ``threshold`` of the
    graphs join it, in whatever direction. Its direction is the one with more votes, where an
    undirected edge gives half a vote to each; with equal votes, from the earlier variable to the later
    one. The arcs are then added by falling number of votes (of equal ones in variable order, by the
    origin and then the target), leaving out each that would close a directed cycle: of every cycle a
    least supported arc is dropped.

    Parameters
    ----------
    graphs : sequence of Graph
        DAGs or CPDAGs over the same variables, whose order is that of the first.
    threshold : float
        From 0 (the union) to 1 (the intersection), of the number of graphs. Default: at least half.

    Returns
    -------
    Graph
        A DAG.

    Raises
    ------
    InputError
        If there is no graph, variables differ, or the threshold is out of range.
    """
    if not isinstance(threshold, Real) or not 0 <= threshold <= 1:
        raise InputError(f"the threshold cannot be {threshold!r}", remedy="Give a share from 0 to 1")
    graphs = _inputs.same_variables(graphs)
    stack = np.stack([graph.adjacency for graph in graphs]).astype(np.int64)
    support = (stack | stack.transpose(0, 2, 1)).sum(axis=0)
    # in half votes: 2 for a directed edge, 1 for each direction of an undirected one
    votes = (2 * stack - (stack & stack.transpose(0, 2, 1))).sum(axis=0)
    kept = (support >= 1) & (support / len(graphs) >= threshold)
    earlier = np.triu(np.ones_like(kept), 1)
    arcs = np.argwhere(kept & ((votes > votes.T) | ((votes == votes.T) & earlier)))
    result = np.zeros_like(graphs[0].adjacency)
    for u, v in arcs[np.argsort(-votes[tuple(arcs.T)], kind="stable")]:
        if not dag.ancestors(result, [u])[v]:
            result[u, v] = 1
    return Graph(graphs[0].names, result)


def majority(graphs: Sequence[Graph], *, seed: int, threshold: float) -> Graph:
    """:func:`vote` as an entry of the register of methods; it draws nothing, so ``seed`` is not used."""
    checked_seed(seed)
    return vote(graphs, threshold)
