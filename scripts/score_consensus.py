"""Measure a consensus, its inputs and the gold standard."""

import pandas

from fedbnsl.consensus.path import PruningPath
from fedbnsl.data.sources import true_graph
from fedbnsl.evaluate.consensus_table import consensus_table
from fedbnsl.files import read_json, replacing
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import as_graph
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed, read_learned, read_sites


def main(snakemake):
    p = snakemake.params
    truth = true_graph(p.source, data_seed(p.root_seed, p.seed))
    tables = []
    for record in read_json(snakemake.input.consensus)["results"]:
        graphs, missing = read_learned(snakemake.input.learned, record["sites"])
        sites = read_sites(snakemake.input.sites, graphs)
        if "path" in record:
            result = PruningPath.from_dict(record["path"])
        else:
            result = as_graph(graph_from_dict(record["graph"]))
        table = consensus_table(
            result,
            list(graphs.values()),
            None if truth is None else as_graph(truth),
            sites if sites[0].is_discrete else (),
            ess=p.ess,
        )
        table.insert(0, "sites", record["sites"])
        table.insert(1, "sites_missing", len(missing))
        tables.append(table)
        print(f"{record['sites']} sites: {len(table)} rows", flush=True)
    frame = pandas.concat(tables)
    frame.insert(0, "seed", p.seed)
    frame.insert(0, "learner", p.learner)
    frame.insert(0, "method", p.method)
    with replacing(snakemake.output[0]) as path:
        frame.to_csv(path, sep="\t", index=False, lineterminator="\n")


run(main, snakemake)  # noqa: F821
