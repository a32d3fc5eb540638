"""Write the site files of an example cohort, and the settings that read them."""

from pathlib import Path

from fedbnsl.cohort.examples import write_example
from fedbnsl.workflow.job import run


def main(snakemake):
    write_example(snakemake.wildcards.example, Path(snakemake.output[0]).parent)


run(main, snakemake)  # noqa: F821
