"""Linear simulations: weights, covariances, noise, and what depends on what."""

import numpy as np
import pytest
from scipy import stats

from fedbnsl.data.simulate import GRAPHS, NOISES, LinearSimulation, _truth, simulate_linear_gaussian
from fedbnsl.errors import InputError


def test_shape_labels_and_truth():
    sites, truth = simulate_linear_gaussian(nodes=6, edges=6, sites=3, rows=[10, 20, 30], seed=1)
    assert [site.values.shape for site in sites] == [(10, 6), (20, 6), (30, 6)]
    assert [site.label for site in sites] == ["site_0001", "site_0002", "site_0003"]
    assert sites[0].names == truth.names == ("x1", "x2", "x3", "x4", "x5", "x6")
    assert sites[0].states is None
    assert truth.graph.is_dag()


@pytest.mark.parametrize("graph", GRAPHS)
def test_weights_are_uniform_on_both_intervals(graph):
    weights = np.concatenate(
        [LinearSimulation(30, 60, seed, graph).truth().weights.ravel() for seed in range(40)]
    )
    weights = weights[weights != 0]
    assert len(weights) > 1800
    assert np.abs(weights).min() >= 0.5
    assert np.abs(weights).max() <= 2.0
    assert stats.kstest(np.abs(weights), stats.uniform(0.5, 1.5).cdf).pvalue > 0.01
    assert stats.binomtest(int((weights > 0).sum()), len(weights)).pvalue > 0.01


def test_expected_number_of_edges():
    """Erdős–Rényi graphs with d expected edges, as in the paper: mean 20, variance 20 (1 − 20/190)."""
    edges = [LinearSimulation(seed=seed).truth().graph.n_edges for seed in range(400)]
    assert np.mean(edges) == pytest.approx(20, abs=4 * np.sqrt(17.9 / 400))
    assert np.var(edges) == pytest.approx(17.9, rel=0.35)


@pytest.mark.parametrize("noise", NOISES)
def test_covariance_is_that_of_the_model(noise):
    """Cov(x) = (I − W)⁻ᵀ Ω (I − W)⁻¹ whatever the noise, and the mean is 0."""
    simulation = LinearSimulation(8, 12, seed=4, noise=noise, variance_low=0.5, variance_high=3.0)
    site = simulation.site(1, 200_000)
    inverse = np.linalg.inv(np.eye(8) - simulation.truth().weights)
    exact = inverse.T @ np.diag(simulation.noise_variances()) @ inverse
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    np.testing.assert_allclose(np.cov(site.values.T) / scale, exact / scale, atol=0.02)
    np.testing.assert_allclose(site.values.mean(axis=0) / np.sqrt(np.diag(exact)), 0, atol=0.01)


@pytest.mark.parametrize(
    ("noise", "skewness", "kurtosis"),
    [
        ("gaussian", 0.0, 0.0),
        ("exponential", 2.0, 6.0),
        ("uniform", 0.0, -1.2),
        ("laplace", 0.0, 3.0),
        ("gumbel", 1.1395, 2.4),
    ],
)
def test_noise_has_unit_variance_and_its_own_shape(noise, skewness, kurtosis):
    drawn = NOISES[noise](np.random.default_rng(1), 1_000_000)
    assert drawn.mean() == pytest.approx(0, abs=0.005)
    assert drawn.var() == pytest.approx(1, abs=0.01)
    assert stats.skew(drawn) == pytest.approx(skewness, abs=0.1)
    assert stats.kurtosis(drawn) == pytest.approx(kurtosis, abs=0.5)


def test_default_noise_has_variance_one_everywhere():
    simulation = LinearSimulation(10, 0, seed=3)
    np.testing.assert_array_equal(simulation.noise_variances(), np.ones(10))
    np.testing.assert_allclose(simulation.site(1, 100_000).values.var(axis=0), 1, atol=0.03)


def test_noise_variances_fill_their_interval():
    drawn = LinearSimulation(2000, 0, seed=3, variance_low=0.5, variance_high=2.0).noise_variances()
    assert stats.kstest(drawn, stats.uniform(0.5, 1.5).cdf).pvalue > 0.01


def test_homogeneous_sites_share_the_weights():
    simulation = LinearSimulation(seed=5)
    np.testing.assert_array_equal(simulation.site_truth(3).weights, simulation.truth().weights)


def test_heterogeneous_weights_have_variance_one_tenth_on_the_same_dag():
    simulation = LinearSimulation(20, 20, seed=5, heterogeneous=True)
    truth = simulation.truth()
    present = truth.weights != 0
    shifts = []
    for number in range(1, 301):
        weights = simulation.site_truth(number).weights
        np.testing.assert_array_equal(weights != 0, present)
        shifts.append((weights - truth.weights)[present])
    shifts = np.array(shifts)
    assert stats.kstest(shifts.ravel(), stats.norm(0, np.sqrt(0.1)).cdf).pvalue > 0.01
    # independent between sites and between edges
    assert np.abs(np.corrcoef(shifts.T) - np.eye(shifts.shape[1])).max() < 0.25
    np.testing.assert_array_equal(truth.weights, LinearSimulation(20, 20, seed=5).truth().weights)


