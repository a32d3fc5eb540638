"""Run a round-based protocol with every combination of some options, and measure the results."""

from fedbnsl.data.sources import true_graph
from fedbnsl.federate.grid import try_options
from fedbnsl.graphs.graph import as_graph
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.grids import canonical, combinations
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed, of_seed, read_sites
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    specs = [Spec.parse(text) for text in combinations(p.method)]
    defaults = method(specs[0].name).defaults()
    tables = []
    for seed in range(p.first, p.last + 1):
        sites = read_sites(of_seed(snakemake.input.sites, seed), range(1, p.sites + 1))
        table = try_options(
            specs[0].name,
            [spec.dict() for spec in specs],
            sites,
            as_graph(true_graph(p.source, data_seed(p.root_seed, seed))),
            seed=derived_seed(p.root_seed, "grid", p.method, p.source, p.partition, seed, p.sites),
            held_out=p.held_out,
        )
        table.insert(0, "method", [canonical(str(spec), {}, defaults) for spec in specs])
        table.insert(1, "sites", p.sites)
        table.insert(2, "seed", seed)
        tables.append(table)
        print(f"seed {seed}: {len(specs)} combinations", flush=True)
    write_measures(snakemake.output[0], tables, grid=p.method)


run(main, snakemake)  # noqa: F821
