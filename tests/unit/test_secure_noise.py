"""Noise of secure mode, as it is drawn: its laws, and audits of the releases that use it.

It comes from the operating system, so no run repeats another. Every bound here holds for sound code but for a
chance below 10⁻⁹.
"""

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from fedbnsl.privacy import audit
from fedbnsl.privacy.audit import audit_updates
from fedbnsl.privacy.audit_gaussian import audit_gradient, audit_moment
from fedbnsl.privacy.noise import SecureNoise

CHANCE = 1e-10  # of a test statistic


def discrete_law(values, scale):
    """Probabilities of whole numbers under the discrete Gaussian law."""
    everything = np.arange(-60, 61)
    return np.exp(-((values / scale) ** 2) / 2) / np.exp(-((everything / scale) ** 2) / 2).sum()


def fits_discrete_law(draws, scale):
    """p of the draws' counts at every whole number up to 3 scales, the tails together."""
    inner = np.arange(-int(3 * scale), int(3 * scale) + 1)
    counts = np.array([(draws == k).sum() for k in inner] + [(np.abs(draws) > inner[-1]).sum()])
    law = discrete_law(inner, scale)
    law = np.append(law, 1 - law.sum())
    return chisquare(counts, len(draws) * law).pvalue


def test_small_noise_has_the_exact_discrete_gaussian_law():
    draws = SecureNoise().gaussian(np.full(6000, 7.0), 1.5) - 7
    assert fits_discrete_law(draws, 1.5) > CHANCE
    # what the comparison can tell: a scale of a tenth less, and a continuous law that is rounded
    rng, values = np.random.default_rng(1), np.arange(-60, 61)
    assert fits_discrete_law(rng.choice(values, 6000, p=discrete_law(values, 1.35)), 1.5) < CHANCE
    assert fits_discrete_law(np.rint(0.7 * rng.normal(size=6000)), 0.7) < CHANCE


def test_large_noise_is_gaussian_down_to_its_last_digits():
    """At the scales of production; a sampler that goes through floating point leaves zeros there."""
    scale = 2.0**45
    draws = SecureNoise().gaussian(np.zeros(5000), scale)
    assert kstest(draws / scale, "norm").pvalue > CHANCE
    digits = np.bincount(draws.astype(np.int64) % 64, minlength=64)
    assert chisquare(digits).pvalue > CHANCE


def test_choices_follow_the_exponential_mechanism():
    """And no seed that a program might set has any say in it."""
    scores = np.array([[-np.inf, 1.0, 3.0], [2.0, -np.inf, 2.5], [0.0, 1.5, -np.inf]])
    law = np.exp(scores / 1.5).ravel()
    law /= law.sum()
    drawn, noise = [], SecureNoise()
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002
        drawn.append([noise.noisy_max(scores, None, None, 1.5) for _ in range(2000)])
    assert drawn[0] != drawn[1]
    counts = np.bincount([3 * j + i for run in drawn for j, i in run], minlength=9)
    assert counts[law == 0].sum() == 0
    assert chisquare(counts[law > 0], 4000 * law[law > 0]).pvalue > CHANCE


class Quarter(SecureNoise):
    """Noise of a quarter of the scale."""

    def gaussian(self, totals, scale):
        return super().gaussian(totals, scale / 4)

    def noisy_max(self, scores, tops, sums, multiplier):
        return super().noisy_max(scores, tops, sums, multiplier / 4)


AUDITS = [
    (audit_moment, {"mu": 2.0, "runs": 500}),
    (audit_gradient, {"mu": 2.0, "runs": 500}),
    (audit_updates, {"multiplier": 3.0, "updates": 8, "runs": 300}),
]


@pytest.mark.parametrize(("audited", "options"), AUDITS)
def test_releases_with_secure_noise_pass_and_a_quarter_of_it_is_found(monkeypatch, audited, options):
    found = audited(**options, secure=True)
    assert found.passed
    assert found.sharp
    monkeypatch.setattr(audit, "SecureNoise", Quarter)
    found = audited(**options, secure=True)
    assert not found.passed
    assert found.mu_lower > 1.2 * found.mu_promised
