"""A run cut off in the middle of a job: the next one gives the same bytes and repeats no finished work."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from checkout import Checkout
from held_job import TARGET, Run, make_held
from tiny_study import result_digests

FINISHED = ("sites", "learned")  # before the job that is cut off
CUT_OFF = ("consensus", "scores")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A copy after a run that nothing disturbed."""
    made = make_held(Checkout(tmp_path_factory.mktemp("interrupted")))
    made.snakemake("--", TARGET, cores=1)
    made.expected = result_digests(made)
    assert {name.split("/")[0] for name in made.expected} == {*FINISHED, *CUT_OFF}
    return made


@pytest.fixture
def checkout(undisturbed):
    """The same, back in the state before the job that is going to be cut off."""
    results = undisturbed.folder / "results"
    for path in [*(results / CUT_OFF[0]).rglob("*.json"), *(results / CUT_OFF[1]).rglob("*.tsv")]:
        path.unlink()
    (undisturbed.folder / "at_work").unlink(missing_ok=True)
    # a case that failed must not fail the next
    shutil.rmtree(undisturbed.folder / ".snakemake/locks", ignore_errors=True)
    return undisturbed


@pytest.fixture
def held(checkout):
    """A run whose job is held back until the file is deleted."""
    (checkout.folder / "hold").touch()
    run = Run(checkout, "--cores", "1")
    yield run
    (checkout.folder / "hold").unlink(missing_ok=True)
    if run.process.poll() is None:
        os.killpg(run.process.pid, signal.SIGKILL)
        run.process.wait()


def times(checkout):
    folders = (checkout.folder / "results" / name for name in FINISHED)
    return {path: path.stat().st_mtime_ns for folder in folders for path in folder.rglob("*")}


def assert_goes_on(checkout):
    """The next run makes the same files, and touches none of those that were there."""
    there = times(checkout)
    assert result_digests(checkout) != checkout.expected
    checkout.snakemake("--", TARGET, cores=1)
    assert result_digests(checkout) == checkout.expected
    assert times(checkout) == there
    assert not list((checkout.folder / "results").rglob(".part-*"))


def gone(pid):
    """Whether a process has ended; one that only waits for its parent to ask has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_control_c(checkout, held):
    job = held.wait_for_the_job()
    os.killpg(held.process.pid, signal.SIGINT)
    code, _ = held.end()
    assert code
    assert gone(job)
    (checkout.folder / "hold").unlink()
    assert_goes_on(checkout)


def test_a_polite_end_lets_the_job_finish(checkout, held):
    held.wait_for_the_job()
    held.process.send_signal(signal.SIGTERM)
    (checkout.folder / "hold").unlink()
    held.end()
    assert list((checkout.folder / "results/consensus").rglob("*.json"))
    assert_goes_on(checkout)


def test_a_killed_job_is_told_and_done_again(checkout, held):
    os.kill(held.wait_for_the_job(), signal.SIGKILL)
    code, said = held.end()
    assert code
    assert "Error in rule consensus" in said
    (checkout.folder / "hold").unlink()
    assert_goes_on(checkout)


def test_a_killed_workflow_leaves_a_lock_and_nothing_half_done(checkout, held):
    job = held.wait_for_the_job()
    held.process.kill()
    held.process.wait()
    (checkout.folder / "hold").unlink()
    deadline = time.monotonic() + 60
    while not gone(job):  # the job does not know of it, and finishes
        assert time.monotonic() < deadline
        time.sleep(0.05)
    refused = checkout.snakemake("--", TARGET, cores=1, check=False)
    assert refused.returncode
    assert "snakemake --unlock" in (refused.stdout + refused.stderr).replace(
        "the --unlock", "snakemake --unlock"
    )
    checkout.snakemake("--unlock", cores=1)
    assert_goes_on(checkout)


def test_a_full_disk_is_told_and_does_no_harm(checkout):
    """The disk is a file system of 64 kB in memory, which takes root to mount."""
    folder = checkout.folder / "results/consensus"
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "full", folder], check=True)
    try:
        (folder / "filler").write_bytes(bytes(64 * 1024))
        done = checkout.snakemake("--", TARGET, cores=1, check=False)
        assert done.returncode
        assert "No space left on device" in done.stdout + done.stderr
        assert [path.name for path in folder.rglob("*") if path.is_file()] == ["filler"]
        (folder / "filler").unlink()
        assert_goes_on(checkout)
    finally:
        subprocess.run(["umount", folder], check=True)
