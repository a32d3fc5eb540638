"""DP-Fed-Sparse-BNSL: Fed-Sparse-BNSL whose sites release only noisy choices and gradients.

After arXiv 2512.01708, section 5, with the corrections that its guarantee needs: every record's term is
clipped, not their mean; one scale of Gumbel noise; ρ of the whole run by the budget. Round one gives the
smoothness constants M (:mod:`fedbnsl.privacy.smoothness`), whose mean the server sends back. The
T rounds after it are those of :mod:`fedbnsl.federate.fed_sparse` with
:class:`fedbnsl.privacy.greedy.GreedyUpdates` as local solver. All else, the server included, works on what
was released.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedbnsl.federate.admm import Penalties
from fedbnsl.federate.fed_sparse import FedSparseServer, Wire
from fedbnsl.federate.messages import Message, SparseChannel
from fedbnsl.privacy.asked import Turns, check_sparse, positive
from fedbnsl.privacy.greedy import GreedyUpdates
from fedbnsl.privacy.noise import Noise

WIRE = Wire("changes", "double")


class Clip(NamedTuple):
    """How records are clipped.

    Attributes
    ----------
    ratio : float or None
        c̄. None: from ``total``.
    total : float or None
        C of the paper: c̄ = C / √(Σ M).
    entries : bool
        Whether that sum runs over d² entries, as in the paper's text, or d rows.
    clipping : {"record", "average"}
    """

    ratio: float | None
    total: float | None
    entries: bool
    clipping: str

    def at(self, smoothness: np.ndarray) -> float:
        """c̄ for these M."""
        if self.ratio is not None:
            return self.ratio
        count = len(smoothness) if self.entries else 1
        return self.total / np.sqrt(count * smoothness.sum())


class LocalProblem(NamedTuple):
    """What is agreed on about the sites' updates: ρ₂, λ, γ, K and the clipping."""

    rho2: float
    l1: float
    gamma: float
    updates: int
    clip: Clip


class PrivateSparseSite:
    """A site: its rows are read by ``measure`` in round 0 and by greedy updates after.

    Parameters
    ----------
    values : ndarray, shape (n, d)
    scale
        Its ``measure(values, noise)`` gives d numbers to send in round 0.
    problem : LocalProblem
    multiplier : float
        z.
    noise : Noise
    rounds : int
        How many rounds are answered, the one for the scales included.
    """

    def __init__(
        self,
        values: np.ndarray,
        scale,
        problem: LocalProblem,
        multiplier: float,
        noise: Noise,
        rounds: int,
    ):
        self._turns = Turns(rounds)
        self._values, self._scale, self._noise = values, scale, noise
        self.problem, self.multiplier = problem, multiplier
        d = values.shape[1]
        self.dual = np.zeros((d, d))
        self._up, self._down = SparseChannel(d, *WIRE), SparseChannel(d, *WIRE)
        self._updates: GreedyUpdates | None = None

    def step(self, round: int, message: Message) -> Message:
        """Round 0: noisy mean squares. Round 1: K updates with the M of the message. Later: the dual's
        step, then K updates. Sends the entries of B_p that changed.

        Raises
        ------
        InputError
            If the round is not the next one, or the broadcast cannot be used; no row is read then.
        """
        self._turns.take(round)
        if round == 0:
            return Message({"scale": self._scale.measure(self._values, self._noise)})
        problem = self.problem
        if round == 1:
            smoothness = positive(message, "scale", len(self.dual)) + problem.rho2
            self._updates = GreedyUpdates(
                self._values,
                smoothness,
                problem.rho2,
                problem.l1,
                problem.clip.at(smoothness),
                problem.gamma,
                self.multiplier,
                self._noise,
                problem.clip.clipping,
            )
            consensus = np.zeros_like(self.dual)
        else:
            check_sparse(message, len(self.dual))
            consensus = np.ascontiguousarray(self._down.unpack(message).T)
            self.dual += problem.rho2 * (self._updates.local - consensus)
        self._updates.run(self.dual - problem.rho2 * consensus, problem.updates)
        return Message(self._up.pack(np.ascontiguousarray(self._updates.local.T)))


class PrivateSparseServer(FedSparseServer):
    """The server: that of Fed-Sparse-BNSL after a round for the smoothness constants.

    Parameters
    ----------
    d : int
    penalties : Penalties
        ρ₂ constant.
    threshold : float
    w_step : {"exact", "fast"}
    combine : callable
        Makes mean squares, shape (d,), of the list of the sites' noisy ones.
    """

    remedy = "Try a larger epsilon, fewer rounds or updates, or rescale all columns by one public factor"

    def __init__(self, d: int, penalties: Penalties, threshold: float, w_step: str, combine):
        super().__init__(d, penalties, threshold, None, w_step, WIRE)
        self._combine = combine
        self.mean_squares: np.ndarray | None = None

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """The mean of the sites' mean squares at first, then the step of consensus ADMM."""
        if self.mean_squares is not None:
            return super().aggregate(messages)
        self.mean_squares = self._combine([message["scale"] for message in messages])
        self._sites = len(messages)
        self._diagnostics = {"h": 0.0, "edges": 0, "primal_residual": 0.0, "dual_residual": 0.0}
        return Message({"scale": self.mean_squares})
