"""Bytes against accuracy for many settings of Fed-Sparse-BNSL."""

import numpy as np
import pandas

from fedbnsl.plot.tradeoff import pareto, tradeoff
from fedbnsl.spec import Spec
from fedbnsl.studies.artefact import Artefact

_POOLED = "notears-pooled"
_NAME = "fed-sparse-bnsl"
_VARIED = ("updates", "send", "precision", "stop")
#: The paper's setting: what the others are compared with.
_PAPER = {"variant": "paper", "updates": 150, "send": "full", "precision": "double"}
_MEASURES = ("megabytes", "shd", "tpr", "fdr")


def bytes_against_shd(scores: pandas.DataFrame) -> Artefact:
    """Megabytes and SHD of every setting, mean over seeds, and which settings no other one beats.

    Parameters
    ----------
    scores : pandas.DataFrame
        Measures of the kind ``grid`` of Fed-Sparse-BNSL, and of the kind ``federate`` of other methods,
        for reference.

    Returns
    -------
    Artefact
        ``best``: no setting has at most as many bytes and at most as large an SHD, and less of one; pooled
        NOTEARS is not compared.
        ``bytes_ratio`` and ``shd_difference``: against the paper's setting on the same seeds. Error bars in
        the figure are standard errors.
    """
    tried = scores[scores["grid"].notna()]
    others = scores[(scores["last"] == True) & (scores["method"].str.partition("@")[0] != _NAME)]  # noqa: E712
    runs = pandas.concat([tried, others[others["seed"].isin(set(tried["seed"]))]], ignore_index=True)
    runs = runs.drop_duplicates(["method", "nodes", "sites", "seed"])
    runs = runs.assign(megabytes=runs["bytes"] / 1e6)
    rows = []
    for (nodes, sites), part in runs.groupby(["nodes", "sites"], sort=False):
        means = part.groupby("method", sort=False)
        table = pandas.DataFrame({"nodes": nodes, "sites": sites, "method": list(means.groups)})
        table = pandas.concat([table, pandas.DataFrame(map(_options, table["method"]))], axis=1)
        table["seeds"] = means.size().to_numpy()
        table["converged"] = means["converged"].mean().to_numpy()
        for measure in _MEASURES:
            table[measure] = means[measure].mean().to_numpy()
            table[f"{measure}_sd"] = means[measure].std().to_numpy()
        # who sends covariances plays another game
        table["best"] = pareto(table["megabytes"].where(table["method"] != _POOLED), table["shd"])
        as_printed = table["stop"].isna()
        for key, value in _PAPER.items():
            as_printed &= table[key] == value
        reference = table[as_printed]
        of = reference.iloc[0] if len(reference) else pandas.Series({"megabytes": np.nan, "shd": np.nan})
        table["bytes_ratio"] = table["megabytes"] / of["megabytes"]
        table["shd_difference"] = table["shd"] - of["shd"]
        rows.append(table)
    table = pandas.concat(rows, ignore_index=True)
    names = [
        f"d = {nodes}, {sites} sites" for nodes, sites in zip(table["nodes"], table["sites"], strict=True)
    ]
    shown = table.assign(
        panel=names,
        error=table["shd_sd"] / np.sqrt(table["seeds"]),
        note=["" if pandas.isna(updates) else f"{updates:g}" for updates in table["updates"]],
    )
    pooled = shown["method"] == _POOLED
    figure = tradeoff(
        shown[~pooled],
        x="megabytes",
        y="shd",
        group="series",
        spread="error",
        note="note",
        best="best",
        panels="panel",
        levels=shown.loc[pooled, ["method", "panel", "shd"]],
        x_text="exchanged in all (megabytes)",
    )
    return Artefact(table=table.drop(columns="series"), runs=runs, figure=figure)


def _options(text: str) -> dict:
    """The options that matter here, defaults filled in, and what a legend calls the setting without K."""
    from fedbnsl.federate.fed_sparse import VARIANTS
    from fedbnsl.registry import method

    spec = Spec.parse(text)
    if spec.name != _NAME:
        return {"variant": None, **dict.fromkeys(_VARIED), "series": text}
    options = method(spec.name).checked(spec.dict())
    options["send"] = options["send"] or VARIANTS[options["variant"]].send
    named = [options["variant"]]
    if options["send"] != VARIANTS[options["variant"]].send:
        named += [f"send {options['send']}"]
    named += ["4 bytes"] if options["precision"] == "single" else []
    named += [f"stop {options['stop']:g}"] if options["stop"] else []
    return {
        "variant": options["variant"],
        **{key: options[key] for key in _VARIED},
        "series": ", ".join(named),
    }
