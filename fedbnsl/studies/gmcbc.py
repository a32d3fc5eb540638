"""Figures and tables of the GMCBC paper."""

import pandas

from fedbnsl.studies.artefact import Artefact

_REFERENCES = {"inputs": "mean of the inputs", "gold": "gold standard"}


def over_theta(scores: pandas.DataFrame, measure: str) -> Artefact:
    """A measure of the consensus over θ, a panel a network, a line a number of sites (figures 4–6, 8, 9).

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of one pruning method, as :func:`fedbnsl.evaluate.consensus_table.consensus_table`
        makes them, with the column ``network``.
    measure : str
        ``smhd_inputs``, ``smhd_gold``, ``bdeu``, ``treewidth`` or ``edges``.
    """
    from fedbnsl.plot.curves import curves

    scores = _with_ordered_networks(scores)
    path = scores[scores["series"] == "consensus"]
    lines = scores[scores["series"].isin(list(_REFERENCES))]
    if measure in ("smhd_inputs", "smhd_gold"):
        lines = lines[lines["series"] == "inputs"]  # the gold standard against itself is 0
    gold = lines["series"] == "gold"
    lines = lines.assign(label=lines["series"].map(_REFERENCES))
    # the gold standard is one line whatever the number of sites
    lines = lines.assign(sites=lines["sites"].where(~gold))
    references = lines[["label", "network", "sites", measure]].reset_index(drop=True)
    figure = curves(
        path,
        x="theta",
        y=measure,
        group="sites",
        panels="network",
        step=True,
        log_y=measure.startswith("smhd"),
        hlines=references,
    )
    columns = ["network", "sites", "seed", "series", "theta", measure]
    table = scores[scores["series"] != "best"][columns].reset_index(drop=True)
    return Artefact(table=table, runs=table, figure=figure)


def choosing_theta(scores: pandas.DataFrame) -> Artefact:
    """Three measures over θ for the largest number of sites, and what each choice of θ costs (figure 7).

    Its table has, for each network and measure, the best θ, the value there, and the value at the θ
    that is best for the inputs.
    """
    from fedbnsl.plot.thresholds import best_points, threshold_choice

    scores = _with_ordered_networks(scores)
    path = scores[(scores["series"] == "consensus") & (scores["sites"] == scores["sites"].max())]
    low = path.groupby("network", observed=True)["bdeu"].transform("min")
    high = path.groupby("network", observed=True)["bdeu"].transform("max")
    path = path.assign(bdeu_normalised=((path["bdeu"] - low) / (high - low)).fillna(1.0))
    best = {"smhd_inputs": "min", "smhd_gold": "min", "bdeu_normalised": "max"}
    table = best_points(path, "theta", best, reference="smhd_inputs", panels="network")
    figure = threshold_choice(path, "theta", best, reference="smhd_inputs", panels="network")
    return Artefact(table=table, runs=table, figure=figure)


def consensus_table(scores: pandas.DataFrame) -> Artefact:
    """The consensus at its own θ beside the inputs, the plain fusion and the gold standard."""
    wanted = scores[scores["series"].isin(["best", "inputs", "fusion", "gold"])]
    first = ["experiment", "network", "alpha", "sites", "seed", "sites_missing", "method", "series", "theta"]
    measures = ["smhd_inputs", "smhd_gold", "bdeu", "edges", "treewidth", "shd", "cpdag_shd", "sid"]
    columns = [column for column in first + measures if column in wanted]
    table = wanted[columns].reset_index(drop=True)
    return Artefact(table=table, runs=table)


def _with_ordered_networks(scores: pandas.DataFrame) -> pandas.DataFrame:
    """Networks in the order in which they were given, which is that of their size."""
    names = list(dict.fromkeys(scores["network"]))
    return scores.assign(network=pandas.Categorical(scores["network"], categories=names))
