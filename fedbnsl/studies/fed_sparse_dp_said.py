"""What the Fed-Sparse-BNSL paper says of its private figures, looked at form by form."""

import pandas

from fedbnsl.studies.forms import (
    AVERAGED,
    DP_COVARIANCE,
    DP_SPARSE,
    EXACT,
    HISTOGRAMS,
    MANGOLD,
    PRINTED,
    STAGED,
    UNCLIPPED,
)
from fedbnsl.studies.statements import Check, judged

_CLOSE_SHD, _CLOSE_TPR = 1.0, 0.05
_FALLS = "SHD falls, or stays, with every larger ε (means over seeds)"
_NEAR = f"at ε = {{}} SHD is at most {_CLOSE_SHD:g} above, TPR at most {_CLOSE_TPR} below that without noise"
_FORMS = (AVERAGED, PRINTED, DP_SPARSE, DP_COVARIANCE, STAGED)
_SMALL, _LARGE = 50, 200
_ALIKE = f"up to {_SMALL} variables DP-Fed-BNSL performs like DP-Fed-Sparse-BNSL (SHD within 3 edges, means)"
_TWICE = f"at {_LARGE} variables the SHD of DP-Fed-BNSL is the higher one"
_PAIRS = {"as printed": (AVERAGED, UNCLIPPED), "sound forms": (DP_SPARSE, DP_COVARIANCE)}
_FEW = "with 10 % of ε for the constants M the SHD is higher than with 20 %"
_MANY = "with 50 % of ε for the constants M the SHD is higher than with 20 %"
_CHANCE = "an edge or two between means of few seeds is chance, and with a large ε all find nearly everything"
_BETTER = "zCDP has a lower SHD than Laplace noise at the same ε (means over seeds)"


def said_of_budgets(noisy: pandas.DataFrame, levels: pandas.DataFrame) -> tuple[dict, ...]:
    """Figure 3: SHD falls with ε, and is near that without noise from 5 on."""
    means = noisy.groupby(["form", "epsilon"])[["shd", "tpr"]].mean()
    free = levels[["shd", "tpr"]].mean()
    checks = []
    for name in _FORMS:
        if name not in means.index.get_level_values("form"):
            continue
        mine = means.loc[name].sort_index()
        steps = mine["shd"].to_numpy()
        for (small, large), before, after in zip(
            zip(mine.index[:-1], mine.index[1:], strict=True), steps[:-1], steps[1:], strict=True
        ):
            told = f"{before:.3g}, then {after:.3g}"
            checks.append(Check(_FALLS, name, f"ε = {small:g} to {large:g}", told, bool(after <= before)))
        for epsilon in (5.0, 10.0):
            if epsilon in mine.index and len(levels):
                shd, tpr = mine.loc[epsilon, ["shd", "tpr"]]
                told = f"SHD {shd:.3g} against {free['shd']:.3g}, TPR {tpr:.3g} against {free['tpr']:.3g}"
                near = shd <= free["shd"] + _CLOSE_SHD and tpr >= free["tpr"] - _CLOSE_TPR
                checks.append(Check(_NEAR.format(f"{epsilon:g}"), name, "means over seeds", told, bool(near)))
    expected = [
        (statement, name) for statement in (_FALLS, _NEAR.format("5"), _NEAR.format("10")) for name in _FORMS
    ]
    return judged(checks, expected, {})


def said_of_variables(noisy: pandas.DataFrame) -> tuple[dict, ...]:
    """Figure 4: alike up to 50 variables, the greedy method better at 200."""
    means = noisy.groupby(["form", "nodes"])["shd"].mean()
    checks = []
    for setting, (greedy, covariance) in _PAIRS.items():
        for nodes in sorted(noisy["nodes"].unique()):
            if (greedy, nodes) not in means.index or (covariance, nodes) not in means.index:
                continue
            mine, other = means[greedy, nodes], means[covariance, nodes]
            told, case = f"{other:.3g} against {mine:.3g}", f"{nodes} variables"
            if nodes <= _SMALL:
                checks.append(Check(_ALIKE, setting, case, told, bool(abs(mine - other) <= 3)))
            if nodes == _LARGE:
                checks.append(Check(_TWICE, setting, case, told, bool(other > mine)))
    reason = "records that are scaled and clipped need much less noise in their covariance than a loose bound"
    expected = [(statement, setting) for statement in (_ALIKE, _TWICE) for setting in _PAIRS]
    return judged(checks, expected, {(_TWICE, "sound forms"): reason})


def said_of_shares(table: pandas.DataFrame) -> tuple[dict, ...]:
    """Figure 7: too small and too large a share for M both cost accuracy."""
    checks, settings = [], [name for name in dict.fromkeys(table["form"]) if name not in (EXACT, STAGED)]
    for name in settings:
        means = table[table["form"] == name].groupby("share_of_epsilon")["shd"].mean()
        at = {share: _nearest(means, share) for share in (0.1, 0.2, 0.5)}
        for statement, share in ((_FEW, 0.1), (_MANY, 0.5)):
            if at[share] is not None and at[0.2] is not None:
                told = f"{at[share]:.3g} against {at[0.2]:.3g}"
                checks.append(Check(statement, name, "means over seeds", told, bool(at[share] > at[0.2])))
    reasons = {
        (statement, name): "what is left of ρ for the updates hardly changes: 20 % of ε are 5 % of ρ"
        for statement in (_FEW, _MANY)
        for name in settings
    }
    expected = [(statement, name) for statement in (_FEW, _MANY) for name in (settings or [HISTOGRAMS])]
    return judged(checks, expected, reasons)


def said_of_accounting(noisy: pandas.DataFrame) -> tuple[dict, ...]:
    """Figure 8: less noise, fewer wrong edges."""
    means = noisy.groupby(["form", "epsilon"])["shd"].mean()
    checks, settings = [], [name for name in dict.fromkeys(noisy["form"]) if name not in (MANGOLD, STAGED)]
    for name in settings:
        for epsilon in sorted(noisy["epsilon"].unique()):
            if (name, epsilon) in means.index and (MANGOLD, epsilon) in means.index:
                mine, other = means[name, epsilon], means[MANGOLD, epsilon]
                told = f"{mine:.3g} against {other:.3g}"
                checks.append(Check(_BETTER, name, f"ε = {epsilon:g}", told, bool(mine < other)))
    expected = [(_BETTER, name) for name in settings]
    return judged(checks, expected, dict.fromkeys(expected, _CHANCE))


def _nearest(means: pandas.Series, share: float) -> float | None:
    """The mean at a share of ε that is within .02; None if there is none."""
    away = abs(means.index.to_numpy() - share)
    return float(means.iloc[away.argmin()]) if len(away) and away.min() <= 0.02 else None
