"""The penalties of NOTEARS-PFL and their proximal operators, for K matrices at once.

    λ₁ Σ_k ‖Z_k‖₁ + λ₂ P(Z),  Z of shape (K, d, d)

``none``       P = 0: every site on its own
``group``      P = Σ_ij (Σ_k Z_kij²)^½: the sites share edges, weights differ
``fused``      P = Σ_ij Σ_{k<l} |Z_kij − Z_lij|: the sites share weights, edge by edge
``chain``      P = Σ_k ‖Z_{k+1} − Z_k‖_F: neighbouring sites are alike as a whole (NOTEARS-PFL, equation
               10); depends on the order of the sites
``consensus``  P = 0 where all Z_k are equal, +∞ elsewhere: one network for all

``group`` is a sparse group lasso (Simon et al. 2013), ``fused`` the fused lasso over all pairs of sites.
"""

from __future__ import annotations

import numpy as np

from fedbnsl.federate import _pfl_kernels as kernels

KINDS = {"none": kernels.NONE, "group": kernels.GROUP, "fused": kernels.FUSED, "chain": kernels.CHAIN}
CHAIN_GAP = 1e-10  # duality gap, relative to ‖U‖², at which the prox of the chain stops


def penalty_value(z: np.ndarray, kind: str, l1: float, l2: float, smooth: float = 0.0) -> float:
    """λ₁ Σ‖Z_k‖₁ + λ₂ P(Z).

    Parameters
    ----------
    z : ndarray, shape (K, d, d)
    kind : str
        ``none``, ``group``, ``fused`` or ``chain``.
    l1, l2 : float
    smooth : float
        ε: the chain's ‖·‖_F counts as (‖·‖_F² + ε²)^½ − ε.
    """
    value = l1 * np.abs(z).sum()
    if kind == "group":
        value += l2 * np.sqrt((z**2).sum(axis=0)).sum()
    elif kind == "fused":
        # Sorted, the largest counts K − 1 times, the smallest −(K − 1) times. Zeros add nothing.
        some = (z != 0).any(axis=0)
        ranks = 2 * np.arange(len(z)) - len(z) + 1
        value += l2 * (ranks @ np.sort(z[:, some], axis=0)).sum()
    elif kind == "chain":
        value += l2 * (np.sqrt(_steps(z) ** 2 + smooth**2) - smooth).sum()
    return float(value)


def prox(u: np.ndarray, kind: str, l1: float, l2: float) -> np.ndarray:
    """argmin_Z ½ Σ_k ‖Z_k − U_k‖² + λ₁ Σ_k ‖Z_k‖₁ + λ₂ P(Z).

    Parameters
    ----------
    u : ndarray, shape (K, d, d)
    kind : str
        ``none``, ``group``, ``fused``, ``chain`` or ``consensus``.
    l1, l2 : float
        λ₁, λ₂ ≥ 0, already divided by the curvature C of a proximal step.

    Returns
    -------
    ndarray, shape (K, d, d)
        Exact for all but ``chain``, which is exact to a duality gap of 1e-10 ‖U‖².
    """
    if kind == "chain":
        return prox_chain(u, l1, l2)
    if kind == "consensus":
        return np.broadcast_to(soft(u.mean(axis=0), l1), u.shape).copy()
    if kind == "none":
        return soft(u, l1)
    flat = np.ascontiguousarray(u).reshape(len(u), -1)
    out = np.empty_like(flat)
    of_columns = {"group": kernels.prox_group, "fused": kernels.prox_fused}[kind]
    of_columns(flat, float(l1), float(l2), out)
    return out.reshape(u.shape)


def prox_chain(u: np.ndarray, l1: float, l2: float, iterations: int = 5000) -> np.ndarray:
    """The prox of ``chain``, through its dual.

    With Y_e for the step from site e to e + 1, ‖Y_e‖_F ≤ λ₂, the inner minimum is
    Z = soft(U − DᵀY, λ₁), and the dual is maximised by accelerated projected gradient steps of 1/4.
    Soft-thresholding the prox without ℓ1, which is right for absolute values, is not for norms.
    """
    if len(u) == 1 or l2 == 0:
        return soft(u, l1)
    flat = u.reshape(len(u), -1)
    dual = np.zeros((len(u) - 1, flat.shape[1]))
    ahead, momentum = dual, 1.0
    small = CHAIN_GAP * max((flat**2).sum(), np.finfo(float).tiny)
    for _ in range(iterations):
        differences = np.diff(_primal(flat, ahead, l1), axis=0)
        stepped = ahead + differences / 4
        lengths = np.sqrt((stepped**2).sum(axis=1, keepdims=True))
        new = stepped * np.minimum(1.0, l2 / np.maximum(lengths, np.finfo(float).tiny))
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        if ((new - dual) * (ahead - new)).sum() > 0:  # went too far: start the acceleration anew
            following = momentum = 1.0
        ahead = new + (momentum - 1) / following * (new - dual)
        dual, momentum = new, following
        z = _primal(flat, dual, l1)
        differences = np.diff(z, axis=0)
        if l2 * np.sqrt((differences**2).sum(axis=1)).sum() - (dual * differences).sum() <= small:
            break
    return z.reshape(u.shape)


def soft(u: np.ndarray, threshold: float) -> np.ndarray:
    """Every entry moved towards 0 by ``threshold``, not past it."""
    return np.sign(u) * np.maximum(np.abs(u) - threshold, 0.0)


def coupling(z: np.ndarray, l2: float, smooth: float) -> np.ndarray:
    """λ₂ / (‖Z_{k+1} − Z_k‖_F² + ε²)^½, shape (K − 1,): the quadratic that bounds the chain from above."""
    return l2 / np.sqrt(_steps(z) ** 2 + smooth**2)


def _steps(z):
    return np.sqrt((np.diff(z, axis=0) ** 2).sum(axis=(1, 2)))


def _primal(flat, dual, l1):
    moved = flat.copy()
    moved[:-1] += dual
    moved[1:] -= dual
    return soft(moved, l1)
