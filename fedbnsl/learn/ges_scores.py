"""Gains of adding a parent, for greedy equivalence search: data prepared once, filled in by kernels."""

import math
from numbers import Real

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.learn import _ges_score_kernels as kernels
from fedbnsl.learn.ges_bits import to_bits
from fedbnsl.scores.counts import discrete_columns
from fedbnsl.scores.regression import continuous_values
from fedbnsl.threads import one_thread

SCORES = ("bdeu", "bic", "gaussian-bic")
# A residual variance below this share of a column's variance is lost in the rounding of a covariance.
_EXACT = 1e-11
_TERMS = 2**24  # entries of the table of log-gamma terms; only those that are used take memory


def gains_of(site: SiteData, varying: np.ndarray, score: str | None, ess: float):
    """``fill(requests, owner, base, need, gains)`` for the columns ``varying`` of a site.

    It sets ``gains[g, x]`` for g in ``requests`` and x in the bits ``need[g]`` to
    score(y | B, x) − score(y | B), y = ``owner[g]``, B the bits ``base[g]``, in nats rounded to 2⁻²⁰.

    Raises
    ------
    InputError
        If the score is unknown or does not fit the data, or ess is not above 0; ``fill`` raises it if a
        continuous column is a linear function of others.
    """
    if score is None:
        score = "bdeu" if site.is_discrete else "gaussian-bic"
    if score not in SCORES:
        raise InputError(f"the score {score!r} is unknown", remedy=f"Choose one of: {', '.join(SCORES)}")
    if not (isinstance(ess, Real) and ess > 0 and math.isfinite(ess)):
        raise InputError(f"the equivalent sample size must be a number above 0, not {ess!r}")
    if score == "gaussian-bic":
        return _gaussian(site, varying)
    columns = _columns(site, varying, ess if score == "bdeu" else 0.0)

    def fill(requests, owner, base, need, gains):
        kernels.discrete_gains(columns, requests, owner, base, need, gains)

    return fill


def _columns(site: SiteData, varying: np.ndarray, ess: float) -> kernels.Columns:
    given, n = discrete_columns(site)[varying], site.n_rows
    codes, seen = np.empty(given.shape, np.uint16), np.empty(len(varying), np.int64)
    bits, first = [], np.zeros(len(varying), np.int64)
    for i, column in enumerate(given):
        occurs = np.bincount(column) > 0
        codes[i] = (np.cumsum(occurs) - 1)[column]
        seen[i] = occurs.sum()
        first[i] = len(bits)
        bits.extend(codes[i] == state for state in range(seen[i] - 1))
    rows = min(4096, max(2, _TERMS // (n + 1))) if ess else 1
    terms = np.empty((rows, n + 1))
    if not ess:
        counts = np.arange(n + 1.0)
        terms[0] = counts * np.log(np.maximum(counts, 1.0))
    return kernels.Columns(
        codes=codes,
        seen=seen,
        declared=site.cardinalities[varying].astype(np.float64),
        bits=to_bits(np.array(bits, dtype=bool).reshape(len(bits), n)),
        first_bits=first,
        ess=float(ess),
        penalty=0.0 if ess else math.log(n) / 2,
        terms=terms,
        keys=np.zeros(rows),
        filled=np.zeros(rows, np.int64),
        slots=np.full(1 << (2 * rows).bit_length(), -1),
        used=np.zeros(1, np.int64),
    )


def _gaussian(site: SiteData, varying: np.ndarray):
    values = continuous_values(site)[:, varying]
    # Columns of a size near 1, whose squares neither overflow nor vanish.
    values = values / np.abs(values).max(axis=0, initial=0.0)
    centred = values - values.mean(axis=0)
    centred /= np.abs(centred).max(axis=0, initial=0.0)
    centred /= np.sqrt((centred**2).sum(axis=0))
    with one_thread():
        correlation = centred.T @ centred
    np.fill_diagonal(correlation, 1.0)

    def fill(requests, owner, base, need, gains):
        group, column, x = kernels.gaussian_gains(
            correlation, site.n_rows, _EXACT, requests, owner, base, need, gains
        )
        if group >= 0:
            given = [v for v in range(len(varying)) if int(base[group, v >> 6]) >> (v & 63) & 1]
            if column != owner[group]:
                given = [v for v in given if v < column]
            involved = sorted({*given, int(column), *([int(x)] if x >= 0 else [])})
            names = ", ".join(repr(site.names[varying[v]]) for v in involved)
            raise InputError(
                f"the columns {names} are linear functions of each other, but for less than {_EXACT:g} of "
                "a variance, which rounding hides",
                where=site.label,
                remedy="Leave one of them out, or use fewer parents (max_parents) or more rows",
            )

    return fill
