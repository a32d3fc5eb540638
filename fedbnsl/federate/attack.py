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
from typing import TYPE_CHECKING

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.federate.messages import Message, unpack_sparse
from fedbnsl.federate.protocol import ProtocolRun, Server
from fedbnsl.federate.run import assemble, drive
from fedbnsl.learn.sufficient import sufficient_statistics
from fedbnsl.threads import one_thread

if TYPE_CHECKING:
    import pandas


@dataclass
class Transcript:
    """All that a server sees.

    Attributes
    ----------
    received : list of tuple of Message
        For every round one message a site.
    sent : list of Message
        The broadcast before the first round, then that of every round; where sites hear different things, a
        list of one message a site.
    """

    received: list[tuple[Message, ...]] = field(default_factory=list)
    sent: list[Message | Sequence[Message]] = field(default_factory=list)


class ListeningServer:
    """A server that does as another does, and writes down its messages."""

    def __init__(self, server: Server):
        self._server = server
        self.transcript = Transcript()

    def start(self) -> Message:
        """The other's start."""
        self.transcript.sent.append(self._server.start())
        return self.transcript.sent[-1]

    def aggregate(self, messages: Sequence[Message]) -> Message | Sequence[Message]:
        """The other's broadcast."""
        self.transcript.received.append(tuple(messages))
        self.transcript.sent.append(self._server.aggregate(messages))
        return self.transcript.sent[-1]

    def __getattr__(self, name: str):
        return getattr(self._server, name)


def listen(name: str, sites: Sequence[SiteData], seed: int | None = None, **options) -> Transcript:
    """Run a federated method and return what its server saw.

    Parameters
    ----------
    name, sites, seed, **options
        As in :func:`fedbnsl.federate.run`.

    Returns
    -------
    Transcript

    Raises
    ------
    InputError
        As of :func:`fedbnsl.federate.run`.
    """
    _, protocol = assemble(name, sites, seed, options)
    server = ListeningServer(protocol.server)
    with one_thread():
        drive(ProtocolRun(protocol.sites, server, protocol.rounds))
    return server.transcript


def recover_covariances(
    transcript: Transcript, nodes: int, *, rho2: float = 1.0, l1: float = 0.0
) -> list[np.ndarray]:
    """Every site's covariance matrix from the first messages that hold a matrix B: those of round one, or
    of the round after the sites have agreed on something else, such as a scale.

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
    rounds = [messages for messages in transcript.received if _holds_local(messages[0])]
    messages = (rounds or transcript.received)[0]
    return [_covariance(_local(message, nodes), rho2, l1) for message in messages]


def leakage(name: str, sites: Sequence[SiteData], seed: int = 0, **options) -> pandas.DataFrame:
    """How near the server comes to every site's covariance by its first matrix, knowing the agreed settings.

    Parameters
    ----------
    name : str
        A method whose sites send B and count alike, with their losses added: ``fed-bnsl``,
        ``fed-sparse-bnsl``, ``fed-bnsl-fw`` and private variants of them, unless options change that.
    sites, seed, **options
        As in :func:`fedbnsl.federate.run`.

    Returns
    -------
    pandas.DataFrame
        One row a site: ``site`` (1, 2, …); ``error``, ‖Σ̂ − Σ‖ / ‖Σ‖ of :func:`recover_covariances` in the
        Frobenius norm; ``error_guess``, the same for Σ̂ = I, which a server has that knows nothing;
        ``correlation_error`` and ``correlation_error_guess``, the root mean square over all pairs of
        variables of the error of their correlation, and of guessing 0.

    Raises
    ------
    InputError
        As of :func:`fedbnsl.federate.run` and :func:`recover_covariances`.
    """
    import pandas

    sites, protocol = assemble(name, sites, seed, options)
    server = ListeningServer(protocol.server)
    rho2 = protocol.server.penalties.at(0)[1]
    l1 = getattr(protocol.sites[0], "l1", 0.0)
    with one_thread():
        drive(ProtocolRun(protocol.sites, server, min(protocol.rounds, 2)))
    recovered = recover_covariances(server.transcript, len(sites[0].names), rho2=rho2, l1=l1)
    rows = []
    for number, (site, estimate) in enumerate(zip(sites, recovered, strict=True), start=1):
        truth = sufficient_statistics(site).covariance
        rows.append(
            {
                "site": number,
                "error": _relative(estimate, truth),
                "error_guess": _relative(np.eye(len(truth)), truth),
                "correlation_error": _root_mean_square(_correlations(estimate) - _correlations(truth)),
                "correlation_error_guess": _root_mean_square(_correlations(truth)),
            }
        )
    return pandas.DataFrame(rows)


def _relative(estimate: np.ndarray, truth: np.ndarray) -> float:
    return float(np.linalg.norm(estimate - truth) / np.linalg.norm(truth))


def _correlations(covariance: np.ndarray) -> np.ndarray:
    """Of all pairs, between −1 and 1; 0 where an estimated variance is not above 0."""
    deviation = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    scale = np.outer(deviation, deviation)
    found = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 0)
    return np.clip(found, -1.0, 1.0)[np.triu_indices(len(covariance), 1)]


def _root_mean_square(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0


def _holds_local(message: Message) -> bool:
    return "B" in message.arrays or {"positions", "values"} <= set(message.arrays)


def _local(message: Message, nodes: int) -> np.ndarray:
    if "B" in message.arrays:
        return message["B"]
    if _holds_local(message):
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
