"""What private methods share when they are put together: δ of every site, and where its noise comes from."""

from __future__ import annotations

from collections.abc import Sequence

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.privacy.noise import Noise, SecureNoise, SeededNoise
from fedbnsl.seeds import generator


def site_deltas(sites: Sequence[SiteData], delta: float | None) -> list[float]:
    """δ of every site: the given one, or 1/n_p².

    Raises
    ------
    InputError
        If a δ is not below 1/n_p: then publishing a record at random would pass as private.
    """
    deltas = []
    for site in sites:
        own = site.n_rows**-2.0 if delta is None else delta
        if own >= 1 / site.n_rows:
            raise InputError(
                f"delta = {own:g} is not below 1/n = {1 / site.n_rows:g}: such a guarantee would allow to "
                "publish one record in full",
                where=site.label,
                remedy=f"Leave delta out for 1/n² = {site.n_rows**-2.0:g}, or give a smaller one",
            )
        deltas.append(own)
    return deltas


def noise_source(mode: str, seed: int | None, method: str, place: int) -> Noise:
    """The noise of site number ``place``: from the seed, or in secure mode from the operating system."""
    if mode == "secure":
        return SecureNoise()
    return SeededNoise(generator(seed, method, "site", place))
