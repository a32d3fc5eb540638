"""What every consensus method does first: check its input graphs and bring them to one form."""

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction

import numpy as np

from fedbnsl.compiling import announce
from fedbnsl.consensus import _kernels
from fedbnsl.consensus._options import parsed_weights
from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, dag
from fedbnsl.graphs._checked import checked_graph
from fedbnsl.graphs.graph import Graph, WeightedGraph

announce(_kernels.__name__, "the consensus methods", 60)


def same_variables(graphs: Sequence[Graph | WeightedGraph]) -> list[Graph]:
    """The graphs with their variables in the order of the first.

    Raises
    ------
    InputError
        If the argument is no sequence of graphs, there is no graph, or one has other variables than the
        first; the message names the graph by its place (from 1) and the variables that differ. Or if a
        weighted graph has weights in both directions between two variables: that is a cycle, not the
        undirected edge of a CPDAG.
    """
    if isinstance(graphs, Graph | WeightedGraph) or not isinstance(graphs, Iterable):
        raise InputError(
            f"a list of graphs is expected, not a {type(graphs).__name__}",
            remedy="Give [graph] for one graph",
        )
    graphs = list(graphs)
    if not graphs:
        raise InputError("a consensus needs at least one graph, but none is given")
    graphs = [checked_graph(graph, _place(place, graphs)) for place, graph in enumerate(graphs, start=1)]
    first = graphs[0].names
    for place, graph in enumerate(graphs, start=1):
        missing = sorted(set(first) - set(graph.names))
        extra = sorted(set(graph.names) - set(first))
        if missing or extra:
            parts = [f"lacks {', '.join(missing)}"] if missing else []
            parts += [f"has {', '.join(extra)} besides"] if extra else []
            raise InputError(
                f"compared with the first graph it {' and '.join(parts)}",
                where=_place(place, graphs),
                remedy="All graphs must have the same variables",
            )
    return [graph.reordered(first) for graph in graphs]


def as_dags(graphs: Sequence[Graph | WeightedGraph]) -> list[Graph]:
    """The graphs as DAGs over the variables of the first, in its order.

    A graph with undirected edges, such as the CPDAG that GES returns, is extended to a DAG of its
    class (:meth:`fedbnsl.graphs.Graph.to_dag`).

    Raises
    ------
    InputError
        As :func:`same_variables`; or if a graph has a directed cycle (the message names it) or no
        extension to a DAG.
    """
    graphs = same_variables(graphs)
    return [_as_dag(graph, _place(place, graphs)) for place, graph in enumerate(graphs, start=1)]


def checked_order(order: Sequence[str] | None, names: Sequence[str]) -> tuple[str, ...] | None:
    """``order`` as a tuple, after checking that it lists each of ``names`` once; None stays None."""
    if order is None:
        return None
    if not isinstance(order, Iterable):
        raise InputError(
            f"the node order is a list of variables, not a {type(order).__name__}", where="order"
        )
    order = tuple(str(name) for name in order)
    if sorted(order) != sorted(names):
        missing = ", ".join(sorted(set(names) - set(order))) or "none"
        extra = ", ".join(sorted(set(order) - set(names))) or "none"
        raise InputError(
            "the node order must list every variable exactly once",
            where="order",
            remedy=f"Missing: {missing}; unknown: {extra}; repeated: {_repeated(order)}",
        )
    return order


def whole_weights(weights: str | Sequence[float] | None, r: int) -> tuple[int, ...]:
    """Weights of r graphs as whole numbers without a common divisor; None and ``equal`` are one for each.

    Whole numbers keep sums exact, so that ties are ties. A number that is not whole is taken as the
    fraction nearest to it with a denominator of at most 10⁶.

    Raises
    ------
    InputError
        If the weights are no list or text of r numbers, one is not a positive finite number, or the whole
        numbers add up to more than 2⁴⁰.
    """
    weights = parsed_weights(weights)
    if weights is None:
        return (1,) * r
    if isinstance(weights, Mapping | Set) or not isinstance(weights, Iterable):
        raise InputError(
            f"the weights are a list of numbers, not a {type(weights).__name__}",
            where="weights",
            remedy="Give one weight for each graph, in the same order",
        )
    weights = list(weights)
    if len(weights) != r:
        raise InputError(
            f"there are {r} graphs, but {len(weights)} weights",
            where="weights",
            remedy="Give one weight for each graph, in the same order",
        )
    for place, weight in enumerate(weights, start=1):
        if not isinstance(weight, numbers.Real) or not math.isfinite(weight) or weight <= 0:
            raise InputError(
                f"the weight of graph {place} of {r} cannot be {weight!r}",
                where="weights",
                remedy="Give positive numbers, such as the sites' numbers of rows; leave out a graph "
                "that is not to count",
            )
    parts = [Fraction(weight).limit_denominator(10**6) for weight in weights]
    scale = math.lcm(*(part.denominator for part in parts))
    whole = [int(part * scale) for part in parts]
    divisor = math.gcd(*whole)
    if not all(whole) or sum(whole) // divisor > 2**40:
        raise InputError(
            "the weights are too far apart, or have no common measure, to be added exactly",
            where="weights",
            remedy="Give whole numbers, such as the sites' numbers of rows",
        )
    return tuple(number // divisor for number in whole)


def _as_dag(graph: Graph, where: str) -> Graph:
    a = graph.adjacency
    cycle = dag.find_cycle(a & (1 - a.T))  # of the directed edges alone
    if cycle:
        raise InputError(
            f"the graph has the directed cycle {' → '.join(graph.names[v] for v in cycle)}",
            where=where,
            remedy="Give DAGs or CPDAGs",
        )
    if graph.is_dag():
        return graph
    try:
        return Graph(graph.names, cpdag.pdag_to_dag(a))
    except InputError as error:
        raise InputError(error.problem, where=where, remedy="Give DAGs or CPDAGs") from None


def _place(place: int, graphs: Sequence[Graph]) -> str:
    return f"graph {place} of {len(graphs)}"


def _repeated(order: tuple[str, ...]) -> str:
    return ", ".join(sorted({name for name in order if order.count(name) > 1})) or "none"


def parent_rows(graphs: Sequence[Graph]) -> tuple[np.ndarray, np.ndarray]:
    """Parent sets of DAGs as bit rows, uint64 (r, d, w), and topological orders, int64 (r, d)."""
    parents = _kernels.pack(np.stack([graph.adjacency.T for graph in graphs]))
    orders = np.stack([dag.topological_order(graph.adjacency) for graph in graphs])
    return parents, orders
