"""Figures and tables of the GMCBC paper."""

import pandas

from fedbnsl.studies.artefact import Artefact

_REFERENCES = {"inputs": "mean of the inputs", "gold": "gold standard"}


def over_theta(
    scores: pandas.DataFrame, measure: str, group: str = "sites", linear_below: float = 1
) -> Artefact:
    """A measure of the consensus over θ, a panel a network, a line a number of sites (figures 2–6, 8, 9).

    With several seeds the lines are means of step functions that change at different θ.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of one pruning method, as :func:`fedbnsl.evaluate.consensus_table.consensus_table`
        makes them, with the column ``network``.
    measure : str
        ``smhd_inputs``, ``smhd_gold``, ``bdeu``, ``treewidth`` or ``edges``. The figure shows the BDeu
        minus that of the gold standard on the same sites' data, since networks that differ by some nats
        could not be told apart beside the empty one; the table has both.
    group : {"sites", "inputs"}
        What the column ``sites`` counts, for the legend: sites that learn, or networks that are drawn.
    linear_below : float
        Where the linear part of a symmetric-log scale ends; 1 is one edge or one nat.
    """
    from fedbnsl.plot.curves import curves

    scores = _with_ordered_networks(scores)
    shown = measure
    if measure == "bdeu":
        shown = "bdeu_minus_gold"
        scores = scores.assign(**{shown: _minus_gold(scores)})
    path = scores[scores["series"] == "consensus"]
    lines = scores[scores["series"].isin(list(_REFERENCES))]
    if measure in ("smhd_inputs", "smhd_gold"):
        lines = lines[lines["series"] == "inputs"]  # the gold standard against itself is 0
    gold = lines["series"] == "gold"
    lines = lines.assign(label=lines["series"].map(_REFERENCES))
    # the gold standard is one line whatever the number of sites
    lines = lines.assign(sites=lines["sites"].where(~gold))
    references = lines[["label", "network", "sites", shown]].reset_index(drop=True)
    figure = curves(
        path.rename(columns={"sites": group}),
        x="theta",
        y=shown,
        group=group,
        panels="network",
        step=True,
        log_y=measure.startswith("smhd") or measure == "bdeu",
        linear_below=linear_below,
        own_x=True,
        hlines=references.rename(columns={"sites": group}),
    )
    columns = list(dict.fromkeys(["network", "sites", "seed", "series", "theta", measure, shown]))
    table = scores[scores["series"] != "best"][columns].reset_index(drop=True)
    return Artefact(table=table, runs=table, figure=figure)


def by_nodes(scores: pandas.DataFrame) -> Artefact:
    """Distances to the inputs and to G₀ over θ, a column of panels a number of nodes (figure 1).

    Lines are means over the seeds, each a step function that holds its value until its own next θ.
    """
    from fedbnsl.plot.curves import curves

    texts = {"smhd_inputs": "to the inputs (mean)", "smhd_gold": "to $G_0$"}
    key = ["nodes", "sites", "seed", "series", "theta"]
    table = scores.loc[scores["series"] != "best", [*key, *texts]].reset_index(drop=True)
    long = table.melt(key, list(texts), var_name="measure", value_name="smhd")
    sizes = sorted(set(table["nodes"]))
    long = long.assign(
        measure=pandas.Categorical(long["measure"].map(texts), list(texts.values())),
        nodes=pandas.Categorical([f"{n} nodes" for n in long["nodes"]], [f"{n} nodes" for n in sizes]),
    ).rename(columns={"sites": "inputs"})
    inputs = long[long["series"] == "inputs"].assign(label=_REFERENCES["inputs"])
    figure = curves(
        long[long["series"] == "consensus"],
        x="theta",
        y="smhd",
        group="inputs",
        panels="nodes",
        rows="measure",
        step=True,
        log_y=True,
        linear_below=1,
        own_x=True,
        hlines=inputs[["label", "measure", "nodes", "inputs", "smhd"]],
    )
    return Artefact(table=table, runs=table, figure=figure)


def over_alpha(scores: pandas.DataFrame) -> Artefact:
    """Distances of the consensus against how unequal the sites are, beside those of inputs and fusion."""
    from fedbnsl.plot.curves import curves

    names = {"best": "consensus", "inputs": _REFERENCES["inputs"], "fusion": "fusion"}
    measures = {
        "smhd_inputs": "mean SMHD to the inputs (edges)",
        "smhd_gold": "SMHD to the gold standard (edges)",
    }
    key = ["alpha", "sites", "seed", "series", "theta"]
    table = scores.loc[scores["series"].isin(list(names)), [*key, *measures]].reset_index(drop=True)
    long = table.melt(key, list(measures), var_name="measure", value_name="smhd")
    long = long.assign(
        measure=pandas.Categorical(long["measure"], list(measures)),
        series=pandas.Categorical(long["series"].map(names), list(names.values())),
    )
    figure = curves(
        long,
        x="alpha",
        y="smhd",
        group="series",
        panels="measure",
        rows="sites" if long["sites"].nunique() > 1 else None,
        log_x=True,
        x_text="concentration α of the Dirichlet draw",
        y_text=measures,
    )
    return Artefact(table=table, runs=table, figure=figure)


def choosing_theta(scores: pandas.DataFrame) -> Artefact:
    """Three measures over θ, and what each choice of θ costs (figure 7).

    They are those of each network's largest number of sites. The table has, for each network and measure,
    the best θ, the value there, and the value at the θ that is best for the inputs.
    """
    from fedbnsl.plot.thresholds import best_points, threshold_choice

    scores = _with_ordered_networks(scores)
    most = scores.groupby("network", observed=True)["sites"].transform("max")
    path = scores[(scores["series"] == "consensus") & (scores["sites"] == most)]
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
    first = ["experiment", "network", "alpha", "sites", "seed", "sites_missing", "sites_warned"]
    first += ["method", "series", "theta"]
    measures = ["smhd_inputs", "smhd_gold", "bdeu", "edges", "treewidth", "shd", "cpdag_shd", "sid"]
    columns = [column for column in first + measures if column in wanted]
    table = wanted[columns].reset_index(drop=True)
    return Artefact(table=table, runs=table)


def _minus_gold(scores: pandas.DataFrame) -> pandas.Series:
    """BDeu minus the gold standard's on the same data, to a millionth of a nat (below is rounding)."""
    key = ["network", "sites", "seed"]
    gold = scores["bdeu"].where(scores["series"] == "gold")
    of_data = gold.groupby([scores[column] for column in key], observed=True).transform("mean")
    return (scores["bdeu"] - of_data).round(6) + 0.0  # no −0


def _with_ordered_networks(scores: pandas.DataFrame) -> pandas.DataFrame:
    """Networks in the order in which they were given, which is that of their size."""
    names = list(dict.fromkeys(scores["network"]))
    return scores.assign(network=pandas.Categorical(scores["network"], categories=names))
