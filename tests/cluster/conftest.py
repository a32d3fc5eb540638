"""A cluster of one node while the tests run."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("slurm.sh")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """The folder of the daemons' files."""
    folder = tmp_path_factory.mktemp("slurm")
    try:
        # into a file: the daemons would keep a pipe open
        with (folder / "start.log").open("w", encoding="utf-8") as log:
            code = subprocess.run([SCRIPT, "start", folder], stdout=log, stderr=log).returncode
        assert code == 0, (folder / "start.log").read_text(encoding="utf-8")
        yield folder
    finally:
        subprocess.run([SCRIPT, "stop", folder], check=True)
