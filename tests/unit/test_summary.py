"""The end of a run: overlap of work, counts of verdicts."""

import os
import types

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


def planned(tmp_path):
    """A plan with one artefact that reads one file of measures, below a results folder."""
    cell = types.SimpleNamespace(scores="results/scores/one.tsv")
    plan = types.SimpleNamespace(planned_for=lambda name: [types.SimpleNamespace(cell=cell)])
    for folder in ("tables", "scores"):
        (tmp_path / "results" / folder).mkdir(parents=True)
    return plan, tmp_path / "results/tables/figure.tsv", tmp_path / cell.scores


def test_a_table_is_current_only_if_it_is_younger_than_the_measures_it_should_show(tmp_path):
    plan, table, scores = planned(tmp_path)
    root = tmp_path / "results"
    assert summary._state(plan, "figure", root) == "missing"
    table.write_text("x")
    assert summary._state(plan, "figure", root) == "from an earlier run"  # other measures are planned now
    scores.write_text("x")
    os.utime(table, (1000, 1000))
    assert summary._state(plan, "figure", root) == "from an earlier run"
    os.utime(scores, (900, 900))
    assert summary._state(plan, "figure", root) == "current"
