"""The methods dp-staged and dp-auto: budgets planned, and the pieces put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fedbnsl.data.site_data import SiteData
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.privacy.plan import EASY, PLANS, Plan, chosen_plan, scale_share, site_mus
from fedbnsl.privacy.pooling import Pool
from fedbnsl.privacy.regime import HOPELESS, check_difficulty, difficulty
from fedbnsl.privacy.setting import needs_two_variables, noise_source, site_budgets, site_deltas
from fedbnsl.privacy.staged_server import StagedServer
from fedbnsl.privacy.staged_site import GaussianSite, gaussian_ledger
from fedbnsl.privacy.statement import stamp

PUBLIC = (
    "numbers of rows, delta, the range of the histograms, plan, variance_ratio, threshold (none may be "
    "chosen on the rows), and all broadcasts"
)
CLIPPING = "every record: ‖y‖² ≤ R² in second moments, all its products together to 1.2√k in gradients"


def dp_staged(
    sites: Sequence[SiteData],
    *,
    seed: int | None,
    epsilon: float,
    delta: float | None,
    mode: str,
    plan: str | None,
    variance_ratio: float | None,
    threshold: float,
    force: bool,
) -> ProtocolRun:
    """The pieces of the staged mechanism: scales, second moments, residual gradients, all Gaussian.

    Every site gets (ε, δ)-DP for replacing one of its records. The rows are used as they are: subtract public
    means, if any, before. Columns may have scales from 1/16 to 128 without any bound on their values.

    Mean SHD (standard error) with 8 sites of 5000 rows over the simulation seeds 3000–3011, on which nothing
    was chosen, in brackets ``fed-sparse-bnsl`` without privacy: d = 20 [1.7 (.9)]: .9 (.5) at ε = .5, .4 (.3)
    at 2 and 5. d = 50 [2.8 (1.0)]: 8.6 (3.4) at .5, 2.5 (1.3) at 1, .7 (.3) at 5. d = 100 [3.8 (1.2)]:
    10.7 (1.8) at 1, .2 (.1) at 5. d = 200 [16.7 (3.4)]: 10.9 (2.0) at 5, 1.6 (.6) at 10. It can be better
    than without privacy, for the server solves alone, in as many rounds as it likes: with 20 rounds in place
    of 200, SHD on the covariances of 5000 rows without noise is 7.4, not .8 (d = 50).

    What it assumes: noise variances are about equal (see ``variance_ratio``), and so the data are on their
    raw scale; on standardised columns it fails like every method of the Fed-BNSL family. Clipping is undone
    under a Gaussian model, which other distributions of the noise hardly disturb.

    Parameters
    ----------
    sites : sequence of SiteData
        Continuous data, two variables or more.
    seed : int or None
        Root of all noise; None in secure mode.
    epsilon : float
        ε.
    delta : float, optional
        δ, below 1/n_p for every site; by default 1/n_p², each site its own.
    mode : {"research", "secure"}
        Noise from the seed, or from OpenDP and the operating system.
    plan : {"preconditioned", "direct"}, optional
        See :data:`fedbnsl.privacy.plan.PLANS`; by default by ω, a function of public numbers.
    variance_ratio : float, optional
        A gradient is asked for at (i, j) only if s_i is at most this times s_j. None: always.
    threshold : float
        For the resulting DAG.
    force : bool
        Run even if ω is above 3, where the noise buries every edge.

    Returns
    -------
    ProtocolRun

    Raises
    ------
    InputError
        On fewer than two variables, δ ≥ 1/n_p, a budget that is too small, or in secure mode on what
        :func:`fedbnsl.privacy.setting.site_deltas` refuses there.
    """
    return _staged("dp-staged", sites, seed, epsilon, delta, mode, plan, variance_ratio, threshold, force)[0]


def dp_auto(
    sites: Sequence[SiteData],
    *,
    seed: int | None,
    epsilon: float,
    delta: float | None,
    mode: str,
    variance_ratio: float | None,
    threshold: float,
    force: bool,
) -> ProtocolRun:
    """The private method that was best at every setting measured, with the plan that suits the budget.

    The choice is a function of public numbers (variables, rows, ε, δ), through ω. The statement of the run
    says which it was, and why.

    Parameters
    ----------
    sites, seed, epsilon, delta, mode, variance_ratio, threshold, force
        As :func:`dp_staged`.

    Returns
    -------
    ProtocolRun

    Raises
    ------
    InputError
        As :func:`dp_staged`.
    """
    protocol, omega = _staged(
        "dp-auto", sites, seed, epsilon, delta, mode, None, variance_ratio, threshold, force
    )
    plan = protocol.server.plan
    choice = f"chosen by public numbers: dp-staged, plan {plan.name}, since {reason(omega, plan)}"
    return replace(protocol, privacy=replace(protocol.privacy, public=f"{protocol.privacy.public}; {choice}"))


def _staged(
    method, sites, seed, epsilon, delta, mode, plan, variance_ratio, threshold, force
) -> tuple[ProtocolRun, float]:
    """The pieces, and ω; noise is drawn and messages speak in the name of ``method``."""
    d, rows = needs_two_variables(sites, method), [site.n_rows for site in sites]
    deltas = site_deltas(sites, epsilon, delta, mode)
    budgets = site_budgets(epsilon, deltas, mode)
    omega = difficulty(d, rows, budgets)
    check_difficulty(omega, epsilon, d, rows, force)
    chosen = chosen_plan(omega) if plan is None else PLANS[plan]
    shares = chosen.shares(scale_share(d, omega))
    mus = [site_mus(mu, shares) for mu in budgets]
    ledgers = tuple(
        gaussian_ledger(site, epsilon, own_delta, mode, own, len(chosen.moments))
        for site, own_delta, own in zip(sites, deltas, mus, strict=True)
    )
    pieces = [
        GaussianSite(site.values, own, noise_source(mode, seed, method, place))
        for place, (site, own) in enumerate(zip(sites, mus, strict=True))
    ]
    server = StagedServer(d, Pool(rows, mus), chosen, variance_ratio, threshold)
    privacy = stamp(mode, None, epsilon=epsilon, delta=max(deltas), public=PUBLIC, clipping=CLIPPING)
    return ProtocolRun(pieces, server, chosen.rounds, privacy, ledgers), omega


def reason(omega: float, plan: Plan) -> str:
    """Why the rule takes this plan at this ω."""
    if plan is PLANS["preconditioned"]:
        return f"ω = {omega:.2g} is at most {EASY:g}: second moments show most edges"
    if omega <= HOPELESS:
        return f"ω = {omega:.2g} is above {EASY:g}: second moments are too noisy for a second look"
    return f"ω = {omega:.2g} is above {HOPELESS:g} and the run is forced: expect nothing"
