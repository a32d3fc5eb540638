"""The acyclicity function h(W) = tr e^{W∘W} − d, and minimising a quadratic under its penalty."""

from typing import NamedTuple

import numpy as np

from fedbnsl.learn import _acyclicity_kernels as kernels


def acyclicity(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """h(W) and its gradient (Zheng et al. 2018, theorem 1 and equation 8).

    Parameters
    ----------
    weights : ndarray, shape (d, d)

    Returns
    -------
    h : float
        tr e^{W∘W} − d: 0 exactly if W has no directed cycle, else positive; +inf if the exponential
        overflows.
    gradient : ndarray, shape (d, d)
        2 (e^{W∘W})ᵀ ∘ W; all +inf on overflow, never NaN.
    """
    w = np.ascontiguousarray(weights, dtype=np.float64)
    exponential = np.empty_like(w)
    if not kernels.expm_minus_identity(w, exponential, np.empty((5, *w.shape))):
        return np.inf, np.full_like(w, np.inf)
    h = float(np.trace(exponential))
    return h, 2.0 * (exponential.T + np.eye(len(w))) * w


class Minimum(NamedTuple):
    """What :func:`minimise_penalised` found.

    Attributes
    ----------
    weights : ndarray, shape (d, d)
    h : float
        h at ``weights``.
    iterations, evaluations : int
        Steps taken, and how often the objective was computed.
    """

    weights: np.ndarray
    h: float
    iterations: int
    evaluations: int


def minimise_penalised(
    start: np.ndarray,
    target: np.ndarray,
    quadratic: np.ndarray,
    *,
    alpha: float,
    rho: float,
    l1: float,
    diagonal: bool = False,
    f_tolerance: float = 1e-9,
    g_tolerance: float = 1e-6,
    iterations: int = 1000,
) -> Minimum:
    """A local minimum of ½ tr((W−V)ᵀ Q (W−V)) + α h(W) + ρ/2 h(W)² + λ‖W‖₁.

    One problem for all: with Q = Σ and V = I it is the inner problem of NOTEARS, with Q = Pρ₂·I the
    global step of the federated methods.

    Parameters
    ----------
    start : ndarray, shape (d, d)
        Where to begin. The problem is not convex: another start may end in another minimum.
    target, quadratic : ndarray, shape (d, d)
        V and Q; Q symmetric, positive semidefinite, with a positive diagonal.
    alpha, rho, l1 : float
        α, ρ, λ ≥ 0.
    diagonal : bool
        Whether W may have a diagonal; False keeps it 0.
    f_tolerance, g_tolerance, iterations : float, float, int
        Stop when a memoryless step lowers the objective by at most ``f_tolerance`` relative to
        max(|objective|, 1), when no slope is above ``g_tolerance``, or after this many iterations.

    Returns
    -------
    Minimum

    Notes
    -----
    The ℓ1 term is treated exactly, orthant by orthant, which is the same as splitting W = W⁺ − W⁻ with
    both parts ≥ 0: zeros come out as exact zeros.
    """
    free = np.full(start.shape, True)
    if not diagonal:
        np.fill_diagonal(free, False)
    arrays = (np.ascontiguousarray(array, dtype=np.float64) for array in (start, target, quadratic))
    return Minimum(
        *kernels.minimise(
            *arrays, float(alpha), float(rho), float(l1), free, f_tolerance, g_tolerance, iterations
        )
    )


def minimise_consensus(
    start: np.ndarray,
    target: np.ndarray,
    curvature: float,
    *,
    alpha: float,
    rho: float,
    f_tolerance: float = 1e-9,
    g_tolerance: float = 1e-6,
    iterations: int = 1000,
) -> Minimum:
    """A local minimum of c/2 ‖W − V‖² + α h(W) + ρ/2 h(W)² for a sparse V: many zeros, few cycles.

    The same as :func:`minimise_penalised` with Q = cI, λ = 0 and a diagonal, but searched only where W
    can differ from V: h depends on the edges on directed cycles alone, so W = V elsewhere, and an
    entry that is 0 in V is 0 in W.

    Parameters
    ----------
    start : ndarray, shape (d, d)
        Where to begin; entries that are 0 in V count as 0.
    target : ndarray, shape (d, d)
        V.
    curvature : float
        c > 0.
    alpha, rho : float
        α, ρ ≥ 0.
    f_tolerance, g_tolerance, iterations : float, float, int
        As in :func:`minimise_penalised`.

    Returns
    -------
    Minimum
    """
    arrays = (np.ascontiguousarray(array, dtype=np.float64) for array in (start, target))
    return Minimum(
        *kernels.minimise_on_cycles(
            *arrays, float(curvature), float(alpha), float(rho), f_tolerance, g_tolerance, iterations
        )
    )
