"""The method dp-fed-bnsl: one noisy second moment a site, and Fed-BNSL by the server on their mean.

The baseline of the Fed-Sparse-BNSL paper (6.3), made valid: the paper adds noise for records of ‖x‖² ≤ b
without making them so short. Here the columns are scaled by private scales and every record is clipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.federate.admm import Penalties
from fedbnsl.federate.fed_bnsl import FedBnslServer, FedBnslSite
from fedbnsl.federate.messages import Message, pack_sparse, pack_symmetric, unpack_symmetric
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.learn.acyclicity import acyclicity
from fedbnsl.learn.threshold import threshold_to_dag
from fedbnsl.privacy.noise import Noise
from fedbnsl.privacy.plan import scale_share, site_mus
from fedbnsl.privacy.pooling import Pool
from fedbnsl.privacy.regime import difficulty
from fedbnsl.privacy.second_moment import MomentRelease
from fedbnsl.privacy.setting import needs_two_variables, noise_source, site_budgets, site_deltas
from fedbnsl.privacy.staged_site import GaussianSite, gaussian_ledger
from fedbnsl.privacy.statement import check_promise, stamp

NAME = "dp-fed-bnsl"
RADIUS = 1.2  # R² over the mean of ‖y‖²
LEAST_L1, STRICTNESS = 0.1, 2.0
_TOLERANCE = 1e-3

PUBLIC = (
    "numbers of rows, delta, the range of the histograms, l1, rho1, rho2, rounds, threshold (none may be "
    "chosen on the rows), and all broadcasts"
)
FAULT = (
    "comparison only: the noise covers records of ‖x‖² ≤ bound, but longer ones are not clipped, and move "
    "the covariance further"
)


class UnclippedSite:
    """The paper's form, for comparison: the raw second moment, with noise for records of ‖x‖² ≤ b.

    Nothing makes the records so short, so its noise bounds nothing.
    """

    def __init__(self, values: np.ndarray, bound: float, mu: float, noise: Noise):
        self._values, self.bound, self.mu, self._noise = values, bound, mu, noise

    def step(self, round: int, message: Message) -> Message:
        """Send the noisy second moment."""
        rows, d = self._values.shape
        deviation = math.sqrt(2) * self.bound / (rows * self.mu)
        total = pack_symmetric(self._values.T @ self._values / rows)
        scale = pack_symmetric(np.where(np.eye(d) == 1, deviation, deviation / math.sqrt(2)))
        return Message({"moment": total + scale * self._noise.gaussian(np.zeros_like(total), 1.0)})


class CovarianceServer:
    """The server: scales, then the mean second moment, then Fed-BNSL on it, all by itself.

    Parameters
    ----------
    d : int
        Number of variables.
    pool : Pool
    clipped : bool
        False for the paper's form: one round, moments of unscaled records.
    penalties : Penalties
    l1 : float, optional
        λ. None: .1, or twice the noise of an entry of the mean moment if that is more.
    rounds : int
        Of Fed-BNSL.
    threshold : float
    """

    def __init__(
        self,
        d: int,
        pool: Pool,
        clipped: bool,
        penalties: Penalties,
        l1: float | None,
        rounds: int,
        threshold: float,
    ):
        self.pool, self.clipped = pool, clipped
        self.penalties, self.l1, self.rounds, self.threshold = penalties, l1, rounds, threshold
        self.weights = np.zeros((d, d))
        self.scales: np.ndarray | None = None
        self._unmet: tuple[str, str] | None = None

    def start(self) -> Message:
        """Nothing: the sites begin."""
        return Message()

    def aggregate(self, messages: Sequence[Message]) -> Message:
        """Send scales; then solve, and send the DAG's weights."""
        d = len(self.weights)
        radius = math.sqrt(RADIUS * d)
        if self.clipped and self.scales is None:
            self.scales = self.pool.scales([message["counts"] for message in messages])
            return Message({"scales": self.scales, "radius": np.array([radius])})
        packed = [message["moment"] for message in messages]
        noise = 0.0
        if self.clipped:
            moment, growth = self.pool.moment(packed, radius, d)
            moment = moment * np.outer(self.scales, self.scales)
            diagonal = self.pool.deviation(1, lambda n, mu: MomentRelease(d, n, radius, mu))
            noise = growth * diagonal / math.sqrt(2) * float(np.mean(self.scales**2))
        else:
            values, vectors = np.linalg.eigh(unpack_symmetric(self.pool.mean(packed)))
            moment = (vectors * np.maximum(values, 0.0)) @ vectors.T
        self._solve(moment, max(LEAST_L1, STRICTNESS * noise) if self.l1 is None else self.l1)
        return Message(pack_sparse(self.result()[1]))

    def diagnostics(self) -> dict[str, float]:
        """``h`` of W and ``edges`` of its DAG."""
        return {"h": acyclicity(self.weights)[0], "edges": int(np.count_nonzero(self.result()[1]))}

    def finished(self) -> bool:
        """Never early."""
        return False

    def unmet(self) -> tuple[str, str] | None:
        """As of the run of Fed-BNSL."""
        return self._unmet

    def result(self) -> tuple[np.ndarray, np.ndarray]:
        """W and the weights of its DAG."""
        return self.weights, threshold_to_dag(self.weights, self.threshold)

    def _solve(self, moment: np.ndarray, l1: float) -> None:
        site = FedBnslSite(moment, self.penalties)
        server = FedBnslServer(len(moment), self.penalties, l1, _TOLERANCE, self.threshold)
        broadcast = server.start()
        for round in range(self.rounds):
            broadcast = server.aggregate([site.step(round, broadcast)])
        self.weights, self._unmet = server.weights, server.unmet()


