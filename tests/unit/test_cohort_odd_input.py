"""Wrong types, odd files and settings that contradict each other: a message with the place and the remedy."""

import os
from pathlib import Path

import numpy as np
import pytest
from cohort_cases import ROWS, STATES, Tables

import fedbnsl
from fedbnsl.cohort import Knowledge, Section, check, check_section, read, write_example
from fedbnsl.cohort.learning import Way
from fedbnsl.cohort.prose import methods_text
from fedbnsl.data import SiteData, load_network, simulate_linear_gaussian
from fedbnsl.errors import InputError
from fedbnsl.learn.sufficient import check_continuous
from fedbnsl.workflow.cohort_pieces import report, set_aside


@pytest.fixture
def discrete(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Tables(tmp_path, "discrete")


@pytest.fixture
def continuous(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Tables(tmp_path, "continuous")


def errors(found):
    return [f"{one.site}/{one.column}/{one.row}: {one.problem}. {one.remedy}" for one in found.errors]


# --- the Python interface


@pytest.mark.parametrize("given", [None, 5, 2.5, True, b"a.csv", {"a.csv"}, object()])
def test_what_no_cohort_can_be_made_of(given):
    for function in (check, read):
        with pytest.raises(InputError, match=r"cohort cannot be made of|which settings cannot hold"):
            function(given)


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"columns": {"discrete": {"x": {"no", "yes"}}}}, "columns, discrete, x: "),
        ({"columns": {"discrete": {"x": object()}}}, "columns, discrete, x: "),
        ({"columns": {"discretise": {"x": [10**400]}}}, "columns.discretise.x: the cut points"),
        ({"columns": {"discretise": {"x": [float("nan")]}}}, "columns.discretise.x: the cut points"),
        ({"parameters": {"pseudo_count": float("nan")}}, "parameters.pseudo_count: "),
        ({"parameters": {"pseudo_count": float("inf")}}, "parameters.pseudo_count: "),
        ({"missing": {"codes": [None]}}, "missing.codes.0: None must be a text or a number"),
        ({"background": {"required": 1j}}, "background, required: "),
    ],
)
def test_wrong_values_are_refused_where_they_stand(continuous, settings, place):
    with pytest.raises(InputError) as caught:
        check(continuous.write(), **settings)
    assert place in str(caught.value)
    assert "!!" not in str(caught.value)  # a remedy is YAML that can be written


def test_tuples_arrays_numpy_numbers_paths_and_knowledge_are_what_they_look_like(discrete):
    files = {name: Path(path) for name, path in discrete.write().items()}
    found = read(
        files,
        columns={"discrete": {name: np.array(states) for name, states in STATES.items()}},
        background=Knowledge(required=(("smoke", "cough"),)),
        missing={"codes": (np.int64(-9),)},
        stability={"replicates": np.int64(3)},
    )
    assert found.background.required == (("smoke", "cough"),)
    assert found.sites[0].states == tuple(map(tuple, STATES.values()))
    section = {"sites": {k: str(v) for k, v in files.items()}, "columns": {"discrete": STATES}}
    assert check(Section.of(section)).ok  # without having been checked before


