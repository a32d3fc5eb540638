"""Figures and tables of the Fed-Sparse-BNSL paper."""

import pandas

from fedbnsl.studies.artefact import Artefact
from fedbnsl.studies.fed_sparse_choice import best_settings, setting_means
from fedbnsl.studies.statements import Check, judged

MEASURES = ("shd", "tpr", "fdr")
#: The method with the paper's settings.
PAPER = "fed-sparse-bnsl@variant=paper"
_ALIKE = 0.05  # a TPR that is at most this much lower counts as a match
_ENDS = {
    "shd": "Fed-Sparse-BNSL ends with a lower SHD than Fed-BNSL",
    "fdr": "Fed-Sparse-BNSL ends with a lower FDR than Fed-BNSL",
    "tpr": f"Fed-Sparse-BNSL matches Fed-BNSL in TPR (at most {_ALIKE} below)",
}
_SACHS = ("edges", "shd", "skeleton_correct", "v_structures", "bytes")


def convergence(scores: pandas.DataFrame) -> Artefact:
    """SHD, TPR and FDR after every round, one row of panels an experiment (figure 1).

    Lines are means over seeds. Bands of one standard deviation are cut at the possible values: they do
    not go below 0, nor above 1 for TPR and FDR.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures per round, as :func:`fedbnsl.evaluate.federated_table.federated_table` makes them.
    """
    from fedbnsl.plot.curves import curves
    from fedbnsl.plot.style import label

    key = ["experiment", "method", "nodes", "sites", "seed", "round"]
    table = scores[[*key, *MEASURES, "bytes"]].reset_index(drop=True)
    smallest = table[table["nodes"] == table["nodes"].min()]
    long = smallest.melt(key, MEASURES, var_name="measure", value_name="value")
    long = long.assign(
        measure=pandas.Categorical(long["measure"], MEASURES),
        experiment=pandas.Categorical(long["experiment"], list(dict.fromkeys(long["experiment"]))),
    )
    # A method that ends after one round has no curve: its level is drawn across.
    ends = long.groupby("method", observed=True)["round"].transform("max")
    flat = long[ends == 1]
    references = flat.assign(label=flat["method"]).rename(columns={"value": "y"})
    figure = curves(
        long[ends > 1],
        x="round",
        y="value",
        group="method",
        panels="measure",
        rows="experiment",
        y_text={measure: label(measure) for measure in MEASURES},
        hlines=references[["label", "measure", "experiment", "y"]].rename(columns={"y": "value"}),
    )
    return Artefact(table=table, runs=table, figure=figure, printed=_said_of_ends(scores))


def _said_of_ends(scores: pandas.DataFrame) -> tuple[dict, ...]:
    """What the paper says of figure 1: ends of runs, means over seeds, a case a number of variables."""
    last = scores[scores["last"]]
    means = last.groupby(["experiment", "nodes", "method"], sort=False)[list(MEASURES)].mean()
    checks = []
    for (experiment, nodes), part in means.groupby(["experiment", "nodes"], sort=False):
        part = part.droplevel(["experiment", "nodes"])
        others = [name for name in part.index if name.startswith("fed-bnsl") and "schedule" not in name]
        if PAPER not in part.index or not others:
            continue
        for measure, statement in _ENDS.items():
            mine, other = float(part.loc[PAPER, measure]), float(part.loc[others[0], measure])
            holds = mine >= other - _ALIKE if measure == "tpr" else mine < other
            told = f"{mine:.3g} against {other:.3g}"
            checks.append(Check(statement, experiment, f"{nodes} variables", told, holds))
    expected = [
        (statement, experiment)
        for experiment in dict.fromkeys(scores["experiment"])
        for statement in _ENDS.values()
    ]
    return judged(checks, expected, {})


def communication(scores: pandas.DataFrame) -> Artefact:
    """Megabytes exchanged and accuracy after the last round, mean and sd over seeds (table 1)."""
    runs = scores[scores["last"]].assign(megabytes=scores["bytes"] / 1e6)
    measures = ["megabytes", *MEASURES]
    keys = ["method", "nodes", "sites"]
    grouped = runs.groupby(keys, sort=False)[measures].agg(["mean", "std", "count"])
    table = grouped.index.to_frame(index=False)
    table["seeds"] = grouped["shd"]["count"].to_numpy()
    table["converged"] = runs.groupby(keys, sort=False)["converged"].mean().to_numpy()
    for measure in measures:
        table[f"{measure}_mean"] = grouped[measure]["mean"].to_numpy()
        table[f"{measure}_sd"] = grouped[measure]["std"].to_numpy()
    return Artefact(table=table, runs=runs)


def sachs(scores: pandas.DataFrame) -> Artefact:
    """Edges, SHD, correct edges of the skeleton and v-structures on the Sachs data, means over seeds.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures per round, and those of the kind ``held-out``. Of these the table has, for each method, the
        options chosen by each rule of :func:`fedbnsl.studies.fed_sparse_choice.tuning`.

    Returns
    -------
    Artefact
        The column ``options``: as ``given`` in the study, or chosen by the ``truth`` or the ``likelihood``.
    """
    runs = scores[scores["last"] == True]  # noqa: E712
    key, measures = ["log", "method", "sites"], ["converged", *_SACHS]
    runs = runs.assign(converged=runs["converged"].astype(float))
    table = runs.groupby(key, sort=False)[measures].mean().reset_index()
    table.insert(3, "seeds", runs.groupby(key, sort=False).size().to_numpy())
    table.insert(2, "options", "given")
    tried = scores[scores["log_likelihood"].notna()] if "log_likelihood" in scores else scores.iloc[:0]
    rows = []
    tried = tried.assign(name=tried["method"].str.partition("@")[0] if len(tried) else "")
    for (log, _), part in tried.groupby(["log", "name"], sort=False):
        settings = setting_means(part)
        for rule in ("truth", "likelihood"):
            best = best_settings(settings, rule).iloc[0]
            told = {"log": log, "method": best["method"], "options": rule, "sites": part["sites"].iloc[0]}
            told["seeds"] = part["seed"].nunique()
            rows.append({**told, **{measure: best[measure] for measure in measures}})
    if rows:
        table = pandas.concat([table, pandas.DataFrame(rows, columns=table.columns)], ignore_index=True)
    return Artefact(table=table, runs=runs)
