"""Draw a learned network: a picture, an offline page, and a file for other programs."""

import math

from fedbnsl.consensus.path import PruningPath
from fedbnsl.data.sources import true_graph
from fedbnsl.evaluate.structure import metrics
from fedbnsl.files import read_json
from fedbnsl.graphs.formats import write_graph
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import WeightedGraph, as_graph
from fedbnsl.plot.draw import draw_network
from fedbnsl.plot.page import network_page
from fedbnsl.plot.save import save_figure
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import by_reason, data_seed, of_seed, read_learned


def main(snakemake):
    p = snakemake.params
    facts = {"method": p.method, "data": p.source, "partition": p.partition, "data seed": p.seed}
    found, support, more = _consensus(snakemake) if p.kind == "consensus" else _federated(snakemake)
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
    seed = snakemake.params.seed
    records = read_json(snakemake.input.consensus)["results"]
    record = max((r for r in records if r["seed"] == seed), key=lambda r: r["sites"])
    inputs, missing, warned = read_learned(of_seed(snakemake.input.graphs, seed), record["sites"])
    more = {"per-site learner": snakemake.params.learner, "sites": len(inputs)}
    if missing:
        more["sites without a graph"] = by_reason(missing)
    if warned:
        more["sites with a warning"] = by_reason(warned)
    if "path" in record:
        path = PruningPath.from_dict(record["path"])
        more["threshold θ"] = path.best_theta()
        graph = path.best()
    else:
        graph = as_graph(graph_from_dict(record["graph"]))
    skeletons = [other.reordered(graph.names).skeleton().adjacency for other in inputs.values()]
    return graph, sum(s.astype(float) for s in skeletons) / len(skeletons), more


def _federated(snakemake):
    """The weighted network of the first seed, no support, facts."""
    record = read_json(snakemake.input.graphs)["seeds"][0]
    more = {"sites": snakemake.params.sites, "bytes exchanged": record["bytes"]}
    if not record["converged"]:
        more["warning"] = "the protocol had not converged when its rounds ended"
    return graph_from_dict(record["graph"]), None, more


run(main, snakemake)  # noqa: F821
