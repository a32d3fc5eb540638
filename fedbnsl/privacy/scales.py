"""Private scales of the variables, without any bound on them: noisy counts of x² between powers of two."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedbnsl.privacy.exact_sums import bits_for
from fedbnsl.privacy.ledger import Release
from fedbnsl.privacy.noise import Noise

#: The public range: x² is counted between these edges, below the first and above the last.
EDGES = 2.0 ** np.arange(-8, 15)
_CANDIDATES = 2.0 ** np.arange(-5.0, 8.0, 1 / 512)


@dataclass(frozen=True)
class ScaleRelease:
    """One site's histograms of x², one a variable, with Gaussian noise on every count.

    Sensitivity: a record is in one bin of each of d histograms. Replacing it by another takes 1 from one
    count and adds 1 to another in each histogram, or changes nothing there. The squared distance of all
    24 d counts is at most 2d, so their ℓ2 sensitivity is √(2d), whatever the values are; it is reached when
    every variable changes its bin. Noise of standard deviation √(2d)/μ makes the release μ-GDP.

    Attributes
    ----------
    d, rows : int
        Number of variables, and of this site's records.
    mu : float
        μ.
    """

    d: int
    rows: int
    mu: float

    @property
    def sensitivity(self) -> float:
        """√(2d), in counts."""
        return math.sqrt(2 * self.d)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise of a count."""
        return self.sensitivity / self.mu

    @property
    def unit(self) -> float:
        """Noisy counts are multiples of this."""
        return 2.0 ** -bits_for(self.rows)

    def numbers(self) -> tuple[int, float]:
        """How many numbers leave, and the standard deviation of their noise in units of the grid."""
        return self.d * (len(EDGES) + 1), self.deviation / self.unit

    def entry(self) -> Release:
        """For the ledger."""
        return Release("histograms of squares", "gaussian", self.sensitivity, self.deviation)

    def measure(self, values: np.ndarray, noise: Noise) -> np.ndarray:
        """Noisy counts, shape (d, 24), of ``values``, shape (rows, d)."""
        return noise.gaussian(histograms(values) / self.unit, self.deviation / self.unit) * self.unit


def histograms(values: np.ndarray) -> np.ndarray:
    """Counts of x² in each column between :data:`EDGES`, the upper edge excluded; shape (d, 24)."""
    with np.errstate(over="ignore"):
        bins = np.searchsorted(EDGES, values**2, side="right")
    d, size = values.shape[1], len(EDGES) + 1
    flat = (bins + size * np.arange(d)).ravel()
    return np.bincount(flat, minlength=d * size).reshape(d, size).astype(np.float64)


def fitted_scales(shares: np.ndarray) -> np.ndarray:
    """Standard deviation of every variable: the centred Gaussian nearest to its histogram.

    Post-processing. Nearest in least squares over the bins, which all have the same noise.

    Parameters
    ----------
    shares : ndarray, shape (d, 24)
        Noisy counts, divided by the number of records.

    Returns
    -------
    ndarray, shape (d,)
        From 2⁻⁵ up to 2⁸, in steps of a factor 2^(1/512).
    """
    from scipy.special import erf

    below = erf(np.sqrt(EDGES / 2) / _CANDIDATES[:, None])
    expected = np.diff(below, axis=1, prepend=0.0, append=1.0)
    misfit = np.sum(expected**2, axis=1)[:, None] - 2 * expected @ shares.T
    return _CANDIDATES[np.argmin(misfit, axis=0)]
