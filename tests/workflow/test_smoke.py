"""The whole workflow at the smoke preset: what it makes, what it says, what it does again, and the same."""

import csv
import json
import math
import os
from collections import Counter

import pandas
import pytest
import yaml

from fedbnsl.workflow.usage import read_usage

LEARNING = {"sites", "learn", "federate"}


def artefacts(finished):
    studies = [
        yaml.safe_load(path.read_text()) for path in (finished.folder / "workflow/studies").glob("*.yaml")
    ]
    return {name: entry for study in studies for name, entry in study["artefacts"].items()}


def test_every_artefact_is_there_with_its_numbers(finished):
    for name, entry in artefacts(finished).items():
        table = pandas.read_csv(finished.folder / f"results/tables/{name}.tsv", sep="\t")
        assert len(table), name
        assert (finished.folder / f"results/tables/{name}.md").read_text().strip()
        pictures = [finished.folder / f"results/figures/{name}.{suffix}" for suffix in ("pdf", "png")]
        assert [path.exists() for path in pictures] == [entry.get("figure", False)] * 2, name


def test_every_network_has_an_offline_page(finished):
    pages = list((finished.folder / "results/networks").rglob("*.html"))
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text


def test_a_federated_page_has_its_rounds_and_says_what_the_scale_does(finished):
    pages = (finished.folder / "results/networks/federated/fed-bnsl").rglob("*nodes=5*/**/*.html")
    text = next(pages).read_text(encoding="utf-8")
    assert "<summary>Rounds</summary>" in text
    assert text.count("<tr><td>") >= 100
    assert "lead from a smaller to a larger variance" in text
    assert "federated runs" in finished.run.stderr
    assert "lead to the larger variance" in finished.run.stderr


def test_times_stand_apart_from_the_rounds(finished):
    (path, *_) = sorted((finished.folder / "results/benchmarks/rounds").rglob("*.tsv"))
    times = pandas.read_csv(path, sep="\t")
    assert list(times) == ["seed", "round", "sites", "server"]
    rounds = (
        finished.folder
        / "results/federated"
        / path.parent.relative_to(finished.folder / "results/benchmarks/rounds")
    )
    table = pandas.read_csv(rounds / path.stem / "rounds.tsv", sep="\t")
    assert times["round"].tolist() == table["round"].tolist()
    assert not {"sites", "server"} & set(table)


