"""The end of a run: overlap of work, counts of verdicts."""

import pytest

from fedbnsl.workflow import summary
from fedbnsl.workflow.job import WORK


def log(folder, name, start, end):
    (folder / name).write_text(f"something\n{WORK} {start} {end}\n")


def test_work_adds_up_and_overlap_counts_once(tmp_path):
    log(tmp_path, "a.log", 10.0, 20.0)
    log(tmp_path, "b.log", 15.0, 25.0)  # overlaps a by 5
    log(tmp_path, "c.log", 30.0, 31.5)
    log(tmp_path, "inside.log", 16.0, 17.0)
    log(tmp_path, "earlier.log", 1.0, 2.0)  # belongs to another run
    assert summary.work(tmp_path, since=10.0) == (pytest.approx(16.5), pytest.approx(22.5), 4)


def test_logs_without_a_record_do_not_count(tmp_path):
    (tmp_path / "a.log").write_text("killed in the middle")
    (tmp_path / "empty.log").write_text("")
    assert summary.work(tmp_path, since=0.0) == (0.0, 0, 0)


def test_verdicts_are_counted(tmp_path):
    path = tmp_path / "reproduction.tsv"
    path.write_text("paper\tverdict\treason\nx\twithin\t\nx\tworse\tbig\ny\twithin\t\n")
    assert summary.verdict_counts(path) == {"within": 2, "worse": 1}
    assert not summary.verdict_counts(tmp_path / "none.tsv")
