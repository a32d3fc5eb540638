"""Fuse the sites' graphs into one, for each seed and number of sites."""

import itertools

from fedbnsl.consensus.path import PruningPath
from fedbnsl.consensus.site_weights import site_weights
from fedbnsl.files import write_json
from fedbnsl.graphs.formats.json_graph import graph_to_dict
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import by_reason, of_seed, read_learned


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.method)
    entry = method(spec.name, "consensus")
    options = entry.checked(spec.dict())
    function = entry.load()
    results = []
    for seed, sites in itertools.product(range(p.first, p.last + 1), p.sites):
        learned = read_learned(of_seed(snakemake.input.graphs, seed), sites)
        for what, reasons in (("missing", learned.missing), ("with a warning", learned.warned)):
            if reasons:
                print(f"seed {seed}, {sites} sites, {what}: {by_reason(reasons)}")
        key = ("consensus", p.method, p.learner, p.source, p.partition, seed, sites)
        weighted = {}
        if "weights" in options:
            where = f"method {p.method}, {sites} sites"
            weighted["weights"] = site_weights(options["weights"], range(1, sites + 1), learned.rows, where)
        derived = derived_seed(p.root_seed, *key)
        found = function(list(learned.graphs.values()), seed=derived, **options | weighted)
        record = {
            "seed": seed,
            "sites": sites,
            "used": list(learned.graphs),
            "missing": learned.missing,
            "warned": learned.warned,
        }
        if isinstance(found, PruningPath):
            record["path"] = found.to_dict()
        else:
            record["graph"] = graph_to_dict(found)
        results.append(record)
        print(f"seed {seed}, {sites} sites: done", flush=True)
    write_json(snakemake.output[0], {"method": p.method, "learner": p.learner, "results": results})


run(main, snakemake)  # noqa: F821
