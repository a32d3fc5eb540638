"""The graph type: variable names and one small integer matrix, immutable."""

from collections.abc import Iterable, Sequence

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, dag, interop, moral
from fedbnsl.graphs._matrix import as_array, as_matrix
from fedbnsl.graphs._names import checked_names, difference, locate


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
        names = checked_names(names)
        matrix = as_matrix(adjacency)
        if len(matrix) != len(names):
            raise InputError(
                f"the adjacency matrix has the shape {matrix.shape}, but there are {len(names)} names"
            )
        loops = np.flatnonzero(np.diagonal(matrix))
        if loops.size:
            raise InputError(f"the edge {names[loops[0]]} → {names[loops[0]]} is a loop")
        matrix.flags.writeable = False
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "adjacency", matrix)

    def __setattr__(self, key, value):
        raise AttributeError("a Graph cannot be changed; make a new one")

    def __delattr__(self, key):
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
            If a pair names an unknown variable, a variable stands in a pair with itself, or an edge
            is given in both directions or both as directed and undirected.
        """
        names = checked_names(names)
        index = {name: i for i, name in enumerate(names)}
        matrix = np.zeros((len(names), len(names)), dtype=np.int8)
        for u, v in pairs:
            i, j = (locate(index, str(name), f"the edge {u} → {v}") for name in (u, v))
            if matrix[j, i] and i != j:
                raise InputError(
                    f"the edges {u} → {v} and {v} → {u} are both given",
                    remedy="Give one direction, or pass the pair as undirected",
                )
            matrix[i, j] = 1
        directed = matrix.copy()
        for u, v in undirected:
            i, j = (locate(index, str(name), f"the edge {u} — {v}") for name in (u, v))
            if directed[i, j] or directed[j, i]:
                raise InputError(f"the edge between {u} and {v} is given both as directed and undirected")
            matrix[i, j] = matrix[j, i] = 1
        return cls(names, matrix)

    @classmethod
    def from_networkx(cls, graph) -> "Graph":
        """Build from a networkx graph; a DiGraph with both u → v and v → u has an undirected edge."""
        return cls(*interop.from_networkx(graph))

    @classmethod
    def from_pgmpy(cls, model) -> "Graph":
        """Build from a pgmpy DAG, Bayesian network, PDAG or undirected graph."""
        return cls(*interop.from_pgmpy(model))

    def reordered(self, names: Sequence[str]) -> "Graph":
        """The same graph with its variables in the order ``names`` (a permutation of ``.names``)."""
        names = tuple(str(name) for name in names)
        if names == self.names:
            return self
        if set(names) != set(self.names) or len(names) != len(self.names):
            raise InputError(
                "the graphs do not have the same variables", remedy=difference(self.names, names)
            )
        index = {name: i for i, name in enumerate(self.names)}
        order = [index[name] for name in names]
        return Graph(names, self.adjacency[np.ix_(order, order)])

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

    def skeleton(self) -> "Graph":
        """The undirected graph with the same adjacencies."""
        return Graph(self.names, self.adjacency | self.adjacency.T)

    def cpdag(self) -> "Graph":
        """The CPDAG of this DAG's Markov equivalence class.

        Of a PDAG, the CPDAG of the DAGs that extend it; a CPDAG comes back as it is.

        Raises
        ------
        InputError
            If the graph has a directed cycle or no consistent extension.
        """
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
        return Graph(self.names, cpdag.pdag_to_dag(self.adjacency, names=self.names))

    def moral(self) -> "Graph":
        """The moral graph: parents of a common child joined, directions dropped.

        Of a PDAG, the moral graph that all DAGs extending it share. A graph without any directed edge
        is returned as it is: if it has DAGs at all they join no parents, else it is a Markov network.

        Raises
        ------
        InputError
            If the graph has a directed cycle or no consistent extension.
        """
        if (self.adjacency == self.adjacency.T).all():
            return self
        return Graph(self.names, moral.moralize(self.to_dag().adjacency))

    def ancestral(self, nodes: Iterable[str]) -> "Graph":
        """The subgraph of this DAG on ``nodes`` and all their ancestors, in variable order.

        Raises
        ------
        InputError
            If this is no DAG, or a name is not a variable.
        """
        dag.topological_order(self.adjacency, self.names)
        index = {name: i for i, name in enumerate(self.names)}
        wanted = [locate(index, name, "the set of nodes") for name in nodes]
        keep = np.flatnonzero(dag.ancestors(self.adjacency, wanted))
        return Graph([self.names[i] for i in keep], self.adjacency[np.ix_(keep, keep)])

    def to_networkx(self):
        """A networkx DiGraph; an undirected edge becomes two arcs."""
        return interop.to_networkx(self.names, self.adjacency)

    def to_pgmpy(self):
        """A ``pgmpy.base.DAG``, or a ``pgmpy.base.PDAG`` if an edge is undirected.

        Raises
        ------
        InputError
            If the graph has a directed cycle.
        """
        return interop.to_pgmpy(self.names, self.adjacency)


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
        matrix = np.array(as_array(weights, np.float64), order="C")
        if not np.isfinite(matrix).all():
            raise InputError("edge weights must be finite numbers")
        graph = Graph(names, matrix != 0)
        matrix.flags.writeable = False
        object.__setattr__(self, "names", graph.names)
        object.__setattr__(self, "weights", matrix)
        object.__setattr__(self, "graph", graph)

    def __setattr__(self, key, value):
        raise AttributeError("a WeightedGraph cannot be changed; make a new one")

    def __delattr__(self, key):
        raise AttributeError("a WeightedGraph cannot be changed; make a new one")

    def __eq__(self, other) -> bool:
        """Equal when the variables and all weights are the same; order does not matter."""
        if not isinstance(other, WeightedGraph):
            return NotImplemented
        if set(self.names) != set(other.names):
            return False
        order = [other.names.index(name) for name in self.names]
        return bool((self.weights == other.weights[np.ix_(order, order)]).all())

    def __hash__(self) -> int:
        return hash(self.graph)

    def __reduce__(self):
        return WeightedGraph, (self.names, self.weights)

    def __repr__(self) -> str:
        return f"<WeightedGraph: {len(self.names)} nodes, {self.graph.n_edges} edges>"


def as_graph(graph: "Graph | WeightedGraph") -> Graph:
    """The :class:`Graph` of either graph type."""
    return graph.graph if isinstance(graph, WeightedGraph) else graph
