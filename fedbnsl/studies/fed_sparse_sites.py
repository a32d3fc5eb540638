"""What each site gets out of it: figures 2 and 6 of the Fed-Sparse-BNSL paper."""

import pandas

from fedbnsl.plot.style import label
from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.fed_sparse import MEASURES, PAPER
from fedbnsl.studies.statements import Check, judged

LOCAL = "notears-local"

_REFIT = "refitting to the site's own rows lowers the median error of its weights"
_FEDERATED = "the refitted shared network has a lower median error than local NOTEARS"
_BETTER = "{} of the shared network is lower than that of local NOTEARS"
_TPR = "TPR of the shared network is comparable to that of local NOTEARS (at most 0.05 below)"


def personalisation(scores: pandas.DataFrame) -> Artefact:
    """Error of every site's weights, box plots over seeds: shared, refitted, learned alone (figure 2).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``personal``: those of NOTEARS, and of federated methods.

    Returns
    -------
    Artefact
        The table has one row a run and site. The last boxes hold all sites.
    """
    from fedbnsl.plot.bars import boxes

    table = _with_series(scores)
    methods = list(dict.fromkeys(table.loc[table["weights"] != "own", "method"]))
    shown = []
    for method in methods:  # a row of panels a method, each beside the same local NOTEARS
        part = table[(table["method"] == method) | (table["weights"] == "own")].assign(of=label(method))
        shown += [part, part.assign(site="all")]
    shown = pandas.concat(shown)
    places = [str(site) for site in sorted(set(table["site"]))]
    shown["site"] = pandas.Categorical(shown["site"].astype(str), [*places, "all"])
    figure = boxes(
        shown,
        x="site",
        y="mse",
        group="series",
        panels="of",
        columns=1,
        log_y=True,
        width=6.9,
        height=1.8,
    )
    columns = ["method", "weights", "nodes", "rows", "sites", "seed", "site", *MEASURES, "mse"]
    table = table[[column for column in columns if column in table]].reset_index(drop=True)
    return Artefact(table=table, runs=table, figure=figure, printed=_said_of_weights(table))


def against_local(scores: pandas.DataFrame) -> Artefact:
    """SHD, TPR and FDR after every round beside what NOTEARS finds at the sites alone (figure 6).

    Of local NOTEARS, the mean over the sites of each seed.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures per round of federated methods, and those of the kind ``personal`` of NOTEARS.
    """
    from fedbnsl.plot.curves import curves

    rounds = scores[scores["round"].notna()]
    alone = scores[scores.get("weights", pandas.Series(index=scores.index, dtype=object)) == "own"]
    means = alone.groupby(["sites", "seed"], sort=False)[list(MEASURES)].mean().reset_index()
    key = ["method", "sites", "seed", "round"]
    ends = (rounds["round"].min(), rounds["round"].max())
    level = pandas.concat([means.assign(method=LOCAL, round=at) for at in ends])
    long = pandas.concat([rounds[[*key, *MEASURES]], level[[*key, *MEASURES]]])
    long = long.melt(key, list(MEASURES), var_name="measure", value_name="value")
    figure = curves(
        long.assign(measure=pandas.Categorical(long["measure"], MEASURES)),
        x="round",
        y="value",
        group="method",
        panels="measure",
        y_text={measure: label(measure) for measure in MEASURES},
    )
    table = pandas.concat([means.assign(method=LOCAL), rounds[[*key, *MEASURES, "last"]]], ignore_index=True)[
        [*key, *MEASURES, "last"]
    ]
    return Artefact(table=table, runs=table, figure=figure, printed=_said_of_structure(table))


def _with_series(scores: pandas.DataFrame) -> pandas.DataFrame:
    names = {"own": LOCAL, "shared": "shared weights", "refitted": "refitted at the site"}
    order = [names["shared"], names["refitted"], names["own"]]
    series = pandas.Categorical(scores["weights"].map(names), order)
    return scores.assign(series=series)


def _said_of_weights(table: pandas.DataFrame) -> tuple[dict, ...]:
    """What the paper says of figure 2, site by site."""
    of = table[(table["method"] == PAPER) | (table["weights"] == "own")]
    medians = of.groupby(["site", "weights"])["mse"].median().unstack()
    checks = []
    for site, row in medians.iterrows():
        for statement, other in ((_REFIT, "shared"), (_FEDERATED, "own")):
            if {"refitted", other} <= set(row.dropna().index):
                told = f"{row['refitted']:.3g} against {row[other]:.3g}"
                holds = bool(row["refitted"] < row[other])
                checks.append(Check(statement, "sites", f"site {site}", told, holds))
    return judged(checks, [(_REFIT, "sites"), (_FEDERATED, "sites")], {})


def _said_of_structure(table: pandas.DataFrame) -> tuple[dict, ...]:
    """What the paper says of figure 6, seed by seed, after the last round."""
    ours = table[(table["method"] == PAPER) & (table["last"] == True)].set_index("seed")  # noqa: E712
    local = table[table["method"] == LOCAL].set_index("seed")
    statements = {"shd": _BETTER.format("SHD"), "fdr": _BETTER.format("FDR"), "tpr": _TPR}
    checks = []
    for seed in ours.index.intersection(local.index):
        for measure, statement in statements.items():
            mine, other = float(ours.loc[seed, measure]), float(local.loc[seed, measure])
            holds = mine >= other - 0.05 if measure == "tpr" else mine < other
            told = f"{mine:.3g} against {other:.3g}"
            checks.append(Check(statement, "seeds", f"seed {seed}", told, holds))
    return judged(checks, [(statement, "seeds") for statement in statements.values()], {})
