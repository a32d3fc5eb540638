"""NOTEARS-PFL by ADMM, round by round (equations 11 to 22 of the paper).

    site     β_k ← β_k + ρ₂ (W_k − Z_k)                    (after round 0)
             W_k ← (Σ_k + ρ₂ I)⁻¹ (ρ₂ Z_k − β_k + Σ_k)
    server   Z ← argmin Σ_k (ρ₂/2 ‖Z_k − W_k − β_k/ρ₂‖² + α_k h(Z_k) + ρ₁/2 h(Z_k)²) + λ₁ Σ‖Z_k‖₁ + λ₂ P(Z)
             α_k ← α_k + ρ₁ h(Z_k)

A site does what a site of Fed-BNSL does, with a Z of its own in place of the common W. The server's step
takes twenty accelerated proximal gradient steps from the previous Z. ρ₂ stays; ρ₁ grows. Letting ρ₂ grow,
as the paper does, freezes Z far from the optimum, and one proximal step a round leaves it empty.

Nothing is hidden by sending W_k instead of Σ_k: in round one Σ_k = ρ₂ W_k (I − W_k)⁻¹.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.federate.admm import AGREEMENT, Penalties
from fedbnsl.federate.messages import Message
from fedbnsl.federate.pfl_choose import COMMON, Choice
from fedbnsl.federate.pfl_direct import acyclicities
from fedbnsl.federate.pfl_prox import penalty_value, prox
from fedbnsl.learn.threshold import threshold_to_dag

STEPS = 20  # of the server, a round


class PflServer:
    """The server of NOTEARS-PFL by ADMM.

    Parameters
    ----------
    shape : tuple of int
        (K, d, d).
    penalties : Penalties
    choice : Choice
        Penalty, λ₁ and λ₂.
    threshold : float
        For the resulting DAGs.
    """

    def __init__(self, shape: tuple[int, int, int], penalties: Penalties, choice: Choice, threshold: float):
        self.penalties, self.choice, self.threshold = penalties, choice, threshold
        self.weights, self.dual = np.zeros(shape), np.zeros(shape)
        self.alpha, self.round = np.zeros(shape[0]), 0
        self._diagnostics = {"h": 0.0, "edges": 0.0, "primal_residual": 0.0}

    def start(self) -> Message:
        """Nothing: every site knows that Z starts at 0."""
        return Message()

    def aggregate(self, messages: Sequence[Message]) -> list[Message]:
        """The global step and the dual updates; send every site its Z_k."""
        rho1, rho2 = self.penalties.at(self.round)
        local = np.stack([message["B"] for message in messages])
        self.weights, h = global_step(
            self.weights, local + self.dual / rho2, rho2, self.alpha, rho1, self.choice
        )
        self.alpha = self.alpha + rho1 * h
        self.dual = self.dual + rho2 * (local - self.weights)
        self.round += 1
        self._diagnostics = {
            "h": float(h.max()),
            "edges": float(np.count_nonzero(self.result()[1]) / len(h)),
            "primal_residual": float(np.linalg.norm(local - self.weights)),
        }
        return [Message({"W": own}) for own in self.weights]

    def diagnostics(self) -> dict[str, float | str]:
        """The largest ``h``; mean ``edges`` of a site; ``primal_residual`` (Σ_k ‖W_k − Z_k‖²)^½; what is
        used: ``penalty``, ``l1``, ``l2``."""
        return {**self._diagnostics, **self.choice._asdict()}

    def finished(self) -> bool:
        """Only after the agreed number of rounds."""
        return False

    def unmet(self) -> tuple[str, str] | None:
        """Nothing if the primal residual is at most half of ‖Z‖ (or of √K), else by how much it is more."""
        residual = self._diagnostics["primal_residual"]
        limit = AGREEMENT * max(np.linalg.norm(self.weights), np.sqrt(len(self.weights)))
        if residual <= limit:
            return None
        return (
            f"after {self.round} round{'s' * (self.round > 1)} the primal residual is {residual:.3g}, more "
            f"than {limit:.3g}",
            "Try mode='direct', a rho2 near the noise variance, or more rounds",
        )

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """Z and the weights of its DAGs, (K, d, d) each."""
        return self.weights, threshold_to_dag(self.weights, self.threshold)


def global_step(
    start: np.ndarray, target: np.ndarray, rho2: float, alpha: np.ndarray, rho1: float, choice: Choice
) -> tuple[np.ndarray, np.ndarray]:
    """Z after the server's steps, and h of every Z_k.

    Parameters
    ----------
    start, target : ndarray, shape (K, d, d)
        The previous Z; W + β/ρ₂.
    rho2, rho1 : float
    alpha : ndarray, shape (K,)
    choice : Choice
    """
    kind = "consensus" if choice.penalty in COMMON else choice.penalty
    off_diagonal = 1.0 - np.eye(start.shape[1])
    exponentials = np.empty_like(start)

    def smooth(z):
        h = acyclicities(z, exponentials)
        if not np.isfinite(h).all():
            return np.inf, z, h
        with np.errstate(over="ignore"):
            value = 0.5 * rho2 * ((z - target) ** 2).sum() + (alpha * h + 0.5 * rho1 * h * h).sum()
        if not np.isfinite(value):
            return np.inf, z, h
        pull = 2.0 * (alpha + rho1 * h)[:, None, None] * exponentials.transpose(0, 2, 1)
        return value, rho2 * (z - target) + pull * z, h

    def total(z, value):
        return value + (0.0 if kind == "consensus" else penalty_value(z, kind, choice.l1, choice.l2))

    z = ahead = start
    value, gradient, h = smooth(z)
    objective, momentum, curvature = total(z, value), 1.0, rho2
    for _ in range(STEPS):
        curvature = max(0.8 * curvature, rho2)
        while True:
            moved = (ahead - gradient / curvature) * off_diagonal
            new = prox(moved, kind, choice.l1 / curvature, choice.l2 / curvature)
            new_value, new_gradient, new_h = smooth(new)
            step = new - ahead
            bound = value + (gradient * step).sum() + 0.5 * curvature * (step**2).sum()
            if new_value <= bound + 1e-12 * abs(bound):
                break
            curvature *= 2.0
        new_objective = total(new, new_value)
        if new_objective > objective and momentum > 1.0:  # start the acceleration anew
            momentum, ahead = 1.0, z
            value, gradient, _ = smooth(z)
            continue
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / following * (new - z)
        z, h, objective, momentum = new, new_h, new_objective, following
        value, gradient, _ = smooth(ahead) if momentum > 2.0 else (new_value, new_gradient, new_h)
        if not np.isfinite(value):
            momentum, ahead, value, gradient = 1.0, z, new_value, new_gradient
    return z, h