def test_every_printed_value_has_a_verdict(finished):
    printed = {name: len(entry.get("printed", [])) for name, entry in artefacts(finished).items()}
    # these bring their own
    printed["gmcbc-table1"] += 5 * 16  # five numbers of each network
    printed["gmcbc-statements"] += 2 * 6 + 2 * 4 + 10  # two readings of scenarios 1 and 2, and scenario 3
    printed["mcbnc-ranks"] += 2 * 3 + 5  # mean ranks, tests
    printed["mcbnc-treewidth"] += 3 + 1
    printed["sparse-fig1"] += 2 * 3  # sites alike and different
    printed["sparse-fig2"] += 2
    printed["sparse-fig5"] += 2
    printed["sparse-fig6"] += 3
    printed["sparse-attack"] += 1
    printed["sparse-fig3"] += 3 * 5  # three statements, five forms
    printed["sparse-fig4"] += 2 * 2
    printed["sparse-fig7"] += 2 * 2
    printed["sparse-fig8"] += 2
    for figure in ("pfl-fig2", "pfl-fig3", "pfl-fig4"):
        printed[figure] += 6  # sites with shared weights only
    printed["pfl-rows"] += 1
    printed["pfl-fig5"] += 1
    printed["pfl-fig6"] += 1
    printed["pfl-table1"] += 2
    printed["pfl-table2"] += 3 + 5 * 7  # statements; p values of five methods for seven connections
    printed["sparse-tuning"] += 2 + 2 + 1  # two methods on sites alike and different, one on more variables
    with open(finished.folder / "results/tables/reproduction.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert Counter(row["artefact"] for row in rows) == Counter(printed)
    numbers, words = {"within", "better", "worse"}, {"holds", "fails"}
    for row in rows:
        assert row["verdict"] in {"not comparable", *(numbers if row["printed"] else words)}
        assert row["reason"]


def test_nothing_made_with_a_seed_is_called_private(finished):
    tables = [pandas.read_csv(path, sep="\t") for path in (finished.folder / "results/tables").glob("*.tsv")]
    told = pandas.concat([table["privacy"] for table in tables if "privacy" in table]).dropna()
    assert len(told)
    assert told.str.startswith("not private: ").all()
    beside = list((finished.folder / "results/federated").rglob("privacy.json"))
    assert len(beside) == len(list((finished.folder / "results/federated").rglob("graphs.json")))
    words = {record["words"] for path in beside for record in json.loads(path.read_text())["seeds"]}
    assert all(text.startswith("not private: ") for text in words)
    assert any(text.startswith("not private: seed known") for text in words)
    (page,) = (finished.folder / "results/networks/federated/dp-auto").rglob("*.html")
    assert "not private: seed known" in page.read_text(encoding="utf-8")
    assert "not private: seed known" in finished.run.stderr


def test_the_run_ends_with_a_summary(finished):
    said = finished.run.stderr
    assert "figures and tables" in said
    assert "results/networks" in said
    assert "no script was at work" in said


def test_it_says_beforehand_what_it_will_take(finished):
    assert "Preset smoke, root seed 1" in finished.run.stderr


def test_a_second_run_has_nothing_to_do(finished):
    assert finished.planned() == set()


@pytest.mark.parametrize(
    ("module", "again", "untouched"),
    [
        ("fedbnsl/consensus/pruning.py", {"consensus", "score_consensus"}, LEARNING | {"score_federated"}),
        ("fedbnsl/learn/ges.py", {"learn"}, {"sites", "generate", "federate", "score_federated"}),
        ("fedbnsl/graphs/perturbed.py", {"generate", "consensus"}, LEARNING | {"score_federated"}),
        ("fedbnsl/federate/fed_bnsl.py", {"federate"}, {"sites", "learn", "consensus", "score_consensus"}),
        (
            "fedbnsl/plot/page.py",
            {"draw_consensus", "draw_federated"},
            LEARNING | {"consensus", "score_consensus"},
        ),
        (
            "fedbnsl/studies/fed_sparse.py",
            {"figure"},
            LEARNING | {"consensus", "score_consensus", "score_federated"},
        ),
    ],
)
def test_editing_a_module_reruns_what_reaches_it_and_no_more(finished, module, again, untouched):
    path = finished.folder / module
    before = path.read_text(encoding="utf-8")
    path.write_text(before + "\n# an edit\n", encoding="utf-8")
    try:
        planned = finished.planned()
    finally:
        path.write_text(before, encoding="utf-8")
    assert again <= planned
    assert not untouched & planned
    assert finished.planned() == set()  # and undoing the edit undoes the plan


def test_a_new_export_reruns_nothing(finished):
    path = finished.folder / "fedbnsl/learn/__init__.py"
    before = path.read_text(encoding="utf-8")
    path.write_text(before + "\n", encoding="utf-8")
    try:
        assert finished.planned() == set()
    finally:
        path.write_text(before, encoding="utf-8")


def test_another_root_seed_reruns_the_sites(finished):
    assert {"sites", "learn", "federate"} <= finished.planned("--config", "seed=2")


def test_a_wrong_config_stops_before_any_job(finished):
    done = finished.snakemake("--config", "preset=tiny", check=False)
    assert done.returncode
    assert "'tiny' is not one of smoke, laptop, paper" in done.stdout + done.stderr


def test_one_study_alone_is_a_target(finished):
    (finished.folder / "results/tables/gmcbc-table1.tsv").unlink()
    assert finished.planned("fed-sparse-bnsl") == set()
    assert finished.planned("gmcbc") == {"table"}
    finished.snakemake("gmcbc")


def test_the_report_is_one_page_with_the_captions(finished):
    finished.snakemake("--report", "report.html")
    text = (finished.folder / "report.html").read_text(encoding="utf-8")
    assert "Figure 5 of GMCBC" in text
    assert "gmcbc-fig5.png" in text


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
