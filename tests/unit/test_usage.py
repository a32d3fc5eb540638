"""What jobs took beside what they asked for."""

import math

from fedbnsl.workflow.usage import read_usage, table

HEADER = "s\th:m:s\tmax_rss\trule_name\tresources"


def benchmark(folder, name, seconds, peak, asked, minutes=5):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    resources = {"mem_mb": asked, "runtime": minutes, "tmpdir": "/tmp"}
    path.write_text(f"{HEADER}\n{seconds}\t0:00:01\t{peak}\tlearn\t{resources}\n", encoding="utf-8")


def test_peak_and_request_are_compared(tmp_path):
    benchmark(tmp_path, "a/fits.tsv", 10.0, 300.5, 500)
    benchmark(tmp_path, "b/large.tsv", 10.0, 700, 500)
    benchmark(tmp_path, "c/slow.tsv", 301, 300, 500)
    benchmark(tmp_path, "d/wasteful.tsv", 1, 300, 1300)
    benchmark(tmp_path, "e/too_short_to_measure.tsv", 0.1, "NA", 500)
    (tmp_path / "rounds.tsv").write_text("round\tseconds\n1\t0.5\n")  # timings of another kind
    jobs = {job.file.rsplit("/", 1)[1].removesuffix(".tsv"): job for job in read_usage(tmp_path)}
    assert len(jobs) == 5
    assert {name for name, job in jobs.items() if not job.fits} == {"large", "slow"}
    assert {name for name, job in jobs.items() if job.wastes()} == {"wasteful"}
    assert not jobs["wasteful"].wastes(factor=4.5)
    assert not jobs["wasteful"].wastes(above_mb=2000)
    assert math.isnan(jobs["too_short_to_measure"].peak_mb)


def test_the_table_has_a_line_for_each_rule(tmp_path):
    benchmark(tmp_path, "one.tsv", 3, 100, 500)
    benchmark(tmp_path, "two.tsv", 30, 600, 500)
    header, line = table(read_usage(tmp_path)).splitlines()
    found = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert found == {
        "rule": "learn",
        "jobs": "2",
        "largest_peak_mb": "600",
        "largest_share_of_memory": "1.20",
        "smallest_share": "0.20",
        "largest_share_of_time": "0.100",
        "short": "1",
    }
