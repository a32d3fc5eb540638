"""Baselines of a consensus: the best input, the fusion of limited treewidth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_pruning import random_dags

from fedbnsl.consensus import best_of_inputs, fuse, fuse_within_treewidth, minimal_imap, node_order
from fedbnsl.errors import InputError
from fedbnsl.evaluate import smhd
from fedbnsl.graphs import Graph, treewidth
from fedbnsl.registry import method


def graph(*pairs):
    return Graph.from_edges("abcd", [tuple(pair) for pair in pairs])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 5))
def test_the_best_input_has_the_least_mean_distance(seed, d, r):
    graphs = random_dags(np.random.default_rng(seed), d, r)
    means = [np.mean([smhd(one, other) for other in graphs]) for one in graphs]
    assert best_of_inputs(graphs) == graphs[int(np.argmin(means))]


def test_the_first_of_equally_good_inputs():
    assert best_of_inputs([graph("ab"), graph("cd")]) == graph("ab")
    assert best_of_inputs([graph("ab"), graph("cd"), graph("cd")]) == graph("cd")


def test_the_most_frequent_arcs_that_fit():
    # The order is d, c, b, a or one like it; a triangle a, b, c has treewidth 2, any two of its edges 1.
    graphs = [graph("ab", "bc"), graph("ab", "bc"), graph("ab", "ac")]
    assert treewidth(fuse(graphs)) == 2
    found = fuse_within_treewidth(graphs, 1)
    assert treewidth(found) == 1
    frequent = {frozenset(edge) for edge in found.edges()}
    assert frozenset("ab") in frequent  # all three inputs have it
    assert fuse_within_treewidth(graphs, 0).n_edges == 0


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 5), st.integers(0, 4))
def test_limited_treewidth_of_random_graphs(seed, d, r, limit):
    graphs = random_dags(np.random.default_rng(seed), d, r)
    fusion, found = fuse(graphs), fuse_within_treewidth(graphs, limit)
    assert treewidth(found) <= limit
    assert set(found.edges()) <= set(fusion.edges())
    order = node_order(graphs)
    frequency = sum(minimal_imap(one, order).adjacency.astype(int) for one in graphs)
    chosen = found.adjacency
    if treewidth(fusion) <= limit:
        assert found == fusion
    else:  # the most frequent arc that is left out does not fit beside all that are as frequent or more
        left = [arc for arc in np.argwhere(frequency) if not chosen[tuple(arc)]]
        highest = max(left, key=lambda arc: frequency[tuple(arc)])
        trial = np.where(frequency >= frequency[tuple(highest)], frequency > 0, 0)
        assert treewidth(Graph(fusion.names, trial.astype(np.int8))) > limit


def test_the_limit_is_the_largest_of_the_inputs_unless_given():
    chain, triangle = graph("ab", "bc", "cd"), graph("ab", "bc", "ac")
    assert fuse_within_treewidth([chain]) == fuse([chain])
    assert treewidth(fuse_within_treewidth([chain, triangle])) <= 2
    assert treewidth(fuse_within_treewidth([chain, graph("ac")])) == 1
    with pytest.raises(InputError, match="treewidth cannot be -1"):
        fuse_within_treewidth([chain], -1)


def test_as_methods():
    graphs = [graph("ab", "bc"), graph("ab", "bc"), graph("ab", "ac")]
    assert method("best-input", "consensus").load()(graphs, seed=1) == graphs[0]
    entry = method("fusion-treewidth", "consensus")
    assert entry.load()(graphs, seed=1, **entry.checked({"limit": 1})) == fuse_within_treewidth(graphs, 1)


@pytest.mark.parametrize("limit", ["2", 1.5, float("nan"), True])
def test_a_limit_is_a_whole_number(limit):
    with pytest.raises(InputError, match="treewidth cannot be"):
        fuse_within_treewidth([Graph.from_edges("ab", ["ab"])], limit)
