"""The audit passes the production updates and finds every fault that is put into them."""

import numpy as np
import pytest
from scipy.stats import beta, norm

from fedbnsl.privacy.audit import audit_updates, judge
from fedbnsl.privacy.greedy import GreedyUpdates
from fedbnsl.privacy.noise import SeededNoise


def averaged_clipping(*given):
    return GreedyUpdates(*given, "average")


def half_the_sensitivity(values, smoothness, rho, l1, clip, gamma, multiplier, noise):
    return GreedyUpdates(values, smoothness, rho, l1, clip, gamma, multiplier / 2, noise)


class OwnGumbelScales(SeededNoise):
    """Gumbel noise whose scale follows the sensitivity of every score, ∝ 1/√M_i under a common limit."""

    def __init__(self, generator, smoothness):
        super().__init__(generator)
        self.scales = np.sqrt(smoothness.min() / smoothness)

    def noisy_max(self, scores, tops, sums, multiplier):
        noisy = scores + multiplier * self.scales * self.generator.gumbel(size=scores.shape)
        return divmod(int(noisy.argmax()), scores.shape[1])


def common_limit(gumbel):
    """Updates whose terms are all clipped at the same limit, with noise of one scale or of many."""

    def build(values, smoothness, rho, l1, clip, gamma, multiplier, noise):
        if gumbel == "own":
            noise = OwnGumbelScales(noise.generator, smoothness)
        updates = GreedyUpdates(values, smoothness, rho, l1, clip, gamma, multiplier, noise)
        updates.bounds = np.floor(clip * np.sqrt(smoothness.min()) / updates.units)
        for j in range(2):
            updates._measure(j)
        return updates

    return build


def test_the_production_updates_pass_and_the_audit_comes_near_the_promise():
    found = audit_updates(runs=8000)
    assert found.mu_promised == pytest.approx(4 / 4.65)
    assert found.sharp
    assert found.passed
    assert found.mu_lower > 0.75 * found.mu_promised


@pytest.mark.parametrize(("build", "mu"), [(averaged_clipping, 4.5), (half_the_sensitivity, 1.0)])
def test_faults_of_clipping_and_calibration_are_found(build, mu):
    found = audit_updates(runs=4000, build=build)
    assert not found.passed
    assert found.mu_lower > mu


# Scores far from each other and little noise: the place where unlike Gumbel scales lose most.
TAILS = {
    "multiplier": 0.5,
    "updates": 1,
    "smoothness": (1.0, 400.0),
    "linear": (0.271, -3.0),
    "choices_only": True,
}


@pytest.mark.parametrize(("gumbel", "passed"), [("one", True), ("own", False)])
def test_gumbel_noise_of_different_scales_is_found(gumbel, passed):
    found = audit_updates(runs=12_000, build=common_limit(gumbel), **TAILS)
    assert not found.sharp
    assert found.passed == passed
    assert (found.excess > 0.03) != passed


def test_a_gaussian_shift_is_judged_by_its_size():
    rng = np.random.default_rng(1)
    first, second = rng.normal(1.0, 1.0, 40_000), rng.normal(0.0, 1.0, 40_000)
    found = judge(first, second, rho=0.5, sharp=True)
    assert found.mu_promised == pytest.approx(1.0)
    assert 0.9 < found.mu_lower < 1.0
    assert found.passed
    assert not judge(first, second, rho=0.35, sharp=True).passed  # promised .84
    assert judge(first, second, rho=0.35, sharp=False).passed  # not so sharp an argument
    assert not judge(first, second, rho=0.1, sharp=False).passed


def test_bounds_of_rates_are_those_of_clopper_and_pearson():
    """Statistics of two values: the only threshold that tells anything is between them."""
    first = np.tile(np.repeat([1.0, 0.0], [70, 30]), 2)
    second = np.tile(np.repeat([1.0, 0.0], [20, 80]), 2)
    found = judge(first, second, rho=1.0, sharp=True, level=0.98)
    assert found.true_positives == pytest.approx(beta.ppf(0.005, 70, 31))
    assert found.false_positives == pytest.approx(beta.ppf(0.995, 21, 80))
    assert found.mu_lower == pytest.approx(norm.ppf(found.true_positives) - norm.ppf(found.false_positives))


def test_data_that_cannot_be_told_apart_pass_any_promise():
    same = np.random.default_rng(2).normal(size=2000)
    found = judge(same, same[::-1].copy(), rho=1e-4, sharp=True)
    assert found.passed
    assert found.mu_lower < 0
