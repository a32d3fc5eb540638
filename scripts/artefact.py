"""Make one figure or table of a study, and compare its numbers with the printed ones."""

import importlib

import pandas

from fedbnsl.plot.save import save_figure
from fedbnsl.plot.tables import write_table
from fedbnsl.studies.artefact import verdict_table
from fedbnsl.workflow.job import run
from fedbnsl.workflow.table_files import write_rows


def main(snakemake):
    p, entry = snakemake.params, snakemake.params.entry
    name = snakemake.wildcards.artefact
    module, _, function = entry["make"].partition(":")
    make = getattr(importlib.import_module(module), function)
    result = make(_scores(p.cells), **entry["with"])
    caption = f"{entry['caption']} (Preset {p.preset}, root seed {p.seed}.)"
    write_table(result.table, snakemake.output.table, caption=caption)
    if entry["figure"]:
        save_figure(result.figure, snakemake.output.png.removesuffix(".png"))
    verdicts = verdict_table(
        name, result.runs, [*entry["printed"], *result.printed], paper=p.study, preset=p.preset
    )
    write_rows(snakemake.output.verdicts, verdicts)


def _scores(cells):
    """All measures as one table, the grid values of their cells as columns."""
    read, tables = {}, []
    for cell in cells:
        if cell["scores"] not in read:
            read[cell["scores"]] = pandas.read_csv(cell["scores"], sep="\t")
        tables.append(read[cell["scores"]].assign(experiment=cell["experiment"], **cell["values"]))
    return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()


run(main, snakemake)  # noqa: F821
