"""Private greedy coordinate descent: the one place where a site of DP-Fed-Sparse-BNSL reads its rows.

The local problem is that of Fed-Sparse-BNSL without diagonal,

    min_B  1/(2n) ‖X − XB‖² + ⟨L, B⟩ + ρ/2 ‖B‖² + λ‖B‖₁,       L = β_p − ρW,

and an update releases two things: which entry has the largest score, and its gradient.

Sensitivities (one record replaced, n known). Let M_i > 0 be public, c̄ > 0, and C_i ≤ c̄√M_i. With the
residual R = XB − X, the data term of the gradient is

    G_ij = (1/n) Σ_k t_ki,      t_ki = clip(x_ki R_kj, ± C_i) ∈ [−C_i, C_i].

B is a function of what was released before, so t_ki depends on record k and on public things alone.

- *Gradient*: replacing record k changes one term of the sum from t to t', so
  |G_ij − G'_ij| = |t − t'| / n ≤ 2C_i / n = Δ_i. All other terms of the gradient are public.
- *Scores*: S_ij = √M_i |prox_{λ/M_i}(B_ij − g_ij/M_i) − B_ij| with g = G + L + ρB. The proximal operator of
  λ|·| moves two points no further apart, and so does the absolute value:
  |S_ij − S'_ij| ≤ √M_i |g_ij − g'_ij| / M_i ≤ Δ_i / √M_i ≤ 2c̄ / n = Δ_S, the same for every entry.

The bound on G fails if the mean is clipped instead of its terms: of n records let n − 1 be 0 and one large,
then replacing that one moves the clipped mean from C_i to −C_i, by 2C_i and not 2C_i/n. The common Δ_S is
what makes the noisy maximum an exponential mechanism, P(i, j) ∝ exp(S_ij / (zΔ_S)); with Gumbel noise of
different scales it is none, and its tails lose more.

So with Gumbel noise of scale zΔ_S and Gaussian noise of scale zΔ_i each release is 1/(2z²)-zCDP
(:attr:`fedbnsl.privacy.ledger.Release.rho`), the second one for any entry the first may have chosen, and
K updates in T rounds are KT/z²-zCDP by adaptive composition.

Numbers: t_ki is rounded to a grid of spacing u_i, a power of two near C_i 2⁻³⁰, and C_i is u_i times the
whole number m_i ≤ c̄√M_i / u_i. The sum over records is then exact whatever the order of addition, and its
sensitivity, 2m_i units, is that of the rounded terms. Values beyond ±10³⁰ count as ±10³⁰, lest infinities
meet; also that is done record by record.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.privacy import _update_kernels as kernels
from fedbnsl.privacy.exact_sums import coarse_bits
from fedbnsl.privacy.noise import Noise

#: What is clipped: every record's term (private), or their mean (the paper's form, for comparison).
CLIPPINGS = ("record", "average")

_LARGEST_VALUE = 1e30


class Transcript(NamedTuple):
    """What updates released.

    Attributes
    ----------
    entries : ndarray of int64, shape (K,)
        Positions of the chosen entries in B, row-major.
    gradients : ndarray, shape (K,)
        Their noisy gradients g̃.
    """

    entries: np.ndarray
    gradients: np.ndarray


class GreedyUpdates:
    """The rows of one site, and its B_p.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The rows; d ≥ 2. They are not centred.
    smoothness : ndarray, shape (d,)
        M, public: estimates of Σ_ii + ρ.
    rho : float
        ρ.
    l1 : float
        λ.
    clip : float
        c̄.
    gamma : float
        γ: step of an update.
    multiplier : float
        z: noise in units of sensitivity.
    noise : Noise
    clipping : {"record", "average"}

    Attributes
    ----------
    local : ndarray, shape (d, d)
        B_p, transposed; a function of what was released.
    """

    def __init__(
        self,
        values: np.ndarray,
        smoothness: np.ndarray,
        rho: float,
        l1: float,
        clip: float,
        gamma: float,
        multiplier: float,
        noise: Noise,
        clipping: str = "record",
    ):
        n, d = values.shape
        self.rho, self.l1, self.gamma = float(rho), float(l1), float(gamma)
        self.multiplier, self.noise, self.per_record = float(multiplier), noise, clipping == "record"
        self.smoothness = np.ascontiguousarray(smoothness, dtype=np.float64)
        limits = clip * np.sqrt(self.smoothness)
        self.units = np.exp2(np.ceil(np.log2(limits)) - coarse_bits(n))
        self.bounds = np.floor(limits / self.units)
        self.steps = self.units / n
        self.score_sensitivity = 2 * float(clip) / n
        clamped = np.clip(values.T, -_LARGEST_VALUE, _LARGEST_VALUE)
        self._columns = np.ascontiguousarray(clamped) / self.units[:, None]  # exact: powers of two
        self._residuals = -np.ascontiguousarray(clamped)
        self.local = np.zeros((d, d))
        self._totals, self._scores = np.zeros((d, d)), np.zeros((d, d))
        self._tops, self._sums = np.zeros(d), np.zeros(d)
        for j in range(d):
            self._measure(j)

    def run(self, linear: np.ndarray, updates: int) -> Transcript:
        """K updates of :attr:`local`.

        Parameters
        ----------
        linear : ndarray, shape (d, d)
            L = β_p − ρW, transposed; public.
        updates : int
            K.

        Returns
        -------
        Transcript
        """
        d = len(self.local)
        chosen, gradients = np.empty(updates, dtype=np.int64), np.empty(updates)
        self._check(linear)
        for j in range(d):
            self._score(j, linear[j])
        for step in range(updates):
            j, i = self.noise.noisy_max(self._scores, self._tops, self._sums, self.multiplier)
            noisy = self.noise.gaussian(self._totals[j, i], 2 * self.multiplier * self.bounds[i])
            gradient = float(noisy) * self.steps[i] + linear[j, i] + self.rho * self.local[j, i]
            chosen[step], gradients[step] = i * d + j, gradient
            self._move(j, i, gradient, linear)
        return Transcript(chosen, gradients)

    def _move(self, j: int, i: int, gradient: float, linear: np.ndarray) -> None:
        """Proximal step of one entry along its noisy gradient."""
        m = self.smoothness[i]
        new = kernels.soft(self.local[j, i] - self.gamma * gradient / m, self.gamma * self.l1 / m)
        change = new - self.local[j, i]
        if change != 0.0:
            self.local[j, i] = new
            kernels.add_scaled(self._residuals[j], change * self.units[i], self._columns[i])
            self._measure(j)
            self._check(linear)
        self._score(j, linear[j])

    def _measure(self, j: int) -> None:
        kernels.column_totals(
            self._columns, self._residuals[j], self.bounds, self.per_record, j, self._totals[j]
        )

    def _score(self, j: int, linear: np.ndarray) -> None:
        self._tops[j], self._sums[j] = kernels.column_scores(
            self.local[j],
            self._totals[j],
            linear,
            self.rho,
            self.l1,
            self.smoothness,
            self.steps,
            self.score_sensitivity,
            self.multiplier,
            j,
            self._scores[j],
        )

    def _check(self, linear: np.ndarray) -> None:
        """Refuse numbers too large for exact scores; all of them are public."""
        if self.noise.largest == math.inf:
            return
        roots = np.sqrt(self.smoothness)
        size = np.abs(self.local)
        public = np.abs(linear) + self.rho * size + self.bounds * self.units + self.l1
        largest = ((2 * roots * size + public / roots) / self.score_sensitivity).max()
        if not largest <= self.noise.largest:  # nor NaN
            raise InputError(
                "the learned weights have become too large for exact noise",
                remedy="Rescale all columns by one public factor, so that their variances are near 1",
            )
