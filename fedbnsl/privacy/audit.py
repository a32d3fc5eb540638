"""Evidence that the code keeps its promise: tell neighbouring data apart as well as the outputs allow.

The production code runs many times on data D and on D', which differ in one record chosen to hurt, and a
statistic of the outputs guesses which. Its error rates bound the privacy loss of the code from below. A
bound above the promise proves a fault; a bound below it proves nothing, but how far below says how sharp the
audit was.

With noise of secure mode no run can be repeated. Its bounds hold with probability 1 − 10⁻⁹, so that sound
code fails in one audit of a thousand million.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fedbnsl.privacy.accountant import zcdp_delta
from fedbnsl.privacy.greedy import GreedyUpdates
from fedbnsl.privacy.noise import Noise, SecureNoise, SeededNoise
from fedbnsl.seeds import generator

#: Many small releases add up to a Gaussian shift, but not exactly.
TOLERANCE = 1.02
_MANY, _SMALL = 8, 3.0

#: Confidence of the bounds, by whether noise is that of secure mode.
LEVELS = {False: 0.99, True: 1 - 1e-9}

_EPSILONS = np.linspace(0.05, 12.0, 240)

ROWS, CLIP, RHO, L1, GAMMA = 50, 1.0, 0.0, 0.1, 1e-9


@dataclass(frozen=True)
class Audit:
    """What was found out.

    Attributes
    ----------
    true_positives, false_positives : float
        Lower bound of the rate at which D is recognised, upper bound of the rate at which D' is taken for D,
        where they tell most by ``mu_lower``.
    mu_lower : float
        Φ⁻¹(TPR) − Φ⁻¹(FPR): the code is not μ-GDP for any smaller μ.
    mu_promised : float
        √(2ρ), the shift that the promise allows if everything were Gaussian.
    excess : float
        The largest TPR − e^ε FPR − δ(ε) or (1 − FPR) − e^ε (1 − TPR) − δ(ε), over ε, where the promise is
        (ε, δ(ε))-DP by ρ-zCDP: above 0, the promise is broken.
    sharp : bool
        Whether the releases are many and small, so that ``mu_lower`` may be held against ``mu_promised``.
    """

    true_positives: float
    false_positives: float
    mu_lower: float
    mu_promised: float
    excess: float
    sharp: bool

    @property
    def passed(self) -> bool:
        """Whether no fault was found."""
        return self.excess <= 0 and not (self.sharp and self.mu_lower > TOLERANCE * self.mu_promised)


def judge(first: np.ndarray, second: np.ndarray, rho: float, sharp: bool, level: float = 0.99) -> Audit:
    """Hold the statistics of runs on D and D' against a promise of ρ-zCDP.

    Parameters
    ----------
    first, second : ndarray, shape (runs,)
        Statistics, larger on D. The first halves choose a threshold for ``mu_lower`` and one for
        ``excess``, the second halves are counted.
    rho : float
        ρ of everything a run releases.
    sharp : bool
        See :class:`Audit`; True for Gaussian releases.
    level : float
        Confidence that all rates are within their Clopper–Pearson bounds.

    Returns
    -------
    Audit
    """
    deltas = np.array([zcdp_delta(rho, epsilon) for epsilon in _EPSILONS])
    halves, others = _halves(first), _halves(second)
    both = np.concatenate([halves[0], others[0]])
    thresholds = np.unique(np.quantile(both, np.linspace(0, 1, 1001)))
    tpr, fpr = _rates(halves[0], others[0], thresholds, level)
    chosen = [thresholds[np.argmax(_gap(tpr, fpr))], thresholds[np.argmax(_excess(tpr, fpr, deltas))]]
    tpr, fpr = _rates(halves[1], others[1], np.array(chosen), (1 + level) / 2)
    return Audit(
        float(tpr[0]),
        float(fpr[0]),
        float(_gap(tpr, fpr)[0]),
        math.sqrt(2 * rho),
        float(_excess(tpr, fpr, deltas)[1]),
        sharp,
    )


def audit_updates(
    multiplier: float = 4.65,
    updates: int = 8,
    runs: int = 40_000,
    seed: int = 0,
    smoothness: tuple[float, float] = (1.0, 1.0),
    linear: tuple[float, float] = (3.0, -3.0),
    choices_only: bool = False,
    secure: bool = False,
    build: Callable[..., GreedyUpdates] = GreedyUpdates,
) -> Audit:
    """Audit :class:`fedbnsl.privacy.greedy.GreedyUpdates`, the only code that reads rows in the rounds.

    Two columns, 50 records, all 0 but one, which is (30, 30) in D and (30, −30) in D'. The public terms
    ± ``linear`` make one entry's score go up and the other's down with that record, and steps of 10⁻⁹ keep
    them there. The statistic is the logarithm of the likelihood ratio of the choices and gradients.

    Parameters
    ----------
    multiplier : float
        z, as promised.
    updates : int
        K.
    runs : int
        On D, and as many on D'.
    seed : int
    smoothness : pair of float
        M.
    linear : pair of float
        L of the entries (0, 1) and (1, 0).
    choices_only : bool
        Judge the choices alone, against their half of ρ.
    secure : bool
        Draw the noise of secure mode, for which ``seed`` has no meaning; some 50 times slower.
    build : callable
        Makes the updates; another than the production class shows that the audit finds its faults.

    Returns
    -------
    Audit
    """
    m = np.array(smoothness)
    public = np.zeros((2, 2))
    public[1, 0], public[0, 1] = linear  # transposed
    logs = []
    for other, sign in enumerate((1.0, -1.0)):
        values = np.zeros((ROWS, 2))
        values[0] = 30.0, 30.0 * sign
        noise = noise_of(secure, seed, other)
        entries, gradients = np.empty((runs, updates), dtype=int), np.empty((runs, updates))
        for run in range(runs):
            release = build(values, m, RHO, L1, CLIP, GAMMA, multiplier, noise).run(public, updates)
            entries[run], gradients[run] = release
        choices, values = _log_ratios(entries == 1, gradients, m, linear, multiplier)
        logs.append(choices if choices_only else choices + values)
    rho = updates / multiplier**2 / (2 if choices_only else 1)
    return judge(*logs, rho, updates >= _MANY and multiplier >= _SMALL, LEVELS[secure])


def noise_of(secure: bool, seed: int, *what: object) -> Noise:
    """The noise of an audit's runs on one of the data sets, which ``what`` tells apart."""
    return SecureNoise() if secure else SeededNoise(generator(seed, "audit", *what))


