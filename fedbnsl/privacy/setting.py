"""What private methods share when they are put together: δ and μ of every site, and its source of noise."""

from __future__ import annotations

from collections.abc import Sequence

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.privacy.accountant import gdp_budget
from fedbnsl.privacy.exact_sums import ROUNDING_SHARE
from fedbnsl.privacy.noise import Noise, SecureNoise, SeededNoise
from fedbnsl.privacy.statement import LARGEST_SHARE, check_promise
from fedbnsl.seeds import generator


def needs_two_variables(sites: Sequence[SiteData], method: str) -> int:
    """Number of variables; InputError if there is only one."""
    d = len(sites[0].names)
    if d < 2:
        raise InputError(f"{method} needs two variables or more: there is no edge to learn")
    return d


def site_deltas(sites: Sequence[SiteData], epsilon: float, delta: float | None, mode: str) -> list[float]:
    """δ of every site: the given one, or 1/n_p².

    Raises
    ------
    InputError
        If a site has no rows, or a δ is not below 1/n_p: then publishing a record at random would pass as
        private. In secure mode also if ε or δ promises too little (:mod:`fedbnsl.privacy.statement` has the
        limits), or two sites have the same label and so the same account.
    """
    secure = mode == "secure"
    check_promise({"mode": mode, "epsilon": epsilon, "delta": delta})
    labels = [site.label for site in sites]
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if secure and twice:
        raise InputError(
            f"{labels.count(twice[0])} sites are called {twice[0]!r}: their accounts cannot be told apart",
            remedy="Give every site a label of its own",
        )
    deltas = []
    for site in sites:
        if not site.n_rows:
            raise InputError("it has no rows", where=site.label, remedy="Leave the site out")
        own = site.n_rows**-2.0 if delta is None else delta
        largest = LARGEST_SHARE / site.n_rows
        if secure and own > largest * (1 + 1e-9):
            raise InputError(
                f"delta = {own:.3g} is above {LARGEST_SHARE:g}/n = {largest:.3g}: too likely to lay a record "
                "open to be called private",
                where=site.label,
                remedy=f"Give delta, {largest:.3g} or less",
            )
        if own >= 1 / site.n_rows:
            raise InputError(
                f"delta = {own:g} is not below 1/n = {1 / site.n_rows:g}: such a guarantee would allow to "
                "publish one record in full",
                where=site.label,
                remedy="Give a smaller delta"
                if delta is None
                else f"Leave delta out for 1/n² = {site.n_rows**-2.0:g}, or give a smaller one",
            )
        deltas.append(own)
    return deltas


def site_budgets(epsilon: float, deltas: Sequence[float], mode: str) -> list[float]:
    """μ that (ε, δ) buy every site; in secure mode for a δ that leaves room for the rounding of the noise."""
    share = 1 - ROUNDING_SHARE if mode == "secure" else 1.0
    return [gdp_budget(epsilon, share * own) for own in deltas]


def noise_source(mode: str, seed: int | None, method: str, place: int) -> Noise:
    """The noise of site number ``place``: from the seed, or in secure mode from the operating system."""
    if mode == "secure":
        return SecureNoise()
    return SeededNoise(generator(seed, method, "site", place))
