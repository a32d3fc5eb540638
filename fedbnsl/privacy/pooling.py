"""What a server makes of Gaussian releases of sites that pool their rows; all of it post-processing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from fedbnsl.federate.messages import sum_over_sites, unpack_symmetric
from fedbnsl.privacy.scales import fitted_scales
from fedbnsl.privacy.unclip import unclipped

# The trace of clipped records is near R²; with much noise it may come out as anything.
_LEAST_TRACE = 0.01


class Pool:
    """The sites' numbers of rows and budgets, public.

    Rows count alike, whichever site they are at: a site's share is n_p / Σ n. Its noise, ∝ 1/(n_p μ_p), then
    enters as 1/μ_p, so a small site adds no more noise than a large one.

    Parameters
    ----------
    rows : sequence of int
        n_p.
    mus : sequence of sequences of float
        μ of the release of every round, of every site.
    """

    def __init__(self, rows: Sequence[int], mus: Sequence[Sequence[float]]):
        self.rows, self.mus, self.total = list(rows), [list(own) for own in mus], sum(rows)

    def mean(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """Mean over the rows of all sites, of the sites' means."""
        weighted = [n * array for n, array in zip(self.rows, arrays, strict=True)]
        return sum_over_sites(weighted) / self.total

    def deviation(self, round: int, release: Callable[[int, float], object]) -> float:
        """Standard deviation of the noise in :meth:`mean`; ``release(rows, mu)`` makes a site's release."""
        own = (release(n, mus[round]).deviation * n for n, mus in zip(self.rows, self.mus, strict=True))
        return math.sqrt(math.fsum(one**2 for one in own)) / self.total

    def scales(self, counts: Sequence[np.ndarray]) -> np.ndarray:
        """Standard deviations, shape (d,), from the sites' noisy histograms."""
        return fitted_scales(sum_over_sites(counts) / self.total)

    def moment(self, packed: Sequence[np.ndarray], radius: float, trace: float) -> tuple[np.ndarray, float]:
        """The unclipped second moment with that trace, and the factor that its noise has grown by."""
        noisy = unpack_symmetric(self.mean(packed))
        observed = float(np.trace(noisy))
        return unclipped(noisy, radius, trace), trace / max(observed, _LEAST_TRACE * radius**2)
