"""From files to clean sites: settings that repair, missing values, cuts, notes, and the report's tables."""

import re

import numpy as np
import pytest
import yaml
from cohort_cases import SITES, STATES, Tables

import fedbnsl
from fedbnsl.cohort import EXAMPLES, check, read, write_example
from fedbnsl.cohort.duplicates import run_length
from fedbnsl.cohort.encode import Encoded
from fedbnsl.cohort.values import suspected_codes
from fedbnsl.errors import InputError


@pytest.fixture
def discrete(tmp_path):
    return Tables(tmp_path, "discrete")


@pytest.fixture
def continuous(tmp_path):
    return Tables(tmp_path, "continuous")


# --- reading


def test_values_are_those_of_the_files(discrete):
    cohort = read(discrete.write(), columns={"discrete": STATES})
    assert [site.label for site in cohort.sites] == list(SITES)
    assert (cohort.names, cohort.is_discrete) == (tuple(STATES), True)
    for site in cohort.sites:
        frame = site.to_frame().astype(str)
        assert frame.to_numpy().tolist() == discrete.rows[site.label]
    assert (cohort.notes, cohort.warnings) == ((), ())


def test_columns_may_stand_in_another_order(continuous):
    before = read(continuous.write()).sites[1].values
    continuous.header["south"].reverse()
    for row in continuous.rows["south"]:
        row.reverse()
    after = read(continuous.write())
    assert after.sites[1].names == after.sites[0].names == ("age", "crp", "bmi")
    np.testing.assert_array_equal(after.sites[1].values, before)


def test_errors_are_raised_with_the_first_of_them(continuous):
    continuous.put("west", "crp", "high", row=9)
    with pytest.raises(
        InputError, match=r"1 error in the sites' files\n  error: west, .*west\.csv, column 'crp', row 9"
    ):
        read(continuous.write())


def test_a_section_a_mapping_and_a_config_file_are_read_alike(continuous, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = continuous.write()
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"seed": 1, "cohort": {"sites": files}}))
    ways = [files, {"sites": files}, "config.yaml", tmp_path / "config.yaml"]
    (first, *others) = [read(way).to_dict() for way in ways]
    assert all(other == first for other in others)
    with pytest.raises(InputError, match=r"nowhere\.yaml: cannot be read"):
        read("nowhere.yaml")


# --- repairs


def test_rename_recode_and_loose_spelling_repair(discrete):
    clean = [site.values for site in read(discrete.section()).sites]
    discrete.header["south"][0] = "Smoker"
    discrete.header["west"][2] = "COUGH "
    discrete.change("south", "cough", lambda cell: cell.upper())
    discrete.change("west", "stage", lambda cell: f" {cell.lower()}")
    discrete.change("north", "smoke", lambda cell: cell[0])
    discrete.settings |= {"rename": {"Smoker": "smoke"}, "recode": {"smoke": {"y": True, "n": "no"}}}
    assert not check(discrete.section()).ok
    discrete.settings["spelling"] = "loose"
    cohort = read(discrete.section())
    for site, values in zip(cohort.sites, clean, strict=True):
        np.testing.assert_array_equal(site.values, values)
    assert "south: columns renamed: 'Smoker' to 'smoke'" in map(str, cohort.notes)


def test_loose_spelling_takes_no_state_for_two(tmp_path):
    (tmp_path / "a.csv").write_text("x\n" + "Low\nlow\nLOW\n" * 20)
    section = {"sites": {"a": str(tmp_path / "a.csv")}, "spelling": "loose"}
    (one,) = check({**section, "columns": {"discrete": {"x": ["low", "Low"]}}}).problems
    assert (one.row, one.count, one.problem.split()[0]) == (3, 20, "'LOW'")


def test_separators_decimals_and_encodings_that_are_declared(continuous, tmp_path):
    clean = read(continuous.write()).sites[1].values
    continuous.header["south"][1] = "größe"
    for column in ("größe", "bmi"):
        continuous.change("south", column, lambda cell: cell.replace(".", ","))
    continuous.separator["south"] = ";"
    continuous.encoding["south"] = "cp1252"
    files = continuous.write()
    files["south"] = {"file": files["south"], "separator": ";", "decimal": ",", "encoding": "cp1252"}
    np.testing.assert_array_equal(read(files, rename={"größe": "crp"}).sites[1].values, clean)


