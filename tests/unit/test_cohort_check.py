"""Every kind of problem that the check finds: a cohort that has it, and the clean one that has not."""

import re

import numpy as np
import pytest
from cohort_cases import SITES, STATES, Tables

from fedbnsl.cohort import check


def alternately(*cells):
    return lambda n: [cells[k % len(cells)] for k in range(n)]


def days(n):
    return [str(np.datetime64("2021-03-01") + 7 * k) for k in range(n)]


def spoil(**changes):
    """A function that sets attributes, entry by entry for mappings."""

    def change(tables):
        for key, value in changes.items():
            getattr(tables, key).update(value)

    return change


# kind of cohort, what is done to it, and what the one problem is:
# severity, site, column, row, count, a pattern of the problem, a pattern of the remedy
CASES = {
    "column in capitals": (
        "discrete",
        lambda t: t.header["west"].__setitem__(0, "SMOKE"),
        ("error", "west", "SMOKE", None, None, "seems to be the one .*'smoke'", r"rename: \{SMOKE: smoke\}"),
    ),
    "column with a slip of the pen": (
        "discrete",
        lambda t: t.header["west"].__setitem__(0, "smokee"),
        (
            "error",
            "west",
            "smokee",
            None,
            None,
            "seems to be the one .*'smoke'",
            r"rename: \{smokee: smoke\}",
        ),
    ),
    "column with blanks at an end": (
        "discrete",
        lambda t: t.header["west"].__setitem__(0, " smoke "),
        ("warning", "west", "smoke", None, None, "has blanks at an end", "Write 'smoke'"),
    ),
    "column missing at one site": (
        "continuous",
        lambda t: t.add("weight", lambda n: [f"{60 + k / 3:.1f}" for k in range(n)], ("north", "south")),
        ("error", "west", "weight", None, None, "missing; 2 of 3 sites", r"ignore: \[weight\]"),
    ),
    "column at one site only": (
        "continuous",
        lambda t: t.add("weight", lambda n: [f"{60 + k / 3:.1f}" for k in range(n)], ("south",)),
        ("error", "south", "weight", None, None, "1 of 3 sites only", r"ignore: \[weight\]"),
    ),
    "column twice": (
        "continuous",
        lambda t: t.add("bmi", alternately("1", "2"), ("south",)),
        ("error", "south", "bmi", None, None, "occurs more than once", "column 4"),
    ),
    "column without a name": (
        "continuous",
        lambda t: t.add("", alternately("a", "b", "c"), ("south",)),
        ("error", "south", "(column 4)", None, None, "no name", r"ignore: \[\(column 4\)\]"),
    ),
    "undeclared state": (
        "discrete",
        lambda t: t.put("south", "stage", "IV", "IV", row=7),
        ("error", "south", "stage", 7, 2, "'IV' is no declared state", "Declared: 'I', 'II', 'III'"),
    ),
    "state in capitals": (
        "discrete",
        lambda t: t.put("south", "smoke", "YES", row=7),
        ("error", "south", "smoke", 7, 1, "'YES' seems to be .* 'yes'", r"recode: .*'YES': 'yes'.*loose"),
    ),
    "state with a blank": (
        "discrete",
        lambda t: t.put("south", "stage", "II ", row=3),
        ("error", "south", "stage", 3, 1, "'II ' seems to be .* 'II'", r"'II ': II.*loose"),
    ),
    "state with a slip of the pen": (
        "discrete",
        lambda t: t.put("south", "cough", "yees", row=3),
        (
            "error",
            "south",
            "cough",
            3,
            1,
            "'yees' seems to be .* 'yes'",
            r"recode: \{cough: \{yees: 'yes'\}\}$",
        ),
    ),
    "state shortened": (
        "discrete",
        lambda t: t.put("south", "cough", "y", row=3),
        ("error", "south", "cough", 3, 1, "'y' seems to be .* 'yes'", r"recode"),
    ),
    "state mangled by a spreadsheet": (
        "discrete",
        lambda t: t.put("south", "stage", "1-Mar", row=5),
        ("error", "south", "stage", 5, 1, "what a spreadsheet makes", "from the source"),
    ),
    "spreadsheet error among states": (
        "discrete",
        lambda t: t.put("south", "stage", "#N/A", row=5),
        ("error", "south", "stage", 5, 1, "'#N/A' is a spreadsheet's error value", r"codes: \['#N/A'\]"),
    ),
    "code of a missing state": (
        "discrete",
        lambda t: t.put("south", "stage", "-9", "-9", row=2),
        ("error", "south", "stage", 2, 2, "looks like a code of a missing value", r"codes: \['-9'\]"),
    ),
    "missing state": (
        "discrete",
        lambda t: t.put("south", "stage", "?", "", "NA", row=2),
        (
            "error",
            "south",
            "stage",
            2,
            3,
            r"3 of 60 values are missing, written as '\?'",
            "policy: complete-cases",
        ),
    ),
    "state at one site only": (
        "discrete",
        lambda t: [t.change(s, "stage", lambda c: "I" if c == "III" else c) for s in ("north", "west")],
        ("warning", "south", "stage", 8, 23, "'III' is seen at this site only", "recode"),
    ),
    "constant states at one site": (
        "discrete",
        lambda t: t.change("west", "cough", lambda _: "no"),
        ("warning", "west", "cough", 1, 60, "'no' in every row of this site", r"ignore: \[cough\]"),
    ),
    "constant states": (
        "discrete",
        lambda t: [t.change(site, "cough", lambda _: "no") for site in SITES],
        ("warning", "", "cough", None, None, "'no' in every row of every site", r"ignore: \[cough\]"),
    ),
    "constant numbers": (
        "continuous",
        lambda t: [t.change(site, "bmi", lambda _: "21.5") for site in SITES],
        ("error", "", "bmi", None, None, "21.5 in every row of every site", r"ignore: \[bmi\]"),
    ),
    "constant numbers at one site": (
        "continuous",
        lambda t: t.change("west", "bmi", lambda _: "26.5"),
        ("warning", "west", "bmi", 1, 60, "26.5 in every row of this site", "Ask the site"),
    ),
    "text among numbers": (
        "continuous",
        lambda t: t.put("west", "crp", "high", row=9),
        ("error", "west", "crp", 9, 1, "'high' is text, while the column holds numbers", "Correct the cell"),
    ),
    "number with a unit": (
        "continuous",
        lambda t: t.put("west", "crp", "3.5 mg/l", "4 mg/l", row=9),
        ("error", "west", "crp", 9, 2, "'3.5 mg/l' is a number with a unit", "number alone"),
    ),
    "all numbers with a unit": (
        "continuous",
        lambda t: [t.change(site, "crp", lambda c: f"{c} mg") for site in ("west",)],
        ("error", "west", "crp", 1, 60, r"mg' is a number with a unit$", "number alone"),
    ),
    "number with marks between thousands": (
        "continuous",
        lambda t: t.put("west", "age", "1'234", row=9),
        ("error", "west", "age", 9, 1, "marks between its thousands", "1234.5"),
    ),
    "bound": (
        "continuous",
        lambda t: t.put("west", "crp", "<0.5", row=9),
        ("error", "west", "crp", 9, 1, "'<0.5' is a bound", "half the limit"),
    ),
    "date among numbers": (
        "continuous",
        lambda t: t.put("west", "crp", "2021-03-05", row=9),
        ("error", "west", "crp", 9, 1, "is a date, while the column holds numbers", "Correct"),
    ),
    "spreadsheet error among numbers": (
        "continuous",
        lambda t: t.put("west", "crp", "#REF!", "#DIV/0!", row=9),
        ("error", "west", "crp", 9, 2, "'#REF!' is a spreadsheet's error value", "codes: "),
    ),
    "number mangled to a date": (
        "continuous",
        lambda t: t.put("west", "crp", "Mar-01", row=9),
        ("error", "west", "crp", 9, 1, "'Mar-01' is what a spreadsheet makes", "source"),
    ),
    "infinite": (
        "continuous",
        lambda t: t.put("west", "crp", "inf", row=9),
        ("error", "west", "crp", 9, 1, "'inf' is infinite", "missing"),
    ),
    "decimal commas": (
        "continuous",
        lambda t: t.change("west", "crp", lambda c: f'"{c.replace(".", ",")}"'),
        ("error", "west", "crp", 1, 60, "with a decimal comma", r"decimal: ','"),
    ),
    "decimal commas that split rows": (
        "continuous",
        lambda t: t.put("west", "crp", "3,5", row=4),
        ("error", "west", "", 4, 1, r"4 value\(s\), but there are 3 columns", r"separator: ;, decimal: ','"),
    ),
    "row cut short": (
        "continuous",
        lambda t: t.rows["west"][4].pop(),
        ("error", "west", "", 5, 1, r"2 value\(s\), but there are 3 columns", "Complete the row"),
    ),
    "empty line": (
        "continuous",
        lambda t: t.rows["west"].insert(4, []),
        ("error", "west", "", 5, 1, r"0 value\(s\)", "empty line"),
    ),
    "semicolons": (
        "continuous",
        spoil(separator={"south": ";"}),
        ("error", "south", "", None, None, "by a semicolon, not by a comma", "separator: ;"),
    ),
    "byte-order mark": (
        "continuous",
        spoil(encoding={"south": "utf-8-sig"}),
        ("warning", "south", "", None, None, "byte-order mark, which is skipped", "UTF-8"),
    ),
    "UTF-16": (
        "continuous",
        spoil(encoding={"south": "utf-16"}),
        ("error", "south", "", None, None, "UTF-16, not UTF-8", "encoding: utf-16"),
    ),
    "another encoding": (
        "discrete",
        lambda t: (
            t.settings.update(columns={"discrete": {**STATES, "town": ["Köln", "Ulm"]}}),
            t.add("town", alternately("Ulm", "Köln", "Köln")),
            t.encoding.update(south="cp1252"),
        ),
        ("error", "south", "", 2, None, "not UTF-8: there is the byte 0xf6", "encoding: cp1252"),
    ),
    "unknown encoding": (
        "continuous",
        lambda t: t.settings.update(sites={"north": {"file": "north.csv", "encoding": "utf-9"}}),
        ("error", "north", "", None, None, "encoding 'utf-9' is not known", "utf-8"),
    ),
    "empty file": (
        "continuous",
        spoil(raw={"south": b""}),
        ("error", "south", "", None, None, "the file is empty", "leave the site out"),
    ),
    "header line only": (
        "continuous",
        spoil(raw={"south": b"age,crp,bmi\n"}),
        ("error", "south", "", None, None, "a header line and no rows", "leave the site out"),
    ),
    "spreadsheet called csv": (
        "continuous",
        spoil(raw={"south": b"PK\x03\x04 and so on"}),
        ("error", "south", "", None, None, "spreadsheet or archive", "CSV UTF-8"),
    ),
    "no Parquet": (
        "continuous",
        spoil(names={"south": "south.parquet"}),
        ("error", "south", "", None, None, "cannot be read as Parquet", "again"),
    ),
    "not packed": (
        "continuous",
        spoil(names={"south": "south.csv.gz"}),
        ("error", "south", "", None, None, "cannot be unpacked", "gzip"),
    ),
    "identifiers of text": (
        "continuous",
        lambda t: t.add("person", lambda n: [f"P-{7 * k % 97:03d}" for k in range(n)]),
        ("error", "", "person", 1, 180, "another value in every row", r"identifier: \[person\]"),
    ),
    "identifiers by name": (
        "continuous",
        lambda t: t.add("Patient_ID", lambda n: [str(40000 + 7919 * k % 9973) for k in range(n)]),
        ("error", "", "Patient_ID", 1, 180, "another value in every row", r"identifier: \[Patient_ID\]"),
    ),
    "counted rows": (
        "continuous",
        lambda t: t.add("x", lambda n: [str(k) for k in range(n)]),
        ("error", "", "x", 1, 180, "another value in every row", r"identifier: \[x\]"),
    ),
    "dates": (
        "continuous",
        lambda t: t.add("seen", lambda n: [day if k % 7 else "03/05/2021" for k, day in enumerate(days(n))]),
        ("error", "", "seen", 1, 180, "holds dates, such as '03/05/2021'", r"ignore: \[seen\]"),
    ),
    "free text": (
        "discrete",
        lambda t: [
            t.add("remark", lambda n, s=s: [f"seen {s} {k // 2}" for k in range(n)], (s,)) for s in SITES
        ],
        (
            "error",
            "",
            "remark",
            1,
            180,
            "text with 90 different values, too many for states",
            r"ignore: \[remark\]",
        ),
    ),
    "text without states": (
        "discrete",
        lambda t: t.add("sex", alternately("f", "m", "m")),
        ("error", "", "sex", 1, 180, "'f', and its states are not declared", r"discrete: \{sex: \[f, m\]\}"),
    ),
    "empty column": (
        "continuous",
        lambda t: t.add("x", alternately("", "NA")),
        ("error", "", "x", None, None, "empty at all sites", r"ignore: \[x\]"),
    ),
    "column missing everywhere at one site": (
        "continuous",
        lambda t: t.change("west", "bmi", lambda _: "NA"),
        ("error", "west", "bmi", 1, 60, "all values are missing at this site", "Leave the site out"),
    ),
    "missing number": (
        "continuous",
        lambda t: t.put("west", "bmi", "", row=60),
        ("error", "west", "bmi", 60, 1, "1 of 60 values are missing", "impute"),
    ),
    "999": (
        "continuous",
        lambda t: t.put("west", "age", "999", "999", row=11),
        ("warning", "west", "age", 11, 2, "999 is far from all other values", r"by_column: \{age: \[999\]\}"),
    ),
    "-9": (
        "continuous",
        lambda t: t.put("west", "crp", "-9", row=11),
        ("warning", "west", "crp", 11, 1, "-9 is far from all other values", r"by_column: \{crp: \[-9\]\}"),
    ),
    "impossible 0": (
        "continuous",
        lambda t: t.put("west", "bmi", "0", "0", "0", row=11),
        ("warning", "west", "bmi", 11, 3, "an impossible 0", r"by_column: \{bmi: \[0\]\}"),
    ),
    "another unit": (
        "continuous",
        lambda t: t.change("west", "crp", lambda c: f"{float(c) / 100:.4f}"),
        ("warning", "west", "crp", None, None, "another unit", "convert"),
    ),
    "few rows": (
        "continuous",
        lambda t: t.rows.update(south=t.rows["south"][:12]),
        ("warning", "south", "", None, None, "only 12 rows", "unstable|leave it out"),
    ),
    "one row": (
        "continuous",
        lambda t: t.rows.update(south=t.rows["south"][:1]),
        ("error", "south", "", None, None, "there are 1 rows", "Leave the site out"),
    ),
    "the same row twice": (
        "continuous",
        lambda t: t.rows["south"].append(list(t.rows["south"][2])),
        ("warning", "south", "", 61, 1, "the same as row 3$", "copies"),
    ),
    "rows of another site": (
        "continuous",
        lambda t: t.rows["west"].extend(map(list, t.rows["north"][10:15])),
        ("warning", "west", "", 61, 5, "the same as row 11 at north$", "keep the rows at one site"),
    ),
    "a discrete file pasted twice": (
        "discrete",
        lambda t: t.rows["south"].extend([list(row) for row in t.rows["south"]]),
        ("warning", "south", "", 61, 60, "the same as row 1, and so are the next", "copies"),
    ),
    "discrete rows of another site": (
        "discrete",
        lambda t: t.rows["west"].extend(map(list, t.rows["north"][:40])),
        ("warning", "west", "", 61, 40, "the same as row 1 at north, and so are", "same persons"),
    ),
    "codes of states": (
        "continuous",
        lambda t: t.add("sex", alternately("1", "2", "2")),
        ("warning", "", "sex", None, None, "only holds 1, 2", r"continuous: \[sex\]"),
    ),
    "numbers beside states": (
        "discrete",
        lambda t: t.add("age", lambda n: [f"{40 + 37 * k % 41 / 2}" for k in range(n)]),
        (
            "error",
            "",
            "age",
            None,
            None,
            "continuous, but smoke, stage, cough is not",
            r"discretise: \{age: \[",
        ),
    ),
    "codes beside states": (
        "discrete",
        lambda t: t.add("sex", alternately("0", "1", "1")),
        ("error", "", "sex", None, None, "continuous, but", r"discrete: \{sex: \['0', '1'\]\}"),
    ),
    "identifier repeated": (
        "continuous",
        lambda t: (
            t.settings.update(columns={"identifier": ["id"]}),
            [t.add("id", lambda n, s=s: [f"{s}{k}" for k in range(n)], (s,)) for s in SITES],
            t.put("south", "id", "south0", row=9),
        ),
        ("warning", "south", "id", 9, 1, "'south0' stands in row 1 too", "one row a person"),
    ),
    "person at two sites": (
        "continuous",
        lambda t: (
            t.settings.update(columns={"identifier": ["id"]}),
            [t.add("id", lambda n, s=s: [f"{s}{k}" for k in range(n)], (s,)) for s in SITES],
            t.put("south", "id", "north4", row=9),
        ),
        ("warning", "south", "id", 9, 1, "'north4' is there at north too", "same person"),
    ),
    "identifiers shortened": (
        "continuous",
        lambda t: (
            t.settings.update(columns={"identifier": ["id"]}),
            [t.add("id", lambda n, s=s: [f"{s}{k}" for k in range(n)], (s,)) for s in SITES],
            t.put("south", "id", "1.00E+05", row=9),
        ),
        ("warning", "south", "id", 9, 1, "'1.00E.05' is a number that a spreadsheet has shortened", "source"),
    ),
    "a misspelt role": (
        "continuous",
        lambda t: t.settings.update(columns={"ignore": ["bmii"]}),
        ("error", "", "bmii", None, None, "no file has a column 'bmii', named under columns.ignore", "'bmi'"),
    ),
    "unknown background": (
        "continuous",
        lambda t: t.settings.update(background={"tiers": [["age"], ["cpr"]]}),
        ("error", "", "cpr", None, None, "background knowledge speaks of 'cpr'", "'crp'"),
    ),
    "a method for other data": (
        "discrete",
        lambda t: t.settings.update(federate=["fed-sparse-bnsl"]),
        ("error", "", "", None, None, "takes continuous data, and these are discrete", "federate"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_problem_is_found_where_it_is_and_no_other(name, tmp_path):
    kind, change, (severity, site, column, row, count, problem, remedy) = CASES[name]
    tables = Tables(tmp_path, kind)
    change(tables)
    files = tables.write()
    sites = {**files, **{k: {**v, "file": files[k]} for k, v in tables.settings.pop("sites", {}).items()}}
    found = check({"sites": sites, **tables.settings})
    assert len(found.problems) == 1, "\n".join(map(str, found.problems))
    (one,) = found.problems
    assert (one.severity, one.site, one.column, one.row, one.count) == (severity, site, column, row, count)
    assert re.search(problem, one.problem), one.problem
    assert re.search(remedy, one.remedy), one.remedy
    assert one.file == (files[site] if site else one.file)
    assert found.ok == (severity == "warning")


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_the_clean_cohort_has_none(kind, tmp_path):
    assert check(Tables(tmp_path, kind).section()).problems == ()


def test_a_file_that_is_not_there(tmp_path):
    files = Tables(tmp_path, "continuous").write()
    files["west"] = str(tmp_path / "wset.csv")
    (one,) = check(files).problems
    assert (one.severity, one.site, one.problem) == ("error", "west", "there is no such file")
    assert one.file == files["west"]


def test_all_problems_of_all_sites_come_in_one_pass_in_order(tmp_path):
    tables = Tables(tmp_path, "continuous")
    tables.put("north", "crp", "high", row=2)
    tables.put("north", "bmi", "", row=3)
    tables.header["south"][0] = "Age"
    tables.separator["west"] = ";"
    tables.change("west", "crp", lambda cell: cell.replace(".", ","))
    found = check(tables.section())
    assert [(p.site, p.column) for p in found.problems] == [
        ("north", "crp"),
        ("north", "bmi"),
        ("south", "Age"),
        ("west", ""),
        ("west", "crp"),
    ]
    # the remedies of one file fit together
    assert "separator: ;, decimal: ','" in found.problems[-1].remedy
    assert [row["errors"] for row in found.site_rows] == [2, 1, 2]
