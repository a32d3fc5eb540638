"""The server's step on sparse matrices: c/2 ‖W − V‖² + α h(W) + ρ/2 h(W)²."""

import networkx
import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse.csgraph
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.learn import _acyclicity_kernels as kernels
from fedbnsl.learn.acyclicity import acyclicity, minimise_consensus, minimise_penalised


def sparse(seed, d, density=0.3, scale=1.0):
    rng = np.random.default_rng(seed)
    return scale * rng.normal(size=(d, d)) * (rng.random((d, d)) < density)


def value(w, target, c, alpha, rho):
    h = np.trace(scipy.linalg.expm(w * w)) - len(w)
    return alpha * h + rho / 2 * h * h + c / 2 * np.sum((w - target) ** 2)


def slope(w, target, c, alpha, rho):
    exponential = scipy.linalg.expm(w * w)
    h = np.trace(exponential) - len(w)
    return 2 * (alpha + rho * h) * exponential.T * w + c * (w - target)


def on_cycles(target):
    """Entries that lie on a directed cycle, by networkx."""
    graph = networkx.from_numpy_array((target != 0).astype(int), create_using=networkx.DiGraph)
    component = {n: k for k, nodes in enumerate(networkx.strongly_connected_components(graph)) for n in nodes}
    mask = np.zeros(target.shape, dtype=bool)
    for i, j in graph.edges:
        mask[i, j] = component[i] == component[j]
    return mask


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.floats(0, 0.2))
def test_strong_components_are_those_of_scipy(seed, d, density):
    pattern = np.random.default_rng(seed).random((d, d)) < density
    ours, count = kernels.strong_components(pattern)
    expected, theirs = scipy.sparse.csgraph.connected_components(pattern, connection="strong")
    assert count == expected
    assert ((ours[:, None] == ours) == (theirs[:, None] == theirs)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 15), st.floats(0, 0.4))
def test_cyclic_edges_and_their_exponentials(seed, d, density):
    w = sparse(seed, d, density, 0.8)
    sources, targets, offset = kernels.cyclic_edges(w != 0)
    found = np.zeros((d, d), dtype=bool)
    found[sources, targets] = True
    assert (found == on_cycles(w)).all()
    assert len(sources) == found.sum()  # none twice
    rows, columns, sizes = kernels.local_numbers(sources, targets, offset, d)
    exponential = np.empty(len(sources))
    buffer = np.empty((8, max(sizes, default=0) ** 2))
    h = kernels.exponential_on_edges(w[sources, targets], rows, columns, offset, sizes, buffer, exponential)
    whole = scipy.linalg.expm(w * w)
    assert h == pytest.approx(np.trace(whole) - d, rel=1e-9, abs=1e-11)
    np.testing.assert_allclose(exponential, whole[targets, sources], rtol=1e-9)


@pytest.mark.parametrize(("c", "alpha", "rho"), [(3.0, 0.5, 2.0), (8.0, 0.0, 1000.0), (1.0, 20.0, 0.0)])
@pytest.mark.parametrize(("seed", "d", "density"), [(1, 5, 0.6), (2, 8, 0.35), (3, 8, 0.25)])
def test_the_step_agrees_with_a_generic_solver(seed, d, density, c, alpha, rho):
    target = sparse(seed, d, density)
    start = target * sparse(seed + 50, d, 1.0)
    found = minimise_consensus(start, target, c, alpha=alpha, rho=rho, f_tolerance=0.0, g_tolerance=1e-10)
    cyclic = on_cycles(target)
    assert cyclic.any()
    np.testing.assert_array_equal(found.weights[~cyclic], target[~cyclic])
    assert found.h == pytest.approx(acyclicity(found.weights)[0], rel=1e-9, abs=1e-13)
    # An objective of size 1 tells weights apart to 1e-8 times the root of its curvature.
    exact = scipy.optimize.root(
        lambda x: slope(x.reshape(d, d), target, c, alpha, rho).ravel(), found.weights.ravel(), tol=1e-13
    )
    np.testing.assert_allclose(found.weights.ravel(), exact.x, atol=1e-7)

    # From a little aside, over all entries, off the cycles and zeros too.
    aside = found.weights + 1e-3 * np.random.default_rng(seed).normal(size=(d, d))
    oracle = scipy.optimize.minimize(
        lambda x: value(x.reshape(d, d), target, c, alpha, rho),
        aside.ravel(),
        jac=lambda x: slope(x.reshape(d, d), target, c, alpha, rho).ravel(),
        method="BFGS", options={"gtol": 1e-10, "maxiter": 5000},
    )  # fmt: skip
    ours = value(found.weights, target, c, alpha, rho)
    assert ours == pytest.approx(oracle.fun, abs=1e-10)
    assert ours <= value(start, target, c, alpha, rho)


