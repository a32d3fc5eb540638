"""The audits of the Gaussian releases pass on the production code and find faults put into it."""

import math

import numpy as np
import pytest

from fedbnsl.privacy import gradients, second_moment, staged_site
from fedbnsl.privacy.audit_gaussian import audit_gradient, audit_moment

RUNS = 4_000


@pytest.mark.parametrize("audit", [audit_moment, audit_gradient])
def test_the_production_code_passes_and_the_audit_is_sharp(audit):
    found = audit(1.0, 2 * RUNS)
    assert found.passed
    assert 0.8 < found.mu_lower <= found.mu_promised == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("audit", "release"),
    [(audit_moment, second_moment.MomentRelease), (audit_gradient, gradients.GradientRelease)],
)
def test_half_the_sensitivity_is_found(monkeypatch, audit, release):
    half = type(
        "Half", (release,), {"sensitivity": property(lambda self: release.sensitivity.fget(self) / 2)}
    )
    monkeypatch.setattr(staged_site, release.__name__, half)
    found = audit(1.0, RUNS)
    assert not found.passed
    assert found.mu_lower > 1.6


def test_clipping_every_coordinate_alone_is_found(monkeypatch):
    def apart(vectors, radius, unit):
        return np.trunc(np.clip(vectors, -radius, radius) / unit)

    monkeypatch.setattr(gradients, "clipped", apart)
    found = audit_gradient(1.0, RUNS)
    assert not found.passed
    assert found.mu_lower > 1.35


def test_records_that_are_not_clipped_are_found(monkeypatch):
    monkeypatch.setattr(second_moment, "clipped", lambda vectors, radius, unit: np.trunc(vectors / unit))
    assert not audit_moment(1.0, 2000).passed


def test_noise_off_the_diagonal_must_not_be_smaller(monkeypatch):
    """A canary that moves the off-diagonal alone: (a, a) against (a, −a) moves it by √2 R²/√2."""
    from fedbnsl.federate.messages import Message
    from fedbnsl.privacy.noise import SeededNoise

    values = np.zeros((50, 2))
    noise = SeededNoise(np.random.default_rng(1))
    message = Message({"scales": np.ones(2), "radius": np.ones(1)})
    drawn = np.stack(
        [staged_site.GaussianSite(values, [1.0], noise).step(0, message)["moment"] for _ in range(4000)]
    )
    expected = math.sqrt(2) / 50 * np.array([1.0, math.sqrt(0.5), 1.0])
    np.testing.assert_allclose(drawn.std(axis=0), expected, rtol=0.05)
    moved = 1.0 / 50  # off-diagonal ½R² against −½R²
    assert moved / expected[1] <= 1.0 + 1e-12
    assert moved / drawn[:, 1].std() <= 1.05
