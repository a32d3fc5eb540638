"""The two pieces of a round-based protocol, the messages between them, and the loop that drives them.

A site and a server exchange messages of arrays and nothing else. Both are plain objects with one
method that reads and returns messages: no files, no shared state. The loop here drives them inside
one process; a network transport can drive the same pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class Message:
    """Named arrays as they would travel.

    Attributes
    ----------
    arrays : mapping of str to ndarray
        What the receiver gets. Sparse content is sent packed: an index array and a value array.
    """

    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """Bytes of the payload: the sum of the arrays' own sizes (names and framing not counted)."""
        return sum(array.nbytes for array in self.arrays.values())

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]


class Site(Protocol):
    """One participant: holds data, answers each broadcast with one message."""

    def step(self, round: int, message: Message) -> Message:
        """Do the local work of ``round`` (0, 1, …) on the server's message and answer it."""
        ...


class Server(Protocol):
    """The aggregator: never sees rows."""

    def start(self) -> Message:
        """The broadcast of round 0."""
        ...

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """Combine one message a site (in site order) into the next broadcast."""
        ...

    def diagnostics(self) -> dict[str, float]:
        """Numbers about the last aggregation for the table of rounds."""
        ...

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """(raw weights, weights after thresholding to a DAG), both (d, d)."""
        ...


@dataclass(frozen=True)
class ProtocolRun:
    """Everything a method hands to the loop: the pieces and the number of rounds."""

    sites: Sequence[Site]
    server: Server
    rounds: int
