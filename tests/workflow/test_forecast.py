"""What the workflow says before a run, beside what it then plans."""

import re

import pytest


@pytest.mark.parametrize("study", ["gmcbc", "fed-sparse-bnsl"])
def test_the_number_of_jobs_is_near_the_truth(checkout, study):
    done = checkout.snakemake("--dry-run", "--forceall", "--quiet", "rules", "--", study)
    (said,) = re.findall(
        rf"^  {study}: .* in about (\d+) jobs, .* up to \d+ MB a job$", done.stderr, re.MULTILINE
    )
    (planned,) = re.findall(r"^total +(\d+)$", done.stdout + done.stderr, re.MULTILINE)[-1:]
    assert int(said) == pytest.approx(int(planned), rel=0.1)
