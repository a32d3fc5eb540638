import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.evaluate import scale_note, varsortability
from fedbnsl.federate import run
from fedbnsl.graphs.graph import WeightedGraph

CHAIN = Graph.from_edges("abc", [("a", "b"), ("b", "c")])


@pytest.mark.parametrize(
    ("variances", "share"),
    [
        ([1, 2, 3], 1.0),
        ([3, 2, 1], 0.0),
        ([5, 5, 5], 0.5),
        ([2, 1, 3], 2 / 3),  # a → b falls; b → c and a → b → c rise
        ([1, 2, 1], (1 + 0 + 0.5) / 3),
        ([0, 0, 1], (0.5 + 1 + 1) / 3),
        ([1, 1 + 1e-12, 2], (0.5 + 1 + 1) / 3),
    ],
)
def test_a_chain_by_hand(variances, share):
    assert varsortability(CHAIN, variances) == pytest.approx(share)
    weighted = WeightedGraph(CHAIN.names, -0.4 * CHAIN.adjacency)
    assert varsortability(weighted, variances) == pytest.approx(share)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7), st.floats(0, 1))
def test_agrees_with_enumerating_all_paths(seed, d, density):
    rng = np.random.default_rng(seed)
    order = rng.permutation(d)
    adjacency = np.triu(rng.random((d, d)) < density, 1)[np.ix_(order, order)].astype(np.int8)
    variances = rng.integers(1, 5, d).astype(float)
    arcs = networkx.from_numpy_array(adjacency, create_using=networkx.DiGraph)
    found = {
        (i, j, len(path))
        for i in range(d)
        for j in range(d)
        if i != j
        for path in networkx.all_simple_paths(arcs, i, j)
    }
    credit = [np.sign(variances[j] - variances[i]) / 2 + 0.5 for i, j, _ in found]
    share = varsortability(Graph([str(i) for i in range(d)], adjacency), variances)
    if found:
        assert share == pytest.approx(np.mean(credit))
    else:
        assert np.isnan(share)


def test_a_graph_without_edges_has_none():
    assert np.isnan(varsortability(Graph("ab", np.zeros((2, 2))), [1, 2]))
    assert scale_note(float("nan")) == ""


@pytest.mark.parametrize("variances", [[1, 2], [1, 2, np.nan], [1, -1, 2], [[1], [2], [3]], [1, np.inf, 2]])
def test_what_are_no_variances_is_refused(variances):
    with pytest.raises(InputError, match="3 variances are needed"):
        varsortability(CHAIN, variances)


def test_simulated_data_are_sorted_and_methods_follow_the_scale():
    """Standardising leaves the network without the directions that the raw scale gave."""
    sites, truth = simulate_linear_gaussian(10, 15, 3, 2000, seed=1001)
    variances = np.mean([site.values.var(axis=0) for site in sites], axis=0)
    assert varsortability(truth, variances) > 0.9
    raw = run("fed-sparse-bnsl", sites)
    assert raw.varsortability > 0.9
    assert raw.varsortability == pytest.approx(varsortability(raw.graph, variances))
    assert f"{raw.varsortability:.0%} of the directed paths" in scale_note(raw.varsortability)
    standard = [SiteData(s.names, s.values / s.values.std(axis=0), label=s.label) for s in sites]
    turned = run("fed-sparse-bnsl", standard)
    assert varsortability(turned.graph, variances) < 0.8
