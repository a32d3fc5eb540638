"""The graph type: variable names and one small integer matrix, immutable."""

from collections.abc import Iterable, Sequence

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, dag, moral


class Graph:
    """A graph over named variables: a DAG, a CPDAG, or an undirected graph.

    Parameters
    ----------
    names : sequence of str
        The d variable names, all different.
    adjacency : array_like, shape (d, d)
        ``A[i, j] = 1`` is the edge i → j; ``A[i, j] = A[j, i] = 1`` is one undirected edge i — j.

    Attributes
    ----------
    names : tuple of str
    adjacency : numpy.ndarray of int8, shape (d, d), read-only

    Raises
    ------
    InputError
        If names repeat, the matrix is not square or not of size d, holds anything but 0 and 1, or
        has a loop.
    """

    __slots__ = ("adjacency", "names")

    def __init__(self, names: Sequence[str], adjacency):
        names = _checked_names(names)
        given = np.asarray(adjacency)
        if given.shape != (len(names), len(names)):
            raise InputError(
                f"the adjacency matrix has shape {given.shape}, but there are {len(names)} names"
            )
        matrix = given.astype(np.int8)
        if not ((given == 0) | (given == 1)).all():
            raise InputError("an adjacency matrix holds only 0 and 1")
        loops = np.flatnonzero(np.diagonal(matrix))
        if loops.size:
            raise InputError(f"the edge {names[loops[0]]} → {names[loops[0]]} is a loop")
        matrix.flags.writeable = False
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "adjacency", matrix)

    def __setattr__(self, key, value):
        raise AttributeError("a Graph cannot be changed; make a new one")

    def __reduce__(self):
        return Graph, (self.names, self.adjacency)

    def __eq__(self, other) -> bool:
        """Equal when the variables and edges are the same; the order of variables does not matter."""
        if not isinstance(other, Graph):
            return NotImplemented
        if set(self.names) != set(other.names):
            return False
        return bool((self.adjacency == other.reordered(self.names).adjacency).all())

    def __hash__(self) -> int:
        return hash((frozenset(self.names), frozenset(self.arcs())))

    def __repr__(self) -> str:
        return f"<Graph: {self.n_nodes} nodes, {self.n_edges} edges>"

    # --- construction -------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        names: Sequence[str],
        pairs: Iterable[tuple[str, str]],
        undirected: Iterable[tuple[str, str]] = (),
    ) -> "Graph":
        """Build from (from, to) pairs of names and, for CPDAGs, undirected pairs.

        Raises
        ------
        InputError
            If a pair names an unknown variable, or an edge stands in both directions.
        """
        names = tuple(names)
        index = {name: i for i, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), dtype=np.int8)
        for pair in pairs:
            i, j = _locate(index, pair)
            if matrix[j, i]:
                raise InputError(
                    f"the edges {pair[0]} → {pair[1]} and {pair[1]} → {pair[0]} are both given",
                    remedy="Give one direction, or pass the pair as undirected",
                )
            matrix[i, j] = 1
        for pair in undirected:
            i, j = _locate(index, pair)
            matrix[i, j] = matrix[j, i] = 1
        return cls(names, matrix)

    @classmethod
    def from_networkx(cls, graph) -> "Graph":
        """Build from a networkx graph; a DiGraph with both u → v and v → u has an undirected edge."""
        names = [str(node) for node in graph.nodes]
        index = {node: i for i, node in enumerate(graph.nodes)}
        matrix = np.zeros((len(names), len(names)), dtype=np.int8)
        for u, v in graph.edges():
            matrix[index[u], index[v]] = 1
            if not graph.is_directed():
                matrix[index[v], index[u]] = 1
        return cls(names, matrix)

    def reordered(self, names: Sequence[str]) -> "Graph":
        """The same graph with its variables in the order ``names`` (a permutation of ``.names``)."""
        names = tuple(names)
        if names == self.names:
            return self
        if set(names) != set(self.names) or len(names) != len(self.names):
            raise InputError(
                "the graphs do not have the same variables", remedy=_difference(self.names, names)
            )
        index = {name: i for i, name in enumerate(self.names)}
        order = [index[name] for name in names]
        return Graph(names, self.adjacency[np.ix_(order, order)])

    # --- what is in it ------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return int(np.triu(self.adjacency | self.adjacency.T, 1).sum())

    def directed_edges(self) -> list[tuple[str, str]]:
        """Directed edges as (from, to), in variable order."""
        a = self.adjacency
        return [(self.names[i], self.names[j]) for i, j in np.argwhere((a == 1) & (a.T == 0))]

    def undirected_edges(self) -> list[tuple[str, str]]:
        """Undirected edges, each once, the earlier variable first."""
        a = self.adjacency
        return [(self.names[i], self.names[j]) for i, j in np.argwhere(np.triu(a & a.T, 1))]

    def edges(self) -> list[tuple[str, str]]:
        """Every edge once: the directed ones as (from, to), then the undirected ones."""
        return self.directed_edges() + self.undirected_edges()

    def arcs(self) -> list[tuple[str, str]]:
        """Non-zero entries of the matrix as pairs; an undirected edge stands in both directions."""
        return [(self.names[i], self.names[j]) for i, j in np.argwhere(self.adjacency)]

    def is_dag(self) -> bool:
        """Whether all edges are directed and there is no directed cycle."""
        return dag.is_dag(self.adjacency)

    def is_cpdag(self) -> bool:
        """Whether this is the completed PDAG of some DAG."""
        return cpdag.is_cpdag(self.adjacency)

    # --- derived graphs -----------------------------------------------------------------------

    def skeleton(self) -> "Graph":
        """The undirected graph with the same adjacencies."""
        return Graph(self.names, self.adjacency | self.adjacency.T)

    def cpdag(self) -> "Graph":
        """The CPDAG of this DAG's Markov equivalence class (a CPDAG is returned as it is)."""
        if self.is_dag():
            return Graph(self.names, cpdag.dag_to_cpdag(self.adjacency))
        return Graph(self.names, cpdag.dag_to_cpdag(self.to_dag().adjacency))

    def to_dag(self) -> "Graph":
        """A DAG that extends this PDAG (Dor and Tarsi 1992); a DAG is returned as it is.

        Raises
        ------
        InputError
            If the graph has a directed cycle or no consistent extension.
        """
        if self.is_dag():
            return self
        return Graph(self.names, cpdag.pdag_to_dag(self.adjacency))

    def moral(self) -> "Graph":
        """The moral graph: parents of a common child joined, directions dropped.

        Of a CPDAG, the moral graph that all its DAGs share.
        """
        if self.is_dag():
            return Graph(self.names, moral.moralize(self.adjacency))
        if (self.adjacency == self.adjacency.T).all() and not self.is_cpdag():
            return self  # already undirected: a moral graph itself
        return Graph(self.names, moral.moralize(self.to_dag().adjacency))

    def ancestral(self, nodes: Iterable[str]) -> "Graph":
        """The subgraph of this DAG on ``nodes`` and all their ancestors."""
        index = {name: i for i, name in enumerate(self.names)}
        keep = np.flatnonzero(dag.ancestors(self.adjacency, [index[name] for name in nodes]))
        return Graph([self.names[i] for i in keep], self.adjacency[np.ix_(keep, keep)])

    def to_networkx(self):
        """A networkx DiGraph; an undirected edge becomes two arcs."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.arcs())
        return graph


class WeightedGraph:
    """A weighted directed graph, as continuous learners return it.

    Parameters
    ----------
    names : sequence of str
        The d variable names.
    weights : array_like of float, shape (d, d)
        ``W[i, j]`` is the effect of i on j in the units of j per unit of i; 0 is no edge.

    Attributes
    ----------
    names : tuple of str
    weights : numpy.ndarray of float64, shape (d, d), read-only
    graph : Graph
        The non-zero pattern.
    """

    __slots__ = ("graph", "names", "weights")

    def __init__(self, names: Sequence[str], weights):
        matrix = np.array(weights, dtype=np.float64)
        if not np.isfinite(matrix).all():
            raise InputError("edge weights must be finite numbers")
        graph = Graph(names, matrix != 0)
        matrix.flags.writeable = False
        object.__setattr__(self, "names", graph.names)
        object.__setattr__(self, "weights", matrix)
        object.__setattr__(self, "graph", graph)

    def __setattr__(self, key, value):
        raise AttributeError("a WeightedGraph cannot be changed; make a new one")

    def __reduce__(self):
        return WeightedGraph, (self.names, self.weights)

    def __repr__(self) -> str:
        return f"<WeightedGraph: {len(self.names)} nodes, {self.graph.n_edges} edges>"


def as_graph(graph: "Graph | WeightedGraph") -> Graph:
    """The :class:`Graph` of either graph type."""
    return graph.graph if isinstance(graph, WeightedGraph) else graph


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    names = tuple(str(name) for name in names)
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise InputError(f"variable names must differ, but {', '.join(twice)} occurs more than once")
    return names


def _locate(index: dict[str, int], pair: tuple[str, str]) -> tuple[int, int]:
    for name in pair:
        if name not in index:
            raise InputError(
                f"the edge {pair[0]} → {pair[1]} names {name!r}, which is not a variable",
                remedy=f"The variables are {', '.join(index)}",
            )
    return index[pair[0]], index[pair[1]]


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    parts = [
        f"Only in the {side}: {', '.join(sorted(extra)[:10])}"
        for side, extra in (("first", set(ours) - set(theirs)), ("second", set(theirs) - set(ours)))
        if extra
    ]
    return "; ".join(parts)
