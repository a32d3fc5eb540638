"""From (ε, δ) to noise and back: printed values, independent libraries, brute force, inverses."""

import math

import dp_accounting
import numpy as np
import opendp.prelude as opendp
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl import InputError, privacy

opendp.enable_features("contrib")

DELTA = 4e-8  # 1/n² at n = 5000
EPSILONS = st.floats(0.01, 60)
DELTAS = st.floats(-30, -0.5).map(lambda power: 10.0**power)
RHOS = st.floats(-6, 2).map(lambda power: 10.0**power)
few = settings(max_examples=40, deadline=None)


@pytest.mark.parametrize(
    ("epsilon", "rounds", "updates", "paper", "cks"),
    [
        (0.5, 10, 10, "166.3", "140.6"),
        (1, 10, 10, "83.7", "72.8"),
        (2, 100, 10, "134.2", "119.7"),
        (5, 100, 20, "78.9", "72.7"),
        (10, 100, 30, "51.1", "48.2"),
        (25, 100, 30, "23.2", "22.5"),
        (50, 100, 50, "17.4", "17.1"),
    ],
)
def test_noise_multipliers_of_reference_settings(epsilon, rounds, updates, paper, cks):
    """Without a share for the smoothness constants."""
    z = [privacy.noise_multiplier(epsilon, DELTA, rounds * updates, how) for how in ("paper", "cks")]
    assert [f"{value:.1f}" for value in z] == [paper, cks]


def test_a_share_of_the_budget_for_something_else_costs_noise():
    z = privacy.noise_multiplier(5.0, DELTA, 2000)
    assert privacy.noise_multiplier(5.0, DELTA, 2000, scale_share=0.05) / z == pytest.approx(0.95**-0.5)
    rho = privacy.zcdp_budget(5.0, DELTA)
    assert 2000 / z**2 == pytest.approx(rho)


def test_laplace_noise_needs_the_square_root_of_two_more_in_the_limit():
    """For the same standard deviation, many updates and a small ε, where ε² and e^ε − 1 vanish."""
    paper, mangold = (privacy.noise_multiplier(1e-3, 1e-9, 10**6, how) for how in ("paper", "mangold"))
    assert math.sqrt(2) * mangold / paper == pytest.approx(math.sqrt(2), rel=1e-4)
    # At ε = 5 advanced composition holds with equality.
    each = 1 / privacy.noise_multiplier(5.0, DELTA, 2000, "mangold")
    total = each * math.sqrt(2 * 4000 * math.log(1 / DELTA)) + 4000 * each * math.expm1(each)
    assert total == pytest.approx(5.0)


@few
@given(RHOS, EPSILONS)
def test_delta_of_zcdp_is_the_infimum_over_orders(rho, epsilon):
    less = 10.0 ** np.linspace(-8, 8, 40001)  # α − 1
    logs = less * ((less + 1) * rho - epsilon) - (less + 1) * np.log1p(1 / less) - np.log(less)
    brute = min(0.0, logs.min())
    if brute < -600:
        assert privacy.zcdp_delta(rho, epsilon) < 1e-250
    else:
        ours = math.log(privacy.zcdp_delta(rho, epsilon))
        assert ours <= brute + 1e-9
        assert ours == pytest.approx(brute, rel=1e-4, abs=1e-4)


@few
@given(EPSILONS, DELTAS)
def test_budgets_and_epsilons_invert_each_other(epsilon, delta):
    for conversion in ("cks", "paper"):
        rho = privacy.zcdp_budget(epsilon, delta, conversion)
        assert privacy.zcdp_epsilon(rho, delta, conversion) == pytest.approx(epsilon, rel=1e-9)
        assert privacy.zcdp_delta(rho, epsilon, conversion) == pytest.approx(delta, rel=1e-6)
        assert privacy.zcdp_delta(rho, epsilon, conversion) <= delta * (1 + 1e-12)
    mu = privacy.gdp_budget(epsilon, delta)
    assert privacy.gdp_epsilon(mu, delta) == pytest.approx(epsilon, rel=1e-6)
    assert privacy.gdp_delta(mu, epsilon) == pytest.approx(delta, rel=1e-6)
    assert privacy.gdp_delta(mu, epsilon) <= delta


