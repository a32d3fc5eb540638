"""Measure a round-based protocol after every round."""

import pandas

from fedbnsl.data.sources import true_graph
from fedbnsl.evaluate.federated_table import federated_table
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import as_graph
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    rounds = pandas.read_csv(snakemake.input.rounds, sep="\t")
    history = pandas.read_parquet(snakemake.input.history)
    tables = []
    for record in read_json(snakemake.input.graphs)["seeds"]:
        seed = record["seed"]
        names = graph_from_dict(record["graph"]).names
        table = federated_table(
            names,
            rounds[rounds["seed"] == seed],
            history[history["seed"] == seed],
            as_graph(true_graph(p.source, data_seed(p.root_seed, seed))),
            record["varsortability"],
        )
        tables.append(table.assign(converged=record["converged"]))
    write_measures(snakemake.output[0], tables, method=p.method, sites=p.sites)


run(main, snakemake)  # noqa: F821
