"""Figures and tables of the Fed-Sparse-BNSL paper."""

import pandas

from fedbnsl.studies.artefact import Artefact

MEASURES = ("shd", "tpr", "fdr")


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
    return Artefact(table=table, runs=table, figure=figure)


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
    """Edges, SHD, correct edges of the skeleton and v-structures on the Sachs data, means over seeds."""
    runs = scores[scores["last"]]
    measures = ["converged", "edges", "shd", "skeleton_correct", "v_structures", "bytes"]
    grouped = runs.groupby(["log", "method", "sites"], sort=False)[measures].mean().reset_index()
    grouped.insert(3, "seeds", runs.groupby(["log", "method", "sites"], sort=False).size().to_numpy())
    return Artefact(table=grouped, runs=runs)
