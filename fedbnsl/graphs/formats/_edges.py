"""Nodes and edges between a file and a graph: gathering with checks, and listing."""

import math

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.graph import Graph, WeightedGraph


class Gathering:
    """The variables and edges of a file while it is read.

    Parameters
    ----------
    where : str
        The file, for messages.
    reciprocal : bool
        Whether a → b and b → a together mean a — b, as in formats without a sign for it. Otherwise
        the two are an error, unless both have a weight.
    weighted : bool
        Whether the file declares weights, so that a file without edges still is a weighted graph.
    """

    def __init__(self, where: str, *, reciprocal: bool = False, weighted: bool = False):
        self.where, self.reciprocal, self.weighted = where, reciprocal, weighted
        self.index: dict[str, int] = {}
        self.edges: dict[tuple[int, int], tuple[bool, float | None, str]] = {}

    def declare(self, name: str, place: str) -> None:
        """Add a variable that must be new."""
        if name in self.index:
            raise self.error(f"the variable {name!r} is given twice", place)
        self.index[name] = len(self.index)

    def mention(self, name: str) -> None:
        """Add a variable unless it is known."""
        self.index.setdefault(name, len(self.index))

    def edge(
        self, a: str, b: str, place: str, *, directed: bool = True, weight: float | str | None = None
    ) -> None:
        """Add an edge between two known variables; ``place`` is where in the file it stands."""
        for name in (a, b):
            if name not in self.index:
                raise self.error(f"the edge {a} → {b} names {name!r}, which is not a variable", place)
        i, j = self.index[a], self.index[b]
        if i == j:
            raise self.error(f"the edge {a} → {b} is a loop", place)
        if weight is not None:
            weight = self._number(weight, f"{a} → {b}", place)
        if (i, j) in self.edges:
            first = self.edges[i, j][2]
            raise self.error(f"the edge {a} → {b} is given twice, first in {first}", place)
        if (j, i) in self.edges:
            other_directed, other_weight, first = self.edges[j, i]
            if not (directed and other_directed):
                raise self.error(f"{a} and {b} have two edges, the first in {first}", place)
            if not (self.reciprocal or (weight is not None and other_weight is not None)):
                raise self.error(
                    f"both {a} → {b} and {b} → {a} are given, the latter in {first}",
                    place,
                    "Give one direction, or one undirected edge",
                )
        self.edges[i, j] = directed, weight, place

    def graph(self) -> Graph | WeightedGraph:
        """The gathered graph; weighted if weights are declared or every edge has one."""
        names = list(self.index)
        given = [weight is not None for _, weight, _ in self.edges.values()]
        if self.weighted or any(given):
            if not all(given):
                (i, j), (_, _, place) = next(item for item in self.edges.items() if item[1][1] is None)
                raise self.error(
                    f"the edge {names[i]} → {names[j]} has no weight, but weights are given",
                    place,
                    "Give all edges a weight or none",
                )
            matrix = np.zeros((len(names), len(names)))
        else:
            matrix = np.zeros((len(names), len(names)), dtype=np.int8)
        for (i, j), (directed, weight, _) in self.edges.items():
            matrix[i, j] = 1 if weight is None else weight
            if not directed:
                matrix[j, i] = matrix[i, j]
        return (Graph if matrix.dtype == np.int8 else WeightedGraph)(names, matrix)

    def error(self, problem: str, place: str, remedy: str | None = None) -> InputError:
        """An error at a place of the file, for the caller to raise."""
        return InputError(problem, where=f"{self.where}, {place}" if place else self.where, remedy=remedy)

    def _number(self, weight: float | str, edge: str, place: str) -> float:
        try:
            number = float(weight)
        except (ValueError, OverflowError):
            raise self.error(f"the weight {weight!r} of {edge} is not a number", place) from None
        if not math.isfinite(number):
            raise self.error(f"the weight {weight} of {edge} is not a finite number", place)
        if number == 0:
            raise self.error(
                f"the edge {edge} has the weight 0, which means no edge", place, "Leave the edge out"
            )
        return number


def graph_from_parents(names: list[str], parents: dict[str, list[str]], where: str, places: dict) -> Graph:
    """The DAG that gives each variable its parents; unknown names, repeats and cycles are errors.

    ``places[name]`` says where in the file the parents of ``name`` stand.
    """
    gathering = Gathering(where)
    for name in names:
        gathering.declare(name, places[name])
    for child, given in parents.items():
        for parent in given:
            gathering.edge(parent, child, places[child])
    graph = gathering.graph()
    refuse_cycles(graph, where)
    return graph


def refuse_cycles(graph: Graph, where: str) -> None:
    """Raise InputError, naming one cycle, if the graph has a directed cycle."""
    cycle = dag.find_cycle(graph.adjacency)
    if cycle:
        path = " → ".join(graph.names[i] for i in cycle)
        raise InputError(f"the graph has the directed cycle {path}", where=where)


def edges_of(graph: Graph | WeightedGraph) -> list[tuple[str, str, bool, float | None]]:
    """(from, to, directed, weight) of every edge; of a weighted graph, of every non-zero weight."""
    if isinstance(graph, WeightedGraph):
        names = graph.names
        return [(names[i], names[j], True, float(graph.weights[i, j])) for i, j in np.argwhere(graph.weights)]
    return [(a, b, True, None) for a, b in graph.directed_edges()] + [
        (a, b, False, None) for a, b in graph.undirected_edges()
    ]


def arcs_of(graph: Graph | WeightedGraph) -> list[tuple[int, int, float | None]]:
    """(i, j, weight) of every non-zero entry; an undirected edge stands in both directions."""
    if isinstance(graph, WeightedGraph):
        return [(int(i), int(j), float(graph.weights[i, j])) for i, j in np.argwhere(graph.weights)]
    return [(int(i), int(j), None) for i, j in np.argwhere(graph.adjacency)]


def is_undirected(graph: Graph | WeightedGraph) -> bool:
    """Whether there are edges and none has a direction (never of a weighted graph)."""
    return isinstance(graph, Graph) and graph.n_edges > 0 and not graph.directed_edges()
