"""Learn the graph of one of a user's own sites."""

import functools
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.files import write_json
from fedbnsl.workflow.cohort_pieces import way_of
from fedbnsl.workflow.job import run
from fedbnsl.workflow.site_job import learn_site
from fedbnsl.workflow.worker import Stopped, Worker


def main(snakemake):
    p = snakemake.params
    way = way_of(p)
    path = Path(snakemake.input[0])
    with Worker(functools.partial(learn_site, _learner(way)), p.site_time_limit) as worker:
        try:
            answer = worker((path, 0))
        except Stopped as reason:
            answer = {"error": str(reason), "warnings": []}
    record = {"site": path.stem, **answer}
    for line in (record.get("error", "learned"), *record["warnings"]):
        print(f"{path.stem}: {line}")
    if "error" in record and p.site_failures == "stop":
        raise InputError(
            f"{p.learner} failed: {record['error']}",
            where=path.stem,
            remedy="Mend the site, or set site_failures: report in config.yaml to go on without it",
        )
    write_json(snakemake.output[0], record)


def _learner(way):
    def learner(site, seed):
        return way.learn_site(site)

    return learner


run(main, snakemake)  # noqa: F821