def _log_ratios(upper, gradients, smoothness, linear, multiplier):
    """ln of the likelihood ratio of D to D' for every run: of the choices, and of the gradients given them.

    ``upper``: whether entry (0, 1) was chosen.
    """
    roots = np.sqrt(smoothness)
    scale = multiplier * 2 * CLIP / ROWS
    deviations = np.where(upper, *(scale * roots))
    choices, values = np.zeros(len(gradients)), np.zeros(len(gradients))
    for sign in (1.0, -1.0):  # the data term is −x_i x_j, so below 0 on D
        means = np.array(linear) - sign * CLIP * roots / ROWS
        scores = np.maximum(np.abs(means) - L1, 0.0) / roots / scale
        odds = scores[0] - scores[1]
        choices -= sign * np.where(upper, np.logaddexp(0, -odds), np.logaddexp(0, odds)).sum(axis=1)
        values -= sign * (((gradients - np.where(upper, *means)) / deviations) ** 2).sum(axis=1) / 2
    return choices, values


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.sort(values[: len(values) // 2]), np.sort(values[len(values) // 2 :])


def _rates(first, second, thresholds, level):
    """Clopper–Pearson, for every threshold: a lower bound of the rate at which ``first`` reaches it and an
    upper bound of that of ``second``, both at once with confidence ``level``. Both sorted."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    n, m = len(first), len(second)
    hits, misses = n - np.searchsorted(first, thresholds), m - np.searchsorted(second, thresholds)
    lower = np.where(hits > 0, betaincinv(np.maximum(hits, 1), n - hits + 1, tail), 0.0)
    upper = np.where(misses < m, betaincinv(misses + 1, np.maximum(m - misses, 1), 1 - tail), 1.0)
    return lower, upper


def _gap(tpr, fpr):
    from scipy.special import ndtri

    return ndtri(tpr) - ndtri(fpr)


def _excess(tpr, fpr, deltas):
    grown = np.exp(_EPSILONS)
    return np.maximum(
        (tpr[:, None] - grown * fpr[:, None] - deltas).max(axis=1),
        (1 - fpr[:, None] - grown * (1 - tpr[:, None]) - deltas).max(axis=1),
    )
