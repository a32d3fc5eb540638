"""The end of a run: overlap of work, counts of verdicts."""

import os
import types

import pytest

from fedbnsl.files import write_json
from fedbnsl.privacy.statement import NO_PROMISE, stamp
from fedbnsl.workflow import summary
from fedbnsl.workflow.job import WORK
from fedbnsl.workflow.plan import FederateCell, learned_files


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


def learned_plan(tmp_path, sites):
    """A plan of two experiments on the same data, and what was learned at three of four sites."""
    key = ("ges", "asia@rows=500", "iid", 1)
    for path in learned_files(*key, sites):
        write_json(tmp_path / path, {"learner": "ges", "sites": RECORDS[:sites]})
    return types.SimpleNamespace(learned=lambda: [(*key, 2), (*key, sites)])


RECORDS = [
    {"number": 1, "site": "site_0001", "graph": {}, "warnings": []},
    {"number": 2, "site": "site_0002", "error": "disk full", "warnings": []},
    {"number": 3, "site": "site_0003", "graph": {}, "warnings": ["stopped early"]},
    {"number": 4, "site": "site_0004", "graph": {}, "warnings": ["stopped early"]},
]


def test_sites_without_a_graph_and_with_an_unfinished_one_are_named(tmp_path):
    root = tmp_path / "results"
    assert summary.graphs_learned(learned_plan(tmp_path, 4), root) == [
        f"  graphs    {root}/learned/**/*.json, of 3 of 4 sites",
        "    left out: ges, asia@rows=500, iid, seed 1, site 2: disk full",
        "    warning: ges, asia@rows=500, iid, seed 1, sites 3, 4: stopped early",
    ]
    assert summary.graphs_learned(learned_plan(tmp_path, 1), root)[1:] == []


def test_what_is_not_learned_yet_counts_as_nothing(tmp_path):
    plan = types.SimpleNamespace(learned=lambda: [("ges", "asia@rows=500", "iid", 1, 5)])
    (line,) = summary.graphs_learned(plan, tmp_path / "results")
    assert line.endswith("of 0 of 5 sites")
    assert summary.graphs_learned(types.SimpleNamespace(learned=list), tmp_path / "results") == []


def test_a_study_of_which_nothing_is_there_is_one_line(tmp_path):
    cell = types.SimpleNamespace(scores="results/scores/one.tsv")
    plan = types.SimpleNamespace(
        studies=["mine"],
        artefacts=lambda study: ["first", "second"],
        planned_for=lambda name: [types.SimpleNamespace(cell=cell)],
        learned=list,
        all_cells=list,
    )
    root = tmp_path / "results"
    said = summary.report(plan, 0.0, 9.0, 2, succeeded=True, root=root)
    assert "mine: 0 of 2 figures and tables" in said
    assert "missing" not in said
    (root / "tables").mkdir(parents=True)
    (root / "tables/first.tsv").write_text("x")
    said = summary.report(plan, 0.0, 9.0, 2, succeeded=True, root=root)
    assert "  missing: second" in said


def test_a_long_list_of_sites_is_cut(tmp_path):
    runs = [("ges", "asia@rows=500", "iid", seed, 2) for seed in range(13)]
    for run in runs:
        write_json(tmp_path / learned_files(*run)[0], {"sites": RECORDS[:2]})
    lines = summary.graphs_learned(types.SimpleNamespace(learned=lambda: runs), tmp_path / "results")
    assert len(lines) == 12
    assert lines[-1].startswith("    and 3 more: see sites_missing")


def test_runs_that_did_not_converge_are_named_and_the_scale_is_told(tmp_path):
    cell = FederateCell("fed-bnsl", "linear-gaussian", "iid", 2, (1, 3))
    other = FederateCell("fed-bnsl", "linear-gaussian", "iid", 2, (4, 5))  # not there yet
    grid = FederateCell("fed-bnsl@l1=0.1+1", "linear-gaussian", "iid", 2, (1, 3), kind="grid")
    plan = types.SimpleNamespace(
        all_cells=lambda: [types.SimpleNamespace(cell=one) for one in (cell, cell, other, grid)]
    )
    records = [
        {"seed": 1, "converged": True, "warnings": [], "varsortability": 0.95, "privacy": NO_PROMISE},
        {"seed": 2, "converged": False, "warnings": ["the residual is 9"], "varsortability": None},
        {"seed": 3, "converged": True, "warnings": [], "varsortability": 0.5},
    ]
    write_json(tmp_path / cell.graphs, {"seeds": records})
    first, heading, run, scale = summary.federated_runs(plan, tmp_path / "results")
    assert "of 3 federated runs" in first
    assert heading == "  not converged:"
    assert run == "    1 run(s) of fed-bnsl, linear-gaussian, 2 sites; seed 2: the residual is 9"
    assert "in 1 of 2 of their networks, 90% or more" in scale
    assert summary.federated_runs(plan, tmp_path / "elsewhere/results") == []
    promise = {"epsilon": 2.0, "delta": 1e-6, "public": "n", "clipping": "c"}
    for record, mode, fault in zip(
        records, ("research", "research", "secure"), (None, "the mean", None), strict=True
    ):
        record["privacy"] = stamp(mode, fault, **promise).words
    write_json(tmp_path / cell.graphs, {"seeds": records})
    assert summary.federated_runs(plan, tmp_path / "results")[4:] == [
        "  privacy: of the runs with noise (see their privacy.json)",
        "    1 not private: seed known",
        "    1 not private: the mean",
        "    1 private",
    ]
