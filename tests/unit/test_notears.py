import importlib
import itertools

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.federate import run
from fedbnsl.federate.messages import Message
from fedbnsl.federate.pooled import StatisticsSite, pooled_covariance
from fedbnsl.learn import notears, sufficient_statistics, threshold_to_dag
from fedbnsl.learn.acyclicity import acyclicity
from fedbnsl.learn.notears import notears_weights
from fedbnsl.registry import method
from fedbnsl.threads import one_thread


def sample(weights, rows, seed=1, shift=0.0, label="site"):
    d = len(weights)
    noise = np.random.default_rng(seed).normal(size=(rows, d))
    values = noise @ np.linalg.inv(np.eye(d) - weights) + shift
    return SiteData([f"x{i}" for i in range(d)], values, label=label)


CHAIN = np.array([[0, 0, 0], [1.4, 0, 0], [0, -1.1, 0]])  # x2 → x1 → x0
COLLIDER = np.array([[0, 0, 1.0, 0], [0, 0, -1.3, 0], [0, 0, 0, 0.9], [0, 0, 0, 0]])


@pytest.mark.parametrize("truth", [CHAIN, COLLIDER, np.array([[0, 0.8], [0, 0]]), np.zeros((3, 3))])
def test_easy_graphs_are_recovered(truth):
    assert notears(sample(truth, 5000)).graph == Graph([f"x{i}" for i in range(len(truth))], truth != 0)
    np.testing.assert_allclose(notears(sample(truth, 5000), l1=0.01).weights, truth, atol=0.05)


def test_without_penalty_the_weights_are_least_squares_on_the_graph():
    site = sample(COLLIDER, 2000)
    found = notears(site, l1=0.0)
    centred = site.values - site.values.mean(axis=0)
    for j in range(4):
        parents = np.flatnonzero(found.weights[:, j])
        fit = np.linalg.lstsq(centred[:, parents], centred[:, j], rcond=None)[0]
        np.testing.assert_allclose(found.weights[parents, j], fit, atol=0.05)


def test_objective_and_constraint_against_the_published_procedure():
    """The same augmented Lagrangian with SciPy's L-BFGS-B on W split in two and SciPy's expm."""
    d, l1 = 4, 0.1
    sigma = sufficient_statistics(sample(COLLIDER, 300)).covariance

    def loss(w):
        return 0.5 * np.trace((np.eye(d) - w).T @ sigma @ (np.eye(d) - w)) + l1 * np.abs(w).sum()

    def augmented(x, alpha, rho):
        w = (x[: d * d] - x[d * d :]).reshape(d, d)
        e = scipy.linalg.expm(w * w)
        h = np.trace(e) - d
        g = sigma @ (w - np.eye(d)) + (alpha + rho * h) * 2 * e.T * w
        smooth = loss(w) - l1 * np.abs(w).sum() + alpha * h + rho / 2 * h * h
        return smooth + l1 * x.sum(), np.concatenate([(g + l1).ravel(), (l1 - g).ravel()])

    bounds = [(0, 0 if i == j else None) for _ in "+-" for i in range(d) for j in range(d)]
    x, h, alpha, rho = np.zeros(2 * d * d), np.inf, 0.0, 1.0
    while h > 1e-8 and rho < 1e16:
        while rho < 1e16:
            with one_thread():
                new = scipy.optimize.minimize(
                    augmented, x, args=(alpha, rho), jac=True, method="L-BFGS-B", bounds=bounds
                ).x
            w = (new[: d * d] - new[d * d :]).reshape(d, d)
            new_h = np.trace(scipy.linalg.expm(w * w)) - d
            if new_h <= 0.25 * h:
                break
            rho *= 10
        x, h = new, new_h
        alpha += rho * h
    ours = notears_weights(sigma, l1)
    assert acyclicity(ours)[0] <= 1e-8
    assert not np.diagonal(ours).any()
    assert ((np.abs(ours) > 0.3) == (np.abs(w) > 0.3)).all()
    assert loss(ours) == pytest.approx(loss(w), abs=1e-3)


def test_penalty_and_multiplier_grow_by_their_rules(monkeypatch):
    module = importlib.import_module("fedbnsl.learn.notears")
    solve, calls = module.minimise_penalised, []

    def recording(*args, alpha, rho, **options):
        found = solve(*args, alpha=alpha, rho=rho, **options)
        calls.append((alpha, rho, found.h))
        return found

    monkeypatch.setattr(module, "minimise_penalised", recording)
    notears(sample(COLLIDER, 300))
    accepted = np.inf
    for (alpha, rho, h), (next_alpha, next_rho, _) in itertools.pairwise(calls):
        if h > 0.25 * accepted:
            assert (next_alpha, next_rho) == (alpha, 10 * rho)
        else:
            assert (next_alpha, next_rho) == (alpha + rho * h, rho)
            accepted = h
    assert calls[0][:2] == (0.0, 1.0)
    assert len(calls) > 10
    assert calls[-1][2] <= 1e-8


def test_statistics_are_centred_at_the_site_and_divided_by_rows():
    site = SiteData(["a", "b"], [[1.0, 0.0], [3.0, 0.0], [5.0, 6.0]])
    statistics = sufficient_statistics(site)
    np.testing.assert_allclose(statistics.covariance, [[8 / 3, 4], [4, 8]])
    assert statistics.rows == 3
    assert (statistics.covariance == statistics.covariance.T).all()


def test_shifting_a_site_changes_nothing():
    near, far = notears(sample(CHAIN, 800)), notears(sample(CHAIN, 800, shift=1e3))
    np.testing.assert_allclose(near.weights, far.weights, atol=1e-3)


