"""The two pieces of a round-based protocol: a site and a server.

They exchange :class:`~fedbnsl.federate.messages.Message` objects and nothing else. Both are plain
objects whose methods read and return messages: no files, no shared state (each may keep variables of
its own, such as a site's rows and duals). :func:`fedbnsl.federate.run` drives them inside one process;
a network transport can drive the same pieces.

A round t = 0, 1, … is: every site answers the last broadcast with ``step(t, broadcast)``, and the
server turns the answers into the next broadcast with ``aggregate``. Before round 0 the broadcast is
``start()``; the broadcast of the last round hands the result to the sites. The rounds end at their agreed
number, or before, when the server says that it has ``finished``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fedbnsl.federate.messages import Message

if TYPE_CHECKING:
    from fedbnsl.privacy.ledger import Ledger
    from fedbnsl.privacy.statement import Statement


class Site(Protocol):
    """One participant: holds data, answers each broadcast with one message."""

    def step(self, round: int, message: Message) -> Message:
        """Do the local work of ``round`` on the server's message and answer it."""
        ...


class Server(Protocol):
    """The aggregator: never sees rows."""

    def start(self) -> Message:
        """What the sites hear before round 0; an empty message when all start from agreed values."""
        ...

    def aggregate(self, messages: Sequence[Message]) -> Message | Sequence[Message]:
        """Combine one message a site (in site order) into the next broadcast, or one message a site."""
        ...

    def diagnostics(self) -> dict[str, float | str]:
        """Numbers and words about the last aggregation for the table of rounds; the same keys every round."""
        ...

    def finished(self) -> bool:
        """Whether the rounds may end now, before their agreed number."""
        ...

    def unmet(self) -> tuple[str, str] | None:
        """After the last round: (why the run has not converged, what to do), None if it has."""
        ...

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """(raw weights, weights of the DAG made of them) as they stand now.

        Both (d, d), or (P, d, d) when every site gets its own network.
        """
        ...


@dataclass(frozen=True)
class ProtocolRun:
    """Everything a method hands to the loop.

    Attributes
    ----------
    sites, server
        The pieces.
    rounds : int
        The largest number of rounds.
    privacy : Statement, optional
        What a private method promises.
    ledgers : tuple of Ledger
        Of every site: what the run will release. Empty unless the method is private.
    """

    sites: Sequence[Site]
    server: Server
    rounds: int
    privacy: Statement | None = None
    ledgers: tuple[Ledger, ...] = ()
