"""Voting over graphs."""

import networkx
import numpy as np
import pytest
from literal_pruning import random_dags

from fedbnsl.consensus import vote
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph
from fedbnsl.registry import method


def graph(*pairs, undirected=()):
    return Graph.from_edges("abcd", [tuple(pair) for pair in pairs], [tuple(pair) for pair in undirected])


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0, {"ab", "bc", "cd", "ad"}),
        (0.25, {"ab", "bc", "cd", "ad"}),
        (0.26, {"ab", "bc", "cd"}),
        (0.5, {"ab", "bc", "cd"}),
        (0.51, {"ab", "bc"}),
        (0.75, {"ab", "bc"}),
        (1, {"ab"}),
    ],
)
def test_share_of_the_graphs_that_join_two_variables(threshold, expected):
    # a – b in four graphs, b – c in three (once reversed), c – d in two, a – d in one
    graphs = [graph("ab", "bc", "cd"), graph("ab", "bc", "cd"), graph("ab", "cb"), graph("ab", "ad")]
    assert {"".join(edge) for edge in vote(graphs, threshold).edges()} == expected


def test_a_share_like_three_of_ten_is_met_exactly():
    graphs = [graph("ab")] * 3 + [graph()] * 7
    assert vote(graphs, 0.3).edges() == [("a", "b")]


def test_the_direction_with_more_votes():
    assert vote([graph("ba"), graph("ba"), graph("ab")]).edges() == [("b", "a")]


def test_with_equal_votes_the_earlier_variable_first():
    assert vote([graph("ba"), graph("ab")]).edges() == [("a", "b")]


def test_an_undirected_edge_votes_for_both_directions():
    undirected = graph(undirected=["ab"])
    assert vote([undirected, undirected, graph("ba")]).edges() == [("b", "a")]
    assert vote([undirected, undirected]).edges() == [("a", "b")]
    assert vote([graph("ba"), undirected, graph()], 0.6).edges() == [("b", "a")]


def test_a_cycle_loses_its_least_supported_arc():
    graphs = [graph("ab", "bc"), graph("bc", "ca"), graph("ab", "ca"), graph("ca", "bc")]
    # votes: a → b 2, b → c 3, c → a 3
    assert set(vote(graphs, 0).edges()) == {("b", "c"), ("c", "a")}


def test_an_undirected_edge_supports_a_direction_by_half_a_vote():
    graphs = [graph("ab", "bc", "ca"), graph("bc", "ca", undirected=["ab"])]
    # votes: a → b 1 + ½, b → c 2, c → a 2
    assert set(vote(graphs).edges()) == {("b", "c"), ("c", "a")}


def test_of_equally_supported_arcs_of_a_cycle_the_last_in_variable_order_goes():
    graphs = [graph("ab", "bc"), graph("bc", "ca"), graph("ca", "ab")]
    assert set(vote(graphs).edges()) == {("a", "b"), ("b", "c")}


def test_only_arcs_that_close_a_cycle_of_better_ones_are_left_out():
    dropped = 0
    for seed in range(60):
        graphs = random_dags(seed, nodes=6, inputs=4)
        votes = sum(g.adjacency.astype(int) for g in graphs)
        result = vote(graphs, 0)
        assert result.is_dag()
        for u, v in np.argwhere(votes > votes.T):
            assert not result.adjacency[v, u]
            if not result.adjacency[u, v]:
                better = networkx.DiGraph((result.adjacency * (votes >= votes[u, v])).astype(int))
                assert networkx.has_path(better, v, u)
                dropped += 1
    assert dropped >= 10


def test_variables_in_another_order():
    first, second = random_dags(3, nodes=6, inputs=2)
    assert vote([first, second.reordered(second.names[::-1])], 0) == vote([first, second], 0)


def test_graphs_without_edges():
    assert vote([graph(), graph()], 0).n_edges == 0


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match=r"threshold cannot be 1\.2. Give a share from 0 to 1"):
        vote([graph()], 1.2)
    with pytest.raises(InputError, match=r"graph 2 of 2: .*lacks d"):
        vote([graph(), Graph.from_edges("abc", [])])


def test_the_method_of_the_register():
    graphs = random_dags(6, inputs=3)
    entry = method("majority", "consensus")
    assert entry.load()(graphs, seed=0, **entry.defaults()) == vote(graphs, 0.5)
    assert entry.load()(graphs, seed=0, **entry.checked({"threshold": 1})) == vote(graphs, 1)


@pytest.mark.parametrize("threshold", ["half", None, float("nan"), 1j])
def test_a_threshold_is_a_number(threshold):
    with pytest.raises(InputError, match="threshold cannot be"):
        vote([Graph.from_edges("ab", ["ab"])], threshold)
