"""Write a simulated fMRI cohort in the layout of a real one."""

from fedbnsl.data.fmri_files import write_cohort
from fedbnsl.workflow.fmri_cells import simulation_of
from fedbnsl.workflow.job import run


def main(snakemake):
    cohort = simulation_of(snakemake.params.source, snakemake.params.root_seed).cohort()
    write_cohort(cohort, snakemake.output[0])
    print(cohort, flush=True)


run(main, snakemake)  # noqa: F821
