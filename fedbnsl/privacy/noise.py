"""Where noise comes from: a known seed (research) or the operating system (secure).

Both add noise to whole numbers, multiples of a grid that the caller chose, for sums on a grid are exact:
what floating-point sums leave in the last digits cannot tell records apart (Mironov 2012).
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.privacy import _update_kernels as kernels

#: Units in which OpenDP gets scores: 2⁻²⁰ of their sensitivity.
SCORE_UNITS = 2**20
# |round(a) − round(b)| ≤ |a − b| + 1, and |a − b| < 2²⁰ + 1 with the errors of computing a and b.
_SCORE_SENSITIVITY = SCORE_UNITS + 2


class Noise(Protocol):
    """A source of noise for the releases of one site.

    Attributes
    ----------
    largest : float
        Scores computed from numbers larger than this, in units of their sensitivity, are refused.
    """

    largest: float

    def gaussian(self, totals: np.ndarray, scale: float) -> np.ndarray:
        """Whole numbers ``totals`` (float64 below 2⁵³, any shape) with Gaussian noise of that scale added."""
        ...

    def noisy_max(
        self, scores: np.ndarray, tops: np.ndarray, sums: np.ndarray, multiplier: float
    ) -> tuple[int, int]:
        """(row, column) of the largest of scores with Gumbel noise.

        Parameters
        ----------
        scores : ndarray, shape (d, d)
            In units of their sensitivity. The candidates are all entries but those of the diagonal.
        tops, sums : ndarray, shape (d,)
            Of every row: the largest score / ``multiplier``, and Σ exp(score / multiplier − top).
        multiplier : float
            Scale of the Gumbel noise, in the same units.
        """
        ...


class SeededNoise:
    """Reproducible noise: good for research, private for nobody who knows the seed.

    Parameters
    ----------
    generator : numpy.random.Generator
    """

    largest = math.inf

    def __init__(self, generator: np.random.Generator):
        self.generator = generator

    def gaussian(self, totals: np.ndarray, scale: float) -> np.ndarray:
        """Continuous Gaussian noise."""
        return totals + scale * self.generator.standard_normal(np.shape(totals))

    def noisy_max(self, scores, tops, sums, multiplier) -> tuple[int, int]:
        """A row by the log-sum-exp of its scores, then a place in it.

        The largest of S + Gumbel(0, β) is at k with probability ∝ exp(S_k / β): the law of the pair is
        that of a row, ∝ Σ exp(S / β) over the row, and of a place within it.
        """
        return kernels.draw(scores, tops, sums, multiplier, *self.generator.random(2))


class LaplaceNoise(SeededNoise):
    """Laplace noise on numbers and on every score, after Mangold et al. (2023): for comparison only."""

    def gaussian(self, totals: np.ndarray, scale: float) -> np.ndarray:
        """Laplace noise of that scale."""
        return totals + self.generator.laplace(0.0, scale, np.shape(totals))

    def noisy_max(self, scores, tops, sums, multiplier) -> tuple[int, int]:
        """The largest of scores with Laplace noise of scale ``multiplier``."""
        noisy = scores + self.generator.laplace(0.0, multiplier, scores.shape)
        row, column = divmod(int(np.argmax(noisy)), scores.shape[1])
        return row, column


class SecureNoise:
    """Noise of OpenDP, exact and from the operating system's randomness.

    Raises
    ------
    InputError
        If OpenDP is not installed.
    """

    # A score is computed with an error of 2⁻⁴⁹ of the numbers that go into it: less than half a unit.
    largest = 2.0**28

    def __init__(self):
        try:
            import opendp.prelude as opendp
        except ImportError:
            raise InputError(
                "mode='secure' needs the package opendp", remedy="Install it: pip install 'fedbnsl[privacy]'"
            ) from None
        opendp.enable_features("contrib")
        self._opendp = opendp
        self._number = opendp.atom_domain(T="i64"), opendp.absolute_distance(T="f64")
        self._scores = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.linf_distance(T="i64")
        self._selections: dict = {}

    def gaussian(self, totals: np.ndarray, scale: float) -> np.ndarray:
        """Discrete Gaussian noise (Canonne, Kamath, Steinke 2020): as much zCDP as the continuous one."""
        release = self._opendp.m.make_gaussian(*self._number, scale=float(scale))
        whole = np.asarray(totals, dtype=np.int64)
        noisy = [release(int(total)) for total in whole.ravel()]
        return np.array(noisy, dtype=np.float64).reshape(whole.shape)

    def noisy_max(self, scores, tops, sums, multiplier) -> tuple[int, int]:
        """The largest of scores, rounded to units, with Gumbel noise of OpenDP's exact sampler.

        Rounding and the error of computing scores raise their sensitivity from 2²⁰ units to 2²⁰ + 2 at
        most; the noise is raised alike.

        Raises
        ------
        InputError
            On scores beyond ``largest``, or NaN: whoever computed them has let through numbers that are not
            exact, and has to refuse such by public numbers alone.
        """
        places = np.flatnonzero(~np.eye(len(scores), dtype=bool))
        candidates = scores.ravel()[places]
        if not (np.abs(candidates) <= self.largest).all():
            raise InputError("scores are too large for exact noise: nothing is released")
        units = np.rint(candidates * SCORE_UNITS).astype(np.int64)
        if multiplier not in self._selections:
            self._selections[multiplier] = self._opendp.m.make_noisy_max(
                *self._scores,
                self._opendp.zero_concentrated_divergence(),
                scale=multiplier * _SCORE_SENSITIVITY,
            )
        row, column = divmod(int(places[self._selections[multiplier](units)]), scores.shape[1])
        return row, column
