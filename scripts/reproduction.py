"""Collect the comparison with the printed values over all artefacts."""

import pandas

from fedbnsl.plot.tables import write_table
from fedbnsl.workflow.job import run


def main(snakemake):
    tables = [pandas.read_csv(path, sep="\t") for path in sorted(snakemake.input.verdicts)]
    write_table(
        pandas.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True),
        snakemake.output.table,
        caption="Printed and measured values",
    )


run(main, snakemake)  # noqa: F821
