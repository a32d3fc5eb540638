"""What standardised columns do: figure 5 of the Fed-Sparse-BNSL paper."""

import pandas

from fedbnsl.plot.style import label
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.fed_sparse import MEASURES
from fedbnsl.studies.statements import Check, judged

#: Value of the column ``standardised`` → name.
DATA = {False: "raw data", True: "standardised data"}

_WORSE = "standardising the columns raises the SHD"
_FAILS = "with Frank–Wolfe at the sites the SHD on raw data is more than twice that of greedy updates"
_GREEDY, _FRANK_WOLFE = "fed-sparse-bnsl", "fed-bnsl-fw"


def standardising(scores: pandas.DataFrame) -> Artefact:
    """SHD, TPR and FDR after every round on raw and on standardised data (figure 5).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures per round, with the column ``standardised``; missing counts as raw.

    Returns
    -------
    Artefact
        Of the seeds that both kinds of data have. The table has every round of every run; ``last`` marks the
        end of a run, the lower half of the paper's figure. ``varsortability`` is that of the learned network
        on the data it was learned from, ½ where all variances are 1.
    """
    from fedbnsl.plot.curves import curves

    scaled = scores.get("standardised", pandas.Series(False, scores.index)) == True  # noqa: E712
    scores = scores.assign(data=scaled.map(DATA))
    both = scores.groupby("seed")["data"].transform("nunique") == scores["data"].nunique()
    scores = scores[both]
    key = ["data", "method", "nodes", "sites", "seed", "round"]
    table = scores[[*key, *MEASURES, "edges", "varsortability", "converged", "last"]]
    long = table.melt(key, list(MEASURES), var_name="measure", value_name="value")
    long = long.assign(
        measure=pandas.Categorical(long["measure"], MEASURES),
        data=pandas.Categorical(long["data"], list(DATA.values())),
    )
    figure = curves(
        long,
        x="round",
        y="value",
        group="method",
        panels="measure",
        rows="data",
        y_text={measure: label(measure) for measure in MEASURES},
    )
    last = table[table["last"]]
    return Artefact(
        table=table.reset_index(drop=True),
        runs=last.reset_index(drop=True),
        figure=figure,
        printed=_said(last),
    )


def _said(last: pandas.DataFrame) -> tuple[dict, ...]:
    means = last.groupby(["method", "data"], sort=False)["shd"].mean().unstack()
    raw, standard = DATA.values()
    checks = []
    if {raw, standard} <= set(means):
        for method, row in means.dropna().iterrows():
            told = f"mean SHD {row[raw]:.3g} raw, {row[standard]:.3g} standardised"
            checks.append(Check(_WORSE, "methods", label(method), told, bool(row[standard] > row[raw])))
    names = {name.partition("@")[0]: name for name in means.index}
    if raw in means and {_GREEDY, _FRANK_WOLFE} <= set(names):
        greedy, frank_wolfe = (float(means.loc[names[name], raw]) for name in (_GREEDY, _FRANK_WOLFE))
        told = f"mean SHD {frank_wolfe:.3g} against {greedy:.3g}"
        checks.append(Check(_FAILS, "raw data", "Frank–Wolfe", told, frank_wolfe > 2 * greedy))
    reason = (
        "the paper gives no options of its Frank–Wolfe steps; with an exact line search and as many steps as "
        "greedy updates they solve the same problem"
    )
    return judged(checks, [(_WORSE, "methods"), (_FAILS, "raw data")], {(_FAILS, "raw data"): reason})
