"""The server's own problem: Fed-Sparse-BNSL on one noisy second moment, a penalty for every entry."""

from __future__ import annotations

import numpy as np

from fedbnsl.federate.fed_sparse import growing_penalties
from fedbnsl.learn.acyclicity import minimise_consensus
from fedbnsl.privacy import _weighted_kernels as kernels

#: More rounds let the directions settle: they cost nothing but time, for the sites take no part.
ROUNDS = 200
_RHO1, _RHO1_LAST, _RHO2 = 0.1, 1e8, 1.0
_TOLERANCE, _SWEEPS, _STEP = 1e-6, 200, 1e-3


def sparse_weights(
    covariance: np.ndarray, cross: np.ndarray, penalties: np.ndarray, rounds: int = ROUNDS
) -> np.ndarray:
    """min ½ tr(Bᵀ S B) − tr(Bᵀ Q) + Σ λ_ij |B_ij|, B = W, h(W) = 0, by the rounds of Fed-Sparse-BNSL.

    Post-processing: everything given is public.

    Parameters
    ----------
    covariance : ndarray, shape (d, d)
        S, positive semidefinite.
    cross : ndarray, shape (d, d)
        Q; S itself for the usual loss.
    penalties : ndarray, shape (d, d)
        λ; an infinite one bars its entry. The diagonal must be infinite.
    rounds : int
        The penalty ρ₁ on cycles grows from 0.1 to 1e8 in them.

    Returns
    -------
    ndarray, shape (d, d)
        W of the last round.
    """
    schedule = growing_penalties(_RHO1, _RHO1_LAST, _RHO2, rounds)
    covariance = np.ascontiguousarray(covariance)
    lasso = np.ascontiguousarray(penalties.T)
    local, dual, consensus = (np.zeros_like(covariance) for _ in range(3))  # all transposed
    alpha = 0.0
    for round in range(rounds):
        rho1, rho2 = schedule.at(round)
        gradient = local @ covariance - cross.T + dual - rho2 * consensus + rho2 * local
        kernels.weighted_descent(local, gradient, covariance, rho2, lasso, _TOLERANCE, _SWEEPS)
        found = minimise_consensus(
            consensus.T, (local + dual / rho2).T, rho2, alpha=alpha, rho=rho1, f_tolerance=_STEP
        )
        consensus = np.ascontiguousarray(found.weights.T)
        alpha += rho1 * found.h
        dual += rho2 * (local - consensus)
    return consensus.T.copy()
