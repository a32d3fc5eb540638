"""The method dp-fed-sparse-bnsl: its options checked, its budget planned, its pieces put together."""

from __future__ import annotations

from collections.abc import Sequence

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.federate.fed_sparse import growing_penalties
from fedbnsl.federate.protocol import ProtocolRun
from fedbnsl.privacy.accountant import gdp_budget, noise_multiplier, zcdp_budget
from fedbnsl.privacy.dp_sparse import Clip, LocalProblem, PrivateSparseServer, PrivateSparseSite
from fedbnsl.privacy.ledger import Ledger, Release
from fedbnsl.privacy.noise import LaplaceNoise
from fedbnsl.privacy.regime import check_difficulty, difficulty
from fedbnsl.privacy.setting import needs_two_variables, noise_source, site_deltas
from fedbnsl.privacy.smoothness import combination, site_scale
from fedbnsl.privacy.statement import check_promise, stamp

NAME = "dp-fed-sparse-bnsl"
DEFAULT_CLIP = 2.0
# With z = 70 at 5000 rows an update's noise, 2c̄z/n, is some .06 of a column's scale.
NOISE_PER_ROW = 70 / 5000
LEAST_ROUNDS, MOST_ROUNDS = 30, 100

PUBLIC = (
    "numbers of rows, delta, rounds, updates, clipping, scale_bound, l1, gamma, rho1, rho2, threshold (none "
    "may be chosen on the rows), and all broadcasts"
)


def fault_of(clipping: str, clip_sum: str, conversion: str, scale_share: float) -> str | None:
    """Why a combination of options is for comparison only; None if it is sound."""
    if clipping == "average":
        return (
            "comparison only: the mean is clipped, not every record's term, so that one record can move it n "
            "times further than the noise covers"
        )
    if conversion == "mangold":
        return (
            "comparison only: Laplace noise and advanced composition; scores that move both ways need twice "
            "this noise"
        )
    if scale_share == 0:
        return "comparison only: the smoothness constants are exact, computed from the rows without noise"
    if clip_sum == "entries":
        return "comparison only: the threshold as in the paper's text, √d too small"
    return None


def check_options(options: dict) -> None:
    """Raise InputError if options do not fit together, or promise too little to be called private."""
    check_promise(options)
    if options["clip"] is not None and options["clip_total"] is not None:
        raise InputError("clip and clip_total are two ways to set the same threshold", remedy="Give one")
    if options["clip_sum"] == "entries" and options["clip_total"] is None:
        raise InputError("clip_sum says how clip_total is shared out, which is not given")
    fault = fault_of(*(options[key] for key in ("clipping", "clip_sum", "conversion", "scale_share")))
    if options["mode"] == "secure" and fault is not None:
        raise InputError(
            f"not offered with mode='secure' ({fault})",
            remedy="Use clipping='record', clip_sum='rows', conversion='cks' and a scale_share above 0",
        )