def test_the_step_agrees_with_the_dense_solver():
    d = 30
    target = sparse(7, d, 0.08)
    options = {"alpha": 3.0, "rho": 50.0, "f_tolerance": 1e-15, "g_tolerance": 1e-9}
    found = minimise_consensus(np.zeros((d, d)), target, 8.0, **options)
    dense = minimise_penalised(np.zeros((d, d)), target, 8 * np.eye(d), l1=0.0, diagonal=True, **options)
    np.testing.assert_allclose(found.weights, dense.weights, atol=1e-7)
    assert found.h == pytest.approx(dense.h, abs=1e-8)
    assert ((found.weights == 0) == (target == 0)).all()


def test_without_cycles_nothing_is_searched():
    target = np.triu(sparse(3, 6, 0.8), 1)
    found = minimise_consensus(np.ones((6, 6)), target, 1.0, alpha=5.0, rho=100.0)
    np.testing.assert_array_equal(found.weights, target)
    assert (found.h, found.iterations, found.evaluations) == (0.0, 0, 0)
    empty = minimise_consensus(np.zeros((3, 3)), np.zeros((3, 3)), 1.0, alpha=5.0, rho=100.0)
    assert not empty.weights.any()


def test_a_loop_alone_is_a_problem_in_one_variable():
    target = np.diag([0.9, 0.0, -0.4])
    target[0, 2] = 1.5
    found = minimise_consensus(target, target, 2.0, alpha=0.7, rho=0.0, f_tolerance=0.0, g_tolerance=1e-11)
    for k, v in ((0, 0.9), (2, -0.4)):
        root = scipy.optimize.brentq(lambda w, v=v: 1.4 * w * np.exp(w * w) + 2 * (w - v), -1, 1, xtol=1e-13)
        assert found.weights[k, k] == pytest.approx(root, abs=1e-9)
    assert found.weights[0, 2] == 1.5
    assert found.h == pytest.approx(sum(np.exp(found.weights[k, k] ** 2) - 1 for k in (0, 2)), rel=1e-12)


@pytest.mark.parametrize("start", [0.0, 50.0, 1e200])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_overflow_is_stepped_back_from(start, alpha):
    target = np.array([[0.0, 50.0], [50.0, 0.0]])
    found = minimise_consensus(np.array([[0.0, start], [start, 0.0]]), target, 1.0, alpha=alpha, rho=1.0)
    assert np.isfinite(found.weights).all()
    assert value(found.weights, target, 1.0, alpha, 1.0) < 2501  # 50²/2 twice at W = 0, which overflows not


def test_a_loose_tolerance_and_few_iterations_end_early_and_lower():
    target = sparse(11, 25, 0.12)
    problem = {"alpha": 1.0, "rho": 300.0}
    start = value(np.zeros((25, 25)), target, 8.0, 1.0, 300.0)
    counts, values = [], []
    for tolerance in (1e-2, 1e-5, 1e-12):
        found = minimise_consensus(np.zeros((25, 25)), target, 8.0, f_tolerance=tolerance, **problem)
        counts.append(found.evaluations)
        values.append(value(found.weights, target, 8.0, 1.0, 300.0))
    assert counts == sorted(counts)
    assert counts[0] < counts[2]
    assert start > values[0] >= values[1] >= values[2]
    assert minimise_consensus(np.zeros((25, 25)), target, 8.0, iterations=3, **problem).iterations == 3
