"""Networks to fuse that are drawn: what each option changes, and what stays the same."""

import math

import numpy as np
import pytest

from fedbnsl.data.networks import load_network
from fedbnsl.data.random_networks import random_base
from fedbnsl.errors import InputError
from fedbnsl.graphs.perturbed import perturbed

ALARM = load_network("alarm").graph


def changed(graph, base=ALARM):
    """Number of arcs in which a graph differs from the base."""
    return int((graph.adjacency != base.adjacency).sum())


def test_a_graph_is_the_same_whichever_others_are_asked_for():
    for options in ({}, {"first": "base", "scramble": 0.75}, {"count": "applied"}):
        all_of_them = perturbed(ALARM, [1, 2, 3], seed=4, **options)
        third, first = perturbed(ALARM, [3, 1], seed=4, **options)
        assert (third, first) == (all_of_them[2], all_of_them[0])
        assert len({graph.adjacency.tobytes() for graph in all_of_them}) == 3
        assert perturbed(ALARM, [1], seed=5, first="perturbed")[0] != all_of_them[0]


def test_a_move_a_variable_and_three_quarters():
    d = ALARM.n_nodes
    graphs = perturbed(ALARM, range(1, 21), seed=1)
    assert all(graph.is_dag() and graph.names == ALARM.names for graph in graphs)
    assert max(changed(graph) for graph in graphs) <= math.floor(0.75 * d)
    assert np.mean([changed(graph) for graph in graphs]) > 0.4 * d  # a sparse network refuses few moves
    assert perturbed(ALARM, [1], seed=1, moves=0) == [ALARM]


def test_the_first_may_be_the_base():
    first, second = perturbed(ALARM, [1, 2], seed=1, first="base")
    assert first == ALARM
    assert second != ALARM
    assert second == perturbed(ALARM, [2], seed=1)[0]


def test_caps_are_fixed_or_taken_from_the_base():
    parents, children = (int(ALARM.adjacency.sum(axis=axis).max()) for axis in (0, 1))
    assert (parents, children) == (4, 5)
    limits = {"max_parents": None, "max_children": None, "edges": None}
    for graph in perturbed(ALARM, range(1, 11), seed=2, moves=40, **limits):
        assert graph.n_edges <= 50  # ⌊1.1 · 46⌋
        assert graph.adjacency.sum(axis=0).max() <= parents + 1
        assert graph.adjacency.sum(axis=1).max() <= children + 1
    for graph in perturbed(ALARM, range(1, 11), seed=2, moves=40):
        assert 50 < graph.n_edges <= 92  # ⌊2.5 · 37⌋


def test_a_scrambled_base_is_common_to_all_and_far_from_the_given_one():
    program = {
        "first": "base",
        "scramble": 0.75,
        "remove": "reverse",
        **dict.fromkeys(("edges", "max_parents", "max_children")),
    }
    base, *others = perturbed(ALARM, range(1, 11), seed=3, **program)
    kept = int((base.adjacency & ALARM.adjacency).sum())
    assert 10 <= kept <= 35  # of 46
    assert max(changed(graph, base) for graph in others) <= 27
    assert min(changed(graph) for graph in others) > 27


def test_an_unknown_word_is_refused():
    with pytest.raises(InputError, match=r"first: there is no 'both'\. Choose one of: perturbed, base"):
        perturbed(ALARM, [1], seed=1, first="both")
    with pytest.raises(InputError, match=r"there is no 'turn'\. Choose one of: drop, reverse"):
        perturbed(ALARM, [1], seed=1, remove="turn")


def test_random_bases():
    base = random_base(30, seed=1)
    assert base.is_dag()
    assert base.names[:2] == ("x1", "x2")
    assert 50 < base.n_edges <= 75
    assert base == random_base(30, seed=1)
    assert base != random_base(30, seed=2)
    assert random_base(30, seed=1, edges=1.5).n_edges <= 45
    with pytest.raises(InputError, match="1 node or more, not 0"):
        random_base(0, seed=1)