def dp_fed_sparse_bnsl(
    sites: Sequence[SiteData],
    *,
    seed: int | None,
    epsilon: float,
    delta: float | None,
    mode: str,
    rounds: int | None,
    updates: int | None,
    clip: float | None,
    clip_total: float | None,
    clip_sum: str,
    clipping: str,
    gamma: float,
    l1: float,
    rho1: float,
    rho1_last: float | None,
    rho2: float,
    scale_share: float,
    scale_bound: float | None,
    conversion: str,
    w_step: str,
    threshold: float,
    force: bool,
) -> ProtocolRun:
    """The pieces of DP-Fed-Sparse-BNSL.

    Every site gets (ε, δ)-DP for replacing one of its records, with its own z: the noise of a site depends
    on its number of rows. The rows are used as they are: subtract public means, if any, before. Columns
    should have variances of some 1 to 100 (divide all by one public number).

    Mean SHD (standard error) with 8 sites of 5000 rows over the simulation seeds 2000–2011 and 3000–3011,
    on which nothing was chosen, megabytes and CPU seconds. d = 20: 9.2 (1.2), .6 and .2 at ε = .5; 6.2
    (.8), .5 and .2 at 1; 4.7 (.9), .4 and .2 at 2; 3.3 (.9), 1.6 and .7 at 5; 2.6 (.6), 1.1 and .7 at 10;
    without privacy 1.1 (.5) and 1.7 MB. d = 200, ε = 10, the latter seeds: 38.5 (4.2), 27 and 17; without
    privacy 16.7 (3.4) and 12 MB. The defaults were chosen on the seeds 1001–1012, with which columns of
    variances far above 50 fare worst.

    Parameters
    ----------
    sites, seed, epsilon, delta, mode
        As :func:`fedbnsl.privacy.staged_method.dp_staged`.
    rounds : int, optional
        T, after the round for the scales; by default :func:`affordable_rounds`.
    updates : int, optional
        K; by default max(10, .4 d).
    clip : float, optional
        c̄: a record's term of the gradient of row i is clipped at c̄√M_i. By default 2.
    clip_total : float, optional
        In place of it, C of the paper: c̄ = C / √(Σ M).
    clip_sum : {"rows", "entries"}
        Whether that sum runs over the d rows of M or, as the paper's text has it, over d² entries
        (comparison only).
    clipping : {"record", "average"}
        Clip every record's term, or their mean (comparison only).
    gamma, l1, rho1, rho1_last, rho2, w_step, threshold
        As :func:`fedbnsl.federate.fed_sparse.fed_sparse_bnsl`.
    scale_share : float
        Share of ρ* for the smoothness constants. 0: exact constants (comparison only).
    scale_bound : float, optional
        b: the smoothness constants are means of squares, of which those above b count as b. By default they
        come from histograms of squares, which need no bound (:mod:`fedbnsl.privacy.scales`).
    conversion : {"cks", "paper", "mangold"}
        See :func:`fedbnsl.privacy.noise_multiplier`; ``mangold`` is for comparison only.
    force : bool
        Run even if the budget is too small for anything to be learned.

    Returns
    -------
    ProtocolRun
        Without ledgers where the options are for comparison only.

    Raises
    ------
    InputError
        On fewer than two variables, δ ≥ 1/n_p, a budget that is too small, or in secure mode on what
        :func:`fedbnsl.privacy.setting.site_deltas` refuses there.
    """
    d, rows = needs_two_variables(sites, NAME), [site.n_rows for site in sites]
    deltas = site_deltas(sites, epsilon, delta, mode)
    # Sites count alike here, whatever their rows, so the smallest one stands for all.
    omega = difficulty(d, [min(rows)] * len(rows), [gdp_budget(epsilon, min(deltas))] * len(rows))
    check_difficulty(omega, epsilon, d, rows, force, pooled=False)
    updates = max(10, round(0.4 * d)) if updates is None else updates
    if rounds is None:
        rounds = affordable_rounds(min(rows), updates, budget(epsilon, min(deltas), conversion))
    if clip is None and clip_total is None:
        clip = DEFAULT_CLIP
    fault = fault_of(clipping, clip_sum, conversion, scale_share)
    problem = LocalProblem(rho2, l1, gamma, updates, Clip(clip, clip_total, clip_sum == "entries", clipping))
    pieces, ledgers, scales = [], [], []
    for place, (site, own_delta) in enumerate(zip(sites, deltas, strict=True)):
        z = noise_multiplier(epsilon, own_delta, updates * rounds, conversion, scale_share)
        scale = site_scale(scale_share * budget(epsilon, own_delta, conversion), scale_bound, site.n_rows, d)
        scales.append(scale)
        if fault is None:
            ledger = Ledger(site.label, epsilon, own_delta, conversion)
            ledger.spend(scale.entry(), *update_releases(z, site.n_rows, updates * rounds))
            ledgers.append(ledger)
        noise = noise_source(mode, seed, NAME, place)
        if conversion == "mangold":
            noise = LaplaceNoise(noise.generator)
        pieces.append(PrivateSparseSite(site.values, scale, problem, z, noise, rounds + 1))
    server = PrivateSparseServer(
        d,
        growing_penalties(rho1, rho1_last, rho2, rounds),
        threshold,
        w_step,
        combination(scales),
    )
    privacy = stamp(
        mode,
        fault,
        epsilon=epsilon,
        delta=max(deltas),
        public=PUBLIC,
        clipping=f"{'every record' if clipping == 'record' else 'the mean'}, at c̄√M",
    )
    return ProtocolRun(pieces, server, rounds + 1, privacy, tuple(ledgers))


def budget(epsilon: float, delta: float, conversion: str) -> float:
    """ρ* that (ε, δ) buy; for ``mangold``, which does not count in ρ, by ``cks``."""
    return zcdp_budget(epsilon, delta, "cks" if conversion == "mangold" else conversion)


def affordable_rounds(rows: int, updates: int, rho: float) -> int:
    """T for which K · T updates have the noise of :data:`NOISE_PER_ROW`, from 30 to 100.

    More updates are more noise in each, and fewer leave weights unlearned. All of it is public.
    """
    return int(min(max(rho * (NOISE_PER_ROW * rows) ** 2 / updates, LEAST_ROUNDS), MOST_ROUNDS))


def update_releases(multiplier: float, rows: int, times: int) -> tuple[Release, Release]:
    """What greedy updates enter in a ledger, in units of c̄ and of C_i; see :mod:`fedbnsl.privacy.greedy`."""
    sensitivity = 2 / rows
    noise = multiplier * sensitivity
    return (
        Release("choice of an entry (in units of c̄)", "noisy-max", sensitivity, noise, times),
        Release("gradient of the entry i, j (in units of c̄√M_i)", "gaussian", sensitivity, noise, times),
    )
