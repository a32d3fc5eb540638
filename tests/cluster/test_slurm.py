"""The workflow on a real SLURM, of one node on this machine: the same files as without it.

Needs root, Debian or Ubuntu, and envs/requirements-slurm.txt; not part of a plain `python -m pytest`. Run

    python -m pytest tests/cluster
"""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))
from checkout import Checkout, smoke
from tiny_study import result_digests


@pytest.fixture(scope="module")
def here(request, tmp_path_factory):
    """A copy in which the smoke preset was run without a cluster."""
    return smoke(tmp_path_factory.mktemp("here"), request.config.getoption("--finished"))


@pytest.fixture(scope="module")
def there(cluster, here, tmp_path_factory):
    """A copy in which it was run through SLURM."""
    made = Checkout(tmp_path_factory.mktemp("there"))
    made.edit("config.yaml", "preset: laptop", "preset: smoke")
    # the jobs take seconds, so look sooner than the profile does
    soon = ("--slurm-init-seconds-before-status-checks", "6")
    made.run = made.snakemake("--profile", "profiles/slurm", "--retries", "0", *soon, "--", "all", cores=None)
    return made


def test_every_file_has_the_same_bytes(here, there):
    expected, found = result_digests(here), result_digests(there)
    assert {"tables/gmcbc-table1.tsv", "tables/reproduction.tsv", "figures/pfl-fig5.png"} <= set(expected)
    assert set(found) == set(expected)
    assert [name for name in expected if found[name] != expected[name]] == []


def test_every_job_went_to_the_cluster(there):
    finished = re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)$", there.run.stderr, re.MULTILINE)
    jobs = [rule for rule in finished if rule != "all"]
    assert {"sites", "learn", "consensus", "federate", "grid", "each_site", "figure"} <= set(jobs)
    assert there.run.stderr.count("has been submitted with SLURM jobid") == len(jobs)


def test_nothing_is_left_to_do(there):
    assert there.planned("all") == set()
