import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.learn import threshold_to_dag
from fedbnsl.learn.acyclicity import acyclicity, minimise_penalised


def matrix(seed, d, density=0.5, scale=1.0):
    rng = np.random.default_rng(seed)
    return scale * rng.normal(size=(d, d)) * (rng.random((d, d)) < density)


def h_by_scipy(w):
    return np.trace(scipy.linalg.expm(w * w)) - len(w)


def value(w, target, quadratic, alpha, rho, l1):
    h, gap = h_by_scipy(w), w - target
    return 0.5 * np.trace(gap.T @ quadratic @ gap) + alpha * h + rho / 2 * h * h + l1 * np.abs(w).sum()


@pytest.mark.parametrize("d", [1, 2, 3, 7, 20, 60])
@pytest.mark.parametrize("scale", [0.01, 0.7, 1.5])
def test_h_and_gradient_agree_with_scipy(d, scale):
    w = matrix(d, d, min(1.0, 3 / d), scale)
    h, gradient = acyclicity(w)
    exponential = scipy.linalg.expm(w * w)
    assert h == pytest.approx(np.trace(exponential) - d, rel=1e-10, abs=1e-11)
    expected = 2 * exponential.T * w
    assert np.abs(gradient - expected).max() <= 1e-12 * max(np.abs(expected).max(), 1)


def test_gradient_agrees_with_finite_differences():
    w = matrix(1, 4, 0.8, 0.6)
    _, gradient = acyclicity(w)
    for i in range(4):
        for j in range(4):
            step = np.zeros((4, 4))
            step[i, j] = 1e-6
            slope = (acyclicity(w + step)[0] - acyclicity(w - step)[0]) / 2e-6
            assert gradient[i, j] == pytest.approx(slope, abs=1e-7)


def test_h_of_a_two_cycle_is_its_closed_form_down_to_tiny_values():
    for a, b in ((1.2, -0.7), (1e-2, 3e-3), (1e-4, 1e-5)):
        h, gradient = acyclicity(np.array([[0.0, a], [b, 0.0]]))
        assert h == pytest.approx(4 * np.sinh(abs(a * b) / 2) ** 2, rel=1e-13)  # 2 cosh|ab| − 2
        assert gradient[0, 1] == pytest.approx(2 * np.sinh(abs(a * b)) * abs(b) / abs(a) * a, rel=1e-13)


def test_h_is_exactly_zero_on_a_dag_however_large_its_weights():
    w = np.triu(np.full((6, 6), 3e3), 1)
    h, gradient = acyclicity(w)
    assert h == 0.0
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("size", [30.0, 1e5, 1e200])
def test_overflow_is_plus_infinity_and_never_nan(size):
    h, gradient = acyclicity(np.array([[0.0, size], [size, 0.0]]))
    assert h == np.inf
    assert (gradient == np.inf).all()


