"""Listen to the first round of a protocol as its server, and reconstruct the sites' covariances."""

from fedbnsl.federate.attack import leakage
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import of_seed, read_sites
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.method)
    tables = []
    for seed in range(p.first, p.last + 1):
        sites = read_sites(of_seed(snakemake.input.sites, seed), range(1, p.sites + 1))
        key = ("federate", p.method, p.source, p.partition, seed, p.sites)
        table = leakage(spec.name, sites, seed=derived_seed(p.root_seed, *key), **spec.dict())
        tables.append(table.assign(seed=seed))
        print(f"seed {seed}: relative error up to {table['error'].max():.2g}", flush=True)
    write_measures(snakemake.output[0], tables, method=p.method, sites=p.sites)


run(main, snakemake)  # noqa: F821
