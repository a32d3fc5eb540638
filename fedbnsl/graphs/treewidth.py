"""Treewidth: how large the cliques get when a graph is triangulated for exact inference."""

import numpy as np

from fedbnsl.graphs import _kernels
from fedbnsl.graphs._matrix import as_matrix
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph


def treewidth(graph) -> int:
    """Upper bound on the treewidth by the min-fill heuristic.

    The width (largest clique − 1) of the triangulation that :func:`min_fill_order` makes of the moral
    graph. Exact where the moral graph is chordal; elsewhere the treewidth, which is NP-hard to
    compute, may be smaller.

    Parameters
    ----------
    graph : Graph, WeightedGraph or array_like, shape (d, d)
        A DAG or a CPDAG, which is moralised first, or an undirected graph, which is taken as it is.

    Returns
    -------
    int
        0 for a graph without edges.

    Raises
    ------
    InputError
        If the graph has a directed cycle, or undirected edges that no DAG extends.
    """
    return min_fill_order(graph)[1]


def min_fill_order(graph) -> tuple[np.ndarray, int]:
    """Elimination order by fewest fill-in edges, and its width.

    Nodes are eliminated one by one, the neighbours of each joined pairwise; the next is always a node
    that adds fewest edges, among equals the one of smallest index (Kjærulff 1990, "Triangulation of
    graphs – algorithms giving small total state space").

    Parameters
    ----------
    graph : Graph, WeightedGraph or array_like, shape (d, d)
        As in :func:`treewidth`.

    Returns
    -------
    order : ndarray of int64, shape (d,)
        Node indices.
    width : int
        The most neighbours that a node had when it was eliminated; 0 without edges.

    Raises
    ------
    InputError
        As :func:`treewidth`.
    """
    if isinstance(graph, Graph | WeightedGraph):
        graph = as_graph(graph)
    else:
        matrix = as_matrix(graph)
        graph = Graph(range(len(matrix)), matrix)
    order, width = _min_fill(as_matrix(graph.moral().adjacency))
    return order, int(width)


def _min_fill_by_sets(adjacency: np.ndarray) -> tuple[np.ndarray, int]:
    """What the compiled function gives, from sets of neighbours held as the bits of whole numbers."""
    around = [sum(1 << int(w) for w in np.flatnonzero(row)) for row in adjacency]
    alive, order, width = list(range(len(around))), [], 0
    while alive:
        v = min(alive, key=lambda u: _missing(around, u))
        neighbours = around[v]
        width = max(width, neighbours.bit_count())
        for w in _members(neighbours):
            around[w] = (around[w] | neighbours) & ~(1 << w | 1 << v)
        alive.remove(v)
        order.append(v)
    return np.array(order, dtype=np.int64), width


def _missing(around: list[int], u: int) -> int:
    """Pairs of neighbours of u that are not adjacent, times two."""
    return sum((around[u] & ~around[w]).bit_count() - 1 for w in _members(around[u]))  # − 1: w itself


def _members(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


def _compiled_min_fill():
    from fedbnsl.graphs import _treewidth_kernels

    return _treewidth_kernels.min_fill


_min_fill = _kernels.plain_at_first(_min_fill_by_sets, _compiled_min_fill)
