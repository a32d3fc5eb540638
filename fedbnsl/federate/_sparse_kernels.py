"""Compiled kernels of the sites' lasso problems in Fed-Sparse-BNSL and its Frank–Wolfe variant.

    min_B  ½ tr((I−B)ᵀ Σ (I−B)) + ⟨L, B⟩ + ρ/2 ‖B‖² + λ‖B‖₁

where L = β − ρW holds all that comes from the duals and the consensus. The gradient of all but the last
term is G = Σ(B−I) + L + ρB.

Matrices come transposed, ``bt[j, i]`` = B[i, j]: one coordinate's update changes one column of G, which
is then contiguous. Σ is symmetric.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def soft(x, by):
    """The proximal operator of by·|x|: x moved towards 0 by ``by``."""
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
def gradient(bt, covariance, linear, rho, out):
    """G at B, transposed, into ``out``: a loop over the non-zeros of B."""
    d = bt.shape[0]
    for j in range(d):
        for i in range(d):
            out[j, i] = linear[j, i] + rho * bt[j, i] - covariance[j, i]
        for i in range(d):
            if bt[j, i] != 0.0:
                add_scaled(out[j], bt[j, i], covariance[i])


@njit(cache=True)
def best_of_column(b, g, smoothness, roots, l1, skip):
    """The largest score of a column, and its row: the first of equals; ``skip`` is left out (−1: none).

    Score: √M |prox_{λ/M}(b − g/M) − b|, with M = ``smoothness`` and ``roots`` = √M.
    """
    best, row = -1.0, -1
    for i in range(b.size):
        if i != skip:
            m = smoothness[i]
            score = roots[i] * abs(soft(b[i] - g[i] / m, l1 / m) - b[i])
            if score > best:
                best, row = score, i
    return best, row


@njit(cache=True)
def greedy_descent(bt, gt, covariance, rho, l1, gamma, updates, diagonal):
    """Proximal greedy coordinate descent in place: the coordinate of the largest score, ``updates`` times.

    An update costs O(d): it changes G, and so the scores, in its own column only, and every column keeps
    its largest score. Equal scores: the first in row-major order of B. Ends early where the largest score
    is rounding, 1e-12 of its column's scale. Returns the number of updates done.
    """
    d = bt.shape[0]
    smoothness, roots = np.empty(d), np.empty(d)
    for i in range(d):
        smoothness[i] = covariance[i, i] + rho
        roots[i] = np.sqrt(smoothness[i])
    best, rows = np.empty(d), np.empty(d, np.int64)
    for j in range(d):
        best[j], rows[j] = best_of_column(bt[j], gt[j], smoothness, roots, l1, -1 if diagonal else j)
    for done in range(updates):
        j = 0
        for other in range(1, d):
            if best[other] > best[j] or (best[other] == best[j] and rows[other] < rows[j]):
                j = other
        i = rows[j]
        if best[j] <= 1e-12 * roots[j]:
            return done
        m = smoothness[i]
        change = soft(bt[j, i] - gamma * gt[j, i] / m, gamma * l1 / m) - bt[j, i]
        bt[j, i] += change
        add_scaled(gt[j], change, covariance[i])
        gt[j, i] += rho * change
        best[j], rows[j] = best_of_column(bt[j], gt[j], smoothness, roots, l1, -1 if diagonal else j)
    return updates


@njit(cache=True)
def cyclic_descent(bt, gt, covariance, rho, l1, diagonal, tolerance, sweeps):
    """The minimum, in place: every column is a lasso of its own, solved by cyclic coordinate descent.

    A column ends when no coordinate moves by more than ``tolerance`` · √M_jj / √M_ii, or after ``sweeps``
    sweeps. Returns the largest number of sweeps of a column.
    """
    d = bt.shape[0]
    most = 0
    for j in range(d):
        limit = tolerance * np.sqrt(covariance[j, j] + rho)
        for sweep in range(1, sweeps + 1):
            largest = 0.0
            for i in range(d):
                if i == j and not diagonal:
                    continue
                m = covariance[i, i] + rho
                change = soft(bt[j, i] - gt[j, i] / m, l1 / m) - bt[j, i]
                if change != 0.0:
                    bt[j, i] += change
                    add_scaled(gt[j], change, covariance[i])
                    gt[j, i] += rho * change
                    largest = max(largest, np.sqrt(m) * abs(change))
            most = max(most, sweep)
            if largest <= limit:
                break
    return most


@njit(cache=True)
def frank_wolfe(bt, gt, covariance, linear, rho, l1, radius, updates, diagonal):
    """Frank–Wolfe steps with exact line search, in place; returns the number done.

    Over the set {(B, t): ‖B‖₁ ≤ t ≤ radius} the objective is smooth plus λt. Its vertices are (0, 0) and
    (± radius · one entry, radius); each step goes towards the one of least slope and takes t = ‖B‖₁.
    Equal slopes: the first in row-major order of B.
    """
    d = bt.shape[0]
    for done in range(updates):
        norm, along, largest, row, column = 0.0, 0.0, -1.0, 0, 0
        for j in range(d):
            for i in range(d):
                if diagonal or i != j:
                    norm += abs(bt[j, i])
                    along += gt[j, i] * bt[j, i]
                    size = abs(gt[j, i])
                    if size > largest or (size == largest and i < row):
                        largest, row, column = size, i, j
        # Towards (0, 0), or towards ∓ radius at the coordinate of the steepest slope.
        vertex = 0.0
        slope = -along - l1 * norm
        if largest > l1:
            vertex = -radius if gt[column, row] > 0.0 else radius
            slope += radius * (l1 - largest)
        if slope >= 0.0:
            return done
        # With D = vertex − B: ⟨D, (Σ + ρI) D⟩, from (Σ + ρI) B = G + Σ − L.
        curved = 0.0
        for j in range(d):
            for i in range(d):
                curved += bt[j, i] * (gt[j, i] + covariance[j, i] - linear[j, i])
        m = covariance[row, row] + rho
        curved += vertex * vertex * m
        curved -= 2.0 * vertex * (gt[column, row] + covariance[column, row] - linear[column, row])
        step = 1.0 if curved <= -slope else -slope / curved
        for j in range(d):
            for i in range(d):
                bt[j, i] *= 1.0 - step
                # G − (L − Σ) is linear in B.
                gt[j, i] = (
                    linear[j, i]
                    - covariance[j, i]
                    + (1.0 - step) * (gt[j, i] + covariance[j, i] - linear[j, i])
                )
        if vertex != 0.0:
            bt[column, row] += step * vertex
            add_scaled(gt[column], step * vertex, covariance[row])
            gt[column, row] += step * vertex * rho
    return updates
