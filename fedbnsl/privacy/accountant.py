"""From (ε, δ) to the noise that buys it, and back: zCDP and Gaussian differential privacy.

Two currencies. *zCDP*: a mechanism is ρ-zCDP if the Rényi divergence of order α between its outputs on
neighbouring data is at most αρ for every α > 1; the ρ of several releases add up (Bun, Steinke 2016).
It accounts for Gaussian noise and for noisy maxima. *GDP*: a mechanism is μ-GDP if telling neighbouring
data apart is as hard as telling N(0, 1) from N(μ, 1); the μ² add up, and for Gaussian noise nothing is
lost (Dong, Roth, Su 2022). It accounts for releases that are all Gaussian.

Solutions are rounded to the safe side: a budget never buys more than (ε, δ) allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fedbnsl.errors import InputError

#: How ρ becomes (ε, δ). ``cks``: the infimum over orders of Canonne, Kamath, Steinke (2020), Prop. 12;
#: ``paper``: ε = ρ + 2√(ρ ln 1/δ), of Bun and Steinke (2016), which needs up to a fifth more noise.
CONVERSIONS = ("cks", "paper")

_STEP = 1e-12  # relative step to the safe side of a root


def noise_multiplier(
    epsilon: float, delta: float, updates: int, conversion: str = "cks", scale_share: float = 0.0
) -> float:
    """z: noise, in units of its sensitivity, of each of the 2 · ``updates`` releases of greedy updates.

    An update releases a noisy maximum (Gumbel noise of scale zΔ) and a number (Gaussian noise of standard
    deviation zΔ'), each 1/(2z²)-zCDP. So z = √(updates / ((1 − share) ρ*)), where ρ* is what (ε, δ) buy.

    Parameters
    ----------
    epsilon, delta : float
        The guarantee; ε > 0, 0 < δ < 1.
    updates : int
        K · T, all greedy updates of a participant.
    conversion : {"cks", "paper", "mangold"}
        See :data:`CONVERSIONS`. ``mangold``: Laplace noise of scale zΔ in both releases, each taken as
        1/z-DP, and advanced composition of 2 · ``updates`` of them (Mangold et al. 2023): for comparison
        only.
    scale_share : float
        The part of ρ* that is spent elsewhere, on private smoothness constants; 0 ≤ share < 1.

    Returns
    -------
    float

    Raises
    ------
    InputError
        On a number out of its range or an unknown conversion.
    """
    if isinstance(updates, bool) or not isinstance(updates, int) or updates < 1:
        raise InputError(f"updates must be a whole number of 1 or more, not {updates!r}")
    if not 0 <= scale_share < 1:
        raise InputError(f"scale_share must be at least 0 and below 1, not {scale_share}")
    if conversion == "mangold":
        return _laplace_multiplier(epsilon, delta, updates, scale_share)
    return math.sqrt(updates / ((1 - scale_share) * zcdp_budget(epsilon, delta, conversion)))


def zcdp_delta(rho: float, epsilon: float, conversion: str = "cks") -> float:
    """The smallest δ for which this bound says that ρ-zCDP gives (ε, δ)-DP.

    Parameters
    ----------
    rho : float
        ρ > 0.
    epsilon : float
        ε > 0.
    conversion : {"cks", "paper"}
        ``cks``: inf over α > 1 of exp((α − 1)(αρ − ε)) (1 − 1/α)^α / (α − 1). Its logarithm is convex in
        α with the slope (2α − 1)ρ − ε + ln(1 − 1/α); every α gives a valid δ, so an inexact root is safe.

    Returns
    -------
    float
        At most 1.
    """
    _positive(rho, "rho")
    _positive(epsilon, "epsilon")
    if _known(conversion) == "paper":
        gap = epsilon - rho
        return math.exp(-gap * gap / (4 * rho)) if gap > 0 else 1.0
    from scipy.optimize import brentq

    def slope(t: float) -> float:  # in t = ln(α − 1), so that α near 1 keeps its digits
        return (2 * math.exp(t) + 1) * rho - epsilon - math.log1p(math.exp(-t))

    low, high = -700.0, 1.0
    if slope(low) > 0:  # the infimum is at α = 1
        return 1.0
    while slope(high) < 0:
        high += 10
    less = math.exp(brentq(slope, low, high, xtol=1e-13, rtol=1e-15))
    log_delta = less * ((less + 1) * rho - epsilon) - (less + 1) * math.log1p(1 / less) - math.log(less)
    return math.exp(min(log_delta, 0.0))


def zcdp_epsilon(rho: float, delta: float, conversion: str = "cks") -> float:
    """The smallest ε for which :func:`zcdp_delta` is at most δ; 0 < δ < 1, ρ > 0."""
    _positive(rho, "rho")
    _probability(delta)
    root = math.sqrt(rho)
    log = math.sqrt(math.log(1 / delta))
    if _known(conversion) == "paper":
        return root * (root + 2 * log)
    # The bound of ``paper`` is weaker, so the answer is below it.
    return _smallest(lambda epsilon: zcdp_delta(rho, epsilon) <= delta, root * (root + 2 * log))


def zcdp_budget(epsilon: float, delta: float, conversion: str = "cks") -> float:
    """ρ*: the largest ρ whose :func:`zcdp_delta` at ε is at most δ.

    Parameters
    ----------
    epsilon, delta : float
        ε > 0, 0 < δ < 1.
    conversion : {"cks", "paper"}
        ``paper``: √ρ* = √(ln 1/δ + ε) − √(ln 1/δ).

    Returns
    -------
    float
    """
    _positive(epsilon, "epsilon")
    _probability(delta)
    log = math.log(1 / delta)
    # √(L + ε) − √L without the difference of two near numbers.
    simple = (epsilon / (math.sqrt(log + epsilon) + math.sqrt(log))) ** 2
    if _known(conversion) == "paper":
        return simple
    return _largest(lambda rho: zcdp_delta(rho, epsilon) <= delta, simple)


def gdp_delta(mu: float, epsilon: float) -> float:
    """δ of a μ-GDP mechanism at ε ≥ 0: Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) (Dong, Roth, Su 2022, Cor. 2.13).

    It is exact for one Gaussian release with noise Δ/μ (Balle, Wang 2018, Theorem 8).
    """
    from scipy.special import log_ndtr

    _positive(mu, "mu")
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise InputError(f"epsilon must be a number of 0 or more, not {epsilon}")
    first = float(log_ndtr(mu / 2 - epsilon / mu))
    second = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    return -math.exp(first) * math.expm1(min(second - first, 0.0))


def gdp_epsilon(mu: float, delta: float) -> float:
    """The smallest ε ≥ 0 whose :func:`gdp_delta` is at most δ; 0 < δ < 1."""
    _probability(delta)
    if gdp_delta(mu, 0.0) <= delta:
        return 0.0
    # The bound from zCDP with ρ = μ²/2 is weaker, so the answer is below it.
    bound = mu * mu / 2 + mu * math.sqrt(2 * math.log(1 / delta))
    return _smallest(lambda epsilon: gdp_delta(mu, epsilon) <= delta, bound)


def gdp_budget(epsilon: float, delta: float) -> float:
    """The largest μ that is (ε, δ)-DP: whose :func:`gdp_delta` at ε is at most δ; ε > 0, 0 < δ < 1."""
    return _largest(
        lambda mu: gdp_delta(mu, epsilon) <= delta, math.sqrt(2 * zcdp_budget(epsilon, delta, "paper"))
    )


def _laplace_multiplier(epsilon: float, delta: float, updates: int, scale_share: float) -> float:
    _positive(epsilon, "epsilon")
    _probability(delta)
    count = 2 * updates / (1 - scale_share)
    spread = math.sqrt(2 * count * math.log(1 / delta))

    def fits(each: float) -> bool:
        return each * spread + count * each * math.expm1(each) <= epsilon

    each = epsilon / spread
    while not fits(each):
        each /= 2
    return 1 / _largest(fits, each)


def _largest(fits: Callable[[float], bool], start: float) -> float:
    """The largest x for which ``fits``, from below; ``start`` fits, and what is larger ends not to."""
    low, high = start, 2 * start
    while fits(high):
        low, high = high, 2 * high
    while high - low > _STEP * low:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _smallest(fits: Callable[[float], bool], start: float) -> float:
    """The smallest x > 0 for which ``fits``, from above; ``start`` fits, and what is smaller ends not to."""
    low, high = start / 2, start
    while fits(low):
        low, high = low / 2, low
    while high - low > _STEP * high:
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _known(conversion: str) -> str:
    if conversion not in CONVERSIONS:
        raise InputError(
            f"there is no conversion {conversion!r} of zCDP",
            remedy=f"Choose one of: {', '.join(CONVERSIONS)}",
        )
    return conversion


def _positive(value: float, name: str) -> None:
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{name} must be a finite number above 0, not {value}")


def _probability(delta: float) -> None:
    if not 0 < delta < 1:
        raise InputError(f"delta must be above 0 and below 1, not {delta}")
