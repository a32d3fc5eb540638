"""Fed-BNSL, also called NOTEARS-ADMM: consensus ADMM with dense messages (Ng and Zhang 2022).

    min Σ_p v_p ½ tr((I−B_p)ᵀ Σ_p (I−B_p)) + λ‖W‖₁   such that   B_p = W for every site p,  h(W) = 0

In a round, with penalties ρ₁, ρ₂ and duals α, β_p, all starting at 0 like W:

    site     β_p ← β_p + ρ₂ (B_p − W)                      (after round 0, with that round's B_p and ρ₂)
             B_p ← (v_p Σ_p + ρ₂ I)⁻¹ (ρ₂ W − β_p + v_p Σ_p)
    server   W ← argmin λ‖W‖₁ + α h(W) + ρ₁/2 h(W)² + Pρ₂/2 ‖W − V‖²,   V = mean_p (B_p + β_p/ρ₂)
             α ← α + ρ₁ h(W)

Each way one dense d × d matrix travels: the site sends B_p, the server W. The duals stay where they are:
a site follows its β_p, and the server the mean of them, both from the same B_p and W.

W has no diagonal, since h forbids loops; B_p keeps the one that its closed form gives.

Where the time goes: a run of 100 rounds with 8 sites takes 0.1 CPU seconds at d = 20, 0.8 at 100, 4.3 at 200
and 23 at 400, from 100 on like d^2.4 (``tests/benchmarks/bench_federated.py growth``). Two thirds are the
server's, e^{W∘W} and L-BFGS on all d² entries; the rest are dense d × d products at the sites. The bytes, 5,
128, 512 and 2048 MB, grow like d². With 64 sites of 20 variables a run takes 0.43 s, with one 0.05 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.federate.admm import ConsensusServer, Penalties
from fedbnsl.federate.messages import Message
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.learn.acyclicity import Minimum, minimise_penalised
from fedbnsl.learn.sufficient import site_covariances


@dataclass(frozen=True)
class Schedule:
    """A named set of defaults: penalties, number of rounds, and how the sites' losses add up."""

    penalties: Penalties
    rounds: int
    loss: str


SCHEDULES = {
    # Fed-Sparse-BNSL, B.3.2.
    "paper": Schedule(Penalties(1000.0, 1.0), 100, "sum"),
    # The program published with Ng and Zhang (2022).
    "reference": Schedule(Penalties(1e-3, 1e-3, 1.75, 1.25, 1e16), 200, "mean"),
}


class FedBnslSite:
    """A site of Fed-BNSL.

    Parameters
    ----------
    covariance : ndarray, shape (d, d)
        v_p Σ_p.
    penalties : Penalties
    """

    def __init__(self, covariance: np.ndarray, penalties: Penalties):
        self.covariance, self.penalties = covariance, penalties
        # One decomposition serves (Σ + ρ₂ I)⁻¹ for every ρ₂.
        self._eigenvalues, self._eigenvectors = np.linalg.eigh(covariance)
        self.local = np.zeros_like(covariance)
        self.dual = np.zeros_like(covariance)

    def step(self, round: int, message: Message) -> Message:
        """Update β_p, then B_p in closed form; send B_p."""
        consensus = np.zeros_like(self.covariance)
        if round > 0:
            consensus = message["W"]
            self.dual = self.dual + self.penalties.at(round - 1)[1] * (self.local - consensus)
        rho2 = self.penalties.at(round)[1]
        right = rho2 * consensus - self.dual + self.covariance
        rotated = self._eigenvectors.T @ right / (self._eigenvalues + rho2)[:, None]
        self.local = self._eigenvectors @ rotated
        return Message({"B": self.local})