@pytest.mark.parametrize(
    ("alpha", "rho", "l1", "diagonal"),
    [(0.0, 0.0, 0.3, False), (0.5, 2.0, 0.1, False), (3.0, 50.0, 0.02, False), (1.0, 10.0, 0.05, True)],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_minimum_agrees_with_a_generic_solver(seed, alpha, rho, l1, diagonal):
    d = 3
    target = matrix(seed, d, 1.0, 0.8)
    root = matrix(seed + 10, d, 1.0)
    quadratic = root @ root.T + np.eye(d)
    found = minimise_penalised(
        np.zeros((d, d)), target, quadratic, alpha=alpha, rho=rho, l1=l1, diagonal=diagonal,
        f_tolerance=1e-15, g_tolerance=1e-9,
    )  # fmt: skip

    def split(x):
        return (x[: d * d] - x[d * d :]).reshape(d, d)

    def smooth_and_slope(x):
        w = split(x)
        exponential = scipy.linalg.expm(w * w)
        slope = quadratic @ (w - target) + 2 * (alpha + rho * h_by_scipy(w)) * exponential.T * w
        objective = value(w, target, quadratic, alpha, rho, 0.0) + l1 * x.sum()
        return objective, np.concatenate([(slope + l1).ravel(), (l1 - slope).ravel()])

    bounds = [(0, 0 if i == j and not diagonal else None) for _ in "+-" for i in range(d) for j in range(d)]
    start = np.concatenate([np.maximum(found.weights, 0).ravel(), np.maximum(-found.weights, 0).ravel()])
    oracle = scipy.optimize.minimize(
        smooth_and_slope, start + 0.01, jac=True, method="SLSQP", bounds=bounds,
        options={"ftol": 1e-15, "maxiter": 2000},
    )  # fmt: skip
    ours = value(found.weights, target, quadratic, alpha, rho, l1)
    assert ours == pytest.approx(oracle.fun, abs=1e-8)
    assert found.h == pytest.approx(h_by_scipy(found.weights), abs=1e-10)
    if not diagonal:
        assert not np.diagonal(found.weights).any()


@pytest.mark.parametrize("start", [0.0, -2.0, 0.3])
def test_without_acyclicity_the_minimum_is_soft_thresholding(start):
    target = matrix(3, 5, 1.0)  # from a start ≠ 0 some entries must stop at 0, others pass it
    found = minimise_penalised(
        start * target, target, 4 * np.eye(5), alpha=0.0, rho=0.0, l1=1.0, diagonal=True
    )
    soft = np.sign(target) * np.maximum(np.abs(target) - 0.25, 0)
    np.testing.assert_allclose(found.weights, soft, atol=1e-7)
    assert ((found.weights == 0) == (soft == 0)).all()
    assert (soft == 0).any()


def test_minimum_is_stationary_at_the_size_of_real_problems():
    d = 20
    target, l1, alpha, rho = matrix(5, d, 1.0, 0.3), 0.01, 20.0, 1000.0
    found = minimise_penalised(
        np.zeros((d, d)), target, 8 * np.eye(d), alpha=alpha, rho=rho, l1=l1,
        f_tolerance=0.0, g_tolerance=1e-7,
    )  # fmt: skip
    h, gradient = acyclicity(found.weights)
    slope = 8 * (found.weights - target) + (alpha + rho * h) * gradient
    off = ~np.eye(d, dtype=bool)
    zero, some = off & (found.weights == 0), off & (found.weights != 0)
    assert np.abs(slope + l1 * np.sign(found.weights))[some].max() < 1e-6
    assert np.abs(slope)[zero].max(initial=0.0) <= l1


@pytest.mark.parametrize("start", [0.0, 50.0])
def test_overflow_on_the_way_is_stepped_back_from(start):
    target = np.array([[0.0, 50.0], [50.0, 0.0]])
    assert acyclicity(target)[0] == np.inf
    found = minimise_penalised(
        np.array([[0.0, start], [start, 0.0]]), target, np.eye(2), alpha=0.0, rho=1.0, l1=0.0
    )
    assert np.isfinite(found.weights).all()
    assert value(found.weights, target, np.eye(2), 0.0, 1.0, 0.0) < 2501  # one direction dropped: 50²/2·2


def test_threshold_to_dag_by_hand():
    w = np.array(
        [
            [0.9, 0.5, 0.0, 0.0],
            [0.0, 0.0, -0.8, 0.3],
            [0.4, 0.0, 0.0, -0.35],
            [0.0, 0.0, 0.0, 0.0],
        ]
    )
    # .3 is not above the threshold, the diagonal is no edge; then −.35, the smallest, goes although it lies
    # on no cycle, and .4, which closes 0 → 1 → 2 → 0.
    expected = np.zeros((4, 4))
    expected[0, 1], expected[1, 2] = 0.5, -0.8
    np.testing.assert_array_equal(threshold_to_dag(w, 0.3), expected)
    np.testing.assert_array_equal(threshold_to_dag(np.stack([w, w.T]), 0.3), np.stack([expected, expected.T]))
    assert w[2, 0] == 0.4  # the input is left alone
    np.testing.assert_array_equal(threshold_to_dag(w, 1.0), np.zeros((4, 4)))
    assert threshold_to_dag(w, 0.8)[0, 0] == 0.0
    assert threshold_to_dag(w, 0.8)[1, 2] == 0.0  # |−.8| is not above .8


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 7))
def test_threshold_to_dag_drops_no_more_than_needed(seed, d):
    import networkx

    w = np.round(matrix(seed, d, 0.6), 1)  # rounding makes ties
    kept = threshold_to_dag(w, 0.3)
    edges = networkx.from_numpy_array(kept, create_using=networkx.DiGraph)
    assert networkx.is_directed_acyclic_graph(edges)
    assert ((kept == w) | (kept == 0)).all()
    above = np.where(np.abs(w) > 0.3, w, 0.0)
    np.fill_diagonal(above, 0.0)
    dropped = np.argwhere((above != 0) & (kept == 0))
    if len(dropped):
        sizes = np.abs(above[tuple(dropped.T)])
        assert sizes.max() <= np.abs(kept[kept != 0]).min(initial=np.inf)
        last = dropped[np.flatnonzero(sizes == sizes.max())[-1]]
        edges.add_edge(*last)
        assert not networkx.is_directed_acyclic_graph(edges)
