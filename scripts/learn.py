"""Learn one graph at each of a run of sites."""

import traceback

from fedbnsl.data.site_files import read_site
from fedbnsl.errors import InputError
from fedbnsl.files import write_json
from fedbnsl.graphs.formats.json_graph import graph_to_dict
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import site_path, site_paths


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.learner)
    entry = method(spec.name, "learn")
    options = entry.checked(spec.dict())
    learner = entry.load()
    paths = site_paths(snakemake.input.sites)
    records, failed = [], []
    for number in range(p.first, p.last + 1):
        record = {"number": number, "site": f"site_{number:04d}"}
        seed = derived_seed(p.root_seed, "learn", p.learner, p.source, p.partition, p.seed, number)
        path = site_path(paths, number, snakemake.input.sites)
        try:
            record["graph"] = graph_to_dict(learner(read_site(path), seed=seed, **options))
        except Exception as error:  # one site must not cost the others their work
            traceback.print_exc()
            reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            record["error"] = reason
            failed.append(f"{record['site']}: {reason}")
        records.append(record)
        print(f"{record['site']}: {'failed' if 'error' in record else 'learned'}", flush=True)
    if failed and p.site_failures == "stop":
        raise InputError(
            f"{p.learner} failed at {len(failed)} of {len(records)} sites: {'; '.join(failed)}",
            remedy="Mend these sites, or set site_failures: report in config.yaml to go on without them",
        )
    write_json(snakemake.output[0], {"learner": p.learner, "sites": records})


run(main, snakemake)  # noqa: F821
