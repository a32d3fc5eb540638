"""config.yaml and study files: what is refused, and whether the message helps."""

import re
from pathlib import Path

import pytest
import yaml

from fedbnsl.errors import InputError
from fedbnsl.workflow import settings

ROOT = Path(__file__).resolve().parents[2]
CONFIG_SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
STUDY_SCHEMA = ROOT / "workflow/schemas/study.schema.yaml"


@pytest.fixture(scope="module")
def studies():
    return settings.load_studies(ROOT / "workflow/studies", STUDY_SCHEMA)


def config(**changes):
    return {"preset": "smoke", "studies": ["gmcbc"], "seed": 1, **changes}


def refused(known, **changes):
    with pytest.raises(InputError) as caught:
        settings.check_config(config(**changes), CONFIG_SCHEMA, known)
    return str(caught.value)


def test_the_shipped_config_is_valid(studies):
    shipped = yaml.safe_load((ROOT / "config.yaml").read_text())
    checked = settings.check_config(shipped, CONFIG_SCHEMA, studies)
    assert checked == shipped  # it states every key, so nothing had to be filled in


def test_defaults_are_filled_in(studies):
    checked = settings.check_config(config(), CONFIG_SCHEMA, studies)
    assert (checked["site_failures"], checked["options"], checked["override"]) == ("report", {}, {})


def test_a_misspelt_key_is_corrected_in_yaml(studies):
    message = refused(studies, preste="smoke")
    assert "unknown key 'preste'" in message
    assert "\n  preset: smoke\n" in message


def test_a_misspelt_value_is_corrected_in_yaml(studies):
    message = refused(studies, preset="laptp")
    assert "'laptp' is not one of smoke, laptop, paper" in message
    assert "\n  preset: laptop\n" in message


def test_a_scalar_where_a_list_is_due_is_shown_as_a_list(studies):
    message = refused(studies, studies="gmcbc")
    assert "config.yaml, studies" in message
    assert "\n  studies: [gmcbc]\n" in message


def test_a_seed_in_quotes_is_shown_without_them(studies):
    assert "\n  seed: 12\n" in refused(studies, seed="12")


def test_a_missing_key_is_shown(studies):
    incomplete = config()
    del incomplete["seed"]
    with pytest.raises(InputError, match=r"'seed' is missing(.|\n)*\n  seed: 0\n"):
        settings.check_config(incomplete, CONFIG_SCHEMA, studies)


def test_an_unknown_study_is_named_with_the_known_ones(studies):
    message = refused(studies, studies=["gmcb"])
    assert "'gmcb' is not known" in message
    assert "Did you mean 'gmcbc'" in message


def test_an_unknown_option_of_a_method_is_refused(studies):
    message = refused(studies, options={"gmcbc": {"tie": "first"}})
    assert "no option 'tie'" in message
    assert "ties" in message


def test_a_wrong_option_value_says_what_is_allowed(studies):
    message = refused(studies, options={"gmcbc": {"ties": "last"}})
    assert "first" in message
    assert "random" in message


def test_overrides_are_checked_down_to_the_key(studies):
    assert "'scenario9' is not known" in refused(studies, override={"gmcbc": {"scenario9": {}}})
    assert "'networks' is not known" in refused(
        studies, override={"gmcbc": {"scenario3": {"networks": ["asia"]}}}
    )
    message = refused(studies, override={"gmcbc": {"scenario3": {"network": "asia"}}})
    assert "config.yaml, override.gmcbc.scenario3.network: 'asia' must be a list" in message
    assert "\n        network: [asia]\n" in message


@pytest.mark.parametrize("seeds", [[3], [1, 5, 9], 3, [-1, 2], ["a", "b"]])
def test_seeds_are_the_first_and_the_last(studies, seeds):
    assert "override.gmcbc.scenario3.seeds" in refused(
        studies, override={"gmcbc": {"scenario3": {"seeds": seeds}}}
    )


def test_no_sites_are_refused(studies):
    for sites in ([0], [], [2, 2]):
        message = refused(studies, override={"gmcbc": {"scenario3": {"sites": sites}}})
        assert "override.gmcbc.scenario3.sites" in message


