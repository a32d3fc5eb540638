"""What an honest but curious server learns about the sites' data from their messages.

The local step of Fed-BNSL ends where Σ(B−I) + β + ρ₂(B−W) = 0. In round one W and β are 0 and ρ₂ is known,
so one message determines the site's covariance matrix (Fed-Sparse-BNSL, A.1):

    Σ = (ρ₂ (W − B) − β) (B − I)⁻¹

In Fed-Sparse-BNSL a further term λ sign(B) enters where B ≠ 0, and where B = 0 an unknown number between −λ
and λ; besides, the greedy updates stop before the minimum. The formula then gives an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.federate.messages import Message, unpack_sparse
from fedbnsl.federate.protocol import ProtocolRun, Server
from fedbnsl.federate.run import assemble, drive
from fedbnsl.threads import one_thread


@dataclass
class Transcript:
    """All that a server sees.

    Attributes
    ----------
    received : list of tuple of Message
        For every round one message a site.
    sent : list of Message
        The broadcast before the first round, then that of every round.
    """

    received: list[tuple[Message, ...]] = field(default_factory=list)
    sent: list[Message] = field(default_factory=list)


class ListeningServer:
    """A server that does as another does, and writes down its messages."""

    def __init__(self, server: Server):
        self._server = server
        self.transcript = Transcript()

    def start(self) -> Message:
        """The other's start."""
        self.transcript.sent.append(self._server.start())
        return self.transcript.sent[-1]

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """The other's broadcast."""
        self.transcript.received.append(tuple(messages))
        self.transcript.sent.append(self._server.aggregate(messages))
        return self.transcript.sent[-1]

    def __getattr__(self, name: str):
        return getattr(self._server, name)


def listen(name: str, sites: Sequence[SiteData], seed: int = 0, **options) -> Transcript:
    """Run a federated method and return what its server saw.

    Parameters
    ----------
    name, sites, seed, **options
        As in :func:`fedbnsl.federate.run`.
    """
    _, protocol = assemble(name, sites, seed, options)
    server = ListeningServer(protocol.server)
    with one_thread():
        drive(ProtocolRun(protocol.sites, server, protocol.rounds))
    return server.transcript


def recover_covariances(
    transcript: Transcript, nodes: int, *, rho2: float = 1.0, l1: float = 0.0
) -> list[np.ndarray]:
    """Every site's covariance matrix from the messages of round one.

    Parameters
    ----------
    transcript : Transcript
        Of a method that sends B, dense (Fed-BNSL) or packed (Fed-Sparse-BNSL).
    nodes : int
        d.
    rho2, l1 : float
        The agreed ρ₂ of round one, and λ of the local step: 0 for Fed-BNSL.

    Returns
    -------
    list of ndarray, each (d, d)
        v_p Σ_p, the matrix with which the site computes: exact up to rounding for Fed-BNSL, whose
        reference schedule divides it by the number of sites; an estimate if B is sparse. Symmetric.

    Raises
    ------
    InputError
        If the messages hold no B.
    """
    if not transcript.received:
        raise InputError("the transcript is empty", remedy="Let it run for a round at least")
    return [_covariance(_local(message, nodes), rho2, l1) for message in transcript.received[0]]


def _local(message: Message, nodes: int) -> np.ndarray:
    if "B" in message.arrays:
        return message["B"]
    if {"positions", "values"} <= set(message.arrays):
        return unpack_sparse(message, nodes)
    raise InputError(
        f"the first messages hold {', '.join(message.arrays) or 'nothing'}, not a matrix B",
        remedy="Listen to fed-bnsl, fed-sparse-bnsl or fed-bnsl-fw",
    )


def _covariance(local: np.ndarray, rho2: float, l1: float) -> np.ndarray:
    known = -rho2 * local - l1 * np.sign(local)
    # Σ (B − I) = known, transposed; the solution of least norm if B − I is singular.
    solved = np.linalg.lstsq((local - np.eye(len(local))).T, known.T, rcond=None)[0]
    return (solved + solved.T) / 2
