"""Jobs named on a command line, as Snakemake writes them there."""

import shlex

import pytest
from snakemake_interface_executor_plugins.utils import TargetSpec, encode_target_jobs_cli_args, format_cli_arg

from fedbnsl.workflow.target_jobs import target_jobs

CASES = [
    ("all", {}),
    ("table", {"artefact": "gmcbc-table1"}),
    # both hold an option that is called like a wildcard of the rule
    (
        "score_consensus",
        {
            "method": "gmcbc@max_edges=40,weights=3+1",
            "learner": "perturbed@count=applied,first=base",
            "source": "random-dag@edges=2.5,nodes=10",
            "partition": "dirichlet@alpha=0.1,minimum=100,sites=10,variable=smoke",
            "sites": "2_10",
            "first": "1",
            "last": "10",
        },
    ),
]


def test_what_snakemake_writes_is_read_back():
    written = encode_target_jobs_cli_args([TargetSpec(rule, wildcards) for rule, wildcards in CASES])
    line = f"snakemake {format_cli_arg('--target-jobs', written)} --cores 1"
    assert target_jobs(shlex.split(line)) == CASES


def test_most_runs_name_no_jobs():
    assert target_jobs(["snakemake", "--cores", "2", "all"]) == []


def test_what_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="cannot read the job 'table:artefact'"):
        target_jobs(["snakemake", "--target-jobs", "table:artefact"])