def test_a_study_with_an_unknown_key_names_file_and_place(tmp_path, studies):
    broken = yaml.safe_load((ROOT / "workflow/studies/gmcbc.yaml").read_text())
    next(iter(broken["experiments"].values()))["learners"] = "x"
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(broken))
    with pytest.raises(InputError, match=r"mine.yaml, experiments.\w+: unknown key 'learners'"):
        settings.load_studies(tmp_path, STUDY_SCHEMA)


def test_an_artefact_of_an_unknown_experiment_is_refused(tmp_path):
    broken = yaml.safe_load((ROOT / "workflow/studies/gmcbc.yaml").read_text())
    broken["artefacts"]["gmcbc-fig4"]["experiments"] = ["nowhere"]
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(broken))
    with pytest.raises(InputError, match="'gmcbc-fig4' uses the experiment 'nowhere'"):
        settings.load_studies(tmp_path, STUDY_SCHEMA)


def test_yaml_that_does_not_parse_names_the_file(tmp_path):
    (tmp_path / "mine.yaml").write_text("a: [1")
    with pytest.raises(InputError, match=r"mine\.yaml: not valid YAML"):
        settings.load_studies(tmp_path, STUDY_SCHEMA)


def test_values_given_twice_are_refused(studies):
    """They would count as replicates."""
    message = refused(studies, override={"fed-sparse-bnsl": {"homogeneous": {"nodes": [5, 5.0]}}})
    assert "override.fed-sparse-bnsl.homogeneous.nodes" in message


@pytest.mark.parametrize("changes", [{5: "x"}, {"options": {1: {}}}, {"override": {"gmcbc": {None: {}}}}])
def test_keys_that_are_no_text_are_refused(studies, changes):
    with pytest.raises(InputError, match="is not a text"):
        settings.check_config({**config(), **changes}, CONFIG_SCHEMA, studies)


def broken_study(tmp_path, name="mine.yaml", **artefact):
    content = yaml.safe_load((ROOT / "workflow/studies/gmcbc.yaml").read_text())
    content["artefacts"] = {"new": {**content["artefacts"]["gmcbc-table1"], **artefact}}
    (tmp_path / name).write_text(yaml.safe_dump(content))
    with pytest.raises(InputError) as caught:
        settings.load_studies(tmp_path, STUDY_SCHEMA)
    return str(caught.value)


def test_a_maker_that_does_not_exist_is_refused(tmp_path):
    assert "fedbnsl.studies.nothing, which does not exist" in broken_study(
        tmp_path, make="fedbnsl.studies.nothing:x"
    )
    assert "made by nothing, which is not in" in broken_study(tmp_path, make="fedbnsl.studies.gmcbc:nothing")


def test_two_studies_cannot_share_an_artefact(tmp_path):
    text = (ROOT / "workflow/studies/gmcbc.yaml").read_text()
    (tmp_path / "a.yaml").write_text(text)
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(InputError, match=r"b\.yaml: the artefact 'gmcbc-\S+' is also one of the study 'a'"):
        settings.load_studies(tmp_path, STUDY_SCHEMA)


def test_names_of_rules_are_no_studies(tmp_path):
    assert "cannot have this name" in broken_study(tmp_path, name="learn.yaml")


def test_the_names_of_all_rules_are_reserved():
    files = [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    rules = set(re.findall(r"^(?:rule|use rule \w+ as) (\w+)", text, re.MULTILINE))
    assert {"all", "figure", "verify"} <= rules
    assert rules == settings._RESERVED


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("fast", "'fast' must be a number or null. For example\n\n  site_time_limit: null\n"),
        (0, "config.yaml, site_time_limit: 0 is less than or equal to the minimum of 0"),
        (float("nan"), "config.yaml, site_time_limit: nan is no number of seconds. Write null for no limit"),
        (float("inf"), "config.yaml, site_time_limit: inf is no number of seconds"),
    ],
)
def test_a_time_limit_is_a_number_of_seconds(studies, limit, message):
    assert message in refused(studies, site_time_limit=limit)


def test_a_study_cannot_be_called_like_a_target(tmp_path):
    shipped = (ROOT / "workflow/studies/gmcbc.yaml").read_text(encoding="utf-8")
    (tmp_path / "learned.yaml").write_text(shipped, encoding="utf-8")
    with pytest.raises(InputError, match=r"learned\.yaml: a study cannot have this name"):
        settings.load_studies(tmp_path, STUDY_SCHEMA)
