"""A site of the Gaussian methods: one noisy release of its rows a round, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.federate.messages import Message, unpack_sparse, unpack_symmetric
from fedbnsl.privacy.asked import Turns, check_sparse, finite, positive
from fedbnsl.privacy.exact_sums import check_rounding, rounding_variation
from fedbnsl.privacy.gradients import GradientRelease, residual_products
from fedbnsl.privacy.ledger import Ledger
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
    ``residual_scales``   mean of (x_i/s_i) (x − xB)_j / r̂_j at the entries of B in the message; nothing is
                          read or released if it has none
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
        self._turns = Turns(len(mus))

    def step(self, round: int, message: Message) -> Message:
        """Answer with the release that belongs to the message, at the μ of this round.

        Raises
        ------
        InputError
            If the round is not the next one, for its budget pays for one answer, or if the broadcast
            cannot be used; no row is read then.
        """
        self._turns.take(round)
        rows, d = self._values.shape
        mu = self.mus[round]
        if "residual_scales" in message.arrays:
            return Message({"gradient": self._gradient(message, mu)})
        if "scales" in message.arrays:
            self._scales = positive(message, "scales", d)
        elif "map" not in message.arrays:
            return Message({"counts": ScaleRelease(d, rows, mu).measure(self._values, self._noise)})
        radius = float(positive(message, "radius", 1)[0])
        turned = finite(message, "map", d * (d + 1) // 2) if "map" in message.arrays else None
        with np.errstate(over="ignore", invalid="ignore"):
            records = self._values / self._scales
            if turned is not None:
                records = records @ unpack_symmetric(turned)
        release = MomentRelease(d, rows, radius, mu)
        return Message({"moment": release.measure(records, self._noise)})

    def _gradient(self, message: Message, mu: float) -> np.ndarray:
        d = self._values.shape[1]
        check_sparse(message, d)
        residual_scales = positive(message, "residual_scales", d)
        weights = unpack_sparse(message, d)
        entries = np.zeros((d, d))
        marked = {"positions": message["positions"], "values": np.ones(len(message["positions"]))}
        rows, columns = np.nonzero(unpack_sparse(marked, d, entries))
        if not len(rows):
            return np.zeros(0)
        vectors = residual_products(self._values, weights, rows, columns, self._scales, residual_scales)
        return GradientRelease(len(rows), len(vectors), mu).measure(vectors, self._noise)


def gaussian_ledger(
    site: SiteData, epsilon: float, delta: float, mode: str, mus: Sequence[float], moments: int
) -> Ledger:
    """What a :class:`GaussianSite` will release: histograms, ``moments`` second moments, then gradients.

    Parameters
    ----------
    site : SiteData
    epsilon, delta : float
        Its budget, which is the ledger's.
    mode : {"research", "secure"}
        In secure mode discrete noise is drawn, and the ledger knows how far it is from what it counts.
    mus : sequence of float
        μ of the release of every round.
    moments : int
        How many of them are second moments.

    Returns
    -------
    Ledger

    Raises
    ------
    InputError
        In secure mode, if the noise is too small for the grid; if μ are more than the budget.
    """
    d, rows = len(site.names), site.n_rows
    counts = ScaleRelease(d, rows, mus[0])
    releases, entries = [counts], [counts.entry()]
    for number, mu in enumerate(mus[1:], start=1):
        if number <= moments:
            release, name = MomentRelease(d, rows, 1.0, mu), f"second moment {number}"
        else:
            release, name = GradientRelease(3 * d, rows, mu), f"gradient {number - moments}"
        releases.append(release)
        entries.append(release.entry(name))
    if mode == "secure":
        # The grid of a moment is up to 4 times coarser against R² than for R = 1, of a gradient up to twice
        # against C, and a gradient may have more entries than 3d.
        sizes = [(max(count, d * d), scale / 4) for count, scale in (one.numbers() for one in releases)]
        check_rounding(sizes, epsilon, delta, site.label)
        entries = [
            replace(entry, variation=rounding_variation(*size))
            for entry, size in zip(entries, sizes, strict=True)
        ]
    ledger = Ledger(site.label, epsilon, delta, "gdp")
    ledger.spend(*entries)
    return ledger