def check_options(options: dict) -> None:
    """Raise InputError if options do not fit together, or promise too little to be called private."""
    check_promise(options)
    if options["bound"] is not None and options["mode"] == "secure":
        raise InputError(f"bound is not offered with mode='secure' ({FAULT})", remedy="Leave bound out")


def dp_fed_bnsl(
    sites: Sequence[SiteData],
    *,
    seed: int | None,
    epsilon: float,
    delta: float | None,
    mode: str,
    bound: float | None,
    rounds: int,
    rho1: float,
    rho2: float,
    l1: float | None,
    threshold: float,
) -> ProtocolRun:
    """The pieces of DP-Fed-BNSL: private scales, a noisy second moment, Fed-BNSL on the sites' mean.

    Every site gets (ε, δ)-DP for replacing one of its records. What is learned from the released moments
    costs no privacy, so the server does it alone: the rounds of Fed-BNSL cost no messages.

    Parameters
    ----------
    sites, seed, epsilon, delta, mode
        As :func:`fedbnsl.privacy.staged_method.dp_staged`.
    bound : float, optional
        b of the paper's form, for comparison only: no scales, no clipping, noise for ‖x‖² ≤ b.
    l1 : float, optional
        λ; by default .1, or twice the noise of an entry of the mean moment if that is more.
    rounds, rho1, rho2, threshold
        As :func:`fedbnsl.federate.fed_bnsl.fed_bnsl`, constant penalties.

    Returns
    -------
    ProtocolRun
        Without ledgers in the paper's form.

    Raises
    ------
    InputError
        On fewer than two variables, δ ≥ 1/n_p, or in secure mode on what
        :func:`fedbnsl.privacy.setting.site_deltas` refuses there. Not on a small budget: a baseline is shown
        where it fails, too.
    """
    d, rows = needs_two_variables(sites, NAME), [site.n_rows for site in sites]
    deltas = site_deltas(sites, epsilon, delta, mode)
    budgets = site_budgets(epsilon, deltas, mode)
    noises = [noise_source(mode, seed, NAME, place) for place in range(len(sites))]
    if bound is not None:
        mus = [[mu] for mu in budgets]
        pieces = [
            UnclippedSite(site.values, bound, mu, noise)
            for site, mu, noise in zip(sites, budgets, noises, strict=True)
        ]
        ledgers = ()
    else:
        scales = scale_share(d, difficulty(d, rows, budgets))
        mus = [site_mus(mu, (scales, 1 - scales)) for mu in budgets]
        pieces = [
            GaussianSite(site.values, own, noise) for site, own, noise in zip(sites, mus, noises, strict=True)
        ]
        ledgers = tuple(
            gaussian_ledger(site, epsilon, own_delta, mode, own, moments=1)
            for site, own_delta, own in zip(sites, deltas, mus, strict=True)
        )
    clipped = bound is None
    server = CovarianceServer(d, Pool(rows, mus), clipped, Penalties(rho1, rho2), l1, rounds, threshold)
    privacy = stamp(
        mode,
        None if clipped else FAULT,
        epsilon=epsilon,
        delta=max(deltas),
        public=PUBLIC,
        clipping="every record, ‖y‖² ≤ R²" if clipped else "none",
    )
    return ProtocolRun(pieces, server, 2 if clipped else 1, privacy, ledgers)