class FedBnslServer(ConsensusServer):
    """The server of Fed-BNSL: dense messages, λ‖W‖₁ in the global step.

    Parameters
    ----------
    d : int
        Number of variables.
    penalties : Penalties
    l1 : float
        λ.
    tolerance : float
        Relative decrease of the objective at which the global step stops.
    threshold : float
        For the DAG made of W; see :func:`fedbnsl.learn.threshold_to_dag`.
    """

    remedy = (
        "Try schedule='reference', a larger rho2 (near the variances) or more rounds, or rescale or "
        "log-transform the data"
    )

    def __init__(self, d: int, penalties: Penalties, l1: float, tolerance: float, threshold: float):
        super().__init__(d, penalties, threshold)
        self.l1, self.tolerance = l1, tolerance

    def received(self, messages: Sequence[Message]) -> list[np.ndarray]:
        """The B_p as they came."""
        return [message["B"] for message in messages]

    def broadcast(self) -> Message:
        """W, dense."""
        return Message({"W": self.weights})

    def global_step(self, target: np.ndarray, curvature: float, rho1: float) -> Minimum:
        """A minimum near the previous W, without diagonal."""
        return minimise_penalised(
            self.weights,
            target,
            curvature * np.eye(len(target)),
            alpha=self.alpha,
            rho=rho1,
            l1=self.l1,
            f_tolerance=self.tolerance,
        )


def fed_bnsl(
    sites: Sequence[SiteData],
    *,
    seed: int,
    schedule: str,
    rounds: int | None,
    rho1: float | None,
    rho2: float | None,
    l1: float,
    loss: str | None,
    site_weights: str,
    tolerance: float,
    threshold: float,
) -> ProtocolRun:
    """The pieces of Fed-BNSL; nothing in it is random.

    The defaults are for variances near 1. Where Σ_p ≫ ρ₂ a round moves B_p towards W, and so W, by about
    ρ₂/Σ_p only: with the schedule ``paper`` and variances in the hundreds, 100 rounds leave W near 0 and
    the network empty, which a :class:`fedbnsl.errors.ConvergenceWarning` reports. Take the schedule
    ``reference``, whose ρ₂ grows, or ρ₂ near the variances, or rescale all columns by one factor (each by
    its own destroys what tells the directions). Where Σ_p ≪ λ the penalty leaves no edge, though the
    run converges.

    Parameters
    ----------
    sites : sequence of SiteData
        Continuous data.
    seed : int
        Not used.
    schedule : {"paper", "reference"}
        ``paper``: ρ₁ = 1000 and ρ₂ = 1 throughout, 100 rounds, loss ``sum``. ``reference``: both start
        at 1e-3 and grow by 1.75 and 1.25 a round up to 1e16, 200 rounds, loss ``mean``.
    rounds, rho1, rho2, loss
        Other values than the schedule's (ρ₁, ρ₂: of round 0).
    l1 : float
        λ.
    loss : {"sum", "mean"}
        The sites' losses are added, or averaged, which leaves λ and ρ the larger part.
    site_weights : {"equal", "rows"}
        v_p: every site counts alike (1), or by its rows (P n_p / Σ n). For ``rows`` the numbers of rows
        are part of the agreed settings, like λ and ρ, and not counted as messages.
    tolerance : float
        Relative decrease of the objective at which the global step stops. Small values do not pay: the
        problem is not convex, and a step that stays near the previous W changes directions less often.
        Mean SHD (standard error) at 1e-3 / 1e-4 / 1e-5 / 1e-6 / 1e-8 with 8 sites of 5000 rows: 2.0 (.4)
        / 2.4 (.5) / 2.7 (.5) / 2.8 (.6) / 2.9 (.5) at d = 20 over the simulation seeds 1001–1040, 11.0 /
        17.5 / 22.8 / 16.0 / 15.0 (1 to 7) at d = 100 over the seeds 100, 400, 500, 600. The default was
        chosen on these; none of them is among the seeds of the studies.
    threshold : float
        For the resulting DAG.

    Returns
    -------
    ProtocolRun
    """
    chosen = SCHEDULES[schedule]
    default = chosen.penalties
    penalties = Penalties(
        default.rho1 if rho1 is None else rho1,
        default.rho2 if rho2 is None else rho2,
        default.growth1,
        default.growth2,
        default.largest,
    )
    scale = 1 / len(sites) if (loss or chosen.loss) == "mean" else 1.0
    covariances = site_covariances(sites, site_weights)
    pieces = [FedBnslSite(scale * covariance, penalties) for covariance in covariances]
    server = FedBnslServer(len(sites[0].names), penalties, l1, tolerance, threshold)
    return ProtocolRun(pieces, server, rounds or chosen.rounds)
