"""Read the files of a user's sites into clean rows, one file a site."""

from fedbnsl.cohort import read
from fedbnsl.data.site_files import write_site
from fedbnsl.files import write_json
from fedbnsl.workflow.job import run


def main(snakemake):
    cohort = read(snakemake.params.section)
    for note in (*cohort.notes, *cohort.warnings):
        print(note)
    for site, path in zip(cohort.sites, snakemake.output.sites, strict=True):
        write_site(site, path)
    write_json(snakemake.output.cohort, cohort.to_dict())


run(main, snakemake)  # noqa: F821
