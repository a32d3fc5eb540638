"""Fusion: the union of minimal I-maps under one order."""

import itertools

import pytest
from literal_pruning import random_dags

from fedbnsl.consensus import fuse, minimal_imap, node_order
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph
from fedbnsl.graphs.dag import d_separated
from fedbnsl.registry import method


def test_the_published_example():
    graphs = [
        Graph.from_edges("wxyz", [("w", "x"), ("x", "y"), ("y", "z")]),
        Graph.from_edges("wxyz", [("w", "x"), ("w", "y"), ("x", "z")]),
        Graph.from_edges("wxyz", [("w", "x"), ("y", "x"), ("x", "z")]),
    ]
    expected = {("w", "x"), ("w", "y"), ("x", "z"), ("y", "x"), ("y", "z")}
    assert set(fuse(graphs).edges()) == set(fuse(graphs, order="wyxz").edges()) == expected


def test_it_is_the_union_of_the_imaps_and_respects_the_order():
    for seed in range(60):
        graphs = random_dags(seed)
        order = node_order(graphs)
        arcs = set(fuse(graphs).edges())
        assert arcs == {arc for graph in graphs for arc in minimal_imap(graph, order).edges()}
        assert all(order.index(u) < order.index(v) for u, v in arcs)


def test_an_independence_of_the_fusion_holds_in_every_input():
    for seed in range(30):
        graphs = random_dags(seed, nodes=5, inputs=3)
        fused = fuse(graphs).adjacency
        for x, y in itertools.combinations(range(5), 2):
            others = [v for v in range(5) if v not in (x, y)]
            for given in itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(4)):
                if d_separated(fused, x, y, given):
                    assert all(d_separated(graph.adjacency, x, y, given) for graph in graphs)


def test_equal_graphs_fuse_to_themselves():
    for seed in range(30):
        [graph] = random_dags(seed, inputs=1)
        assert fuse([graph]) == fuse([graph] * 4) == graph


def test_equal_cpdags_fuse_to_their_class():
    for seed in range(30):
        cpdag = random_dags(seed, inputs=1)[0].cpdag()
        assert fuse([cpdag] * 3).cpdag() == cpdag


def test_graphs_without_edges_and_without_variables():
    assert fuse([Graph.from_edges("abc", [])] * 2).n_edges == 0
    assert fuse([Graph.from_edges("", [])]).names == ()


def test_a_graph_without_edges_changes_nothing():
    [graph] = random_dags(8, nodes=6, inputs=1)
    assert fuse([graph, Graph.from_edges(graph.names, [])], order=node_order([graph])) == graph


def test_variables_in_another_order():
    first, second = random_dags(5, nodes=6, inputs=2)
    fused = fuse([first, second.reordered(second.names[::-1])])
    assert fused.names == first.names
    assert fused == fuse([first, second])


def test_an_order_that_misses_a_variable_is_refused():
    with pytest.raises(InputError, match=r"order: .*exactly once. Missing: b"):
        fuse([Graph.from_edges("abc", [])], order="ac")


def test_the_method_of_the_register():
    graphs = random_dags(6)
    entry = method("fusion", "consensus")
    assert entry.load()(graphs, seed=1, **entry.defaults()) == fuse(graphs)
