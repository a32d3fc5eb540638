"""The workflow on a real SLURM, of one node on this machine: the same files as without it.

Needs root, Debian or Ubuntu, and envs/requirements-slurm.txt; not part of a plain `python -m pytest`. Run

    python -m pytest tests/cluster
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))
from conftest import Checkout
from tiny_study import make_tiny, result_digests

SCRIPT = Path(__file__).with_name("slurm.sh")
TARGETS = ("all", "learned")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster while the tests run."""
    folder = str(tmp_path_factory.mktemp("slurm"))
    try:
        # into a file: the daemons would keep a pipe open
        with open(f"{folder}/start.log", "w", encoding="utf-8") as log:
            code = subprocess.run([SCRIPT, "start", folder], stdout=log, stderr=log).returncode
        assert code == 0, Path(f"{folder}/start.log").read_text(encoding="utf-8")
        yield
    finally:
        subprocess.run([SCRIPT, "stop", folder], check=True)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A copy in which the tiny study was run without a cluster."""
    made = make_tiny(Checkout(tmp_path_factory.mktemp("here")))
    made.run = made.snakemake(*TARGETS)
    return made


@pytest.fixture(scope="module")
def there(cluster, here, tmp_path_factory):
    """A copy in which it was run through SLURM."""
    made = make_tiny(Checkout(tmp_path_factory.mktemp("there")))
    # the jobs take seconds, so look sooner than the profile does
    soon = ("--slurm-init-seconds-before-status-checks", "6")
    profile = ("--profile", "profiles/slurm", "--retries", "0", "--jobs", "8")
    made.run = made.snakemake(*profile, *soon, "--", *TARGETS, cores=None)
    return made


def finished_jobs(checkout):
    return sorted(re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)$", checkout.run.stderr, re.MULTILINE))


def test_every_file_has_the_same_bytes(here, there):
    expected, found = result_digests(here), result_digests(there)
    assert {"tables/tiny-rounds.tsv", "figures/tiny-figure.png", "own/gmcbc/index.html"} <= set(expected)
    assert found == expected


def test_every_job_went_to_the_cluster(here, there):
    rules = {
        *("sites", "learn", "generate", "federate", "consensus", "score_consensus", "score_federated"),
        *("table", "figure", "draw_consensus", "draw_federated", "reproduction", "list_learned"),
        *("read_networks", "own_network", "compare_networks"),
    }
    jobs = [rule for rule in finished_jobs(there) if rule not in TARGETS]
    assert set(jobs) == rules
    assert jobs == [rule for rule in finished_jobs(here) if rule not in TARGETS]
    assert there.run.stderr.count("has been submitted with SLURM jobid") == len(jobs)


def test_nothing_is_left_to_do(there):
    assert there.planned(*TARGETS) == set()
