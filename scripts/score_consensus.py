"""Measure a consensus, its inputs and the gold standard."""

from fedbnsl.consensus.path import PruningPath
from fedbnsl.data.sources import true_graph
from fedbnsl.evaluate.consensus_table import consensus_table
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import as_graph
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed, of_seed, read_learned, read_sites
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    data = SitesOfOneSeed(snakemake.input.sites)
    tables = []
    for record in read_json(snakemake.input.consensus)["results"]:
        seed = record["seed"]
        truth = true_graph(p.source, data_seed(p.root_seed, seed))
        graphs, missing, warned, _ = read_learned(of_seed(snakemake.input.graphs, seed), record["sites"])
        if "path" in record:
            result = PruningPath.from_dict(record["path"])
        else:
            result = as_graph(graph_from_dict(record["graph"]))
        table = consensus_table(
            result,
            list(graphs.values()),
            None if truth is None else as_graph(truth),
            data.discrete(p.judging_seeds.get(seed), graphs),
            ess=p.ess,
        )
        table.insert(0, "seed", seed)
        table.insert(1, "sites", record["sites"])
        table.insert(2, "sites_missing", len(missing))
        table.insert(3, "sites_warned", len(warned))
        tables.append(table)
        print(f"seed {seed}, {record['sites']} sites: {len(table)} rows", flush=True)
    write_measures(snakemake.output[0], tables, method=p.method, learner=p.learner)


class SitesOfOneSeed:
    """The sites' data, each file read once while the seed stays the same."""

    def __init__(self, folders):
        self.folders, self.seed, self.read = folders, None, {}

    def discrete(self, seed, numbers):
        """The discrete sites of these numbers; none if there is no data, or they are continuous."""
        if seed is None:
            return ()
        if seed != self.seed:
            self.seed, self.read = seed, {}
        new = [number for number in numbers if number not in self.read]
        self.read.update(zip(new, read_sites(of_seed(self.folders, seed), new), strict=True))
        return [self.read[number] for number in numbers if self.read[number].is_discrete]


run(main, snakemake)  # noqa: F821