def test_a_remedy_that_is_pasted_mends(discrete):
    """What the check suggests, set after set, ends in a clean cohort."""
    discrete.settings = {}
    discrete.header["west"][0] = "SMOKE"
    discrete.put("south", "stage", "ii", row=4)
    discrete.put("south", "stage", "-9", row=6)
    discrete.add("id", lambda n: [f"p{k}" for k in range(n)])
    section = discrete.section()
    for _ in range(6):
        found = check(section)
        if found.ok:
            break
        for problem in found.errors:
            key, value = re.search(r"Set (\w+): (.*?\})(, |; |$)", problem.remedy).group(1, 2)
            merge(section, {key: yaml.safe_load(value)})
        merge(section, {"missing": {"policy": "complete-cases"}})
    assert read(section).sites[1].n_rows == 59
    assert section["columns"]["discrete"].keys() == STATES.keys()


def merge(into, new):
    for key, value in new.items():
        if isinstance(value, dict):
            merge(into.setdefault(key, {}), value)
        elif isinstance(value, list) and key in into:
            into[key] = [*into[key], *(item for item in value if item not in into[key])]
        else:
            into[key] = value


# --- missing values


@pytest.fixture
def with_gaps(continuous):
    continuous.put("south", "crp", "?", "", "NA", row=5)
    continuous.put("south", "age", "-9", "-9.0", row=7)
    continuous.put("west", "bmi", "0", row=1)
    continuous.settings = {"missing": {"codes": [-9], "by_column": {"bmi": [0]}}}
    return continuous


def test_complete_cases_drop_rows_and_say_so(with_gaps):
    with_gaps.settings["missing"]["policy"] = "complete-cases"
    cohort = read(with_gaps.section())
    assert [site.n_rows for site in cohort.sites] == [60, 56, 59]
    kept = [row for k, row in enumerate(with_gaps.rows["south"], 1) if k not in (5, 6, 7, 8)]
    np.testing.assert_array_equal(cohort.sites[1].values, np.array(kept, dtype=float))
    assert list(map(str, cohort.notes)) == [
        "south: 4 of 60 rows dropped: a value is missing",
        "west: 1 of 60 rows dropped: a value is missing",
    ]


def test_imputation_takes_the_site_s_own_median(with_gaps):
    with_gaps.settings["missing"]["policy"] = "impute"
    cohort = read(with_gaps.section())
    given = [float(row[1]) for k, row in enumerate(with_gaps.rows["south"], 1) if k not in (5, 6, 7)]
    np.testing.assert_array_equal(cohort.sites[1].values[4:7, 1], np.median(given))
    assert cohort.sites[1].n_rows == 60
    assert [(note.site, note.column) for note in cohort.notes] == [
        ("south", "age"),
        ("south", "crp"),
        ("west", "bmi"),
    ]
    assert cohort.notes[1].text == f"3 missing values imputed by the median {np.median(given):g} of the site"


def test_imputation_takes_the_site_s_own_mode(discrete):
    discrete.change("south", "stage", lambda _: "I")
    discrete.put("south", "stage", "II", "II", "III", "III", "?", row=1)
    discrete.put("west", "smoke", *["no"] * 29, *["yes"] * 29, "", "", row=1)
    discrete.settings["missing"] = {"policy": "impute"}
    cohort = read(discrete.section())
    assert cohort.sites[1].values[4, 1] == 0
    assert list(cohort.sites[2].values[58:, 0]) == [0, 0]  # of two modes, the state declared first
    assert "imputed by the mode 'I' of the site" in cohort.notes[0].text


def test_a_declared_state_is_never_missing(tmp_path):
    (tmp_path / "a.csv").write_text("x\n" + "none\nsome\n?\n" * 20)
    section = {"sites": {"a": str(tmp_path / "a.csv")}, "missing": {"policy": "complete-cases"}}
    site = read({**section, "columns": {"discrete": {"x": ["none", "some"]}}}).sites[0]
    assert np.bincount(site.values[:, 0]).tolist() == [20, 20]


def test_cuts_make_states(continuous):
    cuts = {"age": [40, 60], "crp": [8], "bmi": [22.5, 30]}
    cohort = read(continuous.write(), columns={"discretise": cuts})
    assert cohort.sites[0].states == (
        ("below_40", "40_to_60", "from_60"),
        ("below_8", "from_8"),
        ("below_22.5", "22.5_to_30", "from_30"),
    )
    ages = [int(row[0]) for row in continuous.rows["north"]]
    assert cohort.sites[0].values[:, 0].tolist() == [(age >= 40) + (age >= 60) for age in ages]
    assert {40, 60} & set(ages) or min(abs(age - 40) for age in ages) < 5


# --- the report