@few
@given(EPSILONS, DELTAS)
def test_the_better_account_allows_more(epsilon, delta):
    paper, cks = (privacy.zcdp_budget(epsilon, delta, how) for how in ("paper", "cks"))
    assert paper < cks < privacy.gdp_budget(epsilon, delta) ** 2 / 2


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 5.0, 10.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-5, DELTA])
def test_gaussian_noise_agrees_with_dp_accounting(epsilon, delta):
    sigma = dp_accounting.get_sigma_gaussian(epsilon, delta)
    assert 1 / privacy.gdp_budget(epsilon, delta) == pytest.approx(sigma, rel=1e-6)
    assert privacy.gdp_epsilon(1 / sigma, delta) == pytest.approx(
        dp_accounting.get_epsilon_gaussian(sigma, delta), rel=1e-6
    )


@pytest.mark.parametrize("rho", [0.001, 0.02, 0.4, 3.0])
def test_zcdp_agrees_with_dp_accounting_and_opendp(rho):
    """dp-accounting takes the best of given orders; OpenDP rounds its answer up."""
    orders = 1 + 10.0 ** np.linspace(-3, 4, 4001)
    ours = privacy.zcdp_epsilon(rho, 1e-6)
    theirs, _ = rdp_privacy_accountant.compute_epsilon(orders, orders * rho, 1e-6)
    assert ours == pytest.approx(theirs, rel=1e-4)
    release = opendp.m.make_gaussian(
        opendp.atom_domain(T="i64"), opendp.absolute_distance(T="f64"), scale=1 / math.sqrt(2 * rho)
    )
    curve = opendp.c.make_zCDP_to_approxDP(release).map(1.0)
    assert ours == pytest.approx(curve.epsilon(1e-6), rel=1e-4)


def test_gaussian_delta_is_what_the_densities_say():
    """δ = sup over events of P(E) − e^ε Q(E), integrated for N(μ, 1) against N(0, 1)."""
    x = np.linspace(-12, 14, 2_000_001)
    for mu, epsilon in ((0.5, 0.2), (1.3, 2.0)):
        p, q = (np.exp(-((x - m) ** 2) / 2) / math.sqrt(2 * math.pi) for m in (mu, 0.0))
        delta = np.maximum(p - math.exp(epsilon) * q, 0).sum() * (x[1] - x[0])
        assert privacy.gdp_delta(mu, epsilon) == pytest.approx(delta, rel=1e-6)


def test_a_tiny_mu_is_already_private():
    assert privacy.gdp_epsilon(1e-7, 1e-3) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: privacy.noise_multiplier(0.0, 1e-6, 10), "epsilon must be a finite number above 0, not 0.0"),
        (lambda: privacy.noise_multiplier(math.nan, 1e-6, 10), "epsilon must be a finite number"),
        (lambda: privacy.noise_multiplier(math.inf, 1e-6, 10, "mangold"), "epsilon must be a finite number"),
        (lambda: privacy.noise_multiplier(1.0, 0.0, 10), "delta must be above 0 and below 1, not 0.0"),
        (lambda: privacy.noise_multiplier(1.0, 1.0, 10), "delta must be above 0 and below 1, not 1.0"),
        (
            lambda: privacy.noise_multiplier(1.0, 1e-6, 0),
            "updates must be a whole number of 1 or more, not 0",
        ),
        (lambda: privacy.noise_multiplier(1.0, 1e-6, 2.5), "updates must be a whole number"),
        (
            lambda: privacy.noise_multiplier(1.0, 1e-6, 10, "rdp"),
            "there is no conversion 'rdp' of zCDP. Choose",
        ),
        (lambda: privacy.noise_multiplier(1.0, 1e-6, 10, scale_share=1.0), "scale_share must be at least 0"),
        (lambda: privacy.gdp_budget(-1.0, 1e-6), "epsilon must be a finite number above 0"),
        (lambda: privacy.gdp_delta(1.0, -1.0), "epsilon must be a number of 0 or more"),
        (lambda: privacy.zcdp_epsilon(-1.0, 1e-6), "rho must be a finite number above 0"),
    ],
)
def test_numbers_out_of_range_are_refused(call, message):
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value).startswith(message)
