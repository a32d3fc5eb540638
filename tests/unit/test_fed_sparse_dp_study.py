"""Figures and tables about differential privacy, and what the workflow leaves beside private results."""

import runpy
import types
from pathlib import Path

import pandas
import pytest
import yaml

from fedbnsl import InputError
from fedbnsl.data import simulate_linear_gaussian
from fedbnsl.data.site_files import write_site
from fedbnsl.federate import try_options
from fedbnsl.files import read_json
from fedbnsl.privacy.statement import NO_PROMISE
from fedbnsl.registry import method, methods
from fedbnsl.spec import Spec
from fedbnsl.studies import fed_sparse_dp as made_by
from fedbnsl.studies.forms import NOT_PRIVATE, form
from fedbnsl.workflow.grids import combinations
from fedbnsl.workflow.job import WORK
from fedbnsl.workflow.plan import Plan

ROOT = Path(__file__).resolve().parents[2]
STUDY = yaml.safe_load((ROOT / "workflow/studies/fed-sparse-dp.yaml").read_text(encoding="utf-8"))
SPARSE, AUTO, COVARIANCE = "dp-fed-sparse-bnsl", "dp-auto", "dp-fed-bnsl"
AVERAGED = f"{SPARSE}@clip_total=5,clipping=average"
PRINTED = f"{SPARSE}@clip_total=5"
FREE = "fed-sparse-bnsl@variant=paper"


def every_method():
    """All methods of the study with all values of the paper preset and of laptop, one text each."""
    found = set()
    for experiment in STUDY["experiments"].values():
        for preset in experiment["presets"].values():
            first = {key: values[0] for key, values in preset.items()}
            for text in experiment["methods"]:
                found |= set(combinations(text.format(**first)))
    return sorted(found)


@pytest.mark.parametrize("text", [t for t in every_method() if t.startswith("dp-")])
def test_a_form_is_called_not_private_just_when_secure_mode_refuses_it(text):
    """The form, whatever the budget: the study goes up to ε = 50, for which secure mode is not offered."""
    spec = Spec.parse(text)
    try:
        method(spec.name).checked({**spec.dict(), "epsilon": 20.0, "mode": "secure"})
        refused = False
    except InputError:
        refused = True
    assert form(text).startswith(NOT_PRIVATE) == refused


def test_the_study_has_sound_forms_and_others_of_every_paper_form():
    forms = {form(text) for text in every_method() if text.startswith("dp-")}
    assert {name for name in forms if name.startswith(NOT_PRIVATE)} == {
        "not private: as printed, the mean clipped",
        "not private: Laplace noise as of Mangold et al.",
        "not private: exact M",
        "not private: DP-Fed-BNSL as printed, nothing clipped",
    }
    assert {"DP-staged", "DP-Fed-BNSL", "DP-Fed-Sparse-BNSL", "DP-Fed-Sparse-BNSL, printed options"} <= forms
    assert form("fed-bnsl") == "Fed-BNSL"


def test_every_caption_says_that_no_run_is_private():
    for name, artefact in STUDY["artefacts"].items():
        words = " ".join(artefact["caption"].split())
        assert "known seed" in words or "its seed is known" in words, name
        assert "so no run is private" in words or "No run is private" in words or "none is private" in words


# --- figures ----------------------------------------------------------------------------------------


def scores(cells, **more):
    """{(method, nodes): (shd, tpr)} over the seeds 2 and 3, half an edge more and less."""
    rows = [
        (text, nodes, seed, shd + step, tpr)
        for (text, nodes), (shd, tpr) in cells.items()
        for seed, step in ((2, -0.5), (3, 0.5))
    ]
    table = pandas.DataFrame(rows, columns=["method", "nodes", "seed", "shd", "tpr"])
    fixed = {"sites": 8, "rows": 5000, "rounds": 9, "fdr": 0.1, "edges": 5, "bytes": 8, "converged": True}
    privacy = table["method"].map(lambda text: "not private: seed known" if text.startswith("dp-") else None)
    return table.assign(**fixed, privacy=privacy, **more)


