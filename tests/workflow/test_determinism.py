"""Same configuration, same bytes: whatever the number of cores."""

import hashlib

from conftest import Checkout

SAME = ("tables", "figures", "networks", "scores", "learned", "consensus", "federated", "sites", "verdicts")


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for part in SAME
        for path in sorted((folder / "results" / part).rglob("*"))
        if path.is_file()
    }


def test_one_core_gives_the_bytes_of_two(finished, tmp_path):
    alone = Checkout(tmp_path)
    alone.edit("config.yaml", "preset: laptop", "preset: smoke")
    alone.snakemake(cores=1)
    first, second = digests(finished.folder), digests(alone.folder)
    assert len(first) > 30
    assert first == second
