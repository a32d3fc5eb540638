"""The server of the staged mechanism: from noisy moments to weights, then to better weights by gradients.

1. From the sites' histograms: a scale s of every variable.
2. From the second moment of y = x/s, clipped: Σ̂, whose noise is σ an entry.
3. If the plan has a second look: the public map A = (Σ̂ + τI)^{−½}, τ = .3 · 2σ√d. The second moment of Ay
   is near to a multiple of I, so clipping it costs little noise, and least where Σ̂ is small: there the
   weights are decided. A⁻¹ brings it back.
4. Fed-Sparse-BNSL on Σ̂ by the server alone, λ_ij as many deviations of the noise in the gradient of entry
   (i, j) as the plan says, .1 at least.
5. In every stage: k = 3d entries, those of B and the most correlated pairs; the noisy mean of y_i r_j there,
   r = x − xB; with it the solver again, on these entries alone, where the loss is
   ½ tr(Bᵀ Σ̂ B) − tr(Bᵀ Q) and Q = Σ̂B + gradient. At its minimum the residuals r are uncorrelated with their
   causes in the rows themselves, and not in Σ̂: the noise of k numbers replaces that of d².

Lengths are in units of the smallest scale, so one public factor on all columns changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fedbnsl.federate.messages import Message, pack_sparse, pack_symmetric
from fedbnsl.learn.acyclicity import acyclicity
from fedbnsl.learn.threshold import threshold_to_dag
from fedbnsl.privacy.gradients import GradientRelease, candidates
from fedbnsl.privacy.plan import Plan
from fedbnsl.privacy.pooling import Pool
from fedbnsl.privacy.scales import EDGES
from fedbnsl.privacy.second_moment import MomentRelease
from fedbnsl.privacy.solver import sparse_weights

FIRST_RADIUS, SECOND_RADIUS = 0.5, 1.2  # R² over what ‖y‖² and ‖Ay‖² are on average
_RIDGE = 0.3
_LEAST_L1 = 0.1
_ENTRIES_A_VARIABLE = 3
_NEGLIGIBLE = 0.01  # what the penalty on cycles leaves of a weight that it pushed out
_LEAST_RESIDUAL = 0.1  # of the variable's own scale


class StagedServer:
    """See the module.

    Parameters
    ----------
    d : int
        Number of variables.
    pool : Pool
    plan : Plan
    variance_ratio : float, optional
        Entries (i, j) with s_i above this times s_j are not looked at by gradients; None: all may be.
    threshold : float
        For the DAG made of the weights; see :func:`fedbnsl.learn.threshold_to_dag`.
    """

    def __init__(self, d: int, pool: Pool, plan: Plan, variance_ratio: float | None, threshold: float):
        self.pool, self.plan, self.threshold = pool, plan, threshold
        self.variance_ratio = variance_ratio
        self.weights = np.zeros((d, d))
        self.round = 0
        self.scales = np.ones(d)
        self._moment = np.eye(d)  # of y
        self._map: np.ndarray | None = None
        self._noise = 0.0
        self._ridge = 0.0
        self._radius = math.sqrt(FIRST_RADIUS * d)
        self._entries: tuple[np.ndarray, np.ndarray] | None = None

    def start(self) -> Message:
        """Nothing: the sites begin with their histograms."""
        return Message()

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """Take in one release a site; ask for the next."""
        moments = len(self.plan.moments)
        if self.round == 0:
            self.scales = self.pool.scales([message["counts"] for message in messages])
            answer = {"scales": self.scales, "radius": np.array([self._radius])}
        elif self.round <= moments:
            self._take_moment([message["moment"] for message in messages])
            if self.round < moments:
                answer = self._second_look()
            else:
                self._solve_moment()
                answer = self._ask_gradient()
        else:
            self._take_gradient([message["gradient"] for message in messages])
            last = self.round == self.plan.rounds - 1
            answer = pack_sparse(self.result()[1]) if last else self._ask_gradient()
        self.round += 1
        return Message(answer)

    def diagnostics(self) -> dict[str, float]:
        """``h`` of W and ``edges`` of its DAG."""
        return {"h": acyclicity(self.weights)[0], "edges": int(np.count_nonzero(self.result()[1]))}

    def finished(self) -> bool:
        """Never early: the releases are agreed on."""
        return False

    def unmet(self) -> tuple[str, str] | None:
        """Variables whose scale is at an end of the public range: nothing is known of them."""
        ends = (self.scales**2 <= EDGES[0]) | (self.scales**2 >= EDGES[-1])
        if not ends.any():
            return None
        return (
            f"{ends.sum()} of {len(ends)} variables, column {np.flatnonzero(ends)[0] + 1} first, have a "
            f"scale outside the public range of {math.sqrt(EDGES[0]):g} to {math.sqrt(EDGES[-1]):g}",
            "Multiply all columns by one public number, and subtract public means",
        )

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """W and the weights of its DAG."""
        return self.weights, threshold_to_dag(self.weights, self.threshold)

    def _take_moment(self, packed: Sequence[np.ndarray]) -> None:
        d, radius = len(self.scales), self._radius
        expected = d if self._map is None else radius**2 / SECOND_RADIUS
        moment, growth = self.pool.moment(packed, radius, expected)
        diagonal = self.pool.deviation(self.round, lambda n, mu: MomentRelease(d, n, radius, mu))
        self._noise = growth * diagonal / math.sqrt(2)
        if self._map is not None:
            back = np.linalg.inv(self._map)
            moment = back @ moment @ back
        self._moment = moment * (d / np.trace(moment))

    def _second_look(self) -> dict[str, np.ndarray]:
        values, vectors = np.linalg.eigh(self._moment)
        values = np.maximum(values, 0.0)
        self._ridge = _RIDGE * 2 * self._noise * math.sqrt(len(values))
        self._map = (vectors / np.sqrt(values + self._ridge)) @ vectors.T
        self._radius = math.sqrt(SECOND_RADIUS * np.sum(values / (values + self._ridge)))
        return {"map": pack_symmetric(self._map), "radius": np.array([self._radius])}

    def _relative(self) -> tuple[np.ndarray, np.ndarray]:
        """Scales in units of the smallest, and the second moment of the variables in these."""
        scales = self.scales / self.scales.min()
        return scales, self._moment * np.outer(scales, scales)

    def _solve_moment(self) -> None:
        scales, covariance = self._relative()
        # The noise of S in the gradient of column j is that of y_i times the residual: by the residual's
        # own variance, near the smallest variable's, and by the ridge on its coefficients, among them s_j.
        spread = np.sqrt(1 + self._ridge * scales**2) if self._map is not None else scales
        penalties = self._penalties(scales, self._noise * spread)
        np.fill_diagonal(penalties, np.inf)
        self.weights = sparse_weights(covariance, covariance, penalties)

    def _penalties(self, scales: np.ndarray, noise: np.ndarray) -> np.ndarray:
        return scales[:, None] * np.maximum(_LEAST_L1, self.plan.strictness * noise)

    def _residual_scales(self, scales: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        error = np.eye(len(scales)) - self.weights
        variances = np.einsum("ij,ij->j", error, covariance @ error)
        return np.sqrt(np.maximum(variances, (_LEAST_RESIDUAL * scales) ** 2))

    def _ask_gradient(self) -> dict[str, np.ndarray]:
        scales, covariance = self._relative()
        self.weights = np.where(np.abs(self.weights) > _NEGLIGIBLE, self.weights, 0.0)
        count = _ENTRIES_A_VARIABLE * len(scales)
        self._entries = candidates(self.weights, covariance, count, self.variance_ratio)
        chosen = np.zeros(self.weights.shape, dtype=bool)
        chosen[self._entries] = True
        residual_scales = self._residual_scales(scales, covariance) * self.scales.min()
        return {**pack_sparse(self.weights, chosen), "residual_scales": residual_scales}

    def _take_gradient(self, gradients: Sequence[np.ndarray]) -> None:
        rows, columns = self._entries
        scales, covariance = self._relative()
        residual_scales = self._residual_scales(scales, covariance)
        mean = self.pool.mean(gradients)
        noise = self.pool.deviation(self.round, lambda n, mu: GradientRelease(len(rows), n, mu))
        cross = covariance @ self.weights
        cross[rows, columns] += mean * scales[rows] * residual_scales[columns]
        penalties = np.full(self.weights.shape, np.inf)
        all_penalties = self._penalties(scales, noise * residual_scales)
        penalties[rows, columns] = all_penalties[rows, columns]
        self.weights = sparse_weights(covariance, cross, penalties)
