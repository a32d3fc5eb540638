"""Proximal operators of NOTEARS-PFL against a generic solver, and what they must do in the limit."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from fedbnsl.federate import _pfl_kernels as kernels
from fedbnsl.federate.pfl_prox import penalty_value, prox

LAMBDAS = [(0.0, 0.0), (0.3, 0.0), (0.0, 0.4), (0.2, 0.15), (0.05, 1.5), (2.0, 0.1)]


def matrices(sites, d, seed):
    return np.random.default_rng(seed).normal(size=(sites, d, d))


def literal_penalty(z, kind, l1, l2):
    value = l1 * sum(abs(v) for v in z.ravel())
    sites, d = len(z), z.shape[1]
    entries = list(itertools.product(range(d), range(d)))
    if kind == "group":
        value += l2 * sum(np.sqrt(sum(z[k, i, j] ** 2 for k in range(sites))) for i, j in entries)
    if kind == "fused":
        pairs = itertools.combinations(range(sites), 2)
        value += l2 * sum(abs(z[k, i, j] - z[m, i, j]) for k, m in pairs for i, j in entries)
    if kind == "chain":
        value += l2 * sum(np.linalg.norm(z[k + 1] - z[k]) for k in range(sites - 1))
    return value


def generic_minimum(u, kind, l1, l2):
    """The least value by an interior-point or SQP solver, kinks written as bounds on extra variables."""
    n = u.size
    flat = u.reshape(len(u), -1)
    sites, entries = flat.shape
    if kind == "fused":
        pairs = list(itertools.combinations(range(sites), 2))
        rows = np.zeros((len(pairs) * entries, n))
        for p, (k, m) in enumerate(pairs):
            for e in range(entries):
                rows[p * entries + e, k * entries + e], rows[p * entries + e, m * entries + e] = 1, -1
    else:
        rows = np.zeros((0, n))
    # variables: z, |z| (t), |differences| (s)
    m = len(rows)

    def value(x):
        z = x[:n].reshape(u.shape)
        smooth = 0.5 * ((z - u) ** 2).sum() + l1 * x[n : 2 * n].sum() + l2 * x[2 * n :].sum()
        if kind == "group":
            smooth += l2 * np.sqrt((z**2).sum(axis=0) + 1e-16).sum()
        if kind == "chain":
            smooth += l2 * np.sqrt((np.diff(z, axis=0) ** 2).sum(axis=(1, 2)) + 1e-16).sum()
        return smooth

    def slope(x):
        z = x[:n].reshape(u.shape)
        g = z - u
        if kind == "group":
            g = g + l2 * z / np.sqrt((z**2).sum(axis=0) + 1e-16)
        if kind == "chain":
            steps = np.diff(z, axis=0)
            steps = l2 * steps / np.sqrt((steps**2).sum(axis=(1, 2), keepdims=True) + 1e-16)
            g = g.copy()
            g[1:] += steps
            g[:-1] -= steps
        return np.concatenate([g.ravel(), np.full(n, l1), np.full(m, l2)])

    identity, zeros = np.eye(n), np.zeros((n, m))
    above = np.block([[-identity, identity, zeros], [identity, identity, zeros]])
    if m:
        blank = np.zeros((m, n))
        above = np.vstack([above, np.block([[-rows, blank, np.eye(m)], [rows, blank, np.eye(m)]])])
    start = np.concatenate([u.ravel(), np.abs(u).ravel() + 0.1, np.abs(rows @ u.ravel()) + 0.1])
    found = minimize(
        value, start, jac=slope, method="SLSQP", constraints=[LinearConstraint(above, 0, np.inf)],
        options={"maxiter": 1000, "ftol": 1e-13},
    )  # fmt: skip
    return value(found.x)


@pytest.mark.parametrize("kind", ["none", "group", "fused", "chain"])
@pytest.mark.parametrize(("l1", "l2"), LAMBDAS)
def test_prox_reaches_the_minimum_of_a_generic_solver(kind, l1, l2):
    u = matrices(4, 2, seed=3)
    z = prox(u, kind, l1, l2)
    ours = 0.5 * ((z - u) ** 2).sum() + literal_penalty(z, kind, l1, l2)
    generic = generic_minimum(u, kind, l1, l2)
    assert ours <= generic + 1e-6
    # The objective is strongly convex: a minimum within 1e-6 is within 1.5e-3, so it is no other point.
    assert ours >= generic - 1e-6


@pytest.mark.parametrize("kind", ["none", "group", "fused", "chain"])
@given(seed=st.integers(0, 10_000), sites=st.integers(1, 7))
@settings(deadline=None, max_examples=25)
def test_no_direction_leads_below_the_prox(kind, seed, sites):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(sites, 3, 3))
    l1, l2 = rng.uniform(0, 0.6, size=2)
    z = prox(u, kind, l1, l2)

    def value(at):
        return 0.5 * ((at - u) ** 2).sum() + literal_penalty(at, kind, l1, l2)

    best = value(z)
    towards = [u - z, -z, z.mean(axis=0) - z, *(rng.normal(size=u.shape) for _ in range(10))]
    for direction in towards:
        for length in (1e-1, 1e-3, 1e-5):
            assert value(z + length * direction) >= best - 1e-8


@pytest.mark.parametrize("kind", ["none", "group", "fused", "chain"])
def test_value_is_the_literal_sum(kind):
    z = matrices(5, 3, seed=1) * (np.random.default_rng(2).random((5, 3, 3)) < 0.5)
    assert penalty_value(z, kind, 0.3, 0.7) == pytest.approx(literal_penalty(z, kind, 0.3, 0.7))


def test_soft_thresholding_after_the_chain_is_not_its_prox():
    u = matrices(4, 2, seed=3)
    both = prox(u, "chain", 0.3, 0.5)
    after = prox(prox(u, "chain", 0.0, 0.5), "none", 0.3, 0.0)

    def value(z):
        return 0.5 * ((z - u) ** 2).sum() + literal_penalty(z, "chain", 0.3, 0.5)

    assert value(after) > value(both) + 1e-3
    # For absolute values it is: the fused prox may be done in two steps.
    two_steps = prox(prox(u, "fused", 0.0, 0.2), "none", 0.3, 0.0)
    assert two_steps == pytest.approx(prox(u, "fused", 0.3, 0.2))


def test_worked_values():
    u = np.array([3.0, 1.0, -1.0]).reshape(3, 1, 1)
    # Fused: shifts 2·.25 down, none, 2·.25 up; then soft by .5.
    assert prox(u, "fused", 0.5, 0.25).ravel() == pytest.approx([2.0, 0.5, 0.0])
    # Group: soft by 1 gives (2, 0, 0) of length 2, shortened by .5.
    assert prox(u, "group", 1.0, 0.5).ravel() == pytest.approx([1.5, 0.0, 0.0])
    # Consensus: the mean, 1, moved by .25.
    assert prox(u, "consensus", 0.25, 9.0).ravel() == pytest.approx([0.75] * 3)
    # Chain with one entry a site: the usual fused lasso, ends move by λ₂ until they meet the middle.
    assert prox(u, "chain", 0.0, 0.5).ravel() == pytest.approx([2.5, 1.0, -0.5], abs=1e-4)


@pytest.mark.parametrize("kind", ["fused", "chain"])
def test_a_large_second_penalty_makes_all_sites_equal_to_the_mean(kind):
    u = matrices(5, 3, seed=4)
    z = prox(u, kind, 0.0, 100.0)
    assert z == pytest.approx(np.broadcast_to(u.mean(axis=0), u.shape), abs=1e-4)


@pytest.mark.parametrize("kind", ["group", "fused", "none", "consensus"])
def test_order_of_sites_does_not_matter(kind):
    u = matrices(6, 3, seed=5)
    order = np.random.default_rng(0).permutation(6)
    assert prox(u[order], kind, 0.1, 0.2) == pytest.approx(prox(u, kind, 0.1, 0.2)[order], abs=1e-12)


def test_order_of_sites_matters_to_the_chain():
    # Sites 0 and 1 are alike, and so are 2 and 3: interleaved, the chain pulls all towards one another.
    u = np.array([1.0, 1.0, -1.0, -1.0]).reshape(4, 1, 1)
    assert prox(u, "chain", 0.0, 0.3).ravel() == pytest.approx([0.85, 0.85, -0.85, -0.85], abs=1e-4)
    mixed = prox(u[[0, 2, 1, 3]], "chain", 0.0, 0.3).ravel()
    assert mixed == pytest.approx([0.7, -0.4, 0.4, -0.7], abs=1e-4)


@given(seed=st.integers(0, 10_000), sites=st.integers(1, 8))
@settings(deadline=None, max_examples=50)
def test_group_block_with_unequal_curvatures_is_stationary(seed, sites):
    rng = np.random.default_rng(seed)
    b, a = 3 * rng.normal(size=sites), np.exp(rng.normal(size=sites))
    l1, l2 = rng.uniform(0, 1, size=2)
    z = np.empty(sites)
    kernels.group_block(b, a, l1, l2, z)
    length = np.linalg.norm(z)
    soft = np.sign(b) * np.maximum(np.abs(b) - l1, 0)
    if length == 0:
        assert np.linalg.norm(soft) <= l2 + 1e-12
    else:
        assert a * z + l2 * z / length == pytest.approx(soft, abs=1e-9)


@given(seed=st.integers(0, 10_000), sites=st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_chain_block_descends_and_stays_at_a_minimum(seed, sites):
    rng = np.random.default_rng(seed)
    b, a = 2 * rng.normal(size=sites), np.exp(rng.normal(size=sites))
    pulls, l1 = np.exp(2 * rng.normal(size=max(sites - 1, 0))), rng.uniform(0, 1)

    def value(z):
        return (0.5 * a * z**2 - b * z + l1 * np.abs(z)).sum() + 0.5 * (pulls * np.diff(z) ** 2).sum()

    z = rng.normal(size=sites)
    values = [value(z)]
    for _ in range(600):
        kernels.chain_block(b, a, l1, pulls, z)
        values.append(value(z))
    assert np.all(np.diff(values) <= 1e-12)
    for direction in (*np.eye(sites), np.ones(sites)):
        for step in (1e-3, -1e-3):
            assert value(z + step * direction) >= values[-1] - 1e-9
