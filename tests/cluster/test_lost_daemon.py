"""A node whose daemon is killed in the middle of a job, and comes back: the same bytes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))
from checkout import Checkout
from held_job import TARGET, Run, make_held
from tiny_study import result_digests

PROFILE = ("--profile", "profiles/slurm", "--retries", "0", "--slurm-init-seconds-before-status-checks", "6")


@pytest.fixture
def expected(tmp_path):
    """What a run without a cluster makes."""
    made = make_held(Checkout(tmp_path / "here"))
    made.snakemake("--", TARGET, cores=1)
    return result_digests(made)


def test_a_killed_daemon_costs_nothing(cluster, expected, tmp_path):
    checkout = make_held(Checkout(tmp_path / "there"))
    (checkout.folder / "hold").touch()
    run = Run(checkout, *PROFILE)
    try:
        run.wait_for(checkout.folder / "at_work")
        daemon = int((cluster / "slurmd.pid").read_text(encoding="utf-8"))
        os.kill(daemon, signal.SIGKILL)
        (checkout.folder / "hold").unlink()
        subprocess.run(["slurmd"], check=True)
        code, said = run.end()
    finally:
        (checkout.folder / "hold").unlink(missing_ok=True)
    assert code == 0, said
    assert result_digests(checkout) == expected
    assert checkout.planned("--", TARGET) == set()
