"""Learn the connections of one part of an fMRI cohort, for a run of draws of subjects."""

import warnings

from fedbnsl.data.fmri_files import read_cohort
from fedbnsl.spec import Spec
from fedbnsl.studies.fmri_learning import check_cohort, learn_connections, planted_connections
from fedbnsl.threads import one_thread
from fedbnsl.workflow.fmri_cells import PLANTED, simulation_of
from fedbnsl.workflow.job import run
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    part = Spec.parse(p.partition)
    cohort = read_cohort(snakemake.input.cohort)
    check_cohort(cohort)
    for note in cohort.notes:
        print(f"note: {note}", flush=True)
    discovery, validation = cohort.split(p.root_seed)
    tables = []
    for method in p.method.split("+"):
        for seed in range(p.first, p.last + 1):
            chosen = discovery
            if part.name == "validation":
                chosen = validation.drawn(p.root_seed, seed, part.dict()["subjects"])
            with one_thread(), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                if method == PLANTED:
                    found = planted_connections(simulation_of(p.source, p.root_seed))
                else:
                    found = learn_connections(chosen, method, part.dict()["edges"])
            for one in caught:
                print(f"{method}, draw {seed}: warning: {one.message}", flush=True)
            tables.append(found.assign(method=method, seed=seed))
            print(f"{method}, draw {seed}: {len(found)} connections of {chosen}", flush=True)
    write_measures(snakemake.output[0], tables)


run(main, snakemake)  # noqa: F821
