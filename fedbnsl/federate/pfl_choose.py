"""Choosing λ₁, λ₂ and the penalty of NOTEARS-PFL by the loss on rows held out.

Every method gets the same effort: six fits, and up to two more where the best one lies at an end of its
grid (``auto``: the same for each of its two penalties). A fit leaves out one part of every site's rows, and
is judged by Σ_k ½ tr((I−Z_k)ᵀ T_k (I−Z_k)), T_k from the rows left out, summed over the parts.

Mean F of the sites' networks, so chosen (``tests/benchmarks/bench_pfl.py scores 10``: 20 variables and edges,
20 % of the edges changed at each of 10 sites; standard errors of ten seeds .01 to .05):

==============  ====  ======  =====  =====  =====  ====
weights         none  pooled  chain  fused  group  auto
==============  ====  ======  =====  =====  =====  ====
6 rows: own      .23     .25    .34    .38    .51   .51
shared           .24     .63    .70    .77    .41   .77
shared + noise   .25     .57    .70    .75    .50   .75
20 rows: own     .71     .35    .71    .84    .90   .90
shared + noise   .70     .70    .81    .91    .87   .90
==============  ====  ======  =====  =====  =====  ====

Six rows with own weights vary most: ``auto`` has .59 on seeds 1 to 5 and .43 on 6 to 10. Knowing σ² instead
of estimating it would bring .53 there, and nothing with 20 rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.federate.pfl_direct import QUICK, Effort, fit

#: Penalties that make one network for all sites, which is one problem with the mean covariance.
COMMON = ("pooled", "consensus")
#: What ``auto`` chooses from.
CANDIDATES = ("group", "fused")

_ONE = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
_GRIDS = {  # multiples of the units that `units` gives
    "none": (_ONE, (0.0,)),
    "pooled": (_ONE, (0.0,)),
    "consensus": (_ONE, (0.0,)),
    "group": ((0.05, 0.3), (0.3, 0.5, 0.9)),
    "fused": ((0.1, 0.4), (0.3, 0.8, 2.0)),
    "chain": ((0.1, 0.4), (0.1, 0.3, 1.0)),
}
_WIDER, _MOST_WIDER = 2.0, 2


class Statistics(NamedTuple):
    """What one site sends.

    Attributes
    ----------
    covariance : ndarray, shape (d, d)
        Of all its rows, centred.
    rows : int
    train, test : ndarray, shape (F, d, d)
        For each of F parts: the covariance of the other rows, and the mean square of the part's rows
        around the means of the others.
    """

    covariance: np.ndarray
    rows: int
    train: np.ndarray
    test: np.ndarray


class Choice(NamedTuple):
    """A penalty with its λ₁ and λ₂, in squared units of the data."""

    penalty: str
    l1: float
    l2: float


def parts_of(rows: int) -> int:
    """How many parts the rows of the smallest site are cut into.

    One in five rows is left out once if there are 20 or more. Fewer rows: up to five parts that are left
    out in turn, of two rows or more where there are four.
    """
    if rows >= 20:
        return 1
    return min(5, rows // 2) if rows >= 4 else rows


def held_out(site: SiteData, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """``train`` and ``test`` of :class:`Statistics`: row r is in part r mod max(parts, 5 if parts is 1)."""
    part = np.arange(site.n_rows) % (5 if parts == 1 else parts)
    train, test = [], []
    for number in range(parts):
        kept, left = site.values[part != number], site.values[part == number]
        centred, around = kept - kept.mean(axis=0), left - kept.mean(axis=0)
        train.append(centred.T @ centred / len(kept))
        test.append(around.T @ around / len(left))
    return np.stack(train), np.stack(test)


def noise_scale(statistics: Sequence[Statistics]) -> float:
    """An estimate of the noise variance σ², on which λ depends: the smallest variance of a column.

    Under equal noise variances, which tell the directions, a variable without parents has variance σ² and
    every other a larger one. Variances are means over the sites, each n / (n − 1) times its own. The smallest
    of several is too small by chance, the more so the fewer rows there are: it is divided by what one
    expects of Gaussian columns a third of which have no parents.
    """
    unbiased = [np.diagonal(s.covariance) * s.rows / (s.rows - 1) for s in statistics]
    means = np.sort(unbiased, axis=0).mean(axis=0)
    roots = max(len(means) / 3, 1.0)
    lowest = NormalDist().inv_cdf((roots - 0.375) / (roots + 0.25))  # Blom's formula for an extreme
    spread = np.sqrt(2 / sum(s.rows - 1 for s in statistics))
    return float(means.min() / max(1 - lowest * spread, 0.5))


def units(penalty: str, d: int, sites: int, rows: float) -> tuple[float, float]:
    """What λ₁ and λ₂ are measured in, for σ² = 1 and ``rows`` rows a site."""
    sparse = np.sqrt(np.log(max(d, 2)) / rows)
    if penalty in COMMON:
        return sparse / np.sqrt(sites), 0.0
    second = {"group": np.sqrt(sites / rows), "fused": sparse / max(sites - 1, 1), "chain": np.sqrt(d / rows)}
    return sparse, second.get(penalty, 0.0)


def solve(
    covariances: np.ndarray, rows: np.ndarray, choice: Choice, scale: float, effort: Effort
) -> tuple[np.ndarray, float]:
    """Weights of every site, shape (K, d, d), and the largest h.

    ``pooled`` counts every row alike, all others every site. Dividing by ``scale`` makes the result the
    same whatever the unit of the data.
    """
    scaled, l1, l2 = covariances / scale, choice.l1 / scale, choice.l2 / scale
    if choice.penalty not in COMMON:
        found = fit(scaled, choice.penalty, l1, l2, effort)
        return found.weights, float(found.h.max())
    shares = rows if choice.penalty == "pooled" else np.ones(len(rows))
    mean = np.tensordot(shares / shares.sum(), scaled, axes=1)[None]
    found = fit(mean, "none", l1, 0.0, effort)
    return np.repeat(found.weights, len(rows), axis=0), float(found.h.max())


def choose(statistics: Sequence[Statistics], penalty: str, l1: float | None, l2: float | None) -> Choice:
    """The penalty, λ₁ and λ₂ of least loss on the rows held out.

    Parameters
    ----------
    statistics : sequence of Statistics
        One a site.
    penalty : str
        ``auto`` chooses from :data:`CANDIDATES` too.
    l1, l2 : float, optional
        Given values are kept.

    Returns
    -------
    Choice
    """
    scale = noise_scale(statistics)
    search = _Search(statistics, scale)
    found = [search.best(kind, l1, l2) for kind in (CANDIDATES if penalty == "auto" else (penalty,))]
    return min(found, key=lambda pair: pair[0])[1]


def needs_choice(penalty: str, l1: float | None, l2: float | None) -> bool:
    """Whether anything is left to choose."""
    return penalty == "auto" or l1 is None or (l2 is None and penalty not in ("none", *COMMON))


def check_rows(sites: Sequence[SiteData]) -> None:
    """InputError if a site has too few rows to hold some out."""
    for site in sites:
        if site.n_rows < 3:
            raise InputError(
                f"with {site.n_rows} rows none can be held out to choose λ by",
                where=site.label,
                remedy="Give penalty, l1 and l2, or leave the site out",
            )


class _Search:
    """The losses of fits that were tried."""

    def __init__(self, statistics, scale):
        self.train = np.stack([s.train for s in statistics], axis=1)  # (F, K, d, d)
        self.test = np.stack([s.test for s in statistics], axis=1)
        self.rows = np.array([s.rows for s in statistics], dtype=float)
        self.scale = scale
        parts = len(self.train)
        self.kept = self.rows.mean() * (0.8 if parts == 1 else 1 - 1 / parts)

    def best(self, penalty, l1, l2):
        """(loss, Choice), the latter for all rows."""
        d = self.train.shape[-1]
        in_fits = self.scale * np.array(units(penalty, d, len(self.rows), self.kept))
        at_last = self.scale * np.array(units(penalty, d, len(self.rows), self.rows.mean()))
        axes = [list(axis) for axis in _GRIDS[penalty]]
        for place, given in enumerate((l1, l2)):
            if given is not None:  # a fixed value does not shrink with the rows
                axes[place], in_fits[place], at_last[place] = [given], 1.0, 1.0
        losses = {}

        def measure(pairs):
            for pair in pairs:
                if pair not in losses:
                    losses[pair] = self.loss(Choice(penalty, *(float(v) for v in in_fits * pair)))
            return min(losses, key=losses.get)

        chosen = measure(itertools.product(*axes))
        for _ in range(_MOST_WIDER):
            further = _beyond(chosen, axes)
            if further is None:
                break
            chosen = measure([further])
        return losses[chosen], Choice(penalty, *(float(v) for v in at_last * chosen))

    def loss(self, choice):
        total = 0.0
        for train, test in zip(self.train, self.test, strict=True):
            z, _ = solve(train, self.rows, choice, self.scale, QUICK)
            left = np.eye(z.shape[-1]) - z
            total += 0.5 * (left * (test @ left)).sum()
        return total


def _beyond(chosen, axes):
    """The grid's next point past the end at which the chosen one lies (the second λ first), or None."""
    for place in (1, 0):
        axis = axes[place]
        if len(axis) == 1 or chosen[place] not in (axis[0], axis[-1]):
            continue
        down = chosen[place] == axis[0]
        value = chosen[place] / _WIDER if down else chosen[place] * _WIDER
        axis.insert(0 if down else len(axis), value)
        return (chosen[0], value) if place else (value, chosen[1])
    return None
