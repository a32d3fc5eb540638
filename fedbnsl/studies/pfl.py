"""Figures 2 to 4 of the NOTEARS-PFL paper, and where learning together pays."""

import pandas

from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.statements import Check, judged

MEASURES = ("arrowhead_error", "precision", "recall", "f1", "shd")
_SHOWN = {
    "arrowhead_error": "error",
    "precision": "precision",
    "f1": "F-score",
    "shd": "SHD (edges)",
}
_WEIGHTS = {"own": "own weights", "shared": "shared weights", "noisy": "noisy shared weights"}
OURS, CHAIN = "notears-pfl", "notears-pfl@penalty=chain"
_NAMES = {"none": "notears-sig", "pooled": "notears-avg", "consensus": "notears-admm"}
_OTHERS = tuple(_NAMES.values())
_LOWER = ("arrowhead_error", "shd")
_SLACK = 1e-9

_BEST = "the paper's NOTEARS-PFL (chain) has {} than NOTEARS-SIG, -AVG and -ADMM"
_EMPTY = "the error of the paper's NOTEARS-PFL (chain) is below that of the empty graph"
_CHOSEN = "NOTEARS-PFL with the penalty chosen (auto) has a higher F-score than NOTEARS-SIG, -AVG and -ADMM"
_WORDS = {
    "arrowhead_error": "a lower error",
    "precision": "a higher precision",
    "f1": "a higher F-score",
    "shd": "a lower SHD",
}
_REASON = (
    "The chain pulls whole neighbouring networks together: where weights differ from site to site it gains "
    "little over single sites, and where all is shared one common network can do as well"
)
_REASON_EMPTY = (
    "With fewer rows than variables, wrong edges outnumber the right ones; the error alone hides it"
)


def over_variables(scores: pandas.DataFrame) -> Artefact:
    """Error, precision, F-score and SHD over the number of variables (figure 2).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``each-site``, with the column ``weights``.
    """
    return _figure(scores, "nodes", "number of variables d")


def over_sites(scores: pandas.DataFrame) -> Artefact:
    """The same over the number of sites that share a number of rows (figure 3)."""
    return _figure(scores, "sites", "number of sites K", log_x=True)


def over_perturbation(scores: pandas.DataFrame) -> Artefact:
    """The same over the share of edges that differ (figure 4)."""
    return _figure(scores, "changed", "share of edges changed")


def over_rows(scores: pandas.DataFrame) -> Artefact:
    """F-score of every method over rows a site relative to variables, a panel a kind of weights."""
    from fedbnsl.plot.curves import curves

    table = _table(scores, "ratio")
    figure = curves(
        _with_names(table),
        x="ratio",
        y="f1",
        group="method",
        panels="weights",
        rows="nodes" if table["nodes"].nunique() > 1 else None,
        columns=3,
        log_x=True,
        x_text="rows a site / number of variables",
        height=2.3,
    )
    return Artefact(table=table, runs=table, figure=figure, printed=_together_pays(table))


def _figure(scores, x, x_text, log_x=False) -> Artefact:
    from fedbnsl.plot.curves import curves

    table = _table(scores, x)
    # by convention a graph without edges has precision 1, which a picture would show as a merit
    shown = _with_names(table)
    shown["precision"] = shown["precision"].where(shown["edges"] > 0)
    key = [*dict.fromkeys(["method", "weights", x, "seed"])]
    long = shown.melt(key, list(_SHOWN), var_name="measure", value_name="value")
    long["measure"] = pandas.Categorical(long["measure"], list(_SHOWN))
    figure = curves(
        long,
        x=x,
        y="value",
        group="method",
        panels="measure",
        rows="weights",
        log_x=log_x,
        x_text=x_text,
        y_text=_SHOWN,
    )
    return Artefact(table=table, runs=table, figure=figure, printed=_statements(table, x))


def _table(scores, x):
    """One row a run, methods by their names in the paper."""
    named = scores.assign(method=scores["method"].map(_name))
    columns = ["method", "weights", "nodes", "sites", x, "seed", *MEASURES, "edges", "penalty", "l1", "l2"]
    return named[list(dict.fromkeys(columns))].reset_index(drop=True)


def _name(method: str) -> str:
    return _NAMES.get(method.rpartition("penalty=")[2], method)


def _with_names(table):
    present = [text for key, text in _WEIGHTS.items() if (table["weights"] == key).any()]
    return table.assign(weights=pandas.Categorical(table["weights"].map(_WEIGHTS), present))


def _statements(table, x) -> tuple[dict, ...]:
    """What the paper says of all its three figures, case by case."""
    checks = []
    for (weights, at), part in table.groupby(["weights", x], sort=False):
        means = part.groupby("method", sort=False)[list(MEASURES)].mean()
        case = f"{x} {at:g}"
        for measure, words in _WORDS.items():
            others = means.loc[list(_OTHERS), measure]
            ours, low = means.loc[CHAIN, measure], measure in _LOWER
            best = others.min() if low else others.max()
            checks.append(
                Check(
                    _BEST.format(words),
                    _WEIGHTS[weights],
                    case,
                    f"{ours:.3g} against {best:.3g} ({others.idxmin() if low else others.idxmax()})",
                    bool(ours < best - _SLACK if low else ours > best + _SLACK),
                )
            )
        ours, empty = means["arrowhead_error"][CHAIN], means["arrowhead_error"]["empty"]
        told = f"{ours:.3g} against {empty:.3g}"
        checks.append(Check(_EMPTY, _WEIGHTS[weights], case, told, bool(ours < empty - _SLACK)))
        ours, best = means["f1"][OURS], means.loc[list(_OTHERS), "f1"].max()
        told = f"{ours:.3g} against {best:.3g}"
        checks.append(Check(_CHOSEN, _WEIGHTS[weights], case, told, bool(ours > best + _SLACK)))
    expected = list(dict.fromkeys((check.statement, check.setting) for check in checks))
    reasons = {pair: _REASON_EMPTY if pair[0] == _EMPTY else _REASON for pair in expected}
    return judged(checks, expected, reasons)


def _together_pays(table) -> tuple[dict, ...]:
    """That the gain over single sites shrinks from the fewest to the most rows."""
    statement = "with more rows a site, NOTEARS-PFL (auto) gains less in F-score over NOTEARS-SIG"
    checks = []
    for (weights, nodes), part in table.groupby(["weights", "nodes"], sort=False):
        means = part.pivot_table(index="ratio", columns="method", values="f1").sort_index()
        gain = means[OURS] - means["notears-sig"]
        if len(gain) > 1:
            told = (
                f"{gain.iloc[0]:.3g} at {gain.index[0]:g} d rows, {gain.iloc[-1]:.3g} at {gain.index[-1]:g} d"
            )
            holds = bool(gain.iloc[-1] < gain.iloc[0])
            checks.append(Check(statement, _WEIGHTS[weights], f"d = {nodes}", told, holds))
    expected = [(statement, _WEIGHTS[weights]) for weights in dict.fromkeys(table["weights"])]
    return judged(checks, expected, {})
