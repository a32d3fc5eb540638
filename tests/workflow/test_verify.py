"""Results made again have the same bytes, and one that was changed is found; jobs fit what they asked for."""

import json
import math
import os

from fedbnsl.workflow.usage import read_usage


def some_scores(finished):
    """The measures of one small federated run."""
    folder = finished.folder / "results/scores/federated/fed-bnsl"
    return str(min(folder.rglob("*nodes=5*/**/*.tsv")).relative_to(finished.folder))


def test_a_result_made_again_is_the_same_and_a_changed_one_is_named(finished):
    path = some_scores(finished)
    file = finished.folder / path
    before, status = file.read_bytes(), file.stat()
    wanted = ("verify", "--config", f"verify=[{json.dumps(path)}]")
    assert "1 results made again from nothing: the same bytes" in finished.snakemake(*wanted, cores=1).stderr
    file.write_bytes(before.replace(b"0", b"1", 1))
    try:
        done = finished.snakemake(*wanted, cores=1, check=False)
    finally:
        file.write_bytes(before)
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert done.returncode
    assert f"not the same when made again: {path}" in done.stdout + done.stderr


def test_tables_and_pages_say_what_they_were_made_with(finished):
    results = finished.folder / "results"
    for output in [*(results / "tables").glob("*.tsv"), *(results / "networks").rglob("*.html")]:
        told = json.loads(output.with_name(output.stem + ".provenance.json").read_text(encoding="utf-8"))
        assert str(output.relative_to(finished.folder)) in told["made"]
        assert len(told["parameters"]["code"]) == 16
        assert told["versions"]["snakemake"]


def test_every_job_fits_what_it_asks_for_and_none_asks_for_far_too_much(finished):
    jobs = read_usage(finished.folder / "results/benchmarks")
    assert len(jobs) > 80
    assert sum(not math.isnan(job.peak_mb) for job in jobs) > 40
    assert [job for job in jobs if not job.fits] == []
    assert [job for job in jobs if job.wastes(above_mb=2000)] == []
