"""The node order heuristic, and what every consensus method checks about its inputs."""

import itertools

import numpy as np
import pytest
from literal_pruning import among_others, random_dags

from fedbnsl.consensus import fuse, minimal_imap, node_order, prune, vote
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph, WeightedGraph
from fedbnsl.registry import methods


def literal_order(graphs):
    """The heuristic on sets of arcs, costs counted pair by pair."""
    names = list(graphs[0].names)
    copies = [set(graph.edges()) for graph in graphs]

    def adjacent(arcs, a, b):
        return (a, b) in arcs or (b, a) in arcs

    def cost(arcs, x):
        parents = [p for p, c in arcs if c == x]
        children = [c for p, c in arcs if p == x]
        inherited = sum(not adjacent(arcs, p, c) for p in parents for c in children)
        spouses = {p for p, c in arcs if c in children} - {x}
        return inherited + sum(not adjacent(arcs, q, x) for q in spouses) + len(children) - 1

    def other_path(arcs, x, c):
        reached, stack = set(), [v for u, v in arcs if u == x and v != c]
        while stack:
            u = stack.pop()
            reached.add(u)
            stack += [v for w, v in arcs if w == u and v not in reached]
        return c in reached

    order = []
    while names:
        x = min(names, key=lambda name: sum(cost(arcs, name) for arcs in copies))
        for arcs in copies:
            while children := [c for c in names if (x, c) in arcs]:
                c = next(c for c in children if not other_path(arcs, x, c))
                of_x = {p for p, child in arcs if child == x}
                of_c = {p for p, child in arcs if child == c} - {x}
                arcs |= {(p, c) for p in of_x} | {(p, x) for p in of_c} | {(c, x)}
                arcs.remove((x, c))
            arcs -= {arc for arc in arcs if x in arc}
        names.remove(x)
        order.insert(0, x)
    return order


def test_the_published_example():
    graphs = [
        Graph.from_edges("wxyz", [("w", "x"), ("x", "y"), ("y", "z")]),
        Graph.from_edges("wxyz", [("w", "x"), ("w", "y"), ("x", "z")]),
        Graph.from_edges("wxyz", [("w", "x"), ("y", "x"), ("x", "z")]),
    ]
    assert node_order(graphs) == ["w", "y", "x", "z"]


def test_it_is_the_literal_heuristic():
    for seed in range(120):
        graphs = random_dags(seed)
        assert node_order(graphs) == literal_order(graphs)


def test_rows_of_several_words():
    for seed in range(5):
        graphs = among_others(random_dags(seed, nodes=7, inputs=2), total=70)
        assert node_order(graphs) == literal_order(graphs)


def test_of_equally_cheap_nodes_the_first_comes_last():
    assert node_order([Graph.from_edges("abc", [])] * 2) == ["c", "b", "a"]


def test_equal_graphs_give_a_topological_order():
    for seed in range(20):
        [graph] = random_dags(seed, inputs=1)
        order = node_order([graph] * 3)
        assert all(order.index(u) < order.index(v) for u, v in graph.edges())


def test_graphs_follow_the_variable_order_of_the_first():
    first, second = random_dags(3, nodes=6, inputs=2)
    turned = second.reordered(second.names[::-1])
    assert node_order([first, turned]) == node_order([first, second])


def test_a_cpdag_is_extended_to_a_dag():
    graphs = random_dags(4, nodes=7, inputs=3)
    classes = [graph.cpdag() for graph in graphs]
    assert any(graph.undirected_edges() for graph in classes)
    assert node_order(classes) == node_order([graph.to_dag() for graph in classes])


@pytest.mark.parametrize("run", [node_order, fuse, prune])
def test_no_graph(run):
    with pytest.raises(InputError, match="at least one graph"):
        run([])


@pytest.mark.parametrize("run", [node_order, fuse, prune])
def test_other_variables_are_named_with_the_graph(run):
    graphs = [Graph.from_edges("abc", []), Graph.from_edges("abc", []), Graph.from_edges("abxy", [])]
    with pytest.raises(InputError, match=r"graph 3 of 3: .*lacks c and has x, y besides"):
        run(graphs)


@pytest.mark.parametrize("run", [node_order, fuse, prune])
def test_a_cycle_is_named_with_the_graph(run):
    cyclic = Graph.from_edges("abcd", [("b", "c"), ("c", "d"), ("d", "b")], undirected=[("a", "b")])
    with pytest.raises(InputError, match=r"graph 2 of 2: .*directed cycle") as raised:
        run([Graph.from_edges("abcd", []), cyclic])
    path = raised.value.problem.split("cycle ")[1].split(" → ")
    assert sorted(path[1:]) == ["b", "c", "d"]
    assert all(pair in cyclic.edges() for pair in itertools.pairwise(path))


def test_a_pdag_without_any_dag_is_named():
    square = Graph.from_edges("abcd", [], undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    with pytest.raises(InputError, match=r"graph 1 of 1: .*no DAG"):
        fuse([square])


EVERY = pytest.mark.parametrize("run", [node_order, fuse, prune, vote])


@EVERY
@pytest.mark.parametrize("kind", ["Graph", "WeightedGraph", "NoneType"])
def test_what_is_no_list_of_graphs_is_refused(run, kind):
    one = {"Graph": Graph("ab", np.zeros((2, 2))), "WeightedGraph": WeightedGraph("ab", np.zeros((2, 2)))}
    with pytest.raises(InputError, match=f"a list of graphs is expected, not a {kind}"):
        run(one.get(kind))


@EVERY
def test_a_member_that_is_no_graph_is_named_by_its_place(run):
    with pytest.raises(InputError, match="graph 2 of 2: a graph is expected, not a ndarray"):
        run([Graph("ab", np.zeros((2, 2))), np.zeros((2, 2))])


@EVERY
def test_weights_in_both_directions_are_a_cycle(run):
    raw = WeightedGraph("ab", [[0, 0.9], [0.1, 0]])
    with pytest.raises(InputError, match=r"graph 2 of 2: the weights a → b and b → a.*threshold_to_dag"):
        run([Graph("ab", np.zeros((2, 2))), raw])
    with pytest.raises(InputError, match="graph 1 of 1: the weights"):
        minimal_imap(raw, "ab")
    assert run([raw.graph])  # the pattern itself is a CPDAG with an undirected edge


def test_graphs_may_come_from_an_iterator_and_an_order_of_numbers_names_them():
    graph = Graph([0, 1], [[0, 1], [0, 0]])
    assert fuse(iter([graph]), order=[0, 1]) == graph


@pytest.mark.parametrize("seed", [-1, 1.5, None, "x"])
@pytest.mark.parametrize("name", sorted(methods("consensus")))
def test_every_method_refuses_what_is_no_seed(name, seed):
    entry = methods("consensus")[name]
    options = entry.checked({"ties": "first"} if "ties" in entry.options else {})
    with pytest.raises(InputError, match="the seed must be a whole number"):
        entry.load()([Graph.from_edges("ab", ["ab"])], seed=seed, **options)
