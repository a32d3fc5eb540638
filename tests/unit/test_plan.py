"""From studies to cells and files."""

import pytest

from fedbnsl.errors import InputError
from fedbnsl.workflow import plan
from fedbnsl.workflow.plan import ConsensusCell, FederateCell, Plan

GRID = {"network": ["asia", "child"], "rows": [500], "seeds": [1, 2], "sites": [5, 3]}


def study(**changes):
    experiment = {
        "description": "",
        "kind": "consensus",
        "source": "{network}@rows={rows}",
        "partition": "iid",
        "learner": "ges-pgmpy",
        "methods": ["gmcbc@ties=first", "fusion"],
        "pages": True,
        "presets": {"smoke": dict(GRID)},
        **changes,
    }
    return {"mine": {"title": "", "experiments": {"first": experiment}, "artefacts": {}}}


def make(studies, **config):
    return Plan({"preset": "smoke", "studies": ["mine"], "options": {}, "override": {}, **config}, studies)


def test_a_consensus_experiment_has_a_cell_per_network_and_method_for_a_run_of_seeds():
    cells = [p.cell for p in make(study()).all_cells()]
    assert len(cells) == 2 * 2
    assert cells[0] == ConsensusCell("gmcbc@ties=first", "ges-pgmpy", "asia@rows=500", "iid", (3, 5), (1, 2))
    assert cells[0].scores == (
        "results/scores/consensus/gmcbc@ties=first/ges-pgmpy/asia@rows=500/iid/sites3_5/seeds1-2.tsv"
    )


def test_costly_seeds_get_jobs_of_their_own_and_only_the_first_is_drawn():
    grid = {"smoke": {**GRID, "network": ["pigs"], "sites": [100]}}
    planned = make(study(presets=grid, methods=["fusion"])).all_cells()
    assert [(p.cell.seeds, p.drawn) for p in planned] == [((1, 1), True), ((2, 2), False)]


def test_an_experiment_may_do_without_pages():
    assert not make(study(pages=False)).pages("mine")
    assert len(make(study()).pages("mine")) == 4


def test_generated_graphs_are_inputs_like_learned_ones():
    grid = {"smoke": {"nodes": [10], "seeds": [1, 3], "sites": [5, 3]}}
    source = {"source": "random-dag@nodes={nodes}", "presets": grid, "methods": ["gmcbc"]}
    (planned,) = make(study(learner="perturbed@first=base,moves=0.75", **source)).all_cells()
    assert planned.cell == ConsensusCell(
        "gmcbc", "perturbed@first=base", "random-dag@nodes=10", "iid", (3, 5), (1, 3)
    )
    assert planned.columns == {"network": "random-dag", "nodes": 10}
    assert plan.is_generator(planned.cell.learner)
    assert not plan.is_generator("ges@ess=2")
    changed = make(study(learner="perturbed"), options={"perturbed": {"count": "applied"}})
    assert changed.all_cells()[0].cell.learner == "perturbed@count=applied"


def test_nothing_can_be_learned_where_there_are_no_rows():
    grid = {"smoke": {"nodes": [10], "seeds": [1, 3], "sites": [5]}}
    with pytest.raises(InputError, match=r"no rows to learn from\. As learner, take one of: perturbed"):
        make(study(source="random-dag@nodes={nodes}", presets=grid))
    with pytest.raises(InputError, match="first: 'both' is not one of"):
        make(study(learner="perturbed@first=both"))
    with pytest.raises(InputError, match="there is no learn method 'perturb'"):
        make(study(learner="perturb"))


def test_a_partition_that_depends_on_the_number_of_sites_gives_a_cell_for_each():
    cells = [p.cell for p in make(study(partition="equal@sites={sites}", methods=["fusion"])).all_cells()]
    assert {(cell.partition, cell.sites) for cell in cells} == {
        ("equal@sites=3", (3,)),
        ("equal@sites=5", (5,)),
    }


def test_a_protocol_runs_its_seeds_in_batches():
    changed = study(
        kind="federate",
        source="linear-gaussian@edges={nodes},nodes={nodes},rows={rows}",
        methods=["fed-bnsl"],
        presets={"smoke": {"nodes": [20], "rows": [5000], "seeds": [2, 11], "sites": [8]}},
    )
    cells = [p.cell for p in make(changed).all_cells()]
    assert all(isinstance(cell, FederateCell) for cell in cells)
    covered = [seed for cell in cells for seed in range(cell.seeds[0], cell.seeds[1] + 1)]
    assert covered == list(range(2, 12))


