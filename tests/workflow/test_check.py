"""The check of a user's own sites: it fails with a list of problems, and passes when settings mend them."""

import json

import pandas
import pytest
import yaml
from checkout import Checkout

from fedbnsl.cohort import write_example
from fedbnsl.data import load_network, read_site

SECTION = "data/asia/cohort.yaml"


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """A copy with the files of the example asia, of which config.yaml says nothing but where they are."""
    checkout = Checkout(tmp_path_factory.mktemp("check"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(checkout.folder)
        section = yaml.safe_load(write_example("asia", "data/asia"))["cohort"]
    bare = {name: one if isinstance(one, str) else one["file"] for name, one in section["sites"].items()}
    bare["attic"] = "data/asia/attic.csv"
    checkout.edit("config.yaml", "cohort:\n  sites: {}", f"cohort:\n  sites: {bare}".replace("'", ""))
    return checkout


def table(checkout, name):
    return pandas.read_csv(checkout.folder / "results/cohort" / name, sep="\t", keep_default_na=False)


def test_without_sites_the_message_says_what_to_write(messy):
    done = messy.snakemake("check", "--config", "cohort={sites: []}", check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert "config.yaml, cohort.sites: there are no sites" in said
    assert "    sites: {north: data/north.csv, south: data/south.csv}" in said
    assert "Traceback" not in said


def test_errors_fail_and_are_all_listed(messy):
    done = messy.snakemake("check", cores=1, check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    problems = table(messy, "problems.tsv")
    assert set(problems["site"]) == {"", "north", "south", "east", "west", "island", "attic"}
    errors = problems[problems["severity"] == "error"]
    assert f"check: {len(errors)} errors in the files of your sites (" in said
    for row in errors.to_dict("records"):
        assert row["problem"] in said.rpartition("The files of your sites")[2]
        assert row["remedy"]
    (gone,) = errors[errors["site"] == "attic"].to_dict("records")
    assert gone["problem"] == "there is no such file"
    assert list(table(messy, "check.tsv")["rows"]) == [1200, 800, 500, 300, 150, 0]


def test_nothing_else_is_computed(messy):
    done = {path.name for path in (messy.folder / "results").iterdir()}
    assert done <= {"README.md", "cohort", "logs", "benchmarks"}
    assert {path.name for path in (messy.folder / "results/cohort").iterdir()} == {
        *("check.tsv", "check.txt", "problems.tsv", "variables.tsv"),
    }


def test_the_settings_that_mend_pass_with_warnings(messy):
    messy.edit("config.yaml", ", attic: data/asia/attic.csv", "")
    done = messy.snakemake("check", "--configfile", SECTION, cores=1)
    assert "0 errors, 1 warning" in done.stderr
    assert "figures and tables" not in done.stderr
    checked = table(messy, "check.tsv")
    assert list(checked["types"]) == ["8 discrete"] * 5
    assert list(checked["missing"]) == [0, 0, 0, 21, 0]
    (warning,) = table(messy, "problems.tsv").to_dict("records")
    assert (warning["severity"], warning["site"]) == ("warning", "east")
    assert "byte-order mark" in warning["problem"]


def test_clean_sites_are_written_for_what_follows(messy):
    target = "results/cohort/cohort.json"
    messy.snakemake(target, "--configfile", SECTION, cores=1)
    cohort = json.loads((messy.folder / target).read_text(encoding="utf-8"))
    assert [site["rows"] for site in cohort["sites"]] == [1200, 800, 500, 279, 150]
    assert cohort["background"]["tiers"][0] == ["asia", "smoke"]
    for site in cohort["sites"]:
        data = read_site(messy.folder / f"results/cohort/sites/{site['name']}.parquet")
        assert data.names == load_network("asia").names
        assert data.n_rows == site["rows"]


def test_another_method_reads_nothing_again_and_another_file_does(messy):
    target = "results/cohort/cohort.json"
    section = messy.folder / SECTION
    section.write_text(section.read_text().replace("[gmcbc]", "[mcbnc]"))
    assert messy.planned(target, "--configfile", SECTION) == set()
    file = messy.folder / "data/asia/north.csv"
    file.write_text(file.read_text() + "N-99999,no,no,no,no,no,no,no,no,2022-05-05\n")
    assert messy.planned(target, "--configfile", SECTION) == {"read_cohort"}
