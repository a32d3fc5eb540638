"""Linear regression of a variable on its parents, the family of a linear Gaussian network."""

from typing import NamedTuple

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError

# A residual below this share of the terms it is the difference of is rounding, not noise.
_EXACT = 1e-12


class Regression(NamedTuple):
    """x = intercept + coefficients · parents + noise of the given variance (RSS / n)."""

    intercept: float
    coefficients: np.ndarray
    variance: float


def continuous_values(site: SiteData) -> np.ndarray:
    """The site's numbers, shape (n, d).

    Raises
    ------
    InputError
        If the site is discrete.
    """
    if site.is_discrete:
        raise InputError(
            "this score needs continuous data, but the site is discrete",
            where=site.label,
            remedy="Use BDeu or the discrete BIC",
        )
    return site.values


def regress(values: np.ndarray, child: int, parents, site: SiteData) -> Regression:
    """Least squares with an intercept.

    Parameters
    ----------
    values : ndarray, shape (n, d)
    child : int
    parents : sequence of int
    site : SiteData
        Names the columns in errors.

    Raises
    ------
    InputError
        If the residual is zero, so that its density is infinite.
    """
    means = values.mean(axis=0)
    x = values[:, parents] - means[parents]
    scale = np.sqrt((x**2).sum(axis=0))
    scale[scale == 0] = 1.0
    # Columns of one length: otherwise a column in small units counts as collinear.
    coefficients = np.linalg.lstsq(x / scale, values[:, child] - means[child], rcond=None)[0] / scale
    intercept = float(means[child] - means[parents] @ coefficients)
    variance = float(np.mean((values[:, child] - intercept - values[:, parents] @ coefficients) ** 2))
    magnitude = np.sqrt(np.mean(values**2, axis=0))
    terms = magnitude[child] + magnitude[parents] @ np.abs(coefficients)
    if np.sqrt(variance) <= _EXACT * terms:
        given = ", ".join(site.names[p] for p in parents)
        raise InputError(
            f"the column is an exact linear function of {given}" if given else "the column is constant",
            where=f"{site.label}, column {site.names[child]!r}",
            remedy="Leave it out, or use fewer parents or more rows",
        )
    return Regression(intercept, coefficients, variance)