def with_epsilon(text, epsilon):
    return str(Spec.of(Spec.parse(text).name, {**Spec.parse(text).dict(), "epsilon": epsilon}))


def held(artefact):
    return {(one["statement"], one["where"]): one["held"] for one in artefact.printed if one["held"]}


def test_shd_over_budgets_is_judged_form_by_form_and_runs_count_once():
    cells = {(FREE, 20): (1.0, 0.95), (FREE, 50): (9.0, 0.1)}
    levels = {SPARSE: (6, 3, 2), AUTO: (1, 2, 2.5), AVERAGED: (5, 2, 1), PRINTED: (7, 7, 7)}
    for text, values in levels.items():
        for epsilon, shd in zip((1, 5, 10), values, strict=True):
            cells[with_epsilon(text, epsilon), 20] = (shd, 0.91 if text != PRINTED else 0.8)
    cells[with_epsilon(f"{COVARIANCE}@bound=7", 10), 20] = (0.5, 1.0)
    table = scores(cells)
    made = made_by.over_budgets(pandas.concat([table, table]))  # two experiments share their cells
    assert len(made.table) == 2 * (1 + 12)  # not the level of other data
    assert "not private: DP-Fed-BNSL as printed, nothing clipped" not in set(made.table["form"])
    said = held(made)
    falls = "SHD falls, or stays, with every larger ε (means over seeds)"
    assert said[falls, "DP-Fed-Sparse-BNSL"] == [True, True]
    assert said[falls, "DP-staged"] == [False, False]
    assert said[falls, "DP-Fed-Sparse-BNSL, printed options"] == [True, True]
    near = {where: value for (statement, where), value in said.items() if "ε = 10 SHD" in statement}
    assert near == {  # the free level of 50 variables does not count
        "DP-Fed-Sparse-BNSL": [True],
        "DP-staged": [False],
        "not private: as printed, the mean clipped": [True],
        "DP-Fed-Sparse-BNSL, printed options": [False],
    }
    upper, lower = made.figure.axes[0], made.figure.axes[3]
    assert [len(ax.lines) for ax in (upper, lower)] == [3 + 1, 1 + 1]  # and one level without noise
    assert set(made.table["kind"]) == {"sound forms", "not private"}
    assert set(made.table["privacy"]) == {"not private: seed known", NO_PROMISE}


def test_seeds_that_a_method_lacks_are_left_out():
    table = scores(
        {(FREE, 20): (1, 1), (f"{SPARSE}@epsilon=1", 20): (2, 1), (f"{AUTO}@epsilon=1", 20): (2, 1)}
    )
    lacking = table[~((table["method"] == f"{AUTO}@epsilon=1") & (table["seed"] == 3))]
    assert set(made_by.over_budgets(lacking).table["seed"]) == {2}


def test_over_variables_only_one_budget_counts():
    cells = {(FREE, 50): (1, 1), (FREE, 200): (9, 1)}
    values = {SPARSE: (4, 60), COVARIANCE: (6, 50), AVERAGED: (5, 70), f"{COVARIANCE}@bound=10": (9, 140)}
    for text, (small, large) in values.items():
        cells[with_epsilon(text, 10), 50] = (small, 0.9)
        cells[with_epsilon(text, 10), 200] = (large, 0.5)
    cells[with_epsilon(SPARSE, 2), 50] = (40, 0.1)
    made = made_by.over_variables(scores(cells), epsilon=10)
    assert set(made.table["epsilon"].dropna()) == {10}
    said = {(statement.split(" ")[0], where): value for (statement, where), value in held(made).items()}
    assert said == {
        ("up", "as printed"): [False],
        ("up", "sound forms"): [True],
        ("at", "as printed"): [True],
        ("at", "sound forms"): [False],
    }
    as_printed = made.runs[made.runs["form"].str.contains("nothing clipped") & (made.runs["nodes"] == 200)]
    assert as_printed["shd"].mean() == 140


