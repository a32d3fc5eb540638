"""The server's solver: the weighted lasso by its conditions and plain Python, DAGs of exact moments."""

import numpy as np
import pytest

from fedbnsl.data.simulate import LinearSimulation
from fedbnsl.learn import threshold_to_dag
from fedbnsl.learn.acyclicity import acyclicity
from fedbnsl.privacy import _weighted_kernels as kernels
from fedbnsl.privacy.solver import sparse_weights


def problem(seed, d=5):
    rng = np.random.default_rng(seed)
    covariance = np.cov(rng.standard_normal((d, 3 * d)) * rng.uniform(0.5, 3, d)[:, None])
    cross = covariance + 0.1 * rng.standard_normal((d, d))
    penalties = rng.uniform(0.02, 0.3, (d, d))
    penalties[rng.random((d, d)) < 0.3] = np.inf
    np.fill_diagonal(penalties, np.inf)
    return covariance, cross, penalties


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rho", [0.0, 1.5])
def test_the_minimum_meets_its_conditions(seed, rho):
    covariance, cross, penalties = problem(seed)
    b = np.zeros_like(covariance)
    g = np.ascontiguousarray(-cross.T)
    sweeps = kernels.weighted_descent(b, g, covariance, rho, np.ascontiguousarray(penalties.T), 1e-11, 5000)
    assert sweeps < 5000
    weights = b.T
    gradient = covariance @ weights - cross + rho * weights
    np.testing.assert_allclose(g.T, gradient, atol=1e-9)
    on = weights != 0
    assert on.sum() > 0
    assert not np.any(on & np.isinf(penalties))
    np.testing.assert_allclose(gradient[on], -np.sign(weights[on]) * penalties[on], atol=1e-7)
    assert np.all(np.abs(gradient[~on]) <= penalties[~on] + 1e-7)


def test_the_kernel_is_its_python():
    covariance, cross, penalties = problem(9)
    compiled, plain = [], []
    for function, into in ((kernels.weighted_descent, compiled), (kernels.weighted_descent.py_func, plain)):
        b, g = np.zeros_like(covariance), np.ascontiguousarray(-cross.T)
        function(b, g, covariance, 0.7, np.ascontiguousarray(penalties.T), 1e-9, 50)
        into += [b, g]
    np.testing.assert_allclose(compiled, plain, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", [1001, 1003, 1004])
def test_a_dag_is_found_in_its_own_covariance(seed):
    """The exact second moment of the model (unit noise): nothing but the solver can go wrong."""
    truth = LinearSimulation(15, 15, seed).truth()
    spread = np.linalg.inv(np.eye(15) - truth.weights)
    covariance = spread.T @ spread
    penalties = np.full((15, 15), 0.1)
    np.fill_diagonal(penalties, np.inf)
    weights = sparse_weights(covariance, covariance, penalties)
    assert acyclicity(weights)[0] < 1e-4
    assert np.array_equal(threshold_to_dag(weights) != 0, truth.weights != 0)


def test_a_right_side_corrects_a_wrong_moment():
    """S is wrong by some percent, Q = S B + exact gradient at B: the exact weights come out all the same."""
    rng = np.random.default_rng(2)
    truth = LinearSimulation(8, 8, 1002).truth()
    spread = np.linalg.inv(np.eye(8) - truth.weights)
    exact = spread.T @ spread
    shift = 0.05 * rng.standard_normal((8, 8))
    wrong = exact + (shift + shift.T) * np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    wrong = wrong + max(0.0, 0.01 - np.linalg.eigvalsh(wrong)[0]) * np.eye(8)
    penalties = np.where(truth.weights != 0, 1e-6, np.inf)
    start = sparse_weights(wrong, wrong, penalties)
    weights = start
    for _ in range(6):
        weights = sparse_weights(wrong, wrong @ weights + exact - exact @ weights, penalties)
    assert np.abs(start - truth.weights).max() > 0.01
    assert np.abs(weights - truth.weights).max() < np.abs(start - truth.weights).max() / 5


def test_barred_entries_stay_out_and_no_entry_is_no_edge():
    covariance, _, _ = problem(4)
    barred = np.full((5, 5), np.inf)
    assert not sparse_weights(covariance, covariance, barred).any()
    barred[0, 1] = barred[1, 0] = 0.01
    weights = sparse_weights(covariance, covariance, barred)
    assert set(zip(*np.nonzero(threshold_to_dag(weights, 0.0)), strict=True)) <= {(0, 1), (1, 0)}
