"""Fuse the sites' graphs into one, for each number of sites."""

from fedbnsl.consensus.path import PruningPath
from fedbnsl.files import write_json
from fedbnsl.graphs.formats.json_graph import graph_to_dict
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import read_learned


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.method)
    entry = method(spec.name, "consensus")
    options = entry.checked(spec.dict())
    function = entry.load()
    results = []
    for sites in p.sites:
        graphs, missing = read_learned(snakemake.input.learned, sites)
        for number, reason in missing.items():
            print(f"{sites} sites: site {number} is missing: {reason}")
        seed = derived_seed(
            p.root_seed, "consensus", p.method, p.learner, p.source, p.partition, p.seed, sites
        )
        found = function(list(graphs.values()), seed=seed, **options)
        record = {"sites": sites, "used": list(graphs), "missing": missing}
        if isinstance(found, PruningPath):
            record["path"] = found.to_dict()
        else:
            record["graph"] = graph_to_dict(found)
        results.append(record)
        print(f"{sites} sites: done", flush=True)
    write_json(snakemake.output[0], {"method": p.method, "learner": p.learner, "results": results})


run(main, snakemake)  # noqa: F821
