"""Noisy gradients at chosen entries of B: how each variable goes with the residuals of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedbnsl.privacy.exact_sums import clipped, grid_unit
from fedbnsl.privacy.ledger import Release
from fedbnsl.privacy.noise import Noise

#: Records' vectors are clipped to this times √k: products of uncorrelated variables of variance 1 have
#: mean square 1.
RADIUS = 1.2


@dataclass(frozen=True)
class GradientRelease:
    """One site's mean of v = (y_i r_j / r̂_j) over k entries (i, j), every record's v clipped to length C.

    y = x/s are the scaled variables and r = x − xB the residuals of public weights B, r̂ public scales of
    them.

    Sensitivity: v is a function of one record and of public numbers, and so is what clipping makes of it.
    Replacing a record changes one term of the sum from v to v' with ‖v‖, ‖v'‖ ≤ C, so the sum by
    ‖v − v'‖ ≤ ‖v‖ + ‖v'‖ ≤ 2C, and the mean by at most 2C/n in ℓ2. Opposite vectors reach it: the
    entries of one column j, with records of opposite r_j and equal y. The bound holds for the k numbers
    together because v is clipped as one vector; were each coordinate clipped to C alone, v could be √k C long
    and the sensitivity 2C√k/n. B, r̂ and the entries come from earlier noisy releases. Given those, the
    bound is the same whatever they are, which is what adaptive composition asks for. Noise of standard
    deviation 2C/(nμ) on every number makes the release μ-GDP. The clipped vectors are rounded towards 0,
    coordinate by coordinate, which makes none longer.

    Attributes
    ----------
    size, rows : int
        k, and the number of this site's records.
    mu : float
        μ.
    """

    size: int
    rows: int
    mu: float

    @property
    def radius(self) -> float:
        """C = 1.2 √k."""
        return RADIUS * math.sqrt(self.size)

    @property
    def sensitivity(self) -> float:
        """2C/n, ℓ2."""
        return 2 * self.radius / self.rows

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise of every number."""
        return self.sensitivity / self.mu

    @property
    def unit(self) -> float:
        """Clipped vectors are rounded to multiples of this."""
        return grid_unit(self.radius, self.rows)

    def numbers(self) -> tuple[int, float]:
        """How many numbers leave, and the standard deviation of their noise in units of the grid."""
        return self.size, self.deviation * self.rows / self.unit

    def entry(self, name: str) -> Release:
        """For the ledger; in units of C, for k may grow with what was learned."""
        unit = self.radius
        return Release(f"{name} (in units of C)", "gaussian", self.sensitivity / unit, self.deviation / unit)

    def measure(self, vectors: np.ndarray, noise: Noise) -> np.ndarray:
        """The noisy mean, shape (k,), of ``vectors``, shape (rows, k)."""
        sums = clipped(vectors, self.radius, self.unit).sum(axis=0)
        return noise.gaussian(sums, self.numbers()[1]) * (self.unit / self.rows)


def residual_products(
    values: np.ndarray,
    weights: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    scales: np.ndarray,
    residual_scales: np.ndarray,
) -> np.ndarray:
    """(x_i/s_i) (x − xB)_j / r̂_j of every record at the entries (i, j), shape (n, k).

    Parameters
    ----------
    values : ndarray, shape (n, d)
    weights : ndarray, shape (d, d)
        B.
    rows, columns : ndarray of int, shape (k,)
        i and j.
    scales, residual_scales : ndarray, shape (d,)
        s and r̂.

    Returns
    -------
    ndarray
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = values / scales
        residuals = (values - values @ weights) / residual_scales
        return scaled[:, rows] * residuals[:, columns]


def candidates(
    weights: np.ndarray, covariance: np.ndarray, count: int, most: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """The entries to look at: those of B, then the largest correlations; post-processing.

    Parameters
    ----------
    weights : ndarray, shape (d, d)
        B.
    covariance : ndarray, shape (d, d)
        Of the raw variables, positive diagonal.
    count : int
        k; B's entries are kept even if they are more.
    most : float, optional
        An entry (i, j) is looked at only if s_i ≤ ``most`` · s_j, s being the standard deviations: with
        equal noise variances a cause is seldom the larger one. None: all.

    Returns
    -------
    rows, columns : ndarray of int
        In row-major order; no diagonal.
    """
    d = len(weights)
    scales = np.sqrt(np.diagonal(covariance))
    correlations = np.abs(covariance) / scales / scales[:, None]
    if most is not None:
        correlations[scales[:, None] > most * scales] = 0.0
    correlations[weights != 0] = np.inf
    np.fill_diagonal(correlations, 0.0)
    flat = correlations.ravel()
    wanted = max(count, np.count_nonzero(weights))
    chosen = np.argsort(-flat, kind="stable")[:wanted]
    chosen = np.sort(chosen[flat[chosen] > 0])
    return chosen // d, chosen % d
