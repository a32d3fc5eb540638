"""The methods that were run on a user's own sites, side by side, and which one to take."""

import numpy as np
import pandas

from fedbnsl.cohort.choice import compare, recommend, stability
from fedbnsl.cohort.stability import edge_shares
from fedbnsl.data.site_files import read_site
from fedbnsl.files import read_json, write_text
from fedbnsl.graphs.graph import as_graph
from fedbnsl.plot.tables import write_table
from fedbnsl.workflow.cohort_pieces import is_private, restored, set_aside
from fedbnsl.workflow.job import run


def main(snakemake):
    p, given = snakemake.params, snakemake.input
    for label in set_aside(p.methods, given.sites):
        print(f"{label}: made from other rows, set aside")
    sizes = [read_site(path).n_rows for path in given.sites]
    folds = {}
    for path in given.held_out:
        values = np.array(read_json(path)["folds"], dtype=float)  # None becomes nan
        folds[_method(path, p.methods)] = values
    judged = compare(folds, sizes) if folds else {}
    nothing = dict.fromkeys(("held_out", "behind", "behind_se"), float("nan"))
    rows = []
    for path, network in zip(given.measures, given.networks, strict=True):
        measures = read_json(path)
        label = measures["method"]
        graph = restored(read_json(network)["graph"])
        replicates = [
            restored(found)
            for part in given.stability
            if _method(part, p.methods) == label and not part.endswith("/sites.json")
            for found in read_json(part)
        ]
        kept = [found for found in replicates if found is not None]
        steady = float("nan")
        if kept:
            order = [kept[0].names.index(name) for name in as_graph(graph).names]
            steady = stability(graph, edge_shares(kept)[0][np.ix_(order, order)])
        rows.append({**measures, **judged.get(label, nothing), "stability": steady, "graph": graph})
    graphs = {row["method"]: set(as_graph(row.pop("graph")).edges()) for row in rows}
    for row in rows:
        row["same"] = [one for one in graphs if one != row["method"] and graphs[one] == graphs[row["method"]]]
        row["private"] = is_private(row["method"])
        row["folds"] = p.folds
        row["parameters"] = float("nan") if row["parameters"] is None else row["parameters"]
    chosen, reasons = recommend(rows)
    columns = [
        "method",
        "held_out",
        "behind",
        "behind_se",
        "stability",
        "edges",
        "parameters",
        "treewidth",
        "bytes",
    ]
    table = pandas.DataFrame(rows)[columns]
    table["recommended"] = table["method"] == chosen
    caption = (
        "Held-out likelihood in nats a row (higher is better), how far it is behind the best with its "
        "standard error over folds, and stability of edges under resampling (1: always the same)."
    )
    write_table(table, snakemake.output.methods, caption)
    write_text(snakemake.output.recommendation, f"{reasons}\n")


def _method(path, labels):
    """The method that a file below results/cohort belongs to."""
    return next(label for label in labels if f"/{label}/" in path)


run(main, snakemake)  # noqa: F821
