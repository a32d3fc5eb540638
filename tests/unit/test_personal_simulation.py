"""Simulated sites with networks of their own."""

import numpy as np
import pytest

from fedbnsl.data.personal import PersonalSimulation, changed_edges
from fedbnsl.data.sources import (
    check_source,
    make_sites,
    source_kind,
    source_size,
    true_graph,
    true_site_weights,
)
from fedbnsl.errors import InputError
from fedbnsl.evaluate.structure import shd
from fedbnsl.graphs import dag, generators


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.3, 1.0])
def test_every_site_is_a_dag_at_the_wanted_distance(share):
    for seed in range(5):
        simulation = PersonalSimulation(20, 20, seed, share)
        common = simulation.truth().graph
        wanted = int(np.floor(share * common.n_edges + 0.5))
        for number in (1, 2, 3):
            own = simulation.site_truth(number).graph
            assert own.is_dag()
            assert shd(own, common) == wanted
            assert own.n_edges == common.n_edges - wanted % 2


def test_changes_differ_from_site_to_site_and_a_site_stays_the_same():
    simulation = PersonalSimulation(20, 20, 1)
    one, two = simulation.site_truth(1).graph, simulation.site_truth(2).graph
    assert one != two
    assert PersonalSimulation(20, 20, 1).site_truth(2).graph == two
    assert PersonalSimulation(20, 20, 2).truth().graph != simulation.truth().graph


def test_a_full_graph_loses_edges_and_gains_none():
    full = np.triu(np.ones((5, 5), dtype=np.int8), 1)
    changed = changed_edges(full, 1.0, np.random.default_rng(1))
    assert changed.sum() == 5
    empty = np.zeros((4, 4), dtype=np.int8)
    assert not changed_edges(empty, 1.0, np.random.default_rng(1)).any()


def test_added_edges_never_close_a_cycle():
    rng = np.random.default_rng(7)
    for _ in range(50):
        base = generators.erdos_renyi(8, 12, rng)
        assert dag.is_dag(changed_edges(base, 1.0, rng))


def test_weights_are_own_shared_or_near():
    own, shared, noisy = (PersonalSimulation(30, 60, 4, 0.2, kind) for kind in ("own", "shared", "noisy"))
    for simulation in (own, shared, noisy):
        assert simulation.truth().graph == own.truth().graph  # only the weights differ
    a, b = (shared.site_truth(k).weights for k in (1, 2))
    both = (a != 0) & (b != 0)
    assert both.sum() > 30
    assert (a[both] == b[both]).all()
    a, b = (own.site_truth(k).weights for k in (1, 2))
    both = (a != 0) & (b != 0)
    assert not (a[both] == b[both]).any()
    assert np.abs(a[a != 0]).min() >= 0.5
    assert np.abs(a).max() <= 2
    common = shared.truth().weights
    differences = np.concatenate([
        (noisy.site_truth(k).weights - common)[(noisy.site_truth(k).weights != 0) & (common != 0)]
        for k in range(1, 21)
    ])  # fmt: skip
    assert differences.var() == pytest.approx(0.1, rel=0.15)


def test_rows_follow_the_site_network():
    simulation = PersonalSimulation(8, 10, 3)
    site, weights = simulation.site(2, 40_000), simulation.site_truth(2).weights
    residuals = site.values - site.values @ weights
    assert np.cov(residuals.T) == pytest.approx(np.eye(8), abs=0.05)
    assert (simulation.site(2, 10).values == site.values[:10]).all()


def test_as_a_source():
    text = "personal-gaussian@changed=0.1,edges=10,nodes=10,rows=7,weights=noisy"
    assert source_kind(text) == "continuous"
    assert source_size(text) == (10, 7)
    sites = make_sites(text, "iid", 3, [2, 1])
    simulation = PersonalSimulation(10, 10, 3, 0.1, "noisy")
    assert (sites[0].values == simulation.site(2, 7).values).all()
    assert true_graph(text, 3) == simulation.truth()
    assert true_site_weights(text, 3, [2])[0] == simulation.site_truth(2)
    assert check_source("personal-gaussian").dict()["rows"] == 20
    with pytest.raises(InputError, match="no common table"):
        make_sites(text, "equal@sites=2", 3, [1])


@pytest.mark.parametrize(
    "options", [{"nodes": 0}, {"edges": 1000}, {"changed": 1.5}, {"weights": "none"}, {"seed": -1}]
)
def test_settings_out_of_range(options):
    with pytest.raises(InputError):
        PersonalSimulation(**options)
    with pytest.raises(InputError, match="rows"):
        PersonalSimulation().site(1, 0)