def test_shares_are_told_in_rho_and_in_epsilon():
    cells = {(f"{SPARSE}@scale_share={share}", 20): (shd, 1) for share, shd in ((0.0134, 4), (0.28, 3))}
    cells |= {(SPARSE, 20): (3.5, 1), (f"{SPARSE}@scale_share=0", 20): (1, 1)}
    cells |= {(f"{SPARSE}@scale_bound=400,scale_share=0.28", 20): (2, 1), (AUTO, 20): (0, 1)}
    made = made_by.over_shares(scores(cells))
    one = made.table[made.table["form"] == "histograms of squares"]
    shares = one.groupby("share_of_rho")["share_of_epsilon"].first()
    # of ε = 5: 10, 20 and 50 % by the exact conversion at δ = 1/5000²
    assert shares.round(2).to_dict() == {0.0134: 0.1, 0.05: 0.2, 0.28: 0.5}
    assert set(made.table["form"]) == {
        "histograms of squares",
        "squares below 400",
        "not private: exact M",
        "DP-staged",
    }
    assert [len(ax.lines) for ax in made.figure.axes[:3]] == [2 + 2] * 3  # levels: exact M, DP-staged
    few, many = (name for name in dict.fromkeys(entry["statement"] for entry in made.printed))
    said = held(made)
    assert said == {(few, "histograms of squares"): [True], (many, "histograms of squares"): [False]}


def test_accounting_is_compared_at_every_budget():
    cells = {(FREE, 20): (0.5, 1)}
    for conversion, values in {"cks": (2, 1), "paper": (5, 1), "mangold": (4, 3)}.items():
        for epsilon, shd in zip((1, 10), values, strict=True):
            cells[f"{SPARSE}@conversion={conversion},epsilon={epsilon}", 20] = (shd, 1)
    cells[f"{AUTO}@epsilon=10", 20] = (9, 1)
    made = made_by.over_accounting(scores(cells))
    assert [entry["held"] for entry in made.printed] == [[True, True], [False, True]]
    assert made.printed[0]["where"] == "DP-Fed-Sparse-BNSL, exact conversion"
    assert made.figure.axes[0].get_xscale() == "log"


def test_the_sachs_table_tells_forms_apart():
    table = scores({(AUTO, 11): (20, 0.2), (AVERAGED, 11): (40, 0.4)}, log="true", skeleton_correct=7)
    made = made_by.sachs(table.assign(v_structures=0))
    assert made.table["form"].tolist() == ["DP-staged", "not private: as printed, the mean clipped"]
    assert made.table[["shd", "seeds", "skeleton_correct"]].to_numpy().tolist() == [[20, 2, 7], [40, 2, 7]]


def test_the_attack_has_a_box_for_every_form():
    rows = [(FREE, 1, 0.3), (FREE, 2, 0.4), (SPARSE, 1, 0.9), (AVERAGED, 1, 0.8)]
    table = pandas.DataFrame(rows, columns=["method", "site", "error"])
    table = table.assign(
        nodes=5, sites=2, seed=2, error_guess=1.0, correlation_error=0.2, correlation_error_guess=0.3
    )
    made = made_by.reconstruction(table)
    labels = [text.get_text().replace("\n", " ") for text in made.figure.axes[-1].get_xticklabels()]
    assert labels == [
        "Fed-Sparse-BNSL (variant=paper)",
        "DP-Fed-Sparse-BNSL",
        "not private: as printed, the mean clipped",
        "no message",
    ]
    assert made.printed == ()


# --- what is left beside results ----------------------------------------------------------------


def test_no_research_run_is_called_private():
    sites, truth = simulate_linear_gaussian(nodes=5, edges=5, sites=2, rows=300, seed=1)
    private = [name for name in methods("federate") if name.startswith("dp-")]
    assert len(private) == 4
    for name in private:
        table = try_options(name, [{"epsilon": 8.0}], sites, truth.graph, seed=1)
        assert table["privacy"].str.startswith("not private: seed known (noise as for ε = 8").all()
    assert "privacy" not in try_options("fed-bnsl", [{"rounds": 2}], sites, truth.graph)


