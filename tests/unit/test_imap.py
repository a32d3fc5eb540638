"""Minimal I-maps under an order: what they claim, and agreement with arc reversals."""

import itertools

import numpy as np
import pytest
from literal_pruning import among_others, random_dags

from fedbnsl.consensus import minimal_imap
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph
from fedbnsl.graphs.dag import d_separated


def cases(count, nodes=None):
    """(DAG, random order) pairs."""
    for seed in range(count):
        [graph] = random_dags(seed, nodes=nodes, inputs=1)
        yield graph, [str(name) for name in np.random.default_rng(seed).permutation(graph.names)]


def by_reversals(graph, order):
    """Peña's (2011) procedure: interchange neighbours of an order of the DAG until it is the wanted one.

    The start is the order of the DAG that is closest to the wanted one; then each node, from the last
    wanted one to the first, moves right past all that should precede it; an arc on the way is covered
    and reversed.
    """
    arcs, place = set(graph.edges()), {name: k for k, name in enumerate(order)}
    left, current = set(order), []
    while left:
        sinks = [v for v in left if not any((v, w) in arcs for w in left)]
        x = max(sinks, key=place.get)
        left.remove(x)
        k = 0
        while k < len(current) and (x, current[k]) not in arcs and place[current[k]] < place[x]:
            k += 1
        current.insert(k, x)
    for y in reversed(order):
        k = current.index(y)
        while k + 1 < len(current) and place[current[k + 1]] < place[y]:
            z = current[k + 1]
            if (y, z) in arcs:
                of_y = {p for p, c in arcs if c == y}
                of_z = {p for p, c in arcs if c == z} - {y}
                arcs |= {(p, z) for p in of_y} | {(p, y) for p in of_z} | {(z, y)}
                arcs.remove((y, z))
            current[k : k + 2] = [z, y]
            k += 1
    assert current == list(order)
    return arcs


def test_the_published_example():
    graph = Graph.from_edges("wxyz", [("w", "x"), ("x", "y"), ("y", "z")])
    found = minimal_imap(graph, "wyxz")
    assert set(found.edges()) == {("w", "x"), ("w", "y"), ("y", "x"), ("y", "z")}


def test_what_is_separated_in_the_imap_is_separated_in_the_graph():
    for graph, order in cases(40, nodes=5):
        imap = minimal_imap(graph, order)
        for x, y in itertools.combinations(range(5), 2):
            others = [v for v in range(5) if v not in (x, y)]
            for k in range(4):
                for given in itertools.combinations(others, k):
                    if d_separated(imap.adjacency, x, y, given):
                        assert d_separated(graph.adjacency, x, y, given)


def test_no_arc_can_be_spared():
    for graph, order in cases(60):
        imap = minimal_imap(graph, order).adjacency
        for p, x in np.argwhere(imap):
            others = set(np.flatnonzero(imap[:, x])) - {p}
            assert not d_separated(graph.adjacency, p, x, others)


def test_arcs_point_forwards():
    for graph, order in cases(60):
        assert all(order.index(u) < order.index(v) for u, v in minimal_imap(graph, order).edges())


def test_arc_reversals_reach_the_same_graph():
    for graph, order in cases(200):
        assert set(minimal_imap(graph, order).edges()) == by_reversals(graph, order)


def test_rows_of_several_words():
    for graph, order in cases(20, nodes=7):
        [wide] = among_others([graph])
        others = [name for name in wide.names if name not in order]
        found = minimal_imap(wide, others[:50] + order + others[50:])
        assert set(found.edges()) == set(minimal_imap(graph, order).edges())


def test_a_topological_order_gives_the_graph_back():
    for graph, _ in cases(20):
        forwards = [graph.names[v] for v in _topological(graph)]
        assert minimal_imap(graph, forwards) == graph


def _topological(graph):
    import networkx

    return networkx.topological_sort(
        networkx.from_numpy_array(graph.adjacency, create_using=networkx.DiGraph)
    )


def test_graphs_of_one_class_have_one_imap():
    for graph, order in cases(40):
        assert minimal_imap(graph.cpdag(), order) == minimal_imap(graph, order)


@pytest.mark.parametrize(
    ("order", "words"),
    [("ab", "Missing: c"), ("abcx", "unknown: x"), ("abcc", "repeated: c"), (None, "needs a node order")],
)
def test_a_wrong_order_is_refused(order, words):
    with pytest.raises(InputError, match=words):
        minimal_imap(Graph.from_edges("abc", [("a", "b")]), order)