@pytest.mark.parametrize("sites", ["*.csv", ["north.csv", "south.csv", "west.csv"], ("*th.csv", "west.csv")])
def test_patterns_and_lists_need_no_mapping(continuous, sites):
    continuous.write()
    assert sorted(site.label for site in read(sites).sites) == ["north", "south", "west"]
    assert [site.label for site in read(Path("north.csv")).sites] == ["north"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"- a\n", "must be a mapping"),
        (b"\xff\xfe\x00", "not UTF-8: there is the byte 0xff"),
        ("cohort: {sites: {ä: a.csv}}".encode("latin1"), "not UTF-8: there is the byte 0xe4"),
        (b"cohort: {sites: {a: a.csv, a: b.csv}}", "the key 'a' is given twice"),
        (b"options: 5\ncohort: {sites: {a: a.csv}}", "options 5 must be a mapping"),
        (b"seed: 1", "no section cohort"),
        (b"", "there are no sites"),
    ],
)
def test_a_config_file_that_cannot_be_is_named(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_bytes(text)
    with pytest.raises(InputError) as caught:
        check("mine.yaml")
    assert said in str(caught.value)
    assert str(caught.value).startswith(("mine.yaml: ", "config.yaml, "))


@pytest.mark.parametrize("options", [5, {"gmcbc": 5}, []])
def test_options_of_methods_are_a_mapping_of_mappings(options):
    with pytest.raises(InputError, match=r"config\.yaml, options: .* must be a mapping"):
        check_section({"sites": {"a": "a.csv"}}, options)


@pytest.mark.parametrize("folder", [None, 5, "file/below", "a: b", "a #b", "x{y}, z"])
def test_an_example_goes_into_a_folder_that_can_be_written_and_named(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    with pytest.raises(InputError):
        write_example("asia", folder)
    assert sorted(os.listdir()) == ["file"]


def test_learning_and_fitting_say_what_they_expect():
    sites, truth = simulate_linear_gaussian(nodes=3, edges=2, sites=2, rows=50, seed=1)
    fit = fedbnsl.federate.fit_parameters
    for given in (None, 5, sites[0], "ab"):
        with pytest.raises(InputError, match=r"list of sites is expected|SiteData is expected"):
            fit(truth.graph, given)
    with pytest.raises(InputError, match="site 2 of 2: a SiteData is expected, not a int"):
        fit(truth.graph, [sites[0], 5])
    for given in (None, "x", truth.graph.adjacency):
        with pytest.raises(InputError, match="the graph: a graph is expected"):
            fit(given, sites)
    for function in (fedbnsl.learn.ges, check_continuous):
        for given in (None, sites, truth):
            with pytest.raises(InputError, match="a SiteData is expected"):
                function(given)


# --- files


@pytest.mark.parametrize("cell", ["1e300", "-1e308", "1e154", "9" * 200])
def test_numbers_that_overflow_are_errors(continuous, cell):
    continuous.put("south", "crp", cell, row=7)
    (told,) = errors(check(continuous.section()))
    assert told.startswith("south/crp/7: ")
    assert "beyond 1e+100" in told
    read(continuous.section() | {"missing": {"codes": [cell], "policy": "impute"}})


@pytest.mark.parametrize(
    "scale", [lambda v: f"{v * 1e-200:.6e}", lambda v: f"{1e15 + v:.4f}", lambda v: f"{1 + v * 1e-14!r}"]
)
def test_columns_without_digits_to_compute_with_are_errors(continuous, scale):
    for site in continuous.rows:
        continuous.change(site, "crp", lambda cell: scale(float(cell)))
    (told,) = errors(check(continuous.section()))
    assert told.startswith("/crp/None: ")
    assert "too small to compute with" in told


def test_small_units_and_large_offsets_within_reason_are_fine(continuous):
    for site in continuous.rows:
        continuous.change(site, "crp", lambda cell: f"{float(cell) * 1e-40:.6e}")
        continuous.change(site, "bmi", lambda cell: f"{1e6 + float(cell)}")
    assert check(continuous.section()).ok


def test_a_nul_is_text_and_not_a_row_of_another_width(continuous):
    continuous.put("north", "age", "\0", row=3)
    (told,) = errors(check(continuous.section()))
    assert told.startswith("north/age/3: '\\x00' is text")


def test_rows_of_another_width_have_no_identifier(continuous):
    continuous.add("pid", lambda n: [f"P{k:07}" for k in range(n)], sites=("north",))
    continuous.rows["north"][3] = ["1"]
    continuous.rows["north"][5] = ["1"]
    found = check(continuous.section() | {"columns": {"identifier": ["pid"]}})
    assert [one.problem for one in found.problems] == ["the row has 1 value(s), but there are 4 columns"]


@pytest.mark.parametrize("above", ["", "Export of 2 May"])
def test_a_title_above_the_header_is_one_error(continuous, above):
    sites = continuous.write()
    path = Path("north.csv")
    path.write_text(f"{above}\n{path.read_text()}")
    (told,) = [one for one in errors(check(sites)) if one.startswith("north")]
    assert "The first line must hold the names" in told


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_recognised(continuous, encoding):
    continuous.encoding["south"] = encoding
    content = continuous.write()
    text = Path("south.csv").read_bytes().decode(encoding).replace("\ufeff", "")
    Path("south.csv").write_bytes(text.encode(encoding))
    (told,) = errors(check(content))
    assert f"the text is {encoding.upper()}, not UTF-8" in told
    assert f"encoding: {encoding}" in told
    again = content | {"south": {"file": content["south"], "encoding": encoding}}
    assert check(again).ok


def test_folders_and_files_that_may_not_be_read(continuous, monkeypatch):
    sites = continuous.write()
    Path("dir.csv").mkdir()
    assert "this is a folder" in errors(check({**sites, "more": "dir.csv"}))[0]
    monkeypatch.setattr(Path, "read_bytes", _refuse)
    assert len([told for told in errors(check(sites)) if "cannot be read (Permission denied)" in told]) == 3


def _refuse(path):
    raise PermissionError(13, "Permission denied")


def test_one_file_is_not_two_sites(discrete):
    sites = discrete.write()
    os.symlink("north.csv", "link.csv")
    for other in (sites["north"], "./north.csv", "link.csv"):
        found = check({"sites": sites | {"again": other}, **discrete.settings})
        assert any(told.startswith("again//None: the file is that of north too") for told in errors(found))


# --- which files a pattern means


def test_examples_may_be_named_by_pattern_and_results_of_a_cohort_never(continuous):
    files = continuous.write()
    for folder in ("results/examples/mine", "results/cohort/gmcbc", "data"):
        Path(folder).mkdir(parents=True)
        for path in files.values():
            Path(folder, Path(path).name).write_bytes(Path(path).read_bytes())
    for pattern in ("results/examples/mine/*.csv", "results/**/*.csv"):
        section = Section.of(check_section({"sites": pattern}))
        assert {Path(site.file).parent.as_posix() for site in section.sites} == {"results/examples/mine"}
    section = Section.of(check_section({"sites": "*/*.csv"}))
    assert {Path(site.file).parent.as_posix() for site in section.sites} == {"data"}
    with pytest.raises(
        InputError, match="matches no file but what the workflow itself has made, such as results/coh"
    ):
        Section.of(check_section({"sites": "results/cohort/*/*.csv"}))


def test_a_file_whose_name_has_the_marks_of_a_pattern(continuous):
    continuous.write()
    os.rename("north.csv", "north [1].csv")
    (site,) = Section.of(check_section({"sites": ["north [1].csv"]})).sites
    assert (site.name, site.file) == ("north-1-", "north [1].csv")


@pytest.mark.parametrize(
    ("name", "better"), [("St. Mary", "St.-Mary"), ("a/b", "b"), ("-x", "x"), ("..", "site")]
)
def test_a_site_name_that_cannot_be_gets_one_that_can(name, better):
    with pytest.raises(InputError) as caught:
        Section.of(check_section({"sites": {name: "a.csv"}}))
    assert f"sites: {{{better}: a.csv}}" in str(caught.value)
    Section.of(check_section({"sites": {better: "a.csv"}}))


def test_a_site_name_that_no_file_name_holds():
    with pytest.raises(InputError, match="too long for file names"):
        Section.of(check_section({"sites": {"x" * 300: "a.csv"}}))


# --- methods


@pytest.mark.parametrize(
    "settings",
    [{"learner": "ges@required=smoke..lungs"}, {"consensus": ["gmcbc@forbidden=smoke..lungs"]}],
)
def test_options_that_name_no_variable_are_found_before_anything_runs(discrete, settings):
    (told,) = errors(check(discrete.section() | settings))
    assert "speaks of 'lungs', which is no variable. There is smoke, stage, cough" in told


@pytest.mark.parametrize(
    "settings", [{"learner": "ges@tiers=smoke..cough"}, {"consensus": ["gmcbc@tiers=smoke..cough"]}]
)
def test_knowledge_of_a_kind_is_given_once(settings):
    section = {"sites": {"a": "a.csv"}, "background": {"tiers": [["cough"], ["smoke"]]}, **settings}
    with pytest.raises(InputError, match=r"has tiers of its own.*Write all of it under background"):
        check_section(section)
    check_section(section | {"background": {"required": [["smoke", "cough"]]}})


def test_a_method_for_other_data_is_answered_with_those_that_fit(discrete):
    (told,) = errors(check(discrete.section() | {"learner": "notears"}))
    assert "There is ges, ges-pgmpy, hill-climb-pgmpy, pc-pgmpy" in told


def test_more_folds_than_rows_are_told(discrete):
    assert not check(discrete.section() | {"held_out": {"folds": ROWS}}).problems
    found = check(discrete.section() | {"held_out": {"folds": ROWS + 1}})
    assert [one.site for one in found.warnings] == ["north", "south", "west"]
    assert "no row of this site is held out" in found.warnings[0].problem


# --- what a run says and leaves


def test_the_methods_paragraph_says_what_was_done():
    sites, _ = simulate_linear_gaussian(nodes=3, edges=2, sites=3, rows=50, seed=1)
    way = Way("gmcbc@ties=first", "ges@max_parents=2")
    said = methods_text(way, sites, failed=["b"], policy="impute", replicates=(48, 50), folds=4)
    assert "Each of 2 sites learned" in said
    assert "Learning failed at b." in said
    assert "filled in at each site by its median" in said
    assert "48 bootstrap replicates" in said
    assert "2 further ones gave no network" in said
    assert "4-fold" in said
    # the options that ran, defaults as well; BDeu's has no meaning for these data
    assert "Options of ges: score = gaussian-bic, max_parents = 2, turning = false" in said
    assert "ess" not in said
    assert "Options of gmcbc: ties = first" in said
    network = load_network("asia")
    said = methods_text(Way("majority@threshold=0.6"), [network.sample(20, 1)], pseudo_count=0.5)
    assert "Options of ges: score = bdeu, ess = 1.0" in said
    assert "Options of majority: threshold = 0.6" in said
    assert "Each site learned" in said
    assert "pseudo-count 0.5" in said
    for absent in ("failed", "Confidence", "held-out", "missing value", "1 sites"):
        assert absent not in said


def test_where_no_site_has_a_graph_the_reason_is_told():
    twins = SiteData("ab", [[k, 2 * k] for k in range(9)], label="twins")
    with pytest.raises(
        InputError, match=r"no graph at any of the 1 sites\. The first says: twins: .*linear func"
    ):
        Way("gmcbc").together([twins])
    with pytest.raises(InputError, match=r"The first says: out of time"):
        Way("gmcbc").together([twins], [None], failed={"twins": "out of time"})


def test_what_was_made_from_other_rows_is_set_aside(tmp_path):
    made = {"gmcbc": 10, "fusion": 10, "majority": 30, "stray": None}
    for label, at in made.items():
        folder = tmp_path / label
        folder.mkdir()
        (folder / "index.html").write_text(label)
        if at is not None:
            (folder / "network.json").write_text("{}")
            os.utime(folder / "network.json", (at, at))
    rows = tmp_path / "north.parquet"
    rows.write_text("")
    os.utime(rows, (20, 20))
    # gmcbc is of this run, majority younger than the rows, stray nothing that the workflow made
    assert set_aside(["gmcbc"], [str(rows)], tmp_path) == ["fusion"]
    assert (tmp_path / "earlier/fusion/index.html").read_text() == "fusion"
    assert not (tmp_path / "fusion").exists()
    (tmp_path / "stray/index.html").unlink()
    said = report(["gmcbc"], tmp_path)
    assert "from earlier runs on the same rows: majority in" in said
    assert f"from other rows, set aside: {tmp_path / 'earlier'}" in said
    (tmp_path / "majority").rename(tmp_path / "fusion")
    os.utime(rows, (40, 40))
    assert set_aside(["gmcbc"], [str(rows)], tmp_path) == ["fusion"]
    assert (tmp_path / "earlier/fusion/index.html").read_text() == "majority"
