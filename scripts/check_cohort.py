"""Check the files of a user's sites: the table, all problems, and both as text."""

from fedbnsl.cohort import check
from fedbnsl.files import write_text
from fedbnsl.workflow.job import run
from fedbnsl.workflow.table_files import write_rows


def main(snakemake):
    report, out = check(snakemake.params.section), snakemake.output
    for path, table in (
        (out.table, report.table),
        (out.variables, report.variables),
        (out.problems, report.problem_table),
    ):
        write_rows(path, table)
    write_text(out.text, f"\nThe files of your sites\n\n{report}\n")


run(main, snakemake)  # noqa: F821