def test_heterogeneous_rows_follow_the_weights_of_their_site():
    simulation = LinearSimulation(6, 8, seed=9, heterogeneous=True)
    for number in (1, 2):
        weights = simulation.site_truth(number).weights
        values = simulation.site(number, 100_000).values
        for j in range(6):
            parents = np.flatnonzero(weights[:, j])
            fitted = np.linalg.lstsq(values[:, parents], values[:, j], rcond=None)[0]
            np.testing.assert_allclose(fitted, weights[parents, j], atol=0.02)


@pytest.mark.parametrize("heterogeneous", [False, True])
def test_more_sites_or_rows_leave_the_others_alone(heterogeneous):
    few, truth = simulate_linear_gaussian(sites=2, rows=50, seed=6, heterogeneous=heterogeneous)
    many, same = simulate_linear_gaussian(sites=9, rows=80, seed=6, heterogeneous=heterogeneous)
    np.testing.assert_array_equal(truth.weights, same.weights)
    for k in range(2):
        assert few[k].values.tobytes() == many[k].values[:50].tobytes()
    assert all((many[0].values != other.values).all() for other in many[1:])


def test_seeds_differ():
    _, first = simulate_linear_gaussian(sites=1, rows=5, seed=1)
    _, second = simulate_linear_gaussian(sites=1, rows=5, seed=2)
    assert (first.weights != second.weights).any()


def test_smallest_and_empty():
    sites, truth = simulate_linear_gaussian(nodes=1, edges=0, sites=1, rows=3, seed=1)
    assert sites[0].values.shape == (3, 1)
    assert truth.graph.n_edges == 0
    full = LinearSimulation(5, 10, seed=1).truth()
    assert full.graph.n_edges == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"graph": "ring"}, "graph: there is no 'ring'. Choose one of: erdos-renyi, scale-free"),
        ({"noise": "cauchy"}, "noise: there is no 'cauchy'. Choose one of: gaussian"),
        ({"nodes": 4, "edges": 7}, "a DAG on 4 nodes cannot have 7 edges"),
        ({"nodes": 0, "edges": 0}, "a DAG on 0 nodes"),
        ({"edges": -1}, "cannot have -1 edges"),
        ({"sites": 0}, "the number of sites must be 1 or larger, not 0"),
        ({"rows": 0}, "site 1: the number of rows must be 1 or larger, not 0"),
        ({"rows": [5, 6], "sites": 3}, "rows gives 2 sizes, but there are 3 sites"),
        ({"rows": 2.7}, "rows must be a whole number, not 2.7"),
        ({"rows": [5, 2.7], "sites": 2}, "rows must be a whole number, not 2.7"),
        ({"sites": 2.5}, "sites must be a whole number, not 2.5"),
        ({"nodes": "5"}, "nodes must be a whole number, not '5'"),
        ({"nodes": True}, "nodes must be a whole number, not True"),
        ({"edges": 5.5}, "edges must be a whole number, not 5.5"),
        ({"edges": float("nan")}, "edges must be a whole number, not nan"),
        ({"seed": -1}, "seed must be 0 or larger, not -1"),
        ({"heterogeneous": "no"}, "heterogeneous must be True or False, not 'no'"),
        ({"heterogeneous": 1}, "heterogeneous must be True or False, not 1"),
        ({"graph": ["ring"]}, "graph: there is no ['ring']"),
        ({"weight_variance": float("nan")}, "weight_variance must be a finite number, not nan"),
        ({"weight_variance": 10**400}, "weight_variance must be a finite number, not 1000"),
        ({"weight_variance": -0.1}, "weight_variance must be 0 or larger, not -0.1"),
        ({"variance_low": 0.0}, "the noise variances cannot lie between 0.0 and 1.0"),
        ({"variance_low": 2.0}, "the noise variances cannot lie between 2.0 and 1.0"),
    ],
)
def test_settings_out_of_range(options, message):
    with pytest.raises(InputError) as caught:
        simulate_linear_gaussian(**options)
    assert message in str(caught.value)


def test_equal_settings_written_otherwise_are_one_simulation():
    """Also in one process, where what was asked first is remembered; the weights are those of ints."""
    _truth.cache_clear()
    other = LinearSimulation(5.0, np.int64(5), seed=np.float64(7), heterogeneous=np.True_, weight_variance=1)
    rows = other.site(1, 4.0).values
    truth = other.truth().weights
    _truth.cache_clear()
    plain = LinearSimulation(5, 5, seed=7, heterogeneous=True, weight_variance=1.0)
    assert plain == other
    assert repr(plain) == repr(other)
    np.testing.assert_array_equal(plain.truth().weights, truth)
    np.testing.assert_array_equal(plain.site(1, 4).values, rows)
