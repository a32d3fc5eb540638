"""What the formats with probability tables share: tables for a bare graph, and places on the screen."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.formats._edges import refuse_cycles
from fedbnsl.graphs.graph import Graph, WeightedGraph

#: Numbers in the largest table that is written for a bare graph: a file of some 20 megabytes.
LARGEST_TABLE = 2_000_000

#: What a file with made-up tables says of them.
UNIFORM = "Only the structure is meant: every table is uniform."


def as_network(graph, states: Mapping[str, Sequence[str]] | None, path: Path) -> tuple[DiscreteNetwork, bool]:
    """The network to write, and whether its tables had to be made up (uniform).

    Raises
    ------
    InputError
        If a graph is no DAG or has weights, or ``states`` do not fit it.
    """
    where = str(path)
    if isinstance(graph, DiscreteNetwork):
        if states is not None:
            raise InputError("a network has its own states", where=where, remedy="Leave states out")
        return graph, False
    structure = "write .json, .csv, .graphml, .gml or .dot"
    if isinstance(graph, WeightedGraph):
        raise InputError(
            "this format cannot hold weights",
            where=where,
            remedy=f"Write its structure, .graph, or {structure}",
        )
    if not isinstance(graph, Graph):
        raise InputError(
            f"a {type(graph).__name__} cannot be written",
            where=where,
            remedy="Give a Graph, a WeightedGraph or a DiscreteNetwork",
        )
    if undirected := graph.undirected_edges():
        a, b = undirected[0]
        raise InputError(
            f"this format holds only DAGs, but {len(undirected)} edges are undirected, the first {a} — {b}",
            where=where,
            remedy=f"Write graph.to_dag(), or {structure}",
        )
    refuse_cycles(graph, where)
    return _uniform(graph, states, where, structure), True


def parent_names(network: DiscreteNetwork, i: int) -> list[str]:
    """The names of the parents of variable i, in the order of its table."""
    return [network.names[p] for p in network.parents[i]]


def layered_places(graph: Graph, across: int, down: int) -> list[tuple[int, int]]:
    """(x, y) for each variable, in steps of ``across`` and ``down``: every parent above its children."""
    layer = np.zeros(graph.n_nodes, dtype=int)
    for i in dag.topological_order(graph.adjacency):
        parents = np.flatnonzero(graph.adjacency[:, i])
        layer[i] = 1 + layer[parents].max() if len(parents) else 0
    filled: dict[int, int] = {}
    places = []
    for depth in layer.tolist():
        places.append((across * filled.get(depth, 0), down * depth))
        filled[depth] = filled.get(depth, 0) + 1
    return places


def _uniform(graph: Graph, states, where: str, structure: str) -> DiscreteNetwork:
    if states is None:
        raise InputError(
            "this format needs the states of every variable, which a Graph does not have",
            where=where,
            remedy=f"Pass states={{name: [state, …], …}}, or {structure}",
        )
    unknown = [name for name in states if name not in graph.names]
    if unknown:
        raise InputError(f"states are given for {unknown[0]!r}, which is not a variable", where=where)
    listed = []
    for name in graph.names:
        given = states.get(name, ())
        texts = tuple(str(state) for state in given)
        if isinstance(given, str) or not texts or len(set(texts)) != len(texts):
            raise InputError(
                f"the states of {name!r} must be one or more different texts, not {given!r}",
                where=where,
                remedy=f"Pass states={{{name!r}: [state, …], …}}",
            )
        listed.append(texts)
    parents = [np.flatnonzero(column).tolist() for column in graph.adjacency.T]
    tables = []
    for i, given in enumerate(parents):
        shape = [len(listed[p]) for p in (*given, i)]
        if math.prod(shape) > LARGEST_TABLE or len(shape) > 64:  # NumPy's largest number of axes
            raise InputError(
                f"{graph.names[i]!r} has {len(given)} parents, so its table needs {math.prod(shape)} numbers",
                where=where,
                remedy=f"To keep the structure alone, {structure}",
            )
        tables.append(np.full(shape, 1 / shape[-1]))
    return DiscreteNetwork(Path(where).name, graph.names, listed, parents, tables)
