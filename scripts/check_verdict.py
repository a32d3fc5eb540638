"""Fail if the check of a user's sites found errors."""

import csv

from fedbnsl.errors import InputError
from fedbnsl.workflow.job import run


def main(snakemake):
    with open(snakemake.input[0], encoding="utf-8", newline="") as file:
        errors = [row for row in csv.DictReader(file, delimiter="\t") if row["severity"] == "error"]
    if errors:
        sites = ", ".join(dict.fromkeys(row["site"] or "all sites" for row in errors))
        raise InputError(
            f"{len(errors)} error{'s' * (len(errors) > 1)} in the files of your sites ({sites})",
            remedy=f"They are listed at the end, and in {snakemake.input[0]}",
        )
    print("no errors")


run(main, snakemake)  # noqa: F821