def ran(folder, text, seed=1):
    """What scripts/federate.py leaves in ``folder`` for two sites."""
    sites, _ = simulate_linear_gaussian(nodes=4, edges=4, sites=2, rows=400, seed=seed)
    inputs = folder / "seed2"
    inputs.mkdir(parents=True)
    for number, site in enumerate(sites, start=1):
        write_site(site, inputs / f"site_{number:04d}.parquet")
    names = {"graphs": "json", "rounds": "tsv", "history": "parquet", "privacy": "json", "seconds": "tsv"}
    output = {name: str(folder / f"{name}.{ending}") for name, ending in names.items()}
    params = {"method": text, "source": "s", "partition": "iid", "sites": 2, "first": 2, "last": 2}
    snakemake = types.SimpleNamespace(
        rule="federate",
        params=types.SimpleNamespace(**params, root_seed=1),
        input=types.SimpleNamespace(sites=[str(inputs)]),
        output=Outputs(output),
        log=[str(folder / "log")],
    )
    runpy.run_path(str(ROOT / "scripts/federate.py"), {"snakemake": snakemake})
    return folder


class Outputs(list):
    """Files by name and by number, as Snakemake gives them."""

    def __init__(self, named):
        super().__init__(named.values())
        self.__dict__.update(named)


def test_statement_and_ledgers_stand_beside_a_result_in_the_same_bytes(tmp_path):
    one, two = (ran(tmp_path / name, "dp-auto@epsilon=3") for name in ("one", "two"))
    assert (one / "privacy.json").read_bytes() == (two / "privacy.json").read_bytes()
    (record,) = read_json(one / "privacy.json")["seeds"]
    assert record["private"] is False
    assert record["words"].startswith("not private: seed known (noise as for ε = 3, δ = 6.25e-06)")
    assert record["statement"]["reason"] == "seed known"
    assert [ledger["epsilon"] for ledger in record["ledgers"]] == [3, 3]
    assert record["ledgers"][0]["releases"]
    assert read_json(one / "graphs.json")["seeds"][0]["privacy"] == record["words"]
    assert (one / "seconds.tsv").exists()
    assert (one / "log").read_text().splitlines()[-1].startswith(WORK)
    (record,) = read_json(ran(tmp_path / "plain", "fed-bnsl@rounds=2") / "privacy.json")["seeds"]
    assert record == {"seed": 2, "private": False, "words": NO_PROMISE, "statement": None, "ledgers": []}


def test_a_secure_run_takes_no_seed_and_leaves_no_times(tmp_path):
    one, other = (ran(tmp_path / f"{seed}", "dp-auto@epsilon=3,mode=secure", seed) for seed in (1, 2))
    (record,) = read_json(one / "privacy.json")["seeds"]
    assert record["private"] is True
    assert record["words"].startswith("private: ε = 3, δ = 6.25e-06 at every site (replace one record)")
    assert not (one / "seconds.tsv").exists()
    for line in (one / "log").read_text().splitlines():
        assert line.startswith("seed 2: ")
    # all but the network and its rounds is the same whatever the rows
    assert (one / "privacy.json").read_bytes() == (other / "privacy.json").read_bytes()
    assert read_json(one / "graphs.json")["seeds"][0]["varsortability"] is None


@pytest.mark.parametrize("kind", ["grid", "attack", "personal"])
def test_many_runs_on_the_same_rows_are_refused_in_secure_mode(kind):
    experiment = {
        "kind": kind,
        "source": "linear-gaussian@edges=5,nodes=5,rows=200",
        "partition": "iid",
        "methods": [AUTO],
        "pages": False,
        "presets": {"smoke": {"sites": [2], "seeds": [1, 1]}},
    }
    studies = {"mine": {"experiments": {"e": experiment}, "artefacts": {}}}
    config = {"preset": "smoke", "studies": ["mine"], "options": {}, "override": {}, "seed": 1}
    assert Plan(config, studies).all_cells()
    with pytest.raises(InputError, match="mode: secure is for one run"):
        Plan({**config, "options": {AUTO: {"mode": "secure"}}}, studies)
