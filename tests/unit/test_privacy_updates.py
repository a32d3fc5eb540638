"""Private greedy updates: literal oracle, sensitivities by adversarial search, exact sums, laws of noise."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from fedbnsl import InputError
from fedbnsl.privacy import _update_kernels as kernels
from fedbnsl.privacy.greedy import GreedyUpdates
from fedbnsl.privacy.noise import LaplaceNoise, SecureNoise, SeededNoise
from fedbnsl.privacy.scales import ScaleRelease
from fedbnsl.privacy.smoothness import ExactSquares, MeanSquares, combination, site_scale


def soft(x, by):
    return math.copysign(max(abs(x) - by, 0.0), x)


class NoNoise:
    """The largest score, and the number itself."""

    largest = math.inf

    def gaussian(self, totals, scale):
        return np.array(totals)

    def noisy_max(self, scores, tops, sums, multiplier):
        return divmod(int(np.argmax(scores)), scores.shape[1])


class Told(NoNoise):
    """Releases fixed beforehand, whatever the rows: what is compared then differs by the rows alone."""

    def __init__(self, entries, gradients):
        self.entries, self.gradients = iter(entries), iter(gradients)

    def gaussian(self, totals, scale):
        return np.array(next(self.gradients) * scale)

    def noisy_max(self, scores, tops, sums, multiplier):
        return next(self.entries)


def literal_gradient(values, b, clip_limits, average):
    """The data term by its definition, one record at a time, without a grid."""
    d = values.shape[1]
    residual = values @ b - values
    gradient = np.zeros((d, d))
    for i, j in itertools.product(range(d), range(d)):
        terms = values[:, i] * residual[:, j]
        limit = clip_limits[i]
        gradient[i, j] = (
            np.clip(terms.mean(), -limit, limit) if average else np.clip(terms, -limit, limit).mean()
        )
    return gradient


def problem(n=40, d=4, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ (np.eye(d) + 0.5 * rng.normal(size=(d, d))), 0.3 * rng.normal(
        size=(d, d)
    )


@pytest.mark.parametrize("clipping", ["record", "average"])
@pytest.mark.parametrize(("gamma", "clip"), [(1.0, 0.7), (0.5, 1.4), (1.0, 50.0)])
def test_without_noise_updates_are_the_literal_ones(clipping, gamma, clip):
    values, linear = problem()
    d = values.shape[1]
    m, rho, l1 = (values**2).mean(axis=0) + 0.8, 0.8, 0.15
    updates = GreedyUpdates(values, m, rho, l1, clip, gamma, 1.0, NoNoise(), clipping)
    b = np.zeros((d, d))
    for _ in range(12):
        gradient = literal_gradient(values, b, clip * np.sqrt(m), clipping == "average") + linear + rho * b
        scores = {
            (i, j): math.sqrt(m[i]) * abs(soft(b[i, j] - gradient[i, j] / m[i], l1 / m[i]) - b[i, j])
            for i, j in itertools.permutations(range(d), 2)
        }
        i, j = max(scores, key=scores.get)
        b[i, j] = soft(b[i, j] - gamma * gradient[i, j] / m[i], gamma * l1 / m[i])
        entries, gradients = updates.run(np.ascontiguousarray(linear.T), 1)
        assert entries.tolist() == [i * d + j]
        assert gradients[0] == pytest.approx(gradient[i, j], abs=1e-7)
        np.testing.assert_allclose(updates.local.T, b, atol=1e-7)
    assert np.count_nonzero(b) >= 3


class Asked(NoNoise):
    """Chooses one entry after another and writes down how much noise is asked for."""

    def __init__(self):
        self.scales, self.multipliers = [], []
        self.entries = itertools.permutations(range(4), 2)

    def gaussian(self, totals, scale):
        self.scales.append(scale)
        return np.array(totals)

    def noisy_max(self, scores, tops, sums, multiplier):
        self.multipliers.append(multiplier)
        return next(self.entries)


def test_noise_is_z_times_the_sensitivity_of_what_is_released():
    """In units of the grid for the gradient of entry (i, j); scores come in units of 2c̄/n."""
    values, linear = problem()
    noise, m, z = Asked(), (values**2).mean(axis=0) + np.array([1.0, 2.0, 5.0, 50.0]), 7.0
    updates = GreedyUpdates(values, m, 1.0, 0.1, 1.4, 1.0, z, noise)
    entries, _ = updates.run(linear, 12)
    rows = entries // 4
    limits = np.array(noise.scales) / z / 2 * updates.units[rows]
    np.testing.assert_allclose(limits, 1.4 * np.sqrt(m[rows]), rtol=1e-8)
    assert noise.multipliers == [z] * 12
    gradients = updates._totals.T * updates.steps[:, None] + linear.T + updates.local.T
    moved = updates.local.T - gradients / m[:, None]
    proximal = np.sign(moved) * np.maximum(np.abs(moved) - (0.1 / m)[:, None], 0.0)
    scores = np.sqrt(m)[:, None] * np.abs(proximal - updates.local.T) / (2 * 1.4 / len(values))
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(updates._scores.T[off], scores[off], atol=1e-9)


def test_several_updates_at_once_are_the_same_as_one_after_another():
    values, linear = problem()
    whole, steps = (
        GreedyUpdates(values, np.ones(4), 1.0, 0.1, 1.0, 1.0, 3.0, SeededNoise(np.random.default_rng(5)))
        for _ in "ab"
    )
    transcript = whole.run(linear, 9)
    parts = [steps.run(linear, k) for k in (1, 5, 3)]
    np.testing.assert_array_equal(whole.local, steps.local)
    np.testing.assert_array_equal(transcript.entries, np.concatenate([p.entries for p in parts]))


def test_the_order_of_the_records_does_not_matter_at_all():
    """Sums on the grid are exact: not a bit differs."""
    values, linear = problem(n=501)
    results = []
    for rows in (values, values[::-1], values[np.random.default_rng(3).permutation(501)]):
        noise = SeededNoise(np.random.default_rng(5))
        updates = GreedyUpdates(rows, np.full(4, 1.7), 1.0, 0.1, 1.4, 1.0, 3.0, noise)
        results.append((updates.run(linear, 40).gradients, updates.local, updates._totals))
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_limits_are_whole_numbers_of_units_and_never_above_what_was_asked():
    for clip, n in ((1e-3, 10), (1.4, 5000), (77.0, 3)):
        m = np.array([0.3, 1.0, 2.0, 900.0])
        updates = GreedyUpdates(np.ones((n, 4)), m, 1.0, 0.1, clip, 1.0, 1.0, NoNoise())
        limits = updates.bounds * updates.units
        assert (updates.bounds == np.rint(updates.bounds)).all()
        assert (np.log2(updates.units) == np.rint(np.log2(updates.units))).all()
        assert (limits <= clip * np.sqrt(m)).all()
        assert (limits >= clip * np.sqrt(m) * (1 - 2.0**-28)).all()
        assert n * updates.bounds.max() < 2**53


def records(rng, count, d):
    """Records to try: of ordinary and of absurd size, also zeros."""
    size = 10.0 ** rng.choice([-3, 0, 0, 1, 4, 20, 200, 308], size=(count, 1))
    found = rng.normal(size=(count, d)) * np.minimum(size, 1e307)
    return np.where(rng.random((count, d)) < 0.2, 0.0, found)


def largest_changes(clipping, trials=400, n=6, d=3):
    """The largest changes of gradients and scores by one record, in units of their sensitivities, over
    random states of the algorithm and random pairs of records, the best improved by hill climbing."""
    rng = np.random.default_rng(7)
    m = np.array([0.6, 2.0, 9.0])
    clip, rho, l1 = 0.9, 0.5, 0.05
    off = ~np.eye(d, dtype=bool)

    def changes(rest, one, other, linear, told):
        totals, scores = [], []
        for record in (one, other):
            updates = GreedyUpdates(
                np.vstack([rest, record]), m, rho, l1, clip, 1.0, 2.0, Told(*told), clipping
            )
            updates.run(linear, len(told[0]))
            totals.append(updates._totals)
            scores.append(updates._scores)
        assert np.isfinite(totals).all()
        moved = np.abs(totals[0] - totals[1]) / (2 * updates.bounds)
        return moved.max(), np.abs(scores[0][off] - scores[1][off]).max()

    best, kept = np.zeros(2), [None, None]
    for trial in range(trials):
        told = (
            [tuple(rng.permutation(d)[:2]) for _ in range(4)],
            rng.normal(size=4) * rng.choice([0.01, 1.0]),
        )
        linear = rng.normal(size=(d, d)) * rng.choice([0.1, 3.0])
        rest = records(rng, n - 1, d) if trial % 2 else np.zeros((n - 1, d))
        case = rest, *records(rng, 2, d), linear, told
        found = changes(*case)
        for what in (0, 1):
            if found[what] > best[what]:
                best[what], kept[what] = found[what], case
    for what in (0, 1):
        rest, one, other, linear, told = kept[what]
        for _ in range(150):
            trial = rest, one * rng.normal(1, 0.5, d), other * rng.normal(1, 0.5, d), linear, told
            found = changes(*trial)[what]
            if found > best[what]:
                best[what], (_, one, other, *_) = found, trial
    return best


def test_no_pair_of_records_moves_gradients_or_scores_by_more_than_their_sensitivity():
    gradient, score = largest_changes("record")
    assert 0.999 < gradient <= 1.0
    assert 0.98 < score <= 1.0 + 1e-9


def test_the_search_finds_that_averaged_clipping_has_n_times_the_sensitivity():
    gradient, score = largest_changes("average", trials=100)
    assert gradient == pytest.approx(6.0)
    assert score > 4.0


def test_values_without_measure_are_clipped_like_others():
    """Also infinite products and differences of infinities."""
    values = np.array([[1e308, -1e308, 1e308], [1e-308, 5.0, 0.0], [1e200, 1e200, -1e-200]])
    told = Told([(0, 1), (1, 2), (2, 0), (0, 2)], [3.0, -50.0, 1e4, 7.0])
    updates = GreedyUpdates(values, np.ones(3), 1.0, 0.01, 1.0, 1.0, 2.0, told)
    updates.run(np.zeros((3, 3)), 4)
    assert np.isfinite(updates._totals).all()
    assert np.abs(updates._totals / updates.bounds).max() <= 3


def scored(scores, multiplier):
    rows = [(row.max() / multiplier, np.exp((row - row.max()) / multiplier).sum()) for row in scores]
    return [np.ascontiguousarray(column) for column in np.array(rows).T]


@pytest.mark.parametrize("multiplier", [0.3, 2.0, 40.0])
def test_row_then_place_has_the_law_of_gumbel_noise_on_all_scores(multiplier):
    rng = np.random.default_rng(2)
    scores = 3 * rng.normal(size=(4, 4))
    scores[1] += 2
    np.fill_diagonal(scores, -np.inf)
    law = np.exp((scores - scores.max()) / multiplier).ravel()
    law /= law.sum()
    stats = scored(scores, multiplier)
    noise = SeededNoise(rng)
    drawn = [np.ravel_multi_index(noise.noisy_max(scores, *stats, multiplier), (4, 4)) for _ in range(20000)]
    gumbel = (scores.ravel() + multiplier * rng.gumbel(size=(20000, 16))).argmax(axis=1)
    likely = law * 20000 >= 5
    for found in (drawn, gumbel):
        counts = np.bincount(found, minlength=16)
        assert counts[law == 0].sum() == 0
        rest = counts[~likely].sum()
        observed, expected = [*counts[likely], rest], [*law[likely] * 20000, law[~likely].sum() * 20000]
        if expected[-1] == 0:
            observed, expected = observed[:-1], expected[:-1]
        assert chisquare(observed, expected).pvalue > 1e-3


def test_draws_at_the_ends_of_the_unit_interval_are_candidates():
    scores = np.array([[-np.inf, 0.0, 1.0], [-2000.0, -np.inf, -2000.0], [3.0, 3.0, -np.inf]])
    stats = scored(scores, 1.0)
    edge = np.nextafter(1.0, 0.0)
    assert kernels.draw(scores, *stats, 1.0, 0.0, 0.0) == (0, 1)
    assert kernels.draw(scores, *stats, 1.0, edge, edge) == (2, 1)
    assert kernels.draw(scores, *stats, 1.0, edge, 0.0) == (2, 0)


def test_gaussian_and_laplace_noise_have_the_scale_they_say():
    rng = np.random.default_rng(4)
    draws = SeededNoise(rng).gaussian(np.full(20000, 100.0), 7.0)
    assert kstest((draws - 100) / 7, "norm").pvalue > 1e-3
    draws = LaplaceNoise(rng).gaussian(np.full(20000, 100.0), 7.0)
    assert kstest((draws - 100) / 7, "laplace").pvalue > 1e-3


def test_numbers_too_large_for_exact_scores_are_refused_in_secure_mode():
    values, _ = problem()
    updates = GreedyUpdates(values, np.ones(4), 1.0, 0.1, 1.0, 1.0, 3.0, SecureNoise())
    with pytest.raises(InputError, match="too large for exact noise"):
        updates.run(1e9 * np.ones((4, 4)), 1)


# --- smoothness constants -----------------------------------------------------------------------


def test_mean_squares_without_noise_are_the_clipped_ones():
    values = np.array([[1.0, 5.0, 0.0], [-2.0, 0.1, 1e200], [3.0, -7.0, 0.5]])
    scale = MeanSquares(9.5, 0.1, 3, 3)
    found = scale.measure(values, NoNoise())
    np.testing.assert_allclose(found, np.minimum(values.clip(-1e9, 1e9) ** 2, 9.5).mean(axis=0), atol=1e-8)


def test_noise_of_mean_squares_is_what_the_ledger_says():
    scale = MeanSquares(20.0, 0.02, 1000, 400)
    values = np.random.default_rng(1).normal(size=(1000, 400))
    found = scale.measure(values, SeededNoise(np.random.default_rng(2)))
    error = found - np.minimum(values**2, 20).mean(axis=0)
    release = scale.entry()
    assert release.rho == pytest.approx(0.02)
    assert error.std() == pytest.approx(release.scale, rel=0.15)
    assert release.scale == pytest.approx(20 / 1000 * math.sqrt(400 / 0.04))


def test_no_pair_of_records_moves_mean_squares_by_more_than_their_sensitivity():
    rng = np.random.default_rng(3)
    scale = MeanSquares(4.7, 0.02, 5, 3)
    rest = rng.normal(size=(4, 3))
    moved = []
    for one, other in zip(records(rng, 3000, 3), records(rng, 3000, 3), strict=True):
        pair = [scale.measure(np.vstack([rest, record]), NoNoise()) for record in (one, other)]
        moved.append(np.linalg.norm(pair[0] - pair[1]) / scale.entry().sensitivity)
    assert 0.999 < max(moved) <= 1 + 1e-12


def test_mean_squares_of_sites_are_averaged_and_kept_above_the_noise():
    scales = [site_scale(0.02, 10.0, n, 4) for n in (100, 300)]
    deviation = math.hypot(*(scale.entry().scale for scale in scales)) / 2
    found = combination(scales)([np.array([1.0, -5.0]), np.array([3.0, 1.0])])
    np.testing.assert_allclose(found, [2.0, deviation])
    assert deviation > 0.5
    exact = combination([site_scale(0.0, None, 100, 2)] * 2)
    np.testing.assert_array_equal(exact([np.array([1.0, 3.0]), np.array([2.0, 1.0])]), [1.5, 2.0])


def test_histograms_give_mean_squares_without_a_bound():
    """Of Gaussian columns with standard deviations from 0.1 to 100, at sites of different sizes."""
    rng = np.random.default_rng(6)
    deviations = np.array([0.1, 1.0, 7.0, 100.0])
    rows = [2000, 8000]
    scales = [site_scale(0.01, None, n, 4) for n in rows]
    assert [scale.entry().rho for scale in scales] == pytest.approx([0.01, 0.01])
    assert isinstance(scales[0], ScaleRelease)
    counts = [
        scale.measure(deviations * rng.normal(size=(n, 4)), SeededNoise(rng))
        for scale, n in zip(scales, rows, strict=True)
    ]
    np.testing.assert_allclose(combination(scales)(counts), deviations**2, rtol=0.1)


def test_exact_mean_squares_are_measured_without_noise():
    assert ExactSquares().measure(np.array([[1.0, 2.0], [3.0, 0.0]]), NoNoise()).tolist() == [5.0, 2.0]
