"""List the graphs learned at all sites; fail where no site of a source has one."""

import pandas

from fedbnsl.errors import InputError
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import as_graph
from fedbnsl.workflow.job import run
from fedbnsl.workflow.table_files import write_rows


def main(snakemake):
    rows = []
    for inputs, files in snakemake.params.inputs:
        for record in (record for file in files for record in read_json(file)["sites"]):
            learned = "graph" in record
            rows.append(
                {
                    **dict(zip(("learner", "source", "partition", "seed"), inputs, strict=False)),
                    "site": record["number"],
                    "edges": as_graph(graph_from_dict(record["graph"])).n_edges if learned else pandas.NA,
                    "failed": record.get("error", ""),
                    "warnings": "; ".join(record["warnings"]),
                }
            )
    table = pandas.DataFrame(rows)
    write_rows(snakemake.output[0], table)
    print(f"{len(table)} sites, {(table['failed'] != '').sum()} without a graph")
    lost = table.groupby(["learner", "source", "partition"])["edges"].count()
    for learner, source, partition in lost[lost == 0].index:
        raise InputError(
            f"{learner} failed at every site of {source}, {partition}; the first: {_first(table, source)}",
            where=snakemake.output[0],
            remedy="Mend the cause, delete the files of these sites under results/learned and run again",
        )


def _first(table, source):
    return table.loc[(table["source"] == source) & (table["failed"] != ""), "failed"].iloc[0]


run(main, snakemake)  # noqa: F821
