"""NOTEARS-PFL at the server alone: one acyclic network a site from the sites' covariance matrices.

    min Σ_k ½ tr((I−Z_k)ᵀ Σ_k (I−Z_k)) + λ₁ Σ_k ‖Z_k‖₁ + λ₂ P(Z)   such that   h(Z_k) = 0, diag Z_k = 0

with a penalty P of :mod:`fedbnsl.federate.pfl_prox`. An augmented Lagrangian α_k h(Z_k) + ρ/2 h(Z_k)² takes
the constraint in; ρ grows tenfold until max h has fallen to a quarter. Inside it, proximal Newton steps: h is
replaced by its tangent, the quadratic loss is kept as it is, and block coordinate descent (all sites'
values of one entry at a time) minimises that model; then the step is halved until the objective falls. Beside
plain proximal gradient steps, which take 40 to 150 times as many evaluations of h, this brings a fit at
d = 20 with 10 sites from seconds to a tenth of one.

CPU seconds of a fit to the end (``tests/benchmarks/bench_pfl.py fits``, on a busy machine; QUICK takes a
tenth to a fifth):

=================  ====  =====  =====  =====
sites, variables   none  group  chain  fused
=================  ====  =====  =====  =====
10 of 20            0.1    0.2    0.3    0.4
8 of 50             0.6    1.6    2.4    1.4
10 of 80            3.7    6.4    9.1    8.3
64 of 50            6.7    9.8     12     23
=================  ====  =====  =====  =====

Nearly all of it are the sweeps: d² blocks of K numbers, and K d sums for every block that changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedbnsl.federate import _pfl_kernels as kernels
from fedbnsl.federate.pfl_prox import KINDS, coupling, penalty_value
from fedbnsl.learn import _acyclicity_kernels as acyclicity_kernels

# The chain's norm is smoothed while its sites find together: by 1 at first, then less and less.
SMOOTH_FIRST, SMOOTH_LAST, SMOOTH_FACTOR = 1.0, 1e-4, 0.5
FIRST_RHO, MOST_RHO = 10.0, 1e14


class Effort(NamedTuple):
    """How far a fit goes: h and relative decrease at which it stops; most steps a ρ, most sweeps a step."""

    h: float
    decrease: float
    steps: int
    sweeps: int


FINAL = Effort(h=1e-5, decrease=1e-4, steps=15, sweeps=10)
#: For fits that are only compared by their loss on rows held out: 5 times faster, almost the same networks.
QUICK = Effort(h=1e-2, decrease=1e-3, steps=5, sweeps=5)


class Fit(NamedTuple):
    """What :func:`fit` found.

    Attributes
    ----------
    weights : ndarray, shape (K, d, d)
    h : ndarray, shape (K,)
        h of every site's weights.
    steps : int
        Proximal Newton steps.
    """

    weights: np.ndarray
    h: np.ndarray
    steps: int


def fit(
    covariances: np.ndarray,
    kind: str,
    l1: float,
    l2: float,
    effort: Effort = FINAL,
) -> Fit:
    """A local minimum of the problem above, from Z = 0.

    Parameters
    ----------
    covariances : ndarray, shape (K, d, d)
        Σ_k; the first ρ suits noise variances near 1.
    kind : {"none", "group", "fused", "chain"}
    l1, l2 : float
        λ₁, λ₂ ≥ 0.
    effort : Effort

    Returns
    -------
    Fit
        Zeros are exact. max h is at most ``effort.h`` unless ρ reached 1e14 first.
    """
    return _Problem(covariances, kind, l1, l2).solve(effort)


def objective(covariances: np.ndarray, z: np.ndarray, kind: str, l1: float, l2: float) -> float:
    """The objective above at Z, shape (K, d, d), whatever its h."""
    left = np.eye(z.shape[1]) - z
    return float(0.5 * (left * (covariances @ left)).sum()) + penalty_value(z, kind, l1, l2)


def acyclicities(z: np.ndarray, exponentials: np.ndarray | None = None) -> np.ndarray:
    """h of every Z_k, shape (K,); +∞ on overflow. e^{Z_k∘Z_k} − I into ``exponentials`` if given."""
    exponentials = np.empty_like(z) if exponentials is None else exponentials
    work = np.empty((5, *z.shape[1:]))
    finite = [
        acyclicity_kernels.expm_minus_identity(own, exponential, work)
        for own, exponential in zip(z, exponentials, strict=True)
    ]
    return np.where(finite, np.einsum("kii->k", exponentials), np.inf)


class _Problem:
    """One fit; its matrices are transposed, [site, j, i], as the kernels want them."""

    def __init__(self, covariances, kind, l1, l2):
        self.quadratic = np.ascontiguousarray(covariances, dtype=np.float64)
        self.kind, self.l1, self.l2 = kind, float(l1), float(l2)
        self.identity = np.eye(self.quadratic.shape[1])
        self.exponentials = np.empty_like(self.quadratic)
        self.smooth = SMOOTH_FIRST if kind == "chain" else 0.0
        self.steps = 0

    def solve(self, effort: Effort) -> Fit:
        z = np.zeros_like(self.quadratic)
        alpha, rho, best = np.zeros(len(z)), FIRST_RHO, np.inf
        while True:
            z, h = self.minimise(z, alpha, rho, effort)
            if h.max() <= effort.h or rho >= MOST_RHO:
                return Fit(z.transpose(0, 2, 1).copy(), h, self.steps)
            alpha = alpha + rho * h
            if h.max() > 0.25 * best:
                rho *= 10.0
            best = min(best, h.max())

    def minimise(self, z, alpha, rho, effort):
        """Proximal Newton steps for one α and ρ; returns Z and h."""
        value, h, gradient = self.lagrangian(z, alpha, rho)
        for _ in range(effort.steps):
            proposed = self.proposal(z, h, gradient, alpha, rho, effort)
            before, length = value, 1.0
            while True:
                trial = proposed if length == 1.0 else z + length * (proposed - z)
                value, trial_h, trial_gradient = self.lagrangian(trial, alpha, rho)
                if value <= before:
                    break
                length *= 0.5
                if length < 1e-6:
                    # e^{Z∘Z} of the trial stands in the scratch: put that of z back
                    return z, self.lagrangian(z, alpha, rho)[1]
            z, h, gradient = trial, trial_h, trial_gradient
            self.steps += 1
            settled = before - value <= effort.decrease * max(abs(value), 1.0)
            if self.kind == "chain" and self.smooth > SMOOTH_LAST:
                self.smooth = max(SMOOTH_FACTOR * self.smooth, SMOOTH_LAST)
                value, h, gradient = self.lagrangian(z, alpha, rho)
            elif settled:
                break
        return z, h

    def proposal(self, z, h, gradient, alpha, rho, effort):
        """The minimum of the model around ``z``."""
        influence = self.exponentials.transpose(0, 2, 1) + self.identity
        slope = 2.0 * influence * z
        weight = (alpha + rho * h)[:, None, None]
        pulls = coupling(z, self.l2, self.smooth) if self.kind == "chain" else np.empty(0)
        new = z.copy()
        kernels.sweep(
            new, gradient + weight * slope, self.quadratic, 2.0 * weight * influence, slope, float(rho),
            self.l1, self.l2, KINDS[self.kind], pulls, effort.sweeps, 0.1 * np.sqrt(effort.decrease),
        )  # fmt: skip
        return new

    def lagrangian(self, z, alpha, rho):
        """Value, h, and the gradient of the quadratic loss, at Z."""
        h = acyclicities(z, self.exponentials)
        if not np.isfinite(h).all():
            return np.inf, h, z
        left = z - self.identity
        gradient = left @ self.quadratic
        value = 0.5 * (left * gradient).sum() + (alpha * h).sum() + 0.5 * rho * (h * h).sum()
        return value + penalty_value(z, self.kind, self.l1, self.l2, self.smooth), h, gradient
