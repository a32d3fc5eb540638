"""The server of consensus ADMM under acyclicity, as all methods of the Fed-BNSL family share it.

With penalties ρ₁, ρ₂ and duals α, β_p, all starting at 0 like W, and B_p from the sites:

    W ← argmin  λ‖W‖₁ + α h(W) + ρ₁/2 h(W)² + Pρ₂/2 ‖W − V‖²,   V = mean_p (B_p + β_p/ρ₂)
    α ← α + ρ₁ h(W)
    β_p ← β_p + ρ₂ (B_p − W)

The server needs the mean of the β_p only, which becomes ρ₂ (V − W): exactly 0 wherever W = V.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedbnsl.federate.messages import Message, sum_over_sites
from fedbnsl.learn.acyclicity import Minimum
from fedbnsl.learn.threshold import threshold_to_dag

# ‖B_p − W‖ against ‖W‖. With the defaults ordinary runs end at 0.001 to 0.4, for some go to and fro
# between two W; where W could not follow the sites it is 0.9 and more.
AGREEMENT = 0.5
MOST_PENALTY = 1e16  # what the program published with Ng and Zhang (2022) stops at


@dataclass(frozen=True)
class Penalties:
    """ρ₁ and ρ₂ of every round: they grow by a factor a round, but do not grow past ``largest``."""

    rho1: float
    rho2: float
    growth1: float = 1.0
    growth2: float = 1.0
    largest: float = MOST_PENALTY

    def at(self, round: int) -> tuple[float, float]:
        """(ρ₁, ρ₂) of ``round`` = 0, 1, …"""
        return self._grown(self.rho1, self.growth1, round), self._grown(self.rho2, self.growth2, round)

    def _grown(self, first: float, growth: float, round: int) -> float:
        if growth <= 1.0 or first == 0.0 or round == 0:
            return first * growth**round
        most = max(first, self.largest)
        # by logarithms, for the power itself may be too large for a float
        if math.log(first) + round * math.log(growth) >= math.log(most):
            return most
        return first * growth**round


class ConsensusServer(ABC):
    """The server; a method says how W is found and how matrices travel.

    Parameters
    ----------
    d : int
        Number of variables.
    penalties : Penalties
    threshold : float
        For the DAG made of W; see :func:`fedbnsl.learn.threshold_to_dag`.
    stop : float, optional
        Tolerance of early stopping; see :meth:`finished`. None: never.
    """

    # What to do about a run that has not converged.
    remedy = "Try a larger rho2 (near the variances) or more rounds, or rescale or log-transform the data"

    def __init__(self, d: int, penalties: Penalties, threshold: float, stop: float | None = None):
        self.penalties, self.threshold, self.stop = penalties, threshold, stop
        self.weights = np.zeros((d, d))
        self.mean_dual = np.zeros((d, d))
        self.alpha = 0.0
        self.round = 0
        self._sites = 0
        self._diagnostics: dict[str, float] = {}

    def start(self) -> Message:
        """Nothing: every site knows that W starts at 0."""
        return Message()

    @abstractmethod
    def received(self, messages: Sequence[Message]) -> list[np.ndarray]:
        """The B_p in the messages."""

    @abstractmethod
    def broadcast(self) -> Message:
        """The message that carries W."""

    @abstractmethod
    def global_step(self, target: np.ndarray, curvature: float, rho1: float) -> Minimum:
        """The new W, from V = ``target`` and Pρ₂ = ``curvature``."""

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """The global step and the dual updates; send W."""
        rho1, rho2 = self.penalties.at(self.round)
        local = self.received(messages)
        self._sites = len(local)
        target = sum_over_sites(local) / len(local) + self.mean_dual / rho2
        previous = self.weights
        found = self.global_step(target, len(local) * rho2, rho1)
        self.weights = found.weights
        self.alpha += rho1 * found.h
        self.mean_dual = rho2 * (target - self.weights)
        self.round += 1
        distances = [np.array(np.sum((one - self.weights) ** 2)) for one in local]
        self._diagnostics = {
            "h": found.h,
            "edges": int(np.count_nonzero(self.result()[1])),
            "primal_residual": float(np.sqrt(sum_over_sites(distances))),
            "dual_residual": float(rho2 * np.sqrt(len(local)) * np.linalg.norm(self.weights - previous)),
        }
        return self.broadcast()

    def diagnostics(self) -> dict[str, float]:
        """``h`` of W; ``edges`` of its DAG; ``primal_residual`` (Σ_p ‖B_p − W‖²)^½; ``dual_residual``
        ρ₂ √P ‖W − previous W‖."""
        return self._diagnostics

    def finished(self) -> bool:
        """Whether W has settled: with s = √P max(‖W‖, 1) and the tolerance ε of ``stop``,

        primal residual ≤ ε s,  dual residual ≤ ε ρ₂ s  and  h ≤ ε.
        """
        if self.stop is None:
            return False
        found, size = self._diagnostics, self.stop * self._size()
        rho2 = self.penalties.at(self.round - 1)[1]
        return (
            found["primal_residual"] <= size
            and found["dual_residual"] <= rho2 * size
            and found["h"] <= self.stop
        )

    def unmet(self) -> tuple[str, str] | None:
        """Nothing if the sites agree with W to half of its size, else by how much they do not.

        Converged is (Σ_p ‖B_p − W‖²)^½ ≤ ½ √P max(‖W‖, 1): the root mean square over the sites of how
        far B_p is from W, against W. The 1 is for networks without edges.
        """
        residual, limit = self._diagnostics["primal_residual"], AGREEMENT * self._size()
        if residual <= limit:
            return None
        return (
            f"after {self.round} round{'s' * (self.round > 1)} the primal residual is {residual:.3g}, "
            f"more than {limit:.3g}",
            self.remedy,
        )

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """W and the weights of its DAG."""
        return self.weights, threshold_to_dag(self.weights, self.threshold)

    def _size(self) -> float:
        return np.sqrt(self._sites) * max(np.linalg.norm(self.weights), 1.0)
