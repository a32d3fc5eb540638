"""A site of the Gaussian methods: one noisy release of its rows a round, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.federate.messages import Message, unpack_sparse, unpack_symmetric
from fedbnsl.privacy.gradients import GradientRelease, residual_products
from fedbnsl.privacy.noise import Noise
from fedbnsl.privacy.scales import ScaleRelease
from fedbnsl.privacy.second_moment import MomentRelease


class GaussianSite:
    """A site whose every answer is a Gaussian release; which one, the broadcast says.

    ====================  =========================================================================
    broadcast             answer
    ====================  =========================================================================
    nothing               histograms of x² (round 0)
    ``scales`` s          second moment of x/s
    ``map`` A             second moment of A(x/s)
    ``residual_scales``   mean of (x_i/s_i) (x − xB)_j / r̂_j at the entries of B in the message
    ====================  =========================================================================

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The rows. They are not centred.
    mus : sequence of float
        μ of the release of every round.
    noise : Noise
    """

    def __init__(self, values: np.ndarray, mus: Sequence[float], noise: Noise):
        self._values, self.mus, self._noise = values, mus, noise
        self._scales = np.ones(values.shape[1])
        self._next = 0

    def step(self, round: int, message: Message) -> Message:
        """Answer with the release that belongs to the message, at the μ of this round.

        Raises
        ------
        InputError
            If the round is not the next one: its budget pays for one answer.
        """
        if round != self._next or round >= len(self.mus):
            raise InputError(
                f"the answer of round {round} was asked for, but "
                + (f"the next is {self._next}" if self._next < len(self.mus) else "all have been given")
                + ": every round is answered once, which is all that its share of the privacy budget allows"
            )
        self._next += 1
        rows, d = self._values.shape
        mu = self.mus[round]
        if "residual_scales" in message.arrays:
            return Message({"gradient": self._gradient(message, mu)})
        if "scales" in message.arrays:
            self._scales = message["scales"]
        elif "map" not in message.arrays:
            return Message({"counts": ScaleRelease(d, rows, mu).measure(self._values, self._noise)})
        with np.errstate(over="ignore", invalid="ignore"):
            records = self._values / self._scales
            if "map" in message.arrays:
                records = records @ unpack_symmetric(message["map"])
        release = MomentRelease(d, rows, float(message["radius"][0]), mu)
        return Message({"moment": release.measure(records, self._noise)})

    def _gradient(self, message: Message, mu: float) -> np.ndarray:
        d = self._values.shape[1]
        weights = unpack_sparse(message, d)
        entries = np.zeros((d, d))
        marked = {"positions": message["positions"], "values": np.ones(len(message["positions"]))}
        rows, columns = np.nonzero(unpack_sparse(marked, d, entries))
        vectors = residual_products(
            self._values, weights, rows, columns, self._scales, message["residual_scales"]
        )
        return GradientRelease(len(rows), len(vectors), mu).measure(vectors, self._noise)
