"""The second moment of clipped records, with noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fedbnsl.privacy.exact_sums import clipped, grid_unit
from fedbnsl.privacy.ledger import Release
from fedbnsl.privacy.noise import Noise


@dataclass(frozen=True)
class MomentRelease:
    """One site's (1/n) Σ y yᵀ, every record clipped to ‖y‖ ≤ R, with symmetric Gaussian noise.

    Sensitivity: let the record y become y', both no longer than R. In the Frobenius norm

        ‖yyᵀ − y'y'ᵀ‖² = ‖y‖⁴ + ‖y'‖⁴ − 2⟨y, y'⟩² ≤ 2R⁴,

    so the mean moves by at most √2 R²/n; orthogonal records of length R reach it. The noise is σ on the
    diagonal and σ/√2 off it, the same in both triangles. In the coordinates (diagonal, √2 · upper triangle),
    which keep the Frobenius norm, this is noise σ in every direction, so σ = √2 R²/(nμ) makes the release
    μ-GDP. The clipped records are rounded towards 0, coordinate by coordinate, which makes none longer, and
    the sum of their products is exact. y is a function of one record and of public numbers: what A and s are
    in y = A(x/s) may have been released before.

    Attributes
    ----------
    d, rows : int
        Number of variables, and of this site's records.
    radius : float
        R.
    mu : float
        μ.
    """

    d: int
    rows: int
    radius: float
    mu: float

    @property
    def sensitivity(self) -> float:
        """√2 R²/n, in the Frobenius norm."""
        return math.sqrt(2) * self.radius**2 / self.rows

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on the diagonal; off it, over √2."""
        return self.sensitivity / self.mu

    @property
    def unit(self) -> float:
        """Records are rounded to multiples of this."""
        return grid_unit(self.radius, self.rows, factors=2)

    def numbers(self) -> tuple[int, float]:
        """How many numbers leave, and the smallest standard deviation in units of their grid."""
        return self.d * (self.d + 1) // 2, self._grid_deviation() / math.sqrt(2)

    def entry(self, name: str) -> Release:
        """For the ledger; in units of R², which a run may learn late."""
        unit = self.radius**2
        return Release(f"{name} (in units of R²)", "gaussian", self.sensitivity / unit, self.deviation / unit)

    def measure(self, records: np.ndarray, noise: Noise) -> np.ndarray:
        """The noisy second moment of ``records``, shape (rows, d): its upper triangle, row by row
        (:func:`fedbnsl.federate.messages.unpack_symmetric` unpacks it)."""
        whole = clipped(records, self.radius, self.unit)
        rows, columns = np.triu_indices(self.d)
        total, diagonal = (whole.T @ whole)[rows, columns], rows == columns
        noisy, deviation = np.empty_like(total), self._grid_deviation()
        noisy[diagonal] = noise.gaussian(total[diagonal], deviation)
        noisy[~diagonal] = noise.gaussian(total[~diagonal], deviation / math.sqrt(2))
        return noisy * (self.unit**2 / self.rows)

    def _grid_deviation(self) -> float:
        return self.deviation * self.rows / self.unit**2