def test_options_from_config_apply_where_the_study_leaves_them_open():
    options = {"gmcbc": {"ties": "random", "k_max": 5}, "ges-pgmpy": {"ess": 10.0}}
    cell = make(study(), options=options).all_cells()[0].cell
    assert cell.method == "gmcbc@k_max=5,ties=first"
    assert cell.learner == "ges-pgmpy@ess=10"


def test_overrides_replace_the_presets_numbers():
    changed = make(study(), override={"mine": {"first": {"network": ["alarm"], "seeds": [7, 7]}}})
    assert {(p.cell.source, p.cell.seeds) for p in changed.all_cells()} == {("alarm@rows=500", (7, 7))}


def test_a_grid_key_that_no_template_uses_is_refused():
    grid = {"smoke": {**GRID, "nodes": [3]}}
    with pytest.raises(InputError, match="'nodes' stands in no template"):
        make(study(presets=grid))


def test_seeds_in_the_wrong_order_are_refused():
    with pytest.raises(InputError, match=r"seeds must be \[first, last\], not \[3, 1\]"):
        make(study(), override={"mine": {"first": {"seeds": [3, 1]}}})


def test_batches_cover_every_number_once():
    assert plan.batches(2, 11, 4) == [(2, 5), (6, 9), (10, 11)]
    assert plan.overlapping(plan.batches(1, 12, 5), 4, 6) == [(1, 5), (6, 10)]


def test_learn_batches_of_fewer_sites_are_among_those_of_more():
    few = plan.learn_batches("ges-pgmpy", "child@rows=5000", 10)
    many = plan.learn_batches("ges-pgmpy", "child@rows=5000", 100)
    assert set(few[:-1]) <= set(many)


def test_a_method_for_other_data_is_refused_before_anything_runs():
    changed = study(kind="federate", methods=["fed-bnsl"])
    with pytest.raises(InputError, match="'fed-bnsl' needs continuous data, but 'asia@rows=500' is not"):
        make(changed)


def test_an_unknown_source_is_refused():
    with pytest.raises(InputError, match="there is no data source 'alram'"):
        make(study(), override={"mine": {"first": {"network": ["alram"]}}})


def test_a_default_spelt_out_is_the_same_cell():
    plain = [p.cell for p in make(study(methods=["gmcbc"])).all_cells()]
    spelt = make(study(methods=["gmcbc@ties=random"]), options={"ges-pgmpy": {"ess": 1, "score": None}})
    assert [p.cell for p in spelt.all_cells()] == plain


def test_a_template_without_values_is_refused():
    with pytest.raises(InputError, match=r"the templates use \{rows\}, for which the preset has no values"):
        make(study(presets={"smoke": {"network": ["asia"], "seeds": [1, 1], "sites": [2]}}))


def test_too_many_seeds_are_refused_at_once():
    with pytest.raises(InputError, match="at most 10000 seeds"):
        make(study(), override={"mine": {"first": {"seeds": [1, 10**9]}}})


def test_graphs_that_are_drawn_cannot_be_weighted_by_rows():
    assert make(study(methods=["gmcbc@weights=rows"])).all_cells()
    with pytest.raises(InputError, match=r"study mine, first: .*draws the graphs from none"):
        make(study(methods=["gmcbc@weights=rows"], learner="perturbed"))
    with pytest.raises(InputError, match="draws the graphs from none"):
        make(study(methods=["gmcbc"], learner="perturbed"), options={"gmcbc": {"weights": "rows"}})


def test_a_costly_network_may_run_with_fewer_sites():
    limited = {"smoke": {**GRID, "most_sites": {"child": 4, "link": 1}}}
    cells = [p.cell for p in make(study(presets=limited, methods=["fusion"])).all_cells()]
    assert [(cell.source, cell.sites) for cell in cells] == [
        ("asia@rows=500", (3, 5)),
        ("child@rows=500", (3,)),
    ]
    unlimited = {"mine": {"first": {"most_sites": {}}}}
    cells = [p.cell for p in make(study(presets=limited), override=unlimited).all_cells()]
    assert {cell.sites for cell in cells} == {(3, 5)}
    with pytest.raises(InputError, match="child is to run with at most 2 sites"):
        make(study(presets={"smoke": {**GRID, "most_sites": {"child": 2}}}))
