"""Fed-BNSL-FW: Fed-Sparse-BNSL with Frank–Wolfe steps at the sites (appendix C.1 of arXiv 2512.01708).

The paper names the solver and no more. Here the lasso problem F(B) = f(B) + λ‖B‖₁ is taken as that of
minimising f(B) + λt over ‖B‖₁ ≤ t ≤ τ, on which Frank–Wolfe steps (Jaggi 2013) with exact line search
lower F and tend to its minimum. τ = (F(B₀) + ‖β‖²/2ρ₂)/λ at the first B₀ of a round, a bound on the norm of
every B that is no worse than B₀, because f ≥ −‖β‖²/2ρ₂.

Slopes are compared on the raw scale, without the smoothness constants that Fed-Sparse-BNSL divides by,
and an entry once set can shrink but hardly become 0 again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.federate import _sparse_kernels as kernels
from fedbnsl.federate.admm import Penalties
from fedbnsl.federate.fed_sparse import FedSparseServer, LassoSite, growing_penalties
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.learn.sufficient import site_covariances


class FrankWolfeSite(LassoSite):
    """A site of Fed-BNSL-FW.

    Parameters
    ----------
    covariance, penalties, l1, diagonal
        As :class:`fedbnsl.federate.fed_sparse.LassoSite`; λ > 0.
    updates : int
        Frank–Wolfe steps a round.
    """

    def __init__(self, covariance: np.ndarray, penalties: Penalties, l1: float, diagonal: bool, updates: int):
        super().__init__(covariance, penalties, l1, diagonal)
        self.updates = updates

    def improve(self, gradient: np.ndarray, linear: np.ndarray, rho2: float) -> None:
        """Frank–Wolfe steps within the radius that the present B_p allows."""
        radius = self.radius(gradient, linear, rho2)
        kernels.frank_wolfe(
            self.local, gradient, self.covariance, linear, rho2, self.l1, radius, self.updates, self.diagonal
        )

    def radius(self, gradient: np.ndarray, linear: np.ndarray, rho2: float) -> float:
        """τ at the present B_p.

        F + ‖β‖²/2ρ₂ = ½ tr((I−B)ᵀΣ(I−B)) + ‖ρ₂B + L‖²/2ρ₂ + λ‖B‖₁ with L = β − ρ₂W, and the first term
        is ½ (tr Σ − ⟨B, Σ⟩ + ⟨B, Σ(B−I)⟩), where Σ(B−I) = G − L − ρ₂B.
        """
        moved = rho2 * self.local + linear
        loss = np.trace(self.covariance) + np.sum(self.local * (gradient - moved - self.covariance))
        return (0.5 * loss + np.sum(moved**2) / (2 * rho2)) / self.l1 + np.abs(self.local).sum()


def fed_bnsl_fw(
    sites: Sequence[SiteData],
    *,
    seed: int,
    updates: int,
    keep_diagonal: bool,
    l1: float,
    rho1: float,
    rho1_last: float | None,
    rho2: float,
    rounds: int,
    site_weights: str,
    w_step: str,
    threshold: float,
) -> ProtocolRun:
    """The pieces of Fed-BNSL-FW; nothing in it is random.

    Parameters
    ----------
    sites, seed, keep_diagonal, rho2, rounds, site_weights, w_step, threshold
        As in :func:`fedbnsl.federate.fed_sparse.fed_sparse_bnsl`.
    updates : int
        Frank–Wolfe steps of a site in a round.
    l1 : float
        λ > 0.
    rho1, rho1_last : float
        ρ₁ of the first and the last round; the second is by default the first.

    Returns
    -------
    ProtocolRun
    """
    penalties = growing_penalties(rho1, rho1_last, rho2, rounds)
    pieces = [
        FrankWolfeSite(covariance, penalties, l1, keep_diagonal, updates)
        for covariance in site_covariances(sites, site_weights)
    ]
    server = FedSparseServer(len(sites[0].names), penalties, threshold, w_step=w_step)
    return ProtocolRun(pieces, server, rounds)
