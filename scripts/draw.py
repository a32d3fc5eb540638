"""Draw a learned network: a picture, an offline page, and a file for other programs."""

import math

import pandas

from fedbnsl.data.sources import true_graph
from fedbnsl.evaluate.scale import scale_note
from fedbnsl.evaluate.structure import metrics
from fedbnsl.files import read_json
from fedbnsl.graphs.formats import write_graph
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import WeightedGraph, as_graph
from fedbnsl.plot.draw import draw_network
from fedbnsl.plot.page import network_page
from fedbnsl.plot.rounds import rounds_table
from fedbnsl.plot.save import save_figure
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import by_reason, data_seed, of_seed, read_learned


def main(snakemake):
    p = snakemake.params
    facts = {"method": p.method, "data": p.source, "partition": p.partition, "data seed": p.seed}
    found, support, more, sections = (_consensus if p.kind == "consensus" else _federated)(snakemake)
    graph = as_graph(found)
    weights = found.weights if isinstance(found, WeightedGraph) else None
    truth = true_graph(p.source, data_seed(p.root_seed, p.seed))
    truth = None if truth is None else as_graph(truth).reordered(graph.names)
    title = f"{p.method} on {p.source}, {more['sites']} sites, {p.partition}"
    if truth is not None:
        found_metrics = metrics(graph, truth, sid=False)
        more["SHD to the truth"] = found_metrics["shd"]
        more["SHD between the CPDAGs"] = _whole(found_metrics["cpdag_shd"])
    network_page(
        graph,
        title=title,
        truth=truth,
        weights=weights,
        support=support,
        facts={**facts, **more},
        more=sections,
        path=snakemake.output.html,
    )
    figure = draw_network(graph, truth=truth, weights=weights, title=title)
    save_figure(figure, snakemake.output.png.removesuffix(".png"))
    write_graph(found, snakemake.output.graph)


def _whole(number):
    """A count, or a word where the truth is no DAG and has no CPDAG."""
    return "not defined: the truth has a cycle" if math.isnan(number) else int(number)


def _consensus(snakemake):
    """The consensus of the largest number of sites, the share of sites behind each edge, facts."""
    # here, for the kernels of the consensus take a while to load
    from fedbnsl.consensus.path import PruningPath
    from fedbnsl.consensus.support import support_matrix

    seed = snakemake.params.seed
    records = read_json(snakemake.input.consensus)["results"]
    record = max((r for r in records if r["seed"] == seed), key=lambda r: r["sites"])
    inputs, missing, warned, _ = read_learned(of_seed(snakemake.input.graphs, seed), record["sites"])
    more = {"per-site learner": snakemake.params.learner, "sites": len(inputs)}
    if missing:
        more["sites without a graph"] = by_reason(missing)
    if warned:
        more["sites with a warning"] = by_reason(warned)
    if "path" in record:
        path = PruningPath.from_dict(record["path"])
        more["threshold θ"] = path.best_theta()
        graph, weights = path.best(), path.weights
        if not path.ended:
            more["stopped"] = f"at its time limit, after {len(path.steps)} deletions"
        if len(set(weights)) > 1:
            more["weights of the sites"] = f"from {min(weights)} to {max(weights)}"
    else:
        graph, weights = as_graph(graph_from_dict(record["graph"])), None
    support = support_matrix([other.reordered(graph.names) for other in inputs.values()], weights)
    return graph, support, more, {}


def _federated(snakemake):
    """The weighted network of the first seed, no support, facts, the table of rounds."""
    record = read_json(snakemake.input.graphs)["seeds"][0]
    rounds = pandas.read_csv(snakemake.input.rounds, sep="\t")
    rounds = rounds[rounds["seed"] == record["seed"]]
    more = {"sites": snakemake.params.sites, "rounds": len(rounds), "bytes exchanged": record["bytes"]}
    more["privacy"] = record["privacy"]
    if not record["converged"]:
        more["warning"] = "; ".join(record["warnings"])
    if record["varsortability"] is not None:
        more["scale"] = scale_note(record["varsortability"])
    return graph_from_dict(record["graph"]), None, more, {"Rounds": rounds_table(rounds)}


run(main, snakemake)  # noqa: F821
