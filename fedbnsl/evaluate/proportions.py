"""Is a connection found more often in one group than in another? Many such questions at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fedbnsl.errors import InputError


def proportion_test(first: int, second: int, runs: int) -> float:
    """One-sided p value of the two-sample proportion test: is the first share the larger one?

    z = (a − b) / √(2 p (1 − p) / n) with the shares a, b of n runs each and their mean p, without a
    correction for continuity.

    Parameters
    ----------
    first, second : int
        In how many of the runs of each group something was found.
    runs : int
        Runs of each group, n.

    Returns
    -------
    float
        1 − Φ(z); 0.5 where both shares are 0 or both are 1, which tells nothing.

    Raises
    ------
    InputError
        If a count does not lie between 0 and ``runs``.
    """
    if runs < 1 or not (0 <= first <= runs and 0 <= second <= runs):
        raise InputError(
            f"{first} and {second} must be counts out of {runs} runs, of which there are 1 or more"
        )
    mean = (first + second) / (2 * runs)
    spread = math.sqrt(2 * mean * (1 - mean) / runs)
    if not spread:
        return 0.5
    z = (first - second) / runs / spread
    return 0.5 * math.erfc(z / math.sqrt(2))


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Adjusted p values that hold the chance of any false finding (Holm 1979).

    Parameters
    ----------
    p_values : sequence of float
        Of m tests.

    Returns
    -------
    ndarray, shape (m,)
        In the given order, at most 1.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> np.ndarray:
    """Adjusted p values that hold the expected share of false findings (Benjamini and Hochberg 1995).

    Parameters
    ----------
    p_values : sequence of float
        Of m tests.

    Returns
    -------
    ndarray, shape (m,)
        In the given order, at most 1.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")[::-1]
    stepped = np.minimum.accumulate(p[order] * (len(p) / np.arange(len(p), 0, -1)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
