"""The section `cohort`: what is refused, with the YAML that would be right; which files belong to sites."""

import re
from pathlib import Path

import pytest
import yaml

from fedbnsl.cohort import Section, check, check_section, read
from fedbnsl.errors import InputError
from fedbnsl.learn.ges import ges
from fedbnsl.registry import method
from fedbnsl.workflow.settings import check_config

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


def refused(text):
    with pytest.raises(InputError) as caught:
        Section.of(check_section(yaml.safe_load(text)))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem", "right"),
    [
        ("site: {a: a.csv}", "cohort: unknown key 'site'. Did you mean 'sites'?", "sites: {a: a.csv}"),
        (
            "missing: {policy: imput}",
            "'imput' is not one of reject, complete-cases",
            "missing: {policy: impute}",
        ),
        ("columns: {ignore: x}", "cohort.columns.ignore: 'x' must be a list", "columns: {ignore: [x]}"),
        (
            "columns: {discrete: {x: yes}}",
            "cohort.columns.discrete.x: True must be",
            "columns: {discrete: {x: [true]}}",
        ),
        ("missing: {code: [3]}", "Did you mean 'codes'?", "missing: {codes: [3]}"),
        ("spelling: lose", "'lose' is not one of exact, loose", "spelling: loose"),
        ("sites: {a: {file: a.csv, decimal: x}}", "'x' is not one of ., ,", "sites: {a: {decimal: .}}"),
        ("sites: {a: {separator: ','}}", "the key 'file' is missing", "sites: {a: {file: text}}"),
        ("learner: gse", "there is no learn method 'gse'", "learner: ges"),
        ("consensus: [gmbc]", "there is no consensus method 'gmbc'", "consensus: [gmcbc]"),
        ("federate: [ges]", "there is no federate method 'ges'", "federate: [fed-sparse-bnsl]"),
        ("consensus: []", "there is no method", "consensus: [gmcbc]"),
        ("{learner: notears, background: {required: [[a, b]]}}", "takes no background", "learner: ges"),
        ("sites: tests", "'tests' is a folder", "sites: tests/*.csv"),
    ],
)
def test_mistakes_are_answered_with_the_yaml_that_is_right(text, problem, right, monkeypatch):
    monkeypatch.chdir(ROOT)
    said = refused(text)
    assert problem in said
    assert yaml.safe_load(said.split("\n\n", 1)[1]) == {"cohort": yaml.safe_load(right)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "columns: {discretise: {age: [60, 40]}}",
            r"discretise\.age: the cut points \[60, 40\] do not increase",
        ),
        ("columns: {discretise: {age: [.nan]}}", "do not increase"),
        ("columns: {discrete: {x: [a, a]}}", r"discrete\.x: the declared states \['a', 'a'\] must differ"),
        ("columns: {ignore: [x], continuous: [x]}", "'x' stands under ignore and under continuous"),
        ("sites: {a: a.xlsx}", r"sites\.a: the suffix '\.xlsx' is not known\. .*save as CSV"),
        ("sites: {a b: a.csv}", "'a b' cannot stand in a file name"),
        ("sites: {../a: a.csv}", "cannot stand in a file name"),
        ('sites: {a: "{a}.csv"}', "braces"),
        ("sites: nowhere/*.csv", r"the pattern 'nowhere/\*\.csv' matches no file"),
        ("columns: {discrete: nowhere.yaml}", "no such file of declared states"),
        ("learner: ges@es=3", "the method 'ges' has no option 'es'"),
        (
            "background: {required: [[a, b]], forbidden: [[a, b]]}",
            r"cohort\.background: .* both required and",
        ),
        ("background: {tiers: [[a], [b, a]]}", "cohort.background"),
        ("background: {required: [[a, b, c]]}", "too long"),
        ("recode: {x: {yes: a}}", r"cohort, recode, x: the key True is not a text\. Put it in quotes"),
    ],
)
def test_other_mistakes_name_the_key(text, problem):
    assert re.search(problem, refused(text), re.DOTALL)


def test_the_schema_of_the_whole_config_leaves_the_section_to_this_check():
    config = {"preset": "smoke", "studies": ["gmcbc"], "seed": 1, "options": {"ges": {"ess": 5.0}}}
    cohort = {"missing": {"codes": [{None: None}, -9]}, "consensus": ["gmcbc", "gmcbc@ties=random"]}
    checked = check_config({**config, "cohort": cohort}, SCHEMA, {"gmcbc": {}})["cohort"]
    assert checked["missing"] == {"codes": ["?", -9], "by_column": {}, "policy": "reject"}
    assert (checked["learner"], checked["consensus"]) == ("ges@ess=5", ["gmcbc"])
    with pytest.raises(InputError, match="cohort: unknown key 'sitse'"):
        check_config({**config, "cohort": {"sitse": {}}}, SCHEMA, {"gmcbc": {}})


def test_the_examples_in_config_yaml_are_right():
    """Every `key: value` that the comments of the section show passes its check."""
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    comment = text[text.index("# Your own sites:") : text.index("\ncohort:")]
    levels = {"columns": ("ignore", "identifier", "discrete", "continuous", "discretise")}
    levels |= {"missing": ("codes", "by_column"), "background": ("required", "tiers")}
    top = ("sites", "rename", "recode", "consensus", "federate")
    found = 0
    for key, value in re.findall(r"\b(\w+): ((?:\{.*\}|\[.*\]|data/\S+))$", comment, re.MULTILINE):
        upper = next((name for name, keys in levels.items() if key in keys), None)
        assert upper or key in top, key
        part = yaml.safe_load(f"{key}: {value}")
        check_section({upper: part} if upper else part)
        found += 1
    assert found >= 14


