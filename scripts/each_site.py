"""Draw sites with networks of their own, learn with every combination of some options, measure."""

from fedbnsl.data.sources import make_sites, true_site_weights
from fedbnsl.federate.each_site import try_on_sites
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.grids import canonical, combinations
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    specs = [Spec.parse(text) for text in combinations(p.method)]
    name, defaults = specs[0].name, method(specs[0].name).defaults()
    numbers = range(1, p.sites + 1)
    tables = []
    for seed in range(p.first, p.last + 1):
        of_data = data_seed(p.root_seed, seed)
        table = try_on_sites(
            name,
            [spec.dict() for spec in specs],
            make_sites(p.source, p.partition, of_data, numbers),
            true_site_weights(p.source, of_data, numbers),
            seed=derived_seed(p.root_seed, "each-site", p.method, p.source, p.partition, seed, p.sites),
        )
        table.insert(0, "method", [*(canonical(str(spec), {}, defaults) for spec in specs), "empty"])
        table.insert(1, "seed", seed)
        tables.append(table)
        print(f"seed {seed}: {len(specs)} settings", flush=True)
    write_measures(snakemake.output[0], tables, sites=p.sites)


run(main, snakemake)  # noqa: F821
