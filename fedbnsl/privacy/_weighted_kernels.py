"""Compiled kernel of the server's lasso with a penalty for every entry.

    min_B  ½ tr(Bᵀ S B) − tr(Bᵀ Q) + ⟨L, B⟩ + ρ/2 ‖B‖² + Σ λ_ij |B_ij|

The gradient of all but the last term is G = SB − Q + L + ρB. Matrices come transposed, ``bt[j, i]`` =
B[i, j]; S is symmetric.
"""

import numpy as np
from numba import njit


@njit(cache=True)
def weighted_descent(bt, gt, covariance, rho, penalties, tolerance, sweeps):
    """The minimum, in place: every column is a lasso of its own, solved by cyclic coordinate descent.

    ``penalties``: λ, transposed; entries with λ = ∞ are held at 0 and must be so at the start. A column ends
    when no coordinate moves by more than ``tolerance`` · √M_jj / √M_ii with M = S + ρ, or after ``sweeps``
    sweeps. Returns the largest number of sweeps of a column.
    """
    d = bt.shape[0]
    most = 0
    for j in range(d):
        limit = tolerance * np.sqrt(covariance[j, j] + rho)
        for sweep in range(1, sweeps + 1):
            largest = 0.0
            for i in range(d):
                by = penalties[j, i]
                if by == np.inf:
                    continue
                m = covariance[i, i] + rho
                x = bt[j, i] * m - gt[j, i]
                size = abs(x) - by
                new = 0.0
                if size > 0.0:
                    new = size / m if x > 0.0 else -size / m
                change = new - bt[j, i]
                if change != 0.0:
                    bt[j, i] = new
                    for k in range(d):
                        gt[j, k] += change * covariance[i, k]
                    gt[j, i] += change * rho
                    largest = max(largest, np.sqrt(m) * abs(change))
            most = max(most, sweep)
            if largest <= limit:
                break
    return most
