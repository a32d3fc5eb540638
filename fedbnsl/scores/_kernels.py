"""Compiled kernels of the discrete scores."""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def split(ids, n_groups, column, card):
    """Split groups of rows by the values of one more column.

    ``ids`` (n,) int64 holds each row's group in 0 … n_groups − 1 and is overwritten; returns the new
    number of groups. Groups are numbered by their first row. Only groups that occur get a number, so
    the table stays at n_groups · card ≤ n · card entries however many columns were combined.
    """
    table = np.full(n_groups * card, -1, np.int64)
    found = 0
    for row in range(ids.shape[0]):
        key = ids[row] * card + column[row]
        if table[key] < 0:
            table[key] = found
            found += 1
        ids[row] = table[key]
    return found


@njit(cache=True)
def log_rising(counts, log_alpha):
    """Σ over counts N > 0 of log Γ(N + α) − log Γ(α), given log α.

    Written as log α + log Γ(N + α) − log Γ(1 + α), which stays exact when α underflows, as it does
    under a product of many cardinalities.
    """
    alpha = math.exp(log_alpha)
    base = log_alpha - math.lgamma(1.0 + alpha)
    total = 0.0
    for k in range(counts.shape[0]):
        if counts[k] > 0:
            total += base + math.lgamma(counts[k] + alpha)
    return total
