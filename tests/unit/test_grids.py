"""Grids of options: their texts, their cells in a plan, and what a run of one leaves."""

import math

import numpy as np
import pytest

from fedbnsl import InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.evaluate import metrics
from fedbnsl.federate import run, try_options
from fedbnsl.workflow import cost, grids
from fedbnsl.workflow.plan import FederateCell, Plan


def test_a_list_stands_for_each_of_its_values():
    assert grids.combinations("m@a=1+2,b=x,c=0.5+null") == [
        "m@a=1,b=x,c=0.5",
        "m@a=1,b=x,c=null",
        "m@a=2,b=x,c=0.5",
        "m@a=2,b=x,c=null",
    ]
    assert grids.combinations("m") == ["m"]
    assert grids.size("m@a=1+2+3,b=4+5") == 6


def test_a_grid_takes_options_from_config_and_drops_what_is_default_anyway():
    defaults = {"a": 1, "b": None, "c": 0.3}
    assert grids.canonical("m@a=1,b=null+2", {"c": 0.5, "a": 7}, defaults) == "m@b=null+2,c=0.5"
    assert grids.canonical("m@c=0.3", {}, defaults) == "m"
    assert grids.canonical("m@a=1+1e5", {}, defaults) == "m@a=1+1e5"


def plan_of(**changes):
    experiment = {
        "description": "",
        "kind": "grid",
        "source": "linear-gaussian@nodes=5,edges=5,rows=200",
        "partition": "iid",
        "methods": ["fed-bnsl@l1={l1s},rho2=1+10"],
        "pages": True,
        "presets": {"smoke": {"sites": [2], "seeds": [2, 4], "l1s": ["0.01+0.1"]}},
        **changes,
    }
    study = {"title": "", "experiments": {"first": experiment}, "artefacts": {}}
    config = {"preset": "smoke", "studies": ["mine"], "options": {}, "override": {}}
    return Plan(config, {"mine": study})


def test_the_preset_fills_the_lists_and_there_are_no_pages():
    made = plan_of()
    (planned,) = made.all_cells()
    assert planned.cell == FederateCell(
        "fed-bnsl@l1=0.01+0.1,rho2=1+10",
        "linear-gaussian@edges=5,nodes=5,rows=200",
        "iid",
        2,
        (2, 4),
        kind="grid",
    )
    assert planned.cell.runs == 4
    assert planned.cell.scores == f"results/scores/grid/{planned.cell.stem}.tsv"
    assert plan_of(kind="held-out").all_cells()[0].cell.scores.startswith("results/scores/held-out/")
    assert not made.pages("mine")
    assert made.learned() == []


def test_every_combination_is_checked():
    with pytest.raises(InputError, match="rho2: 0 is less than or equal to the minimum of 0"):
        plan_of(methods=["fed-bnsl@l1={l1s},rho2=1+0"])
    with pytest.raises(InputError, match=r"the key 'l1s' stands in no template"):
        plan_of(methods=["fed-bnsl"])


def test_long_grids_get_a_job_for_each_seed():
    source = "linear-gaussian@edges=200,nodes=200,rows=5000"
    assert cost.seeds_per_job("fed-bnsl", source, 8, 100) == 1
    few = "linear-gaussian@edges=5,nodes=5,rows=200"
    assert cost.seeds_per_job("fed-bnsl", few, 8, 10) == pytest.approx(
        cost.seeds_per_job("fed-bnsl", few, 8) / 2, abs=30
    )


def test_personal_and_attack_experiments():
    (own, shared) = plan_of(
        kind="personal", methods=["notears@l1={l1s}", "fed-bnsl"], presets={"smoke": GRID}
    ).all_cells()
    assert own.cell.learner == "notears"  # 0.1 is its default
    assert shared.cell.learner is None
    assert own.cell.scores.startswith("results/scores/personal/notears/")
    made = plan_of(kind="personal", methods=["notears@l1={l1s}"], presets={"smoke": GRID})
    assert made.learned() == [("notears", own.cell.source, "iid", seed, 2) for seed in (2, 3, 4)]
    with pytest.raises(InputError, match="there is no federate method 'notears'"):
        plan_of(kind="attack", methods=["notears@l1={l1s}"], presets={"smoke": GRID})


GRID = {"sites": [2], "seeds": [2, 4], "l1s": [0.1]}


# --- running one --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def problem():
    return simulate_linear_gaussian(6, 6, 3, 300, seed=1001)


def test_every_row_is_a_run_with_these_options(problem):
    sites, truth = problem
    settings = [{"rounds": 3}, {"rounds": 30, "l1": 0.2}]
    table = try_options("fed-sparse-bnsl", settings, sites, truth.graph)
    assert "log_likelihood" not in table
    for row, options in zip(table.to_dict("records"), settings, strict=True):
        alone = run("fed-sparse-bnsl", sites, **options)
        found = metrics(alone.graph, truth)
        assert {key: row[key] for key in ("shd", "edges", "skeleton_correct", "cpdag_shd")} == {
            key: found[key] for key in ("shd", "edges", "skeleton_correct", "cpdag_shd")
        }
        assert (row["bytes"], row["paper_bytes"], row["rounds"]) == (
            alone.bytes_total,
            alone.paper_bytes,
            len(alone.rounds),
        )


def test_the_likelihood_of_kept_out_rows_by_hand():
    """Two independent variables: the empty graph's likelihood is that of two normal distributions."""
    rng = np.random.default_rng(3)
    site = SiteData("ab", rng.normal(size=(10, 2)))
    (row,) = try_options("fed-bnsl", [{"l1": 100.0, "rounds": 2}], [site], held_out=0.3, seed=5).to_dict(
        "records"
    )
    assert row["edges"] == 0
    values = {tuple(v): v for v in site.values}
    from itertools import combinations

    def likelihood(out):
        kept = np.array([v for key, v in values.items() if key not in out])
        test = np.array([values[key] for key in out])
        mean, variance = kept.mean(axis=0), kept.var(axis=0)
        return float(
            np.mean(-0.5 * ((test - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1))
        )

    possible = [likelihood(out) for out in combinations(values, 3)]  # whichever three rows were kept out
    assert np.min(np.abs(np.array(possible) - row["log_likelihood"])) < 1e-9


def test_the_true_network_is_more_likely_than_the_empty_one(problem):
    sites, truth = problem
    settings = [{}, {"threshold": 100.0}]
    table = try_options("fed-sparse-bnsl", settings, sites, truth.graph, held_out=0.2, seed=1)
    assert table["edges"].tolist()[1] == 0
    assert table["log_likelihood"][0] > table["log_likelihood"][1] + 0.5
    again = try_options("fed-sparse-bnsl", settings, sites, truth.graph, held_out=0.2, seed=1)
    assert again.equals(table)


def test_what_cannot_be_split_is_refused_and_what_cannot_be_fitted_is_nan(problem):
    sites, _ = problem
    for share in (1.0, -0.2, 1.5):
        with pytest.raises(InputError, match="held_out must be a share"):
            try_options("fed-bnsl", [{}], sites, held_out=share)
    with pytest.raises(InputError, match="cannot be split"):
        try_options("fed-bnsl", [{}], [sites[0].rows(slice(0, 2))], held_out=0.8)
    few = [site.rows(slice(0, 4)) for site in sites]
    table = try_options("fed-bnsl", [{"threshold": 0.0}], few, held_out=0.25)
    assert math.isnan(table["log_likelihood"][0])  # three rows, five parents
