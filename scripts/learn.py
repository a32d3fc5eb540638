"""Learn one graph at each of a run of sites."""

import functools

from fedbnsl.errors import InputError
from fedbnsl.files import write_json
from fedbnsl.registry import method
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import site_path, site_paths
from fedbnsl.workflow.site_job import learn_site
from fedbnsl.workflow.worker import Stopped, Worker


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.learner)
    entry = method(spec.name, "learn")
    learner = functools.partial(entry.load(), **entry.checked(spec.dict()))
    paths = site_paths(snakemake.input.sites)
    records, failed = [], []
    with Worker(functools.partial(learn_site, learner), p.site_time_limit) as worker:
        for number in range(p.first, p.last + 1):
            record = {"number": number, "site": f"site_{number:04d}"}
            seed = derived_seed(p.root_seed, "learn", p.learner, p.source, p.partition, p.seed, number)
            path = site_path(paths, number, snakemake.input.sites)
            try:  # one site must not cost the others their work
                record.update(worker((path, seed)))
            except Stopped as reason:
                record.update(error=str(reason), warnings=[])
            if "error" in record:
                failed.append(f"{record['site']}: {record['error']}")
            print(f"{record['site']}: {record.get('error', 'learned')}", flush=True)
            for warning in record["warnings"]:
                print(f"{record['site']}: warning: {warning}", flush=True)
            records.append(record)
    if failed and p.site_failures == "stop":
        raise InputError(
            f"{p.learner} failed at {len(failed)} of {len(records)} sites: {'; '.join(failed)}",
            remedy="Mend these sites, or set site_failures: report in config.yaml to go on without them",
        )
    write_json(snakemake.output[0], {"learner": p.learner, "sites": records})


run(main, snakemake)  # noqa: F821
