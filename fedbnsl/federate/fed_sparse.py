"""Fed-Sparse-BNSL: consensus ADMM in which the sites solve lasso problems greedily (arXiv 2512.01708).

    min Σ_p v_p ½ tr((I−B_p)ᵀ Σ_p (I−B_p)) + λ‖B_p‖₁   such that   B_p = W for every site p,  h(W) = 0

In a round, with the penalties, duals and server of :mod:`fedbnsl.federate.admm`:

    site     β_p ← β_p + ρ₂ (B_p − W)                      (after round 0)
             B_p ← K steps of proximal greedy coordinate descent, from the previous B_p, on
                   v_p ½ tr((I−B)ᵀ Σ_p (I−B)) + ⟨β_p, B−W⟩ + ρ₂/2 ‖B−W‖² + λ‖B‖₁
    server   W ← argmin α h(W) + ρ₁/2 h(W)² + Pρ₂/2 ‖W − V‖²

The penalty on B_p makes it sparse, and W is 0 where V is: only non-zero entries travel.

Where the time goes: a run of 100 rounds with 8 sites takes 0.14 CPU seconds at d = 20, 0.5 at 100, 1.3 at
200 and 5 at 400, half of it at the sites (greedy updates, gradients, packing), half at the server. Of the
server's half at d = 400 most is e^{W∘W}, 3 times a round; the rest are sums over d² entries. With the exact
global step the exponential is computed 40 to 60 times a round: 0.15, 1.0, 3.7 and 14 s.
``tests/benchmarks/bench_federated.py growth``: from 100 variables on the time grows like d^1.6; 1 to 64 sites
of 20 take 0.07 to 0.83 s. ``… quality`` at d = 200 (MB, SHD ± se): ``paper`` 13.5, 29.8 ± 3.1; default 11.3,
15.8 ± 3.0; with precision=single, stop=0.01 6.4, 13.8 ± 2.4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.federate import _sparse_kernels as kernels
from fedbnsl.federate.admm import MOST_PENALTY, ConsensusServer, Penalties
from fedbnsl.federate.messages import Message, SparseChannel
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.learn.acyclicity import Minimum, acyclicity, minimise_consensus
from fedbnsl.learn.sufficient import site_covariances

CONVERGED = "converged"  # in place of a number of updates
# How far a coordinate may still move (in units of the column's scale), and the most sweeps allowed.
LASSO_TOLERANCE, LASSO_SWEEPS = 1e-9, 1000

# Relative decrease of the objective at which the server's step stops.
STEP_TOLERANCE = {"exact": 1e-7, "fast": 1e-3}


class Wire(NamedTuple):
    """How matrices travel; see :class:`fedbnsl.federate.messages.SparseChannel`."""

    send: str = "full"
    precision: str = "double"


WHOLE = Wire()


class LassoSite(ABC):
    """A site of the family: keeps B_p and β_p (transposed, as the kernels want them).

    Parameters
    ----------
    covariance : ndarray, shape (d, d)
        v_p Σ_p.
    penalties : Penalties
    l1 : float
        λ.
    diagonal : bool
        Whether B_p may have a diagonal.
    wire : Wire
    """

    def __init__(
        self, covariance: np.ndarray, penalties: Penalties, l1: float, diagonal: bool, wire: Wire = WHOLE
    ):
        self.covariance, self.penalties = np.ascontiguousarray(covariance), penalties
        self.l1, self.diagonal = float(l1), diagonal
        self.local, self.dual = np.zeros_like(covariance), np.zeros_like(covariance)
        self._up, self._down = (SparseChannel(len(covariance), *wire) for _ in "ud")

    def step(self, round: int, message: Message) -> Message:
        """Update β_p, improve B_p; send it."""
        consensus = np.zeros_like(self.covariance)
        if round > 0:
            consensus = np.ascontiguousarray(self._down.unpack(message).T)
            self.dual += self.penalties.at(round - 1)[1] * (self.local - consensus)
        rho2 = self.penalties.at(round)[1]
        linear = self.dual - rho2 * consensus
        gradient = np.empty_like(linear)
        kernels.gradient(self.local, self.covariance, linear, rho2, gradient)
        self.improve(gradient, linear, rho2)
        self.local = self._up.rounded(self.local)
        return Message(self._up.pack(np.ascontiguousarray(self.local.T)))

    @abstractmethod
    def improve(self, gradient: np.ndarray, linear: np.ndarray, rho2: float) -> None:
        """Change ``local`` in place, given the gradient there and β_p − ρ₂W, all transposed."""


class FedSparseSite(LassoSite):
    """A site of Fed-Sparse-BNSL.

    Parameters
    ----------
    covariance, penalties, l1, diagonal, wire
        As :class:`LassoSite`.
    updates : int or "converged"
        Greedy updates K a round, or the exact minimum.
    gamma : float
        Step γ of an update.
    """

    def __init__(
        self,
        covariance: np.ndarray,
        penalties: Penalties,
        l1: float,
        diagonal: bool,
        updates: int | str,
        gamma: float,
        wire: Wire = WHOLE,
    ):
        super().__init__(covariance, penalties, l1, diagonal, wire)
        self.updates, self.gamma = updates, float(gamma)

    def improve(self, gradient: np.ndarray, linear: np.ndarray, rho2: float) -> None:
        """Proximal greedy coordinate descent, or cyclic descent to the minimum."""
        common = self.local, gradient, self.covariance, rho2, self.l1
        if self.updates == CONVERGED:
            kernels.cyclic_descent(*common, self.diagonal, LASSO_TOLERANCE, LASSO_SWEEPS)
        else:
            kernels.greedy_descent(*common, self.gamma, self.updates, self.diagonal)


class FedSparseServer(ConsensusServer):
    """The server of Fed-Sparse-BNSL: sparse messages, no ℓ1 in the global step.

    Parameters
    ----------
    d, penalties, threshold, stop
        As :class:`fedbnsl.federate.admm.ConsensusServer`.
    w_step : {"exact", "fast"}
    wire : Wire
    """

    def __init__(
        self,
        d: int,
        penalties: Penalties,
        threshold: float,
        stop: float | None = None,
        w_step: str = "fast",
        wire: Wire = WHOLE,
    ):
        super().__init__(d, penalties, threshold, stop)
        self.wire, self.tolerance = wire, STEP_TOLERANCE[w_step]
        self._up: list[SparseChannel] = []
        self._down = SparseChannel(d, *wire)
        self._entries_up = 0

    def received(self, messages: Sequence[Message]) -> list[np.ndarray]:
        """The B_p, unpacked."""
        if not self._up:
            self._up = [SparseChannel(len(self.weights), *self.wire) for _ in messages]
        local = [channel.unpack(message) for channel, message in zip(self._up, messages, strict=True)]
        self._entries_up = sum(int(np.count_nonzero(one)) for one in local)
        return local

    def broadcast(self) -> Message:
        """W, packed."""
        return Message(self._down.pack(self.weights))

    def global_step(self, target: np.ndarray, curvature: float, rho1: float) -> Minimum:
        """A minimum near the previous W, in the numbers that travel."""
        found = minimise_consensus(
            self.weights, target, curvature, alpha=self.alpha, rho=rho1, f_tolerance=self.tolerance
        )
        weights = self._down.rounded(found.weights)
        same = np.array_equal(weights, found.weights)
        return found._replace(weights=weights, h=found.h if same else acyclicity(weights)[0])

    def diagnostics(self) -> dict[str, float]:
        """As of every such server, and ``entries_up``, ``entries_down``: the non-zero entries of all B_p,
        and of W times the number of sites."""
        down = self._sites * int(np.count_nonzero(self.weights))
        return {**super().diagnostics(), "entries_up": self._entries_up, "entries_down": down}


class Variant(NamedTuple):
    """A named set of defaults."""

    rho1: float
    rho1_last: float | None
    gamma: float
    keep_diagonal: bool
    send: str


VARIANTS = {
    # The paper, B.3.2 and B.2.1.
    "paper": Variant(1000.0, None, 0.5, True, "full"),
    "growing": Variant(0.1, 1e8, 1.0, False, "changes"),
}


def growing_penalties(rho1: float, rho1_last: float | None, rho2: float, rounds: int) -> Penalties:
    """ρ₁ from ``rho1`` in the first of ``rounds`` rounds to ``rho1_last`` in the last, by one factor;
    constant if there is no ``rho1_last``."""
    if rho1_last is None:
        return Penalties(rho1, rho2)
    growth = (rho1_last / rho1) ** (1 / max(rounds - 1, 1))
    return Penalties(rho1, rho2, growth1=growth, largest=max(MOST_PENALTY, rho1_last))


def fed_sparse_bnsl(
    sites: Sequence[SiteData],
    *,
    seed: int,
    variant: str,
    updates: int | str,
    gamma: float | None,
    keep_diagonal: bool | None,
    l1: float,
    rho1: float | None,
    rho1_last: float | None,
    rho2: float,
    rounds: int,
    site_weights: str,
    w_step: str,
    send: str | None,
    precision: str,
    stop: float | None,
    threshold: float,
) -> ProtocolRun:
    """The pieces of Fed-Sparse-BNSL; nothing in it is random.

    The default variant is not the paper's: a small penalty on h at first lets the sites agree before
    directions are forced, full steps and no diagonal spend the K updates better. Mean SHD (standard error)
    and megabytes, 8 sites of 5000 rows, ``growing`` against ``paper``: d = 20, simulation seeds 1001–1040,
    1.1 (.3) and 1.7 MB against 2.1 (.3) and 2.1 MB; d = 200, seeds 100, 400, 500, 600, 1001, 1002, 16.5
    (2.3) and 11.2 MB against 25.5 (3.2) and 13.5 MB. It was chosen on these seeds, none of which is among
    those of the studies. At d = 200, more updates or rounds pay: 9.3 (.7) for 18.9 MB with K = 300.

    Variances far above ρ₂ slow the agreement (W moves by about ρ₂/Σ_p a round; the variant ``paper`` then
    stays empty, which a :class:`fedbnsl.errors.ConvergenceWarning` reports), and variances far below λ
    leave no edge. Scaling all columns by one factor mends both; scaling each by its own destroys what
    tells the directions.

    Parameters
    ----------
    sites : sequence of SiteData
        Continuous data on their raw scale.
    seed : int
        Not used.
    variant : {"growing", "paper"}
        ``paper``: ρ₁ = 1000 throughout, γ = ½, B_p with a diagonal, whole matrices in every message.
        ``growing``: ρ₁ from 0.1 in the first round to 1e8 in the last, γ = 1, no diagonal, only the
        entries that change are sent.
    updates : int or "converged"
        Greedy updates K of a site in a round, or the exact minimum of its lasso.
    gamma, keep_diagonal, rho1, rho1_last, send
        Other values than the variant's. γ: step of an update, 1 is exact along the coordinate.
        ``keep_diagonal``: whether B_p and W may have a diagonal. ρ₁: of the first and of the last round.
        ``send``: ``full`` or ``changes``; both give the same result.
    l1 : float
        λ.
    rho2 : float
        ρ₂.
    rounds : int
        T.
    site_weights : {"equal", "rows"}
        v_p: every site counts alike (1), or by its rows (P n_p / Σ n). For ``rows`` the numbers of rows
        are part of the agreed settings, like λ and ρ, and not counted as messages.
    w_step : {"exact", "fast"}
        The server's step stops at a relative decrease of 1e-7, or of 1e-3. At d = 200 exact
        steps take 3 times as long, and no difference beyond the noise was seen: mean SHD 1.4 (.3) against
        1.1 (.3) at d = 20, 14.8 (2.9) against 16.5 (2.3) at d = 200, on the seeds above.
    precision : {"double", "single"}
        Numbers in messages of 8 or 4 bytes.
    stop : float, optional
        Tolerance at which the run ends early; see :meth:`fedbnsl.federate.admm.ConsensusServer.finished`.
    threshold : float
        For the resulting DAG.

    Returns
    -------
    ProtocolRun
    """
    chosen = VARIANTS[variant]
    first = rho1 or chosen.rho1
    penalties = growing_penalties(first, rho1_last or chosen.rho1_last, rho2, rounds)
    diagonal = chosen.keep_diagonal if keep_diagonal is None else keep_diagonal
    wire = Wire(send or chosen.send, precision)
    step = gamma or chosen.gamma
    pieces = [
        FedSparseSite(covariance, penalties, l1, diagonal, updates, step, wire)
        for covariance in site_covariances(sites, site_weights)
    ]
    server = FedSparseServer(len(sites[0].names), penalties, threshold, stop, w_step, wire)
    return ProtocolRun(pieces, server, rounds)
