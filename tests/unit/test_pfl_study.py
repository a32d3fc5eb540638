"""Figures of the NOTEARS-PFL study: the measures behind them, and what they say of the paper's words."""

import numpy as np
import pandas
import pytest

from fedbnsl.data.personal import PersonalSimulation
from fedbnsl.data.sources import check_source
from fedbnsl.errors import InputError
from fedbnsl.evaluate.structure import edge_metrics
from fedbnsl.federate import run, try_on_sites
from fedbnsl.studies import pfl
from fedbnsl.workflow.plan import Plan

METHODS = {
    "notears-pfl": 0.8,
    "notears-pfl@penalty=chain": 0.5,
    "notears-pfl@penalty=none": 0.4,
    "notears-pfl@penalty=pooled": 0.6,
    "notears-pfl@penalty=consensus": 0.6,
    "empty": 0.0,
}


def scores(column, values, **changes):
    """A made-up table: the F-score of METHODS, all else made from it; two seeds."""
    rows = []
    for at in values:
        for seed in (1, 2):
            for method, f in {**METHODS, **changes}.items():
                row = {"method": method, "weights": "own", "nodes": 10, "sites": 5, "seed": seed}
                measures = {"arrowhead_error": 0.2 - 0.1 * f, "precision": f, "recall": f, "f1": f}
                rest = {"shd": 10 * (1 - f), "edges": 9.0, "penalty": "group", "l1": 0.1, "l2": 0.2}
                rows.append({**row, **measures, **rest, column: at})
    return pandas.DataFrame(rows)


def verdicts(artefact):
    return {entry["statement"]: entry["held"] for entry in artefact.printed}


def test_statements_follow_the_numbers():
    held = verdicts(pfl.over_perturbation(scores("changed", [0.1, 0.3])))
    # pooled NOTEARS is ahead of the chain, and auto is ahead of all
    assert [key for key, cases in held.items() if cases == [False, False]] == [
        pfl._BEST.format(words) for words in pfl._WORDS.values()
    ]
    assert held[pfl._EMPTY] == [True, True]
    assert held[pfl._CHOSEN] == [True, True]
    turned = verdicts(
        pfl.over_perturbation(
            scores("changed", [0.1], **{"notears-pfl@penalty=chain": 0.7, "notears-pfl": 0.6, "empty": 0.9})
        )
    )
    assert all(turned[pfl._BEST.format(words)] == [True] for words in pfl._WORDS.values())
    assert turned[pfl._EMPTY] == [False]
    assert turned[pfl._CHOSEN] == [False]  # no better than the best of the others


@pytest.mark.parametrize(
    ("make", "column", "values"),
    [
        (pfl.over_variables, "nodes", [10, 20]),
        (pfl.over_sites, "sites", [2, 64]),
        (pfl.over_perturbation, "changed", [0.05, 0.3]),
    ],
)
def test_a_figure_has_a_panel_a_measure_and_a_line_a_method(make, column, values):
    made = make(scores(column, values))
    axes = made.figure.axes
    assert len(axes) == 4
    assert set(made.table["method"]) == {
        "notears-sig",
        "notears-avg",
        "notears-admm",
        "empty",
        *list(METHODS)[:2],
    }
    assert all(len([line for line in ax.lines if len(line.get_xdata()) == 2]) == 6 for ax in axes)
    assert made.table["recall"].notna().all()


def test_the_gain_over_single_sites_is_compared_between_few_and_many_rows():
    table = pandas.concat(
        [scores("ratio", [0.3]), scores("ratio", [5.0], **{"notears-pfl@penalty=none": 0.79})]
    )
    made = pfl.over_rows(table)
    assert verdicts(made) == {made.printed[0]["statement"]: [True]}
    assert "0.4 at 0.3 d rows, 0.01 at 5 d" in made.printed[0]["measured"]
    assert verdicts(pfl.over_rows(scores("ratio", [0.3, 5.0])))[made.printed[0]["statement"]] == [False]
    assert verdicts(pfl.over_rows(scores("ratio", [0.3])))[made.printed[0]["statement"]] == []


def test_measures_are_means_over_the_sites_own_networks():
    simulation = PersonalSimulation(6, 6, 3)
    sites = [simulation.site(k, 60) for k in (1, 2, 3)]
    truths = [simulation.site_truth(k) for k in (1, 2, 3)]
    table = try_on_sites("notears-pfl", [{"penalty": "none"}, {}], sites, truths)
    found = run("notears-pfl", sites, penalty="none")
    each = [edge_metrics(own, true.graph) for own, true in zip(found.graphs, truths, strict=True)]
    for measure in ("f1", "shd", "arrowhead_error", "recall"):
        assert table[measure][0] == pytest.approx(np.mean([one[measure] for one in each]))
    assert table["bytes"][0] == found.bytes_total
    edges = np.mean([true.graph.n_edges for true in truths])
    assert table.iloc[2][["shd", "f1", "recall", "edges"]].tolist() == pytest.approx([edges, 0, 0, 0])
    assert table["arrowhead_error"][2] == pytest.approx(edges / 30)  # of d(d − 1) = 30 entries


def test_one_network_for_all_counts_for_every_site():
    simulation = PersonalSimulation(6, 6, 3, 0.0, "shared")
    sites = [simulation.site(k, 500) for k in (1, 2)]
    truths = [simulation.site_truth(k) for k in (1, 2)]
    table = try_on_sites("notears-pooled", [{}], sites, truths)
    assert table["f1"][0] == 1.0
    assert "penalty" not in table


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("personal-gaussian@nodes=10,edges=10,rows_a_node=0.3", 3),
        ("personal-gaussian@nodes=80,edges=80,rows_a_node=0.3", 24),
        ("personal-gaussian@nodes=20,edges=20,rows=256,shared_by=64", 4),
        ("personal-gaussian@rows=9", 9),
    ],
)
def test_rows_a_site_follow_from_nodes_and_sites(text, rows):
    assert check_source(text).dict()["rows"] == rows


def test_rows_that_make_no_sense_are_refused():
    for options in ("shared_by=0", "rows_a_node=-1.0", "rows=3,shared_by=9"):
        with pytest.raises(InputError, match=r"rows|shared_by"):
            check_source(f"personal-gaussian@{options}")


def plan_of(kind, method):
    experiment = {
        "description": "",
        "kind": kind,
        "source": "personal-gaussian@nodes=5,edges=5,rows=9",
        "partition": "iid",
        "methods": [method],
        "pages": True,
        "presets": {"smoke": {"sites": [2], "seeds": [1, 3]}},
    }
    study = {"title": "", "experiments": {"first": experiment}, "artefacts": {}}
    return Plan({"preset": "smoke", "studies": ["mine"], "options": {}, "override": {}}, {"mine": study})


def test_one_job_makes_all_penalties_and_there_are_no_pages():
    (planned,) = plan_of("each-site", "notears-pfl@penalty=auto+none").all_cells()
    assert planned.cell.scores.startswith("results/scores/each-site/notears-pfl@penalty=auto+none/")
    assert planned.cell.runs == 2
    assert not planned.drawn


def test_a_method_of_networks_for_each_site_needs_that_kind():
    with pytest.raises(InputError, match="kind: each-site"):
        plan_of("federate", "notears-pfl")
