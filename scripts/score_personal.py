"""Measure the network of every site: learned by itself, or shared, as it is and refitted."""

from fedbnsl.data.sources import true_site_weights
from fedbnsl.evaluate.personal_table import personal_table
from fedbnsl.federate.personalisation import refit_site
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed, of_seed, read_records, read_sites
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    tables = []
    for seed in range(p.first, p.last + 1):
        numbers = range(1, p.sites + 1)
        true = true_site_weights(p.source, data_seed(p.root_seed, seed), numbers)
        truths = dict(zip(numbers, true, strict=True))
        measured = (_learned if p.learned else _shared)(snakemake, seed, numbers)
        for weights, networks in measured.items():
            table = personal_table(networks, truths)
            table.insert(0, "weights", weights)
            tables.append(table.assign(seed=seed))
        print(f"seed {seed}: {', '.join(measured)}", flush=True)
    write_measures(snakemake.output[0], tables, method=p.method, sites=p.sites)


def _learned(snakemake, seed, numbers):
    """What each site learned by itself; sites at which that failed are left out."""
    records, missing, _ = read_records(of_seed(snakemake.input.networks, seed), len(numbers))
    kept = [number for number in numbers if number in records and number not in missing]
    return {"own": {number: graph_from_dict(records[number]["graph"]) for number in kept}}


def _shared(snakemake, seed, numbers):
    """The network that all learned together, with its weights and with each site's own."""
    records = read_json(snakemake.input.networks[0])["seeds"]
    (record,) = (record for record in records if record["seed"] == seed)
    shared = graph_from_dict(record["graph"])
    sites = read_sites(of_seed(snakemake.input.sites, seed), numbers)
    refitted = {number: refit_site(shared, site) for number, site in zip(numbers, sites, strict=True)}
    return {"shared": dict.fromkeys(numbers, shared), "refitted": refitted}


run(main, snakemake)  # noqa: F821