def test_tables_of_the_report(discrete):
    discrete.put("south", "stage", "?", row=2)
    discrete.put("south", "smoke", "YES", row=2)
    discrete.add("note", lambda n: ["x"] * n)
    discrete.settings["columns"] = {"discrete": STATES, "ignore": ["note"]}
    found = check(discrete.section())
    table = found.table.set_index("site")
    assert list(table["rows"]) == [60, 60, 60]
    assert list(table["types"]) == ["3 discrete"] * 3
    assert list(table["states"]) == ["7 of 7 seen"] * 3
    assert list(table["missing"]) == [0, 1, 0]
    assert list(table["errors"]) == [0, 2, 0]
    stage = found.variables.set_index(["site", "variable"]).loc[("south", "stage")]
    counts = dict(part.split(":") for part in stage["values"].split())
    assert sum(map(int, counts.values())) == 59
    assert (stage["missing"], stage["errors"]) == (1, 1)
    problems = found.problem_table
    assert list(problems["row"]) == [2, 2]
    assert str(found).splitlines()[0].split() == [
        *["site", "rows", "variables", "types", "states", "missing", "errors", "warnings"]
    ]
    assert str(found).endswith("2 errors, 0 warnings")


def test_the_declaration_can_be_pasted(discrete):
    discrete.settings = {}
    found = check(discrete.section())
    section = yaml.safe_load(found.declaration.split("\n\n", 1)[1])["cohort"]
    assert section == {"columns": {"discrete": STATES}}
    assert check({"sites": discrete.write(), **section}).problems == ()


# --- the rules behind two of the checks


def test_codes_are_suspected_by_their_distance():
    ages = np.arange(20.0, 80)
    assert suspected_codes(np.append(ages, [999, -9, 99])) == [-9, 999]
    assert suspected_codes(np.append(ages - 50, [-9])) == []
    assert suspected_codes(np.append(ages * 10, [999])) == []
    assert suspected_codes(np.append(ages, 0)) == []  # 20 lies below the spread of the others
    assert suspected_codes(np.append(ages + 100, 0)) == [0]
    assert suspected_codes(np.array([1.0, 2, 3, 999])) == []  # too few others to judge by


def test_the_run_of_equal_rows_that_is_no_chance():
    """Two fair coins: rows agree with probability 1/4, and 1000² (1/4)^L falls below 1e-6 at L = 20."""
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 2, (2, 1000))
    encoded = [[Encoded(None, None, column, None) for column in columns]]
    # the square root of 1/4 is the larger, more careful estimate
    assert run_length(columns[0] * 2 + columns[1], encoded) == pytest.approx(40, abs=1)
    same = [[Encoded(None, None, np.zeros(1000, dtype=int), None)]]
    assert run_length(np.zeros(1000, dtype=int), same) is None


# --- the examples


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_messy_and_their_section_mends_them(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = write_example(name, f"data/{name}")
    section = yaml.safe_load(text)["cohort"]
    bare = {k: v if isinstance(v, str) else v["file"] for k, v in section["sites"].items()}
    assert len({p.site for p in check(bare).errors}) >= 5
    assert check(section).ok
    cohort = fedbnsl.cohort.read(f"data/{name}/cohort.yaml")
    assert cohort.is_discrete == (name == "asia")
    assert len({site.n_rows for site in cohort.sites}) == 5
    truth = fedbnsl.data.load_network("asia").names if name == "asia" else fedbnsl.data.load_sachs()[0].names
    assert cohort.names == truth
    before = {p.name: p.read_bytes() for p in sorted((tmp_path / "data" / name).iterdir())}
    write_example(name, f"data/{name}", seed=1)
    assert before == {p.name: p.read_bytes() for p in sorted((tmp_path / "data" / name).iterdir())}
    write_example(name, f"data/{name}", seed=2)
    assert before["north.csv"] != (tmp_path / "data" / name / "north.csv").read_bytes()


def test_sites_of_the_examples_are_not_identical(tmp_path):
    write_example("asia", tmp_path)
    sites = read(tmp_path / "cohort.yaml").sites
    smoke = [site.values[:, sites[0].names.index("smoke")].mean() for site in sites]
    assert smoke == pytest.approx([0.5, 0.35, 0.65, 0.45, 0.25], abs=0.02)
    write_example("sachs", tmp_path)
    sites = read(tmp_path / "cohort.yaml").sites
    level = [np.median(site.values[:, sites[0].names.index("PKC")]) for site in sites]
    assert level == sorted(level)
    assert level[-1] - level[0] > 0.5


def test_an_unknown_example():
    with pytest.raises(InputError, match=r"there is no example 'alarm'.*asia, sachs"):
        write_example("alarm", ".")
