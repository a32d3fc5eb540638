"""Sensitivities of the Gaussian releases by adversarial search, exact sums, and what is made of them."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from fedbnsl.errors import InputError
from fedbnsl.privacy import exact_sums
from fedbnsl.privacy.gradients import GradientRelease, candidates, residual_products
from fedbnsl.privacy.noise import SeededNoise
from fedbnsl.privacy.scales import EDGES, ScaleRelease, fitted_scales, histograms
from fedbnsl.privacy.second_moment import MomentRelease
from fedbnsl.privacy.unclip import clipped_spectrum, unclipped


class NoNoise:
    """Shows the exact sums."""

    def gaussian(self, totals, scale):
        assert np.array_equal(totals, np.trunc(totals)), "sums must be whole numbers"
        assert np.abs(totals).max() <= 2.0**53
        return totals.astype(float)


def measured(release, record, rows, *shape):
    """The release of zeros but for one record, without noise."""
    values = np.zeros((rows, *shape))
    values[0] = record
    return release.measure(values, NoNoise())


def frobenius(packed, d):
    """Norm of the symmetric matrix whose upper triangle is ``packed``."""
    rows, columns = np.triu_indices(d)
    return math.sqrt(np.sum(np.where(rows == columns, 1, 2) * packed**2))


def worst(distance, size, seed, restarts=6):
    """The largest distance of two records that random starts and Nelder–Mead find."""
    rng = np.random.default_rng(seed)
    best = 0.0
    for _ in range(restarts):
        start = rng.standard_normal(2 * size) * 10.0 ** rng.uniform(-2, 3)
        found = optimize.minimize(
            lambda pair: -distance(pair[:size], pair[size:]),
            start,
            method="Nelder-Mead",
            options={"maxiter": 150, "maxfev": 150},
        )
        best = max(best, -found.fun, distance(start[:size], start[size:]))
    return best


@pytest.mark.parametrize(("d", "rows", "radius"), [(2, 7, 1.0), (3, 50, 1.7), (6, 1000, 0.3)])
def test_no_pair_of_records_moves_a_moment_further_than_its_sensitivity(d, rows, radius):
    release = MomentRelease(d, rows, radius, 1.0)

    def distance(one, other):
        return frobenius(measured(release, one, rows, d) - measured(release, other, rows, d), d)

    assert worst(distance, d, seed=d) <= release.sensitivity
    first, second = np.zeros(d), np.zeros(d)
    first[0] = second[1] = 100 * radius
    reached = distance(first, second)
    assert 0.9999 * release.sensitivity < reached <= release.sensitivity
    assert release.sensitivity == pytest.approx(math.sqrt(2) * radius**2 / rows)


@pytest.mark.parametrize(("d", "rows"), [(3, 9), (4, 200)])
def test_no_pair_of_records_moves_a_gradient_further_than_its_sensitivity(d, rows):
    """For any public B, entries and scales; the search is over records, not over vectors of products."""
    rng = np.random.default_rng(d)
    weights = np.triu(rng.uniform(-2, 2, (d, d)), 1)
    scales, residual_scales = rng.uniform(0.5, 3, d), rng.uniform(0.5, 3, d)
    entries = np.nonzero(~np.eye(d, dtype=bool))
    release = GradientRelease(len(entries[0]), rows, 1.0)

    def vector(record):
        return residual_products(record[None], weights, *entries, scales, residual_scales)

    def distance(one, other):
        moved = [measured(release, vector(record), rows, release.size) for record in (one, other)]
        return float(np.linalg.norm(moved[0] - moved[1]))

    assert worst(distance, d, seed=d) <= release.sensitivity
    # One column of B = 0: opposite products.
    column = (np.arange(d - 1), np.full(d - 1, d - 1))
    release = GradientRelease(d - 1, rows, 1.0)
    record = np.full(d, 50.0)
    mirror = np.append(record[:-1], -50.0)
    moved = [
        measured(
            release,
            residual_products(one[None], np.zeros((d, d)), *column, np.ones(d), np.ones(d)),
            rows,
            d - 1,
        )
        for one in (record, mirror)
    ]
    reached = float(np.linalg.norm(moved[0] - moved[1]))
    assert 0.9999 * release.sensitivity < reached <= release.sensitivity
    assert release.sensitivity == pytest.approx(2 * 1.2 * math.sqrt(d - 1) / rows)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=3, max_size=3),
    st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=3, max_size=3),
)
@settings(max_examples=200, deadline=None)
def test_sensitivities_hold_for_any_floats(one, other):
    """Also for records whose squares overflow or vanish."""
    one, other = np.array(one), np.array(other)
    scale = ScaleRelease(3, 10, 1.0)
    counts = [histograms(record[None]) for record in (one, other)]
    assert np.linalg.norm(counts[0] - counts[1]) <= scale.sensitivity * (1 + 1e-12)
    assert all(np.array_equal(count.sum(axis=1), np.ones(3)) for count in counts)
    moment = MomentRelease(3, 10, 1.3, 1.0)
    moved = measured(moment, one, 10, 3) - measured(moment, other, 10, 3)
    assert frobenius(moved, 3) <= moment.sensitivity
    gradient = GradientRelease(6, 10, 1.0)
    pairs = np.nonzero(~np.eye(3, dtype=bool))
    weights = np.array([[0, 1.0, 0], [0, 0, -2.0], [0, 0, 0]])
    vectors = [residual_products(r[None], weights, *pairs, np.ones(3), np.ones(3)) for r in (one, other)]
    moved = np.subtract(*(measured(gradient, v, 10, 6) for v in vectors))
    assert np.linalg.norm(moved) <= gradient.sensitivity


def test_the_sensitivity_of_histograms_is_reached():
    release = ScaleRelease(4, 10, 0.5)
    moved = histograms(np.full((1, 4), 0.01)) - histograms(np.full((1, 4), 1000.0))
    assert np.linalg.norm(moved) == pytest.approx(release.sensitivity) == pytest.approx(math.sqrt(8))
    assert release.deviation == pytest.approx(2 * math.sqrt(8))


def test_histograms_count_squares_between_powers_of_two():
    counts = histograms(np.array([[0.0], [0.0625], [1.0], [-1.2], [1.5], [200.0]]))
    assert counts.shape == (1, len(EDGES) + 1)
    # x² = 0 | 2⁻⁸ | 1 and 1.44 | 2.25 | 40000
    assert [int(k) for k in np.flatnonzero(counts[0])] == [0, 1, 9, 10, 23]
    assert counts[0, 9] == 2


def test_sums_do_not_depend_on_the_order_of_records():
    rng = np.random.default_rng(3)
    values = rng.standard_normal((500, 5)) * 10
    moment = MomentRelease(5, 500, 2.0, 1.0)
    gradient = GradientRelease(5, 500, 1.0)
    for release in (moment, gradient):
        whole = release.measure(values, NoNoise())
        assert np.array_equal(whole, release.measure(values[::-1], NoNoise()))
    lengths = np.linalg.norm(exact_sums.clipped(values, 2.0, moment.unit), axis=1) * moment.unit
    assert lengths.max() <= 2.0
    short = values / 100
    expected = short.T @ short / 500
    np.testing.assert_allclose(
        moment.measure(short, NoNoise()), expected[np.triu_indices(5)], atol=1e-4 * np.abs(expected).max()
    )


def test_the_noise_is_what_the_ledger_says():
    rng = SeededNoise(np.random.default_rng(0))
    moment = MomentRelease(2, 20, 1.5, 0.8)
    drawn = np.stack([moment.measure(np.zeros((20, 2)), rng) for _ in range(5000)]).std(axis=0)
    sigma = math.sqrt(2) * 2.25 / 20 / 0.8
    np.testing.assert_allclose(drawn, [sigma, sigma / math.sqrt(2), sigma], rtol=0.05)
    gradient = GradientRelease(3, 20, 0.8)
    drawn = np.stack([gradient.measure(np.zeros((20, 3)), rng) for _ in range(5000)]).std(axis=0)
    np.testing.assert_allclose(drawn, 2 * 1.2 * math.sqrt(3) / 20 / 0.8, rtol=0.05)
    scale = ScaleRelease(3, 20, 0.8)
    noisy = scale.measure(np.zeros((20, 3)), rng) - histograms(np.zeros((20, 3)))
    assert noisy.std() == pytest.approx(math.sqrt(6) / 0.8, rel=0.25)
    for release, entry in (
        (moment, moment.entry("m")),
        (gradient, gradient.entry("g")),
        (scale, scale.entry()),
    ):
        assert entry.mu == pytest.approx(0.8)
        assert entry.sensitivity / entry.scale == pytest.approx(release.sensitivity / release.deviation)


@pytest.mark.parametrize("sigma", [2.0, 3.0, 8.0])
def test_discrete_and_rounded_gaussian_differ_by_less_than_the_bound(sigma):
    whole = np.arange(-200, 201)
    discrete = np.exp(-(whole**2) / (2 * sigma**2))
    discrete /= discrete.sum()
    edges = stats.norm.cdf((whole[:, None] + [-0.5, 0.5]) / sigma)
    variation = np.abs(discrete - (edges[:, 1] - edges[:, 0])).sum() / 2
    bound = exact_sums.rounding_delta([(1, sigma)], 0.0) / 2
    assert bound / 3 < variation <= bound


def test_secure_mode_refuses_noise_near_its_grid():
    exact_sums.check_rounding([(100, 2.0**30)], 5.0, 1e-8, "here")
    with pytest.raises(InputError, match="epsilon = 60"):
        exact_sums.check_rounding([(100, 2.0**30)], 60.0, 1e-8, "here")


@pytest.mark.parametrize("rows", [2, 3, 4096, 4097, 10**6])
def test_the_grid_leaves_room_for_the_sum(rows):
    for factors in (1, 2):
        bits = exact_sums.bits_for(rows, factors)
        assert rows * 2.0 ** (bits * factors) <= 2.0**53 < rows * 2.0 ** ((bits + 1) * factors + 1)


def test_scales_are_fitted_to_histograms_without_noise():
    wanted = np.array([0.1, 0.9, 1.0, 3.3, 40.0])
    edges = np.concatenate([[0.0], EDGES, [np.inf]])
    shares = [
        [stats.chi2.cdf(b / s**2, 1) - stats.chi2.cdf(a / s**2, 1) for a, b in pairwise(edges)]
        for s in wanted
    ]
    np.testing.assert_allclose(fitted_scales(np.array(shares)), wanted, rtol=2 ** (1 / 512) - 1)


@pytest.mark.parametrize("radius", [0.5, 1.2, 5.0])
def test_clipping_of_gaussian_records_is_undone(radius):
    """Against records that were really drawn and clipped."""
    rng = np.random.default_rng(5)
    d = 6
    values = np.array([3.0, 1.5, 0.8, 0.4, 0.2, 0.1])
    values *= d / values.sum()
    vectors = np.linalg.qr(rng.standard_normal((d, d)))[0]
    records = rng.standard_normal((400_000, d)) * np.sqrt(values) @ vectors.T
    length = math.sqrt(radius * d)
    short = records * np.minimum(1, length / np.linalg.norm(records, axis=1))[:, None]
    moment = short.T @ short / len(short)
    truth = (vectors * values) @ vectors.T
    found = unclipped(moment, length, d)
    assert np.abs(found - truth).max() < 0.03
    assert np.trace(found) == pytest.approx(d)
    if radius < 5:
        assert np.abs(moment * d / np.trace(moment) - truth).max() > 0.09


def test_a_clipped_spectrum_by_quadrature():
    """d = 2 in polar coordinates: the length is exponential, the angle uniform."""
    values, radius = np.array([2.0, 0.5]), 1.0
    angles = (np.arange(2000) + 0.5) * 2 * np.pi / 2000
    halves = -2 * np.log1p(-(np.arange(2000) + 0.5) / 2000)  # ‖u‖²
    one, other = np.meshgrid(halves, angles)
    squares = np.stack([(one * np.cos(other) ** 2).ravel(), (one * np.sin(other) ** 2).ravel()], axis=1)
    expected = clipped_spectrum(values, radius, squares)
    draws = np.random.default_rng(0).standard_normal((400_000, 2)) ** 2
    np.testing.assert_allclose(clipped_spectrum(values, radius, draws), expected, rtol=0.01)


def test_a_moment_of_noise_alone_gives_a_positive_definite_answer():
    noise = np.random.default_rng(1).standard_normal((5, 5))
    found = unclipped(noise + noise.T, 1.0, 5.0)
    assert np.linalg.eigvalsh(found).min() > 0
    assert np.trace(found) == pytest.approx(5.0)


def test_candidates_are_the_edges_and_the_largest_correlations():
    covariance = np.array(
        [[1.0, 0.6, 0.1, 0.0], [0.6, 1.0, 0.2, 0.0], [0.1, 0.2, 4.0, 1.2], [0, 0, 1.2, 1.0]]
    )
    weights = np.zeros((4, 4))
    weights[3, 0] = 0.5
    found = set(zip(*candidates(weights, covariance, 3, None), strict=True))
    assert found == {(3, 0), (0, 1), (1, 0)}
    found = set(zip(*candidates(weights, covariance, 5, None), strict=True))
    assert found == {(3, 0), (0, 1), (1, 0), (2, 3), (3, 2)}
    # Standard deviations 1, 1, 2, 1: 2 → 3 is a cause twice as large.
    found = set(zip(*candidates(weights, covariance, 5, 1.3), strict=True))
    assert found == {(3, 0), (0, 1), (1, 0), (3, 2), (1, 2)}
    # An edge stays, whatever the scales; entries without correlation never come in.
    weights[2, 3] = 1.0
    rows, columns = candidates(weights, covariance, 100, 1.3)
    assert (2, 3) in set(zip(rows, columns, strict=True))
    assert len(rows) == 7
    assert np.all(np.diff(rows * 4 + columns) > 0)
