"""Columns of mean 0 and variance 1."""

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError


def standardised(site: SiteData) -> SiteData:
    """The site with every column centred and divided by its standard deviation, both the site's own.

    This takes away what NOTEARS-type methods tell directions by (see
    :func:`fedbnsl.evaluate.varsortability`): for comparisons, not as a preparation for them.

    Parameters
    ----------
    site : SiteData
        Continuous.

    Raises
    ------
    InputError
        If the data are discrete, or a column is constant.
    """
    if site.is_discrete:
        raise InputError("discrete data have no scale to standardise", where=site.label)
    centred = site.values - site.values.mean(axis=0)
    deviation = np.sqrt((centred**2).mean(axis=0))
    constant = np.flatnonzero(deviation == 0)
    if constant.size:
        raise InputError(
            "a constant column cannot be standardised",
            where=f"{site.label}, column {site.names[constant[0]]!r}",
            remedy="Drop it at every site",
        )
    return SiteData(site.names, centred / deviation, label=site.label)
