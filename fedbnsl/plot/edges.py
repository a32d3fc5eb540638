"""The edges of a picture: weight, support, and how each compares with a known truth."""

from dataclasses import dataclass

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph
from fedbnsl.plot import style
from fedbnsl.plot.layout import graph_pairs

STATUS = {
    # status: (colour on white, colour on black, dashes in points)
    "correct": (style.BLACK, "#e2e2e2", ()),
    "reversed": (style.BLUE, style.SKY, (6, 2, 1.5, 2)),
    "extra": (style.VERMILLION, "#ff8a4c", (5, 2.5)),
    "missing": ("#b0568f", "#e3a0c8", (1.2, 2.2)),
}
"""How an edge compares with the truth: the same there; adjacent there but in another direction (or
undirected in one of the two); not there; only there."""


@dataclass(frozen=True)
class Edge:
    """One edge of a picture, ends as indices; an undirected one has its smaller index first."""

    i: int
    j: int
    directed: bool
    status: str | None = None
    weight: float | None = None
    support: float | None = None


def picture_edges(
    graph: Graph | WeightedGraph, truth: Graph | WeightedGraph | None = None, weights=None, support=None
) -> list[Edge]:
    """The edges of ``graph`` and, after them, those of ``truth`` that it lacks.

    Parameters
    ----------
    graph, truth : Graph or WeightedGraph
        On the same variables; of the truth the order does not matter.
    weights : array_like, shape (d, d), optional
        Signed weights; by default those of a WeightedGraph.
    support : array_like, shape (d, d), optional
        For instance the share of sites that have the edge.

    Raises
    ------
    InputError
        If the variables differ, or a matrix has another shape.
    """
    if weights is None and isinstance(graph, WeightedGraph):
        weights = graph.weights
    graph = as_graph(graph)
    weights = _matrix(weights, graph, "weights")
    support = _matrix(support, graph, "support")
    a = graph.adjacency
    t = as_graph(truth).reordered(graph.names).adjacency if truth is not None else None
    out = []
    for i, j in graph_pairs(graph):
        status = None
        if t is not None:
            same = t[i, j] == a[i, j] and t[j, i] == a[j, i]
            status = "correct" if same else "reversed" if t[i, j] or t[j, i] else "extra"
        out.append(Edge(i, j, not a[j, i], status, _entry(weights, a, i, j), _entry(support, a, i, j)))
    if t is not None:
        lacking = Graph(graph.names, t & (1 - (a | a.T)))
        out += [Edge(i, j, not t[j, i], "missing") for i, j in graph_pairs(lacking)]
    return out


def status_counts(edges: list[Edge]) -> dict[str, int]:
    """Number of edges of each status, in the order of :data:`STATUS`; empty without a truth."""
    if not any(edge.status for edge in edges):
        return {}
    return {status: sum(edge.status == status for edge in edges) for status in STATUS}


def status_texts(graph: Graph | WeightedGraph, truth: Graph | WeightedGraph | None) -> dict[str, str]:
    """How a legend names each status: an edge without direction in one of the two is not reversed."""
    both = [as_graph(g).adjacency for g in (graph, truth) if g is not None]
    unoriented = any((a & a.T).any() for a in both)
    return {s: "reversed or unoriented" if s == "reversed" and unoriented else s for s in STATUS}


def with_head(curve: np.ndarray, length: float, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Shorten a Bézier curve by its arrow head and give the head's three corners.

    Parameters
    ----------
    curve : ndarray, shape (3k + 1, 2)
    length, width : float
        Of the head, in the units of the curve. A curve shorter than twice the head gets a smaller one.

    Returns
    -------
    (ndarray (3k + 1, 2), ndarray (3, 2))
        The curve that ends inside the head, and the corners: tip, left, right.
    """
    tip = curve[-1]
    span = float(np.linalg.norm(tip - curve[0]))
    if span < 2 * length:
        length, width = span / 2, width * span / 2 / length
    back = next((tip - p for p in curve[-2::-1] if np.linalg.norm(tip - p) > 1e-6), np.array([1.0, 0.0]))
    back = back / np.linalg.norm(back)
    across = np.array([-back[1], back[0]]) * width / 2
    base = tip - back * length
    short = curve.copy()
    short[-1] = base + back * length * 0.1
    # keep the last control point before the new end, or the curve would turn back
    if np.dot(short[-2] - short[-1], back) > 0:
        short[-2] = short[-1] - back * 0.1
    return short, np.array([tip, base + across, base - across])


def _matrix(values, graph, what):
    if values is None:
        return None
    matrix = np.asarray(values, dtype=float)
    if matrix.shape != graph.adjacency.shape:
        raise InputError(f"{what} have shape {matrix.shape}, but the graph has {graph.n_nodes} variables")
    return matrix


def _entry(matrix, a, i, j) -> float | None:
    if matrix is None:
        return None
    values = [matrix[i, j]] + ([matrix[j, i]] if a[j, i] else [])
    return float(max(values, key=abs))
