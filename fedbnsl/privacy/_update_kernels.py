"""Compiled kernels of the private greedy updates; :mod:`fedbnsl.privacy.greedy` says what they are for.

Matrices come transposed, as for the sites of Fed-Sparse-BNSL: ``bt[j, i]`` = B[i, j]. Rows of ``xs`` are the
columns of the data, each in units of its own grid; ``rt[j]`` is the residual of column j; ``totals[j, i]``
is the sum over records of x_i · r_j, clipped and rounded to the grid: a whole number of units.
``soft`` and ``add_scaled`` stand in :mod:`fedbnsl.federate._sparse_kernels` too: a kernel file imports none
of the package, for numba's cache would not see that one change.
"""

import numpy as np
from numba import njit


@njit(cache=True, fastmath={"reassoc", "nsz"})
def clipped_total(x, r, bound):
    """Σ_k round(clip(x_k r_k, ± bound)): whole numbers below 2⁵³, so exact in any order of addition."""
    total = 0.0
    for k in range(x.size):
        total += np.rint(min(max(x[k] * r[k], -bound), bound))
    return total


@njit(cache=True)
def column_totals(xs, r, bounds, per_record, skip, out):
    """The totals of one residual with every column but ``skip``, into ``out``.

    Without ``per_record`` the sum is clipped instead of its terms (for comparison: that is not private).
    """
    n = xs.shape[1]
    for i in range(xs.shape[0]):
        if i == skip:
            out[i] = 0.0
        elif per_record:
            out[i] = clipped_total(xs[i], r, bounds[i])
        else:
            out[i] = min(max(clipped_total(xs[i], r, 1e300), -n * bounds[i]), n * bounds[i])


@njit(cache=True)
def soft(x, by):
    """The proximal operator of by·|x|."""
    if x > by:
        return x - by
    if x < -by:
        return x + by
    return 0.0


@njit(cache=True)
def add_scaled(row, factor, other):
    """row += factor · other."""
    for k in range(row.size):
        row[k] += factor * other[k]


@njit(cache=True)
def column_scores(b, totals, linear, rho, l1, smoothness, steps, unit, multiplier, skip, out):
    """Scores √M |prox_{λ/M}(b − g/M) − b| / ``unit`` of one column, into ``out``; −∞ at ``skip``.

    g = totals · steps + linear + ρ b, where ``steps`` are grid units over n. Returns what :func:`draw`
    needs: the largest score / multiplier, and Σ exp(score / multiplier − largest).
    """
    top = -np.inf
    for i in range(b.size):
        if i == skip:
            out[i] = -np.inf
        else:
            m = smoothness[i]
            g = totals[i] * steps[i] + linear[i] + rho * b[i]
            out[i] = np.sqrt(m) * abs(soft(b[i] - g / m, l1 / m) - b[i]) / unit
            top = max(top, out[i])
    total = 0.0
    for i in range(b.size):
        if i != skip:
            total += np.exp((out[i] - top) / multiplier)
    return top / multiplier, total


@njit(cache=True)
def draw(scores, tops, sums, multiplier, first, second):
    """A place ∝ exp(scores / multiplier), by two uniform numbers: its row, then its place in the row."""
    highest = tops.max()
    total = 0.0
    for j in range(tops.size):
        total += sums[j] * np.exp(tops[j] - highest)
    left = first * total
    row = -1
    for j in range(tops.size):
        weight = sums[j] * np.exp(tops[j] - highest)
        if weight > 0.0:
            row = j
            left -= weight
            if left < 0.0:
                break
    left = second * sums[row]
    place = -1
    for i in range(scores.shape[1]):
        weight = np.exp(scores[row, i] / multiplier - tops[row])
        if weight > 0.0:
            place = i
            left -= weight
            if left < 0.0:
                break
    return row, place
