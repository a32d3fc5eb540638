"""What a site checks before it reads a row: that it is asked in turn, and for something that has a meaning.

A server need not be honest, and noise is worked out for honest numbers. So a site answers every round once,
in order, and refuses a broadcast that is not of the agreed shape, not finite, or out of all proportion.
Refusals depend on the broadcast alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.federate.messages import Message, index_bytes

#: Positive numbers of a broadcast lie between its inverse and this, so that their products stay finite.
LARGEST = 1e30


class Turns:
    """Counts the answers of a site.

    Parameters
    ----------
    limit : int
        How many there may be.
    """

    def __init__(self, limit: int):
        self.limit, self.next = limit, 0

    def take(self, round: int) -> None:
        """Use up the turn of a round, also if the answer then fails.

        Raises
        ------
        InputError
            If the round is not the next one: its budget pays for one answer.
        """
        if round != self.next or round >= self.limit:
            left = f"the next is {self.next}" if self.next < self.limit else "all have been given"
            raise InputError(
                f"the answer of round {round} was asked for, but {left}: every round is answered once, which "
                "is all that its share of the privacy budget allows"
            )
        self.next += 1


def positive(message: Message | Mapping[str, np.ndarray], name: str, size: int) -> np.ndarray:
    """The array ``name`` of a broadcast: ``size`` numbers above 0.

    Raises
    ------
    InputError
        On another shape, NaN, or a number outside 1/:data:`LARGEST` to :data:`LARGEST`.
    """
    array = _numbers(message, name, (size,))
    if not ((array >= 1 / LARGEST) & (array <= LARGEST)).all():
        _refuse(name, f"its numbers must lie between {1 / LARGEST:g} and {LARGEST:g}")
    return array


def finite(message: Message | Mapping[str, np.ndarray], name: str, size: int) -> np.ndarray:
    """The array ``name`` of a broadcast: ``size`` numbers of absolute value up to :data:`LARGEST`.

    Raises
    ------
    InputError
        On another shape, NaN, or a larger number.
    """
    array = _numbers(message, name, (size,))
    if not (np.abs(array) <= LARGEST).all():
        _refuse(name, f"its numbers must be finite, and not beyond ±{LARGEST:g}")
    return array


def check_sparse(message: Message | Mapping[str, np.ndarray], d: int) -> None:
    """Raise InputError unless a broadcast holds finite entries of a (d, d) matrix, at places in it."""
    count = len(message["values"])
    finite(message, "values", count)
    positions = message["positions"]
    if positions.dtype != np.uint8 or positions.shape != (count, index_bytes(d)):
        _refuse("positions", f"{count} positions of {index_bytes(d)} bytes are expected")
    flat = positions.astype(np.int64) @ (256 ** np.arange(index_bytes(d), dtype=np.int64))
    if (flat >= d * d).any():
        _refuse("positions", f"they must lie in a matrix of {d} × {d}")


def _numbers(message, name: str, shape: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(message[name])
    if array.shape != shape or array.dtype.kind not in "fiu":
        _refuse(name, f"{shape[0]} numbers are expected")
    return array


def _refuse(name: str, why: str) -> None:
    raise InputError(
        f"the server sent {name!r} that cannot be used: {why}",
        remedy="Do not answer it again before you know why: rows were not read",
    )