def test_bad_sites_are_refused_with_site_and_column():
    with pytest.raises(InputError, match=r"ward 3, column 'b': all 4 rows have the value 2"):
        notears(SiteData(["a", "b"], np.column_stack([np.arange(4), np.full(4, 2)]), label="ward 3"))
    with pytest.raises(InputError, match=r"ward 3: .*1 row"):
        notears(SiteData(["a"], [[1.0]], label="ward 3"))
    with pytest.raises(InputError, match="discrete"):
        notears(SiteData(["a"], [[0], [1]], [["no", "yes"]]))


def test_fewer_rows_than_variables():
    truth = np.diag(np.full(9, 1.2), 1)
    found = notears(sample(truth, 6))
    assert np.isfinite(found.weights).all()
    assert found.graph.is_dag()


def test_large_penalty_gives_the_empty_graph():
    assert notears(sample(CHAIN, 300), l1=1e3).graph.n_edges == 0


# --- pooled -------------------------------------------------------------------------------------


def test_pooled_covariance_is_that_of_all_rows_centred_by_site():
    parts = [sample(CHAIN, n, seed=n, shift=n) for n in (40, 7, 200)]
    messages = [StatisticsSite(sufficient_statistics(part)).step(0, Message()) for part in parts]
    rows = np.vstack([part.values - part.values.mean(axis=0) for part in parts])
    np.testing.assert_allclose(pooled_covariance(messages), rows.T @ rows / 247, rtol=1e-12)


def test_pooled_is_one_round_with_its_bytes():
    sites = [sample(COLLIDER, n, seed=n) for n in (3000, 1000, 500)]
    result = run("notears-pooled", sites)
    assert result.graph == Graph(result.names, COLLIDER != 0)
    assert result.rounds["bytes_up"].tolist() == [3 * (10 * 8 + 8)]  # half of Σ and n
    assert result.rounds["bytes_down"].tolist() == [3 * 3 * (8 + 1)]  # three edges, a byte a position
    assert result.rounds["edges"].tolist() == [3]
    assert result.rounds["h"].iloc[0] <= 1e-8


def test_pooled_over_one_site_is_the_local_learner():
    site = sample(COLLIDER, 400)
    np.testing.assert_array_equal(run("notears-pooled", [site]).weights, notears(site).weights)


def test_pooled_does_not_depend_on_the_order_of_sites():
    sites, _ = simulate_linear_gaussian(nodes=8, edges=10, sites=4, rows=[60, 300, 45, 111], seed=3)
    first = run("notears-pooled", sites)
    again = run("notears-pooled", [sites[k] for k in (3, 1, 0, 2)])
    assert first.raw_weights.tobytes() == again.raw_weights.tobytes()


def test_more_rows_bring_the_truth():
    sites, truth = simulate_linear_gaussian(nodes=10, edges=10, sites=4, rows=5000, seed=5)
    assert run("notears-pooled", sites).graph == truth.graph


def test_registered_functions_take_the_registered_options():
    site = sample(CHAIN, 500)
    entry = method("notears", "learn")
    found = entry.load()(site, seed=3, **entry.checked({"l1": 0.2}))
    np.testing.assert_array_equal(found.weights, notears(site, l1=0.2).weights)


def test_one_thread_holds_for_numpy_and_scipy():
    import threadpoolctl

    with one_thread():
        pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    assert len(pools) >= 2
    assert {pool["num_threads"] for pool in pools} == {1}


@pytest.mark.parametrize("value", [-1, np.nan, np.inf, None])
def test_a_penalty_that_is_none_is_refused(value):
    site = sample(CHAIN, 50)
    with pytest.raises(InputError, match=f"l1 cannot be {value}"):
        notears(site, l1=value)
    with pytest.raises(InputError, match=f"l1 cannot be {value}"):
        notears_weights(sufficient_statistics(site).covariance, value)


@pytest.mark.parametrize("value", [-1, np.nan, None])
def test_a_threshold_that_is_none_is_refused(value):
    with pytest.raises(InputError, match=f"the threshold cannot be {value}"):
        notears(sample(CHAIN, 50), threshold=value)
    for weights in (CHAIN, np.stack([CHAIN, CHAIN])):
        with pytest.raises(InputError, match=f"the threshold cannot be {value}"):
            threshold_to_dag(weights, value)


def test_weights_that_are_not_finite_are_not_taken_for_missing_edges():
    with pytest.raises(InputError, match="finite"):
        threshold_to_dag(np.array([[0, np.nan], [0, 0]]))


@pytest.mark.parametrize("seed", [-1, 1.5, None, "x"])
def test_what_is_no_seed_is_refused_though_nothing_is_drawn(seed):
    with pytest.raises(InputError, match="the seed must be a whole number"):
        notears(sample(CHAIN, 50), seed=seed)


@pytest.mark.parametrize("factor", [1e160, 1e306, 1e-170])
def test_a_variance_beyond_floats_is_refused_with_site_and_column(factor):
    values = np.random.default_rng(0).normal(size=(50, 3))
    values[:, 1] *= factor
    site = SiteData("abc", values, label="clinic")
    for learn in (notears, sufficient_statistics, lambda one: run("notears-pooled", [one])):
        with pytest.raises(InputError, match="clinic, column 'b': the variance is not a positive finite"):
            learn(site)


@pytest.mark.parametrize("scale", [np.inf, 1.7e308])
def test_numbers_that_overflow_end_the_loop(scale):
    with pytest.raises(InputError, match="too large to compute with"):
        notears_weights(np.diag([scale] * 3), 0.1)
