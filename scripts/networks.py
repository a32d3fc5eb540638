"""The consensus of a user's own networks by one method: files, pictures, reasons."""

from pathlib import Path

import pandas

from fedbnsl.consensus.own_inputs import OwnInputs
from fedbnsl.consensus.own_reasons import (
    EDGES,
    REASONS,
    Distance,
    comparison_rows,
    input_rows,
    measures,
    pair_rows,
    theta_rows,
)
from fedbnsl.consensus.path import PruningPath
from fedbnsl.files import read_json, write_json
from fedbnsl.graphs.formats import write_graph
from fedbnsl.graphs.graph import as_graph
from fedbnsl.plot.draw import draw_network
from fedbnsl.plot.own import own_page, theta_figure
from fedbnsl.plot.save import save_figure
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.table_files import write_rows


def main(snakemake):
    p, out = snakemake.params, snakemake.output
    own = OwnInputs.from_dict(read_json(snakemake.input[0]))
    spec = Spec.parse(p.method)
    entry = method(spec.name, "consensus")
    seed = derived_seed(p.root_seed, "own networks", p.method)
    found = entry.load()(own.graphs, seed=seed, **entry.checked(spec.dict()))
    path = found if isinstance(found, PruningPath) else None
    theta = None if path is None else path.best_theta() if p.theta is None else p.theta
    graph = as_graph(found) if path is None else path.at(theta)

    # distances on the page are means by the weights that θ is chosen by; where methods compare, plain ones
    distance = Distance(own.graphs, None if path is None else path.weights)
    own_measures = measures(graph, distance)
    inputs = input_rows(own, distance)
    curve = [{"theta": None, **own_measures}] if path is None else theta_rows(path, distance)
    pairs = pair_rows(own, graph, path)

    for name in ("graphml", "dot", "json"):
        write_graph(graph, out[name])
    kept = [row for row in pairs if row["consensus"] == "kept"]
    write_rows(out.edges, _table(kept, EDGES), ",")
    write_rows(out.reasons, _table(pairs, REASONS))
    chosen = None if path is None else max((r["theta"] for r in curve if r["theta"] <= theta), default=None)
    write_rows(out.theta, _table([{**row, "chosen": row["theta"] == chosen} for row in curve]))
    compared = {**own_measures, "smhd_inputs": Distance(own.graphs)(graph)}
    write_json(out.measures, {"network": p.method, "theta": theta, **compared})

    *_, mean = comparison_rows([], inputs, distance.weights)
    save_figure(theta_figure(curve, theta, mean), out.theta_png.removesuffix(".png"))
    title = f"Consensus of {len(inputs)} network{'s' * (len(inputs) > 1)} by {p.method}"
    save_figure(draw_network(graph, title=title), out.png.removesuffix(".png"))
    facts = {
        "method": f"{p.method}: {entry.summary}",
        "inputs": len(inputs),
        "variables": len(own.names),
        **_about_theta(path, theta, p.theta),
        "edges": own_measures["edges"],
        "mean SMHD to the inputs": f"{own_measures['smhd_inputs']:.4g}; for comparison, that of an input is "
        f"{mean['smhd_inputs']:.4g} on average. It counts the edges in which two moral graphs differ"
        f"{_by_weights(distance.weights)}.",
        "treewidth": f"at most {own_measures['treewidth']} (min-fill)",
        **_remarks(own, graph, kept, path),
    }
    own_page(graph, title, facts, pairs, inputs, Path(out.theta_png).read_bytes(), out.html)


def _table(rows, columns=None):
    """Whole numbers stay whole where some are missing."""
    table = pandas.DataFrame(rows, columns=columns)
    return table.astype({"step": "Int64"}) if "step" in table else table


def _about_theta(path, theta, wanted):
    if path is None:
        return {"threshold θ": "this method has none"}
    mean = "mean SMHD" if len(set(path.weights)) == 1 else "mean SMHD by their weights"
    how = "given in config.yaml" if wanted is not None else f"its network is nearest to the inputs ({mean})"
    return {"threshold θ": f"{theta:.4g}; {how}"}


def _by_weights(weights):
    if len(set(weights)) == 1:
        return ""
    return "; means and shares are by the inputs' weights, " + " : ".join(map(str, weights))


def _remarks(own, graph, kept, path):
    told = list(own.notes)
    if path is not None and not path.ended:
        told.append(
            f"The pruning stopped at its time limit, with {path.fusion.n_edges - len(path.steps)} of "
            f"{path.fusion.n_edges} edges left: what larger θ would give is not known."
        )
    if not graph.n_edges and any(other.n_edges for other in own.graphs):
        told.append("The consensus has no edge: see below at which θ the edges are cut.")
    if any(row["inputs_joining"] == 0 for row in kept):
        told.append("Edges with support 0 come from the fusion: under its node order they keep dependences.")
    if any(row["direction"] == "free" for row in kept):
        free = sum(row["direction"] == "free" for row in kept)
        told.append(
            f"The direction of {free} of the {len(kept)} edges is free: turned round, perhaps with others, "
            "they state the same independences."
        )
    return {f"remark {k}" if len(told) > 1 else "remark": text for k, text in enumerate(told, start=1)}


run(main, snakemake)  # noqa: F821
