"""What functions that read a graph's edges as a DAG or CPDAG check about it."""

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph


def checked_graph(graph: Graph | WeightedGraph, where: str) -> Graph:
    """The :class:`Graph` of either graph type, called ``where`` in messages.

    Raises
    ------
    InputError
        If it is neither; or if a weighted graph has weights in both directions between two variables:
        a directed cycle, which its pattern would show as the undirected edge of a CPDAG.
    """
    if isinstance(graph, Graph):
        return graph
    if not isinstance(graph, WeightedGraph):
        raise InputError(f"a graph is expected, not a {type(graph).__name__}", where=where)
    cycles = graph.graph.undirected_edges()
    if cycles:
        u, v = cycles[0]
        raise InputError(
            f"the weights {u} → {v} and {v} → {u} are both non-zero, a directed cycle",
            where=where,
            remedy="Make the weights a DAG with fedbnsl.learn.threshold_to_dag; "
            "if an undirected edge is meant, give Graph(names, weights != 0)",
        )
    return graph.graph