def test_states_that_yaml_reads_as_booleans_are_the_words_of_the_files(tmp_path):
    for name, (no, yes) in {"words": ("no", "yes"), "logic": ("FALSE", "TRUE")}.items():
        path = tmp_path / f"{name}.csv"
        path.write_text("x,y\n" + f"{no},a\n{yes},b\n" * 20)
        section = yaml.safe_load(
            f"{{sites: {{s: {path}}}, columns: {{discrete: {{x: [no, yes], y: [a, b]}}}}}}"
        )
        assert read(section).sites[0].states == ((no, yes), ("a", "b"))


def test_states_may_stand_in_a_file_or_beside_each_table(tmp_path):
    (tmp_path / "states.yaml").write_text("x: [no, yes]\n")
    for site in "ab":
        (tmp_path / f"{site}.csv").write_text("x\n" + "no\nyes\n" * 20)
    sites = str(tmp_path / "*.csv")
    section = {"sites": sites, "columns": {"discrete": str(tmp_path / "states.yaml")}}
    assert read(section).sites[1].states == (("no", "yes"),)
    assert Section.of(check_section(section)).files[-1] == str(tmp_path / "states.yaml")
    for site, states in (("a", '["no", "yes"]'), ("b", '["yes", "no"]')):
        (tmp_path / f"{site}.csv.states.json").write_text(f'{{"x": {states}}}')
    (one,) = check({"sites": sites}).problems
    assert (one.site, one.column) == ("b", "x")
    assert "yes, no, are not those at a: no, yes" in one.problem
    (tmp_path / "b.csv.states.json").unlink()
    assert read({"sites": sites}).sites[1].states == (("no", "yes"),)


def test_patterns_name_sites_by_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.csv", "a c.tsv", "d.csv.gz", "b.csv.states.json"):
        (tmp_path / name).write_text("")
    section = Section.of(check_section({"sites": ["*.csv", "*.tsv", "*.csv.gz", "b.*v"]}))
    assert [(site.name, site.file) for site in section.sites] == [
        ("b", "b.csv"),
        ("a-c", "a c.tsv"),
        ("d", "d.csv.gz"),
    ]
    (tmp_path / "b.tsv").write_text("")
    with pytest.raises(InputError, match=r"two files are called 'b': b\.csv and b\.tsv"):
        Section.of(check_section({"sites": "b.?sv"}))


def test_without_sites_the_message_is_the_yaml_to_write():
    for nothing in ({}, {"sites": {}}):
        with pytest.raises(InputError, match="there are no sites") as caught:
            read(nothing)
        example = yaml.safe_load(str(caught.value).split("\n\n")[1])
        assert list(example["cohort"]["sites"]) == ["north", "south"]


def test_background_reaches_ges(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n" + "0,0,0\n1,1,0\n0,0,1\n1,1,1\n" * 20)
    states = {name: ["0", "1"] for name in "xyz"}
    for given in (
        {"required": [["z", "y"]], "tiers": [["x", "z"], ["y"]]},
        {"required": "z..y", "tiers": "x+z..y"},
    ):
        cohort = read({"a": str(tmp_path / "a.csv")}, columns={"discrete": states}, background=given)
        assert cohort.background.to_dict() == {
            "required": [["z", "y"]],
            "forbidden": [],
            "tiers": [["x", "z"], ["y"]],
        }
        options = cohort.background.options(method("ges"))
        assert set(ges(cohort.sites[0], **options).directed_edges()) == {("z", "y"), ("x", "y")}
    assert cohort.background.options(method("notears")) == {}


def test_a_private_method_stands_alone_and_takes_rows_as_they_are():
    private = "dp-auto@epsilon=2,mode=secure"
    sites = {"sites": {"a": "a.csv", "b": "b.csv"}}
    alone = {**sites, "consensus": [], "federate": [private]}
    assert check_section(alone)["federate"] == [private]
    with pytest.raises(InputError, match="gmcbc would publish a network of the same rows"):
        check_section({**sites, "federate": [private]})
    with pytest.raises(InputError, match="fed-sparse-bnsl would publish"):
        check_section({**alone, "federate": [private, "fed-sparse-bnsl"]})
    for policy in ("impute", "complete-cases"):
        with pytest.raises(InputError, match=f"policy: {policy}.* lets a row change others"):
            check_section({**alone, "missing": {"policy": policy}})


def test_weights_are_one_a_site():
    sites = {"sites": {"a": "a.csv", "b": "b.csv"}}
    assert Section.of(check_section({**sites, "consensus": ["gmcbc@weights=3+1"]})).methods
    for word in ("rows", "equal"):
        assert Section.of(check_section({**sites, "consensus": [f"gmcbc@weights={word}"]})).methods
    with pytest.raises(InputError, match=r"gives 3 weights for 2 sites.*in the order a, b"):
        Section.of(check_section({**sites, "consensus": ["gmcbc@weights=3+1+1"]}))


def test_one_replicate_or_one_fold_says_nothing():
    for part in ({"stability": {"replicates": 1}}, {"held_out": {"folds": 1}}):
        with pytest.raises(InputError, match="0 for none, or 2 and more"):
            check_section({"sites": {"a": "a.csv"}, **part})
