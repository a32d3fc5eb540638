"""Private smoothness constants: the sites' mean squares, by histograms or by a public bound on squares."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from fedbnsl.federate.messages import sum_over_sites
from fedbnsl.privacy.exact_sums import coarse_bits
from fedbnsl.privacy.ledger import Release
from fedbnsl.privacy.noise import Noise
from fedbnsl.privacy.scales import ScaleRelease, fitted_scales


class MeanSquares:
    """mean_k min(x_ki², b) of every column, with Gaussian noise.

    Sensitivity: min(x², b) lies in [0, b], so replacing one of n records moves each of the d means by b/n at
    most, and all of them together by √d b/n in ℓ2 norm. Noise of standard deviation σ = (b/n) √(d / (2ρ))
    makes the d numbers ρ-zCDP. Squares are rounded to a grid of spacing b 2⁻³⁰ or so, b down to a
    multiple of it, so sums are exact and the bound holds for the rounded squares.

    Parameters
    ----------
    bound : float
        b, public: a value of x² that few records exceed.
    rho : float
        ρ of the release.
    rows, d : int
        n and number of columns.
    """

    def __init__(self, bound: float, rho: float, rows: int, d: int):
        self.rows, self.d = rows, d
        self.unit = 2.0 ** (math.ceil(math.log2(bound)) - coarse_bits(rows))
        self.bound = math.floor(bound / self.unit)
        self.scale = self.bound * math.sqrt(d / (2 * rho))

    @property
    def deviation(self) -> float:
        """σ, in the units of the mean squares."""
        return self.scale * self.unit / self.rows

    def entry(self) -> Release:
        """The entry for the ledger."""
        sensitivity = math.sqrt(self.d) * self.bound * self.unit / self.rows
        return Release("mean squares of the columns", "gaussian", sensitivity, self.deviation)

    def measure(self, values: np.ndarray, noise: Noise) -> np.ndarray:
        """Noisy mean squares of the rows, shape (d,)."""
        with np.errstate(over="ignore"):
            squares = np.minimum(np.rint(values**2 / self.unit), self.bound)
        return noise.gaussian(squares.sum(axis=0), self.scale) * self.unit / self.rows


class ExactSquares:
    """The mean squares themselves: for comparison only, nothing about them is private."""

    deviation = 0.0

    def measure(self, values: np.ndarray, noise: Noise) -> np.ndarray:
        """Mean squares of the rows, shape (d,)."""
        return (values**2).mean(axis=0)


def site_scale(
    rho: float, bound: float | None, rows: int, d: int
) -> ScaleRelease | MeanSquares | ExactSquares:
    """What a site of ``rows`` records measures with ρ = ``rho``: histograms of squares, or with a ``bound``
    their means; the exact means if ``rho`` is 0."""
    if rho == 0:
        return ExactSquares()
    if bound is None:
        return ScaleRelease(d, rows, math.sqrt(2 * rho))
    return MeanSquares(bound, rho, rows, d)


def combination(
    scales: Sequence[ScaleRelease | MeanSquares | ExactSquares],
) -> Callable[[Sequence[np.ndarray]], np.ndarray]:
    """What the server makes of the sites' measurements: mean squares, shape (d,), above 0.

    Histograms: of the Gaussian nearest to that of all sites. Noisy means: their mean, not below the standard
    deviation of its noise, for what is smaller is not told apart.
    """
    if isinstance(scales[0], ScaleRelease):
        total = sum(scale.rows for scale in scales)
        return lambda counts: fitted_scales(sum_over_sites(counts) / total) ** 2
    floor = math.sqrt(math.fsum(scale.deviation**2 for scale in scales)) / len(scales)
    return lambda means: np.maximum(sum_over_sites(means) / len(scales), floor)
