"""What linear-Gaussian learners need of a site: its covariance and its number of rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedbnsl.data.site_data import SiteData, checked_site
from fedbnsl.errors import InputError


class SufficientStatistics(NamedTuple):
    """Sufficient statistics of one site for linear-Gaussian models.

    Attributes
    ----------
    covariance : ndarray, shape (d, d)
        Σ = XᵀX / n with every column centred at this site.
    rows : int
        n.
    """

    covariance: np.ndarray
    rows: int


def sufficient_statistics(site: SiteData) -> SufficientStatistics:
    """Covariance (divisor n, columns centred with this site's own means) and number of rows.

    Raises
    ------
    InputError
        See :func:`check_continuous`; or if a column's variance is too large or small for a float.
    """
    check_continuous(site)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        centred = site.values - site.values.mean(axis=0)
        covariance = centred.T @ centred / site.n_rows
    # Covariances are no larger than the larger of two variances: the diagonal tells.
    variances = np.diagonal(covariance)
    bad = np.flatnonzero(~(np.isfinite(variances) & (variances > 0)))
    if bad.size:
        column = bad[0]
        raise InputError(
            f"the variance is not a positive finite number: values from {site.values[:, column].min():g} to "
            f"{site.values[:, column].max():g} are too large, or too close together",
            where=f"{site.label}, column {site.names[column]!r}",
            remedy="Rescale the data, all columns alike",
        )
    return SufficientStatistics((covariance + covariance.T) / 2, site.n_rows)


def site_covariances(sites: Sequence[SiteData], site_weights: str) -> list[np.ndarray]:
    """v_p Σ_p of every site: the quadratic term of its part in a common loss.

    Parameters
    ----------
    sites : sequence of SiteData
    site_weights : {"equal", "rows"}
        v_p = 1, or P n_p / Σ n, which counts every row alike.

    Returns
    -------
    list of ndarray, each (d, d)

    Raises
    ------
    InputError
        As :func:`sufficient_statistics`.
    """
    statistics = [sufficient_statistics(site) for site in sites]
    total = sum(part.rows for part in statistics)
    shares = [len(sites) * part.rows / total if site_weights == "rows" else 1.0 for part in statistics]
    return [share * part.covariance for share, part in zip(shares, statistics, strict=True)]


def check_continuous(site: SiteData, look: bool = True) -> None:
    """Raise InputError unless the site has continuous data, two rows or more, and no constant column.

    Parameters
    ----------
    site : SiteData
    look : bool
        Whether to look at the values. Not where the values are secret: that there is a constant column
        already tells something about every record.
    """
    if checked_site(site).is_discrete:
        raise InputError(
            "the data are discrete, but this method needs continuous numbers",
            where=site.label,
            remedy="Use a method for discrete data, or read the site without declared states",
        )
    if not site.names:
        raise InputError("the table has no columns", where=site.label)
    if site.n_rows < 2:
        raise InputError(
            f"there is too little to learn from: {site.n_rows} row(s)",
            where=site.label,
            remedy="Give the site at least 2 rows or leave it out",
        )
    if not look:
        return
    constant = np.flatnonzero((site.values == site.values[0]).all(axis=0))
    if constant.size:
        others = f" (and {constant.size - 1} more columns)" if constant.size > 1 else ""
        raise InputError(
            f"all {site.n_rows} rows have the value {site.values[0, constant[0]]:g}{others}",
            where=f"{site.label}, column {site.names[constant[0]]!r}",
            remedy="A constant column says nothing about edges: drop it at every site",
        )
