"""Clipped contributions on a grid: their sums are exact, and so is the sensitivity of the sums.

Contributions are rounded towards 0, coordinate by coordinate, to multiples of a power of two. That makes no
vector longer than its bound, and lets float64 add them up without error, in any order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from fedbnsl.errors import InputError

_EXACT_BITS = 53  # float64 holds whole numbers up to 2⁵³
_COARSE_BITS = 30
# Clipped vectors are this much shorter than their bound, which the errors of clipping, some d · 2⁻⁵³,
# cannot make up for.
_MARGIN = 1 - 2.0**-40
#: Part of δ that secure mode sets aside for the difference of discrete and rounded Gaussian noise.
ROUNDING_SHARE = 0.01


def bits_for(rows: int, factors: int = 1) -> int:
    """The largest b such that ``rows`` products of ``factors`` numbers up to 2^b add up exactly."""
    return (_EXACT_BITS - math.ceil(math.log2(max(rows, 2)))) // factors


def coarse_bits(rows: int) -> int:
    """As :func:`bits_for`, for numbers rounded to the nearest, which may pass 2^b: 30 at most.

    More would refine numbers whose noise is far coarser.
    """
    return min(_COARSE_BITS, bits_for(rows) - 1)


def grid_unit(bound: float, rows: int, factors: int = 1) -> float:
    """Spacing of the finest grid on which contributions up to ``bound`` add up exactly."""
    return 2.0 ** (math.ceil(math.log2(bound)) - bits_for(rows, factors))


def clipped(vectors: np.ndarray, radius: float, unit: float) -> np.ndarray:
    """Every row, scaled down to length ``radius`` if it is longer, in whole multiples of ``unit``.

    A row so large that its length is no finite number becomes 0.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        factors = np.minimum(1.0, radius * _MARGIN / np.maximum(lengths, np.finfo(float).tiny)) / unit
        whole = np.trunc(vectors * factors[:, None])
    whole[~np.isfinite(lengths)] = 0.0
    return whole


def rounding_variation(count: int, scale: float) -> float:
    """Total variation between discrete and rounded continuous Gaussian noise, at most.

    For σ ≥ 2 units the two laws differ in total variation by at most 1/(20σ²): P(k) is φ(k)/Σφ for one and
    ∫ φ(k + t) dt over |t| ≤ ½ for the other. The integrals differ from φ(k) by at most
    φ(k) ∫ (t²/2σ² + cosh(kt/σ²) − 1) dt, which sums to 1/(12σ²) and higher orders; half of that is the total
    variation. That of several numbers is at most the sum of theirs.

    Parameters
    ----------
    count : int
        How many numbers.
    scale : float
        σ, the standard deviation of their noise in units of the grid, at least 2.

    Returns
    -------
    float
    """
    return count / (20 * scale**2)


def exchange_delta(variations: Iterable[float], epsilon: float) -> float:
    """What noise of other laws, so far from those of a guarantee in total variation, adds to its δ at most.

    Exchanging the noise on both of two neighbouring data sets costs 1 + e^ε times the total variation of all
    releases.
    """
    return (1 + math.exp(min(epsilon, 700.0))) * math.fsum(variations)


def rounding_delta(releases: Iterable[tuple[int, float]], epsilon: float) -> float:
    """What discrete in place of rounded continuous Gaussian noise adds to δ at most.

    Rounding a continuous release keeps its guarantee; for the rest see :func:`exchange_delta`.

    Parameters
    ----------
    releases : iterable of (int, float)
        The arguments of :func:`rounding_variation`, one pair a release.
    epsilon : float
        ε.

    Returns
    -------
    float
    """
    return exchange_delta((rounding_variation(*release) for release in releases), epsilon)


def check_rounding(releases: Iterable[tuple[int, float]], epsilon: float, delta: float, where: str) -> None:
    """Raise InputError unless :func:`rounding_delta` is within :data:`ROUNDING_SHARE` of δ."""
    if rounding_delta(releases, epsilon) > ROUNDING_SHARE * delta:
        raise InputError(
            f"at epsilon = {epsilon:g} the noise is too near to the grid of exact sums for δ = {delta:g}",
            where=where,
            remedy="Use a smaller epsilon, which is what protects the rows, or a larger delta",
        )
