"""Methods compared by their ranks over many problems: Friedman's test, and pairs with Holm's correction.

A table of results has one row a problem (a *block*, such as a network with a number of sites) and one
column a method.
"""

import math

import numpy as np
import pandas

from fedbnsl.errors import InputError

BETTER = ("lower", "higher")


def block_ranks(table: pandas.DataFrame, better: str) -> pandas.DataFrame:
    """Ranks of the methods within each block, 1 for the best; equal results share the mean of their ranks.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a block, one column a method.
    better : {"lower", "higher"}
        Which results are the good ones.

    Returns
    -------
    pandas.DataFrame
        Like ``table``.

    Raises
    ------
    InputError
        If there is no block, fewer than two methods, a result that is no number, or an unknown direction.
    """
    if better not in BETTER:
        raise InputError(f"the direction {better!r} is unknown", remedy=f"Choose one of: {', '.join(BETTER)}")
    if len(table) < 1 or table.shape[1] < 2:
        raise InputError(f"ranks need a block and two methods, not a table of {table.shape}")
    missing = table.columns[table.isna().any()]
    if len(missing):
        raise InputError(
            f"the method {missing[0]!r} has no result in {int(table[missing[0]].isna().sum())} blocks",
            remedy="Leave these blocks out: only complete ones can be ranked",
        )
    return table.rank(axis=1, method="average", ascending=better == "lower")


def mean_ranks(table: pandas.DataFrame, better: str) -> pandas.Series:
    """Mean over the blocks of each method's rank; see :func:`block_ranks`."""
    return block_ranks(table, better).mean()


def friedman(table: pandas.DataFrame, better: str = "lower") -> tuple[float, float]:
    """Friedman's test that all methods are alike, corrected for ties.

    Parameters
    ----------
    table, better
        As for :func:`block_ranks`.

    Returns
    -------
    statistic : float
        χ² with k − 1 degrees of freedom for k methods; 0 if every block is one tie.
    p : float

    Notes
    -----
    With N blocks, mean ranks R_j, and T = Σ (t³ − t) over the groups of t equal results,
    χ² = 12 N / (k(k+1)) · Σ (R_j − (k+1)/2)² / (1 − T / (N k (k² − 1))).
    """
    from scipy.stats import chi2

    ranks = block_ranks(table, better)
    n, k = ranks.shape
    ties = sum(
        int(t) ** 3 - int(t) for row in ranks.to_numpy() for t in np.unique(row, return_counts=True)[1]
    )
    spread = float(((ranks.mean() - (k + 1) / 2) ** 2).sum())
    free = 1 - ties / (n * k * (k * k - 1))
    if free <= 0:
        return 0.0, 1.0
    statistic = 12 * n / (k * (k + 1)) * spread / free
    return statistic, float(chi2.sf(statistic, k - 1))


def holm_pairwise(table: pandas.DataFrame, better: str, control: str | None = None) -> pandas.DataFrame:
    """Which methods differ: z tests of mean ranks, p values corrected by Holm's procedure.

    Parameters
    ----------
    table, better
        As for :func:`block_ranks`.
    control : str, optional
        Compare with this method only, which leaves k − 1 comparisons to correct for; ``"best"`` is the
        one of the best mean rank (the first of equals). Default: all k(k − 1)/2 pairs.

    Returns
    -------
    pandas.DataFrame
        One row a pair: ``first``, ``second``, ``difference`` of the mean ranks (second − first), ``z`` =
        difference / √(k(k+1)/(6N)), ``p`` (two-sided), ``p_holm``. In the order of the columns; the
        control is ``first``.

    Raises
    ------
    InputError
        As :func:`block_ranks`; also if the control is no column.
    """
    from scipy.stats import norm
    from statsmodels.stats.multitest import multipletests

    ranks = mean_ranks(table, better)
    names = list(table.columns)
    if control == "best":
        control = ranks.idxmin()
    if control is not None and control not in names:
        raise InputError(f"there is no method {control!r}", remedy=f"Choose one of: {', '.join(names)}")
    if control is None:
        pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    else:
        pairs = [(control, name) for name in names if name != control]
    k, n = len(names), len(table)
    error = math.sqrt(k * (k + 1) / (6 * n))
    found = pandas.DataFrame(pairs, columns=["first", "second"])
    found["difference"] = [float(ranks[b] - ranks[a]) for a, b in pairs]
    found["z"] = found["difference"] / error
    found["p"] = 2 * norm.sf(found["z"].abs())
    found["p_holm"] = multipletests(found["p"], method="holm")[1]
    return found
