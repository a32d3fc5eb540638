"""Splitting one table into sites: equal, of unequal size, or not identically distributed."""

import numbers
from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.seeds import generator

#: The ways to split, and which options each of them reads.
PARTITIONS = {
    "equal": (),
    "unequal": ("shares", "alpha", "minimum"),
    "dirichlet": ("variable", "alpha", "bins", "minimum"),
}
_ATTEMPTS = 1000
_MOST = {"sites": 10**6, "bins": 10**5, "minimum": 10**9}
# Far beyond, the draws of a Dirichlet distribution overflow; long before, they are as good as equal
# (large) or one site takes all (small).
_ALPHA = (1e-6, 1e6)
_LARGEST_SHARE = 1e100  # sums of more overflow


def partition(
    site: SiteData,
    sites: int,
    how: str = "equal",
    *,
    seed: int = 1,
    shares: Sequence[float] | None = None,
    variable: str | None = None,
    alpha: float | None = None,
    bins: int | None = None,
    minimum: int | None = None,
) -> list[SiteData]:
    """Split a table into sites; every row goes to exactly one site.

    Parameters
    ----------
    site : SiteData
        The table.
    sites : int
        Number of sites K.
    how : str
        ``equal``: sizes differ by one at most. ``unequal``: rows at random, sizes as ``shares`` or
        drawn from a Dirichlet distribution. ``dirichlet``: for every state of ``variable``, its rows
        are spread over the sites in proportions drawn from a Dirichlet distribution, so sites differ
        in the distribution of that variable and in size.
    seed : int
        Rows are put in random order first, whatever the way.
    shares : sequence of K positive numbers, optional
        ``unequal``: the sizes, up to a common factor.
    variable : str
        ``dirichlet``: the variable. One without states is cut into ``bins`` intervals of equal
        counts.
    alpha : float, optional
        Concentration, from 1e-6 to 1e6: the smaller, the more sites differ. Default: 0.5 for
        ``dirichlet``; 1 for ``unequal``, where all size vectors are equally likely.
    bins : int, optional
        ``dirichlet`` on a continuous variable; 100 000 at most. Default: 10.
    minimum : int, optional
        Rows that every site gets at least. Default: 1. ``dirichlet`` draws anew until it holds.

    Returns
    -------
    list of SiteData
        ``site_0001``, ``site_0002``, …

    Raises
    ------
    InputError
        On an unknown way, an option that the way does not read or a bad value, and if there are not
        enough rows.
    """
    options = {"shares": shares, "variable": variable, "alpha": alpha, "bins": bins, "minimum": minimum}
    given = {key: value for key, value in options.items() if value is not None}
    _check(site, sites, how, given)
    least = 1 if minimum is None else minimum
    rng = generator(seed, "partition", how, sites)
    order = rng.permutation(site.n_rows)
    if how == "dirichlet":
        groups = _groups(site, variable, 10 if bins is None else bins)[order]
        owner = _dirichlet_owners(groups, sites, 0.5 if alpha is None else alpha, least, rng)
    else:
        if how == "equal":
            sizes = _apportion(site.n_rows, np.ones(sites))
        elif shares is not None:
            sizes = _apportion(site.n_rows, np.asarray(shares, dtype=float))
            if sizes.min() < least:
                raise InputError(
                    f"the shares leave a site with {sizes.min()} of {site.n_rows} rows, "
                    f"fewer than the minimum of {least}"
                )
        else:
            drawn = rng.dirichlet(np.full(sites, 1.0 if alpha is None else alpha))
            sizes = least + _apportion(site.n_rows - least * sites, drawn)
        owner = np.repeat(np.arange(sites), sizes)
    return [site.rows(order[owner == k], f"site_{k + 1:04d}") for k in range(sites)]


def check_options(options: dict, where: str | None = None) -> None:
    """Check what can be checked without the table: ``sites`` and the options of :func:`partition`.

    Raises
    ------
    InputError
        On a value of another type or out of range, a number of shares other than that of the sites,
        or both ``shares`` and ``alpha``.
    """
    for key, most in _MOST.items():
        if key in options:
            value = options[key]
            if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not 1 <= value <= most:
                raise InputError(f"{key} must be a whole number from 1 to {most}, not {value!r}", where=where)
    alpha = options.get("alpha", 1.0)
    if not isinstance(alpha, numbers.Real) or isinstance(alpha, bool) or not _ALPHA[0] <= alpha <= _ALPHA[1]:
        raise InputError(f"alpha must be from {_ALPHA[0]:g} to {_ALPHA[1]:g}, not {alpha!r}", where=where)
    if "shares" in options:
        shares = list(options["shares"])
        if "alpha" in options:
            raise InputError("give either shares or alpha, not both", where=where)
        if len(shares) != options["sites"] or not all(0 < share < _LARGEST_SHARE for share in shares):
            raise InputError(f"shares must be {options['sites']} positive numbers, not {shares}", where=where)


def _check(site: SiteData, sites: int, how: str, given: dict) -> None:
    if how not in PARTITIONS:
        raise InputError(f"there is no partition {how!r}", remedy=f"Choose one of: {', '.join(PARTITIONS)}")
    for key in given:
        if key not in PARTITIONS[how]:
            reads = ", ".join(PARTITIONS[how]) or "none"
            raise InputError(f"the partition {how!r} has no option {key!r}", remedy=f"Its options: {reads}")
    check_options({"sites": sites, **given})
    least = given.get("minimum", 1)
    if site.n_rows < sites * least:
        raise InputError(
            f"{site.n_rows} rows cannot be split into {sites} sites of {least} or more rows",
            where=site.label,
            remedy="Ask for fewer sites or a smaller minimum",
        )
    if how == "dirichlet":
        if "variable" not in given:
            raise InputError("the partition 'dirichlet' needs the option variable")
        if given["variable"] not in site.names:
            raise InputError(
                f"there is no variable {given['variable']!r}",
                where=site.label,
                remedy=f"The variables are {', '.join(site.names)}",
            )
        if "bins" in given and site.is_discrete:
            raise InputError("bins is for continuous variables; a discrete one is split by its states")


def _apportion(total: int, weights: np.ndarray) -> np.ndarray:
    """Whole numbers that sum to ``total``, in proportion to ``weights``: largest remainders."""
    exact = total * weights / weights.sum()
    sizes = np.floor(exact).astype(np.int64)
    first = np.argsort(sizes - exact, kind="stable")[: total - sizes.sum()]
    sizes[first] += 1
    return sizes


def _groups(site: SiteData, variable: str, bins: int) -> np.ndarray:
    column = site.values[:, site.names.index(variable)]
    if site.is_discrete:
        return column.astype(np.int64)
    # Equal values stay in one interval, so ties may leave fewer than `bins` of them.
    inner = np.quantile(column, np.arange(1, bins) / bins)
    return np.searchsorted(inner, column, side="right")


def _dirichlet_owners(groups, sites: int, alpha: float, minimum: int, rng) -> np.ndarray:
    for _ in range(_ATTEMPTS):
        owner = np.empty(len(groups), dtype=np.int64)
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            sizes = _apportion(len(rows), rng.dirichlet(np.full(sites, alpha)))
            owner[rows] = np.repeat(np.arange(sites), sizes)
        if np.bincount(owner, minlength=sites).min() >= minimum:
            return owner
    raise InputError(
        f"{_ATTEMPTS} draws with alpha = {alpha} all left some of the {sites} sites with fewer than "
        f"{minimum} row(s)",
        remedy="Raise alpha, ask for fewer sites, or lower the minimum",
    )
