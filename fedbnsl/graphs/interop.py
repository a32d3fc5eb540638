"""Conversion of graphs to and from networkx and pgmpy objects."""

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs._matrix import directed_part


def to_networkx(names, adjacency):
    """A networkx DiGraph, nodes in variable order; an undirected edge becomes two arcs."""
    import networkx

    return _fill(networkx.DiGraph(), names, adjacency)


def from_networkx(graph) -> tuple[list[str], np.ndarray]:
    """(names, adjacency) of a networkx graph; arcs u → v and v → u are one undirected edge."""
    index = {node: i for i, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(index), len(index)), dtype=np.int8)
    for u, v in graph.edges():
        matrix[index[u], index[v]] = 1
        if not graph.is_directed():
            matrix[index[v], index[u]] = 1
    return [str(node) for node in index], matrix


def to_pgmpy(names, adjacency):
    """A ``pgmpy.base.DAG``, or a ``pgmpy.base.PDAG`` if an edge is undirected.

    Raises
    ------
    InputError
        If there is a directed cycle.
    """
    from pgmpy.base import DAG, PDAG

    cycle = dag.find_cycle(directed_part(adjacency))
    if cycle is not None:
        raise InputError(dag.cycle_message(cycle, names))
    if dag.is_dag(adjacency):
        return _fill(DAG(), names, adjacency)
    # PDAG's constructor puts nodes in the order of a set; filled like this they keep ours.
    pdag = _fill(PDAG(), names, adjacency)
    pdag.calibrate_directed_undirected_edges()
    return pdag


def from_pgmpy(model) -> tuple[list[str], np.ndarray]:
    """(names, adjacency) of a pgmpy DAG, Bayesian network, PDAG or undirected graph.

    Raises
    ------
    InputError
        If the model is of another class: edges of an ADMG or a MAG have no place in a :class:`Graph`.
    """
    from pgmpy.base import DAG, PDAG, UndirectedGraph

    if not isinstance(model, DAG | PDAG | UndirectedGraph):
        raise InputError(
            f"a pgmpy {type(model).__name__} cannot be made a graph",
            remedy="Give a DAG, a Bayesian network, a PDAG or an undirected graph",
        )
    return from_networkx(model)


def _fill(graph, names, adjacency):
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in np.argwhere(adjacency))
    return graph
