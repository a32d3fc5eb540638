"""Reading and writing sites."""

import gzip
import json
import os
import time
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.data.site_data import SiteData, check_same_variables
from fedbnsl.data.site_files import read_site, write_site
from fedbnsl.errors import InputError

SUFFIXES = [".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz"]
HOSTILE = [
    "",
    " ",
    ",",
    ";",
    "a,b",
    "a\tb",
    'say "no"',
    "line\nbreak",
    "carriage\rreturn",
    "\ufeffmark",
    "ünï©ode",
    "NA",
    "1.5",
    "# x",
    "'",
    "\\",
]

DISCRETE = SiteData(
    ["smoke", "age"],
    [[1, 0], [0, 2], [1, 2]],
    [["no", "yes"], ["young", "middle", "old"]],
)


def _same(ours, theirs):
    assert ours.names == theirs.names
    assert ours.states == theirs.states
    assert ours.values.dtype == theirs.values.dtype
    np.testing.assert_array_equal(ours.values, theirs.values)


# --- round trips ----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_discrete_round_trip_keeps_states_that_nobody_saw(tmp_path, suffix):
    path = tmp_path / f"north{suffix}"
    write_site(DISCRETE, path)
    back = read_site(path)
    _same(back, DISCRETE)
    assert "middle" in back.states[1]
    assert back.label == "north"
    assert read_site(path, label="N").label == "N"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_continuous_round_trip_is_exact(tmp_path, suffix):
    values = np.array([[0.1 + 0.2, -1e-308], [1e300, 5e-324], [-0.0, 12345678.9]])
    site = SiteData(["x", "y"], values)
    write_site(site, tmp_path / f"s{suffix}")
    back = read_site(tmp_path / f"s{suffix}")
    _same(back, site)
    assert back.values.tobytes() == site.values.tobytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_hostile_names_and_states(tmp_path, suffix):
    codes = np.array([np.arange(len(HOSTILE)), np.arange(len(HOSTILE))[::-1]] * 2).T
    site = SiteData(HOSTILE[:4], codes, [HOSTILE] * 4)
    write_site(site, tmp_path / f"s{suffix}")
    _same(read_site(tmp_path / f"s{suffix}"), site)
    for name in HOSTILE:  # alone and first, where a mark or an empty line could be swallowed
        alone = SiteData([name], [[k] for k in range(len(HOSTILE))], [HOSTILE])
        write_site(alone, tmp_path / f"t{suffix}")
        _same(read_site(tmp_path / f"t{suffix}"), alone)


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), suffix=st.sampled_from([".parquet", ".csv", ".tsv"]))
def test_any_discrete_site_survives(tmp_path_factory, data, suffix):
    names = data.draw(st.lists(_TEXT, min_size=1, max_size=4, unique=True))
    states = [data.draw(st.lists(_TEXT, min_size=1, max_size=4, unique=True)) for _ in names]
    rows = data.draw(st.integers(1, 5))
    values = [[data.draw(st.integers(0, len(column) - 1)) for column in states] for _ in range(rows)]
    site = SiteData(names, values, states)
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    write_site(site, path)
    _same(read_site(path), site)


def test_pandas_reads_the_labels(tmp_path):
    write_site(DISCRETE, tmp_path / "s.parquet")
    frame = pd.read_parquet(tmp_path / "s.parquet")
    assert frame["smoke"].tolist() == ["yes", "no", "yes"]
    assert frame["age"].tolist() == ["young", "old", "old"]
    write_site(DISCRETE, tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == "smoke,age\nyes,young\nno,old\nyes,old\n"
    assert json.loads((tmp_path / "s.csv.states.json").read_text()) == {
        "smoke": ["no", "yes"],
        "age": ["young", "middle", "old"],
    }


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_same_site_same_bytes_and_nothing_left_over(tmp_path, suffix):
    for site, name in ((DISCRETE, "d"), (SiteData(["x"], [[1.5], [2.0]]), "c")):
        first = tmp_path / f"{name}{suffix}"
        write_site(site, first)
        before = first.read_bytes()
        os.utime(first, (time.time() - 1e6, time.time() - 1e6))
        write_site(site, tmp_path / "other" / f"{name}{suffix}")  # makes the folder
        assert (tmp_path / "other" / f"{name}{suffix}").read_bytes() == before
        if suffix.endswith(".gz"):
            assert before[4:8] == bytes(4)  # no time stamp
    expected = {f"d{suffix}", f"c{suffix}", "other"} | (
        set() if suffix == ".parquet" else {f"d{suffix}.states.json"}
    )
    assert {path.name for path in tmp_path.iterdir()} == expected


def test_continuous_site_removes_the_states_of_an_earlier_one(tmp_path):
    write_site(DISCRETE, tmp_path / "s.csv")
    site = SiteData(["smoke", "age"], [[1.0, 2.0]])
    write_site(site, tmp_path / "s.csv")
    _same(read_site(tmp_path / "s.csv"), site)


# --- declared states ------------------------------------------------------------------------------


def _file(tmp_path, text, name="site.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8"))
    return path


STATES = {"smoke": ["no", "yes"], "age": ["young", "middle", "old"]}
CSV = "smoke,age\nyes,young\nno,old\nyes,old\n"


def test_states_from_an_argument_a_file_or_beside(tmp_path):
    path = _file(tmp_path, CSV)
    _same(read_site(path, STATES), DISCRETE)
    shared = _file(tmp_path, json.dumps(STATES), "all.json")
    _same(read_site(path, shared), DISCRETE)
    # yes and no stay words although YAML would read them as booleans
    yaml = _file(tmp_path, "smoke: [no, yes]\nage: [young, middle, old]\n", "all.yaml")
    _same(read_site(path, str(yaml)), DISCRETE)
    _file(tmp_path, json.dumps(STATES), "site.csv.states.json")
    _same(read_site(path), DISCRETE)
    # the argument goes before the file beside the table
    assert read_site(path, {**STATES, "smoke": ["yes", "no"]}).states[0] == ("yes", "no")


def test_argument_goes_before_the_states_in_the_parquet_file(tmp_path):
    write_site(DISCRETE, tmp_path / "s.parquet")
    turned = read_site(tmp_path / "s.parquet", {**STATES, "age": ["old", "young"]})
    assert turned.values[:, 1].tolist() == [1, 0, 0]


def test_whole_numbers_may_be_states(tmp_path):
    path = _file(tmp_path, "a,b\n0,1\n1,2\n")
    assert read_site(path).states is None  # undeclared numbers are numbers
    site = read_site(path, {"a": [0, 1], "b": ["1", "2", "3"]})
    assert site.states == (("0", "1"), ("1", "2", "3"))
    assert site.values.tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize("kind", ["str", "category", "object"])
def test_parquet_of_pandas(tmp_path, kind):
    frame = pd.DataFrame({"smoke": ["yes", "no", "yes"], "age": ["young", "old", "old"]}).astype(kind)
    frame.to_parquet(tmp_path / "p.parquet")
    _same(read_site(tmp_path / "p.parquet", STATES), DISCRETE)
    with pytest.raises(InputError, match=r"p\.parquet, column 'smoke': the column holds text, but no states"):
        read_site(tmp_path / "p.parquet")
    pd.DataFrame({"i": [1, 2], "f": [0.5, 1.5]}).to_parquet(tmp_path / "n.parquet")
    assert read_site(tmp_path / "n.parquet").values.tolist() == [[1.0, 0.5], [2.0, 1.5]]
    pd.DataFrame({"i": [1, 2], "b": [True, False]}).to_parquet(tmp_path / "b.parquet")
    site = read_site(tmp_path / "b.parquet", {"i": ["1", "2"], "b": ["false", "true"]})
    assert site.values.tolist() == [[0, 1], [1, 0]]


def test_columns_choose_and_order(tmp_path):
    path = _file(tmp_path, "id,x,y\na1,1,2\na2,3,4\n")
    site = read_site(path, columns=["y", "x"])
    assert site.names == ("y", "x")
    assert site.values.tolist() == [[2.0, 1.0], [4.0, 3.0]]
    write_site(DISCRETE, tmp_path / "s.parquet")
    assert read_site(tmp_path / "s.parquet", columns=["age"]).states == (("young", "middle", "old"),)


def test_text_without_states_shows_what_to_write(tmp_path):
    with pytest.raises(InputError) as caught:
        read_site(_file(tmp_path, CSV, "north.csv"))
    message = str(caught.value)
    assert caught.value.where == f"{tmp_path / 'north.csv'}, column 'smoke'"
    assert "holds text, but no states are declared" in message
    assert (
        'write north.csv.states.json beside the file: {"smoke": ["no", "yes"], "age": ["old", "young"]}'
        in message
    )
    assert "not only those seen here" in message


def test_column_without_states(tmp_path):
    with pytest.raises(InputError) as caught:
        read_site(_file(tmp_path, CSV), {"smoke": ["no", "yes"]})
    assert "site.csv, column 'age': the column has no declared states in the argument states" in str(
        caught.value
    )
    assert '{"age": ["old", "young"]}' in str(caught.value)


# --- bad files ------------------------------------------------------------------------------------

BAD_CONTINUOUS = {
    "empty cell": ("x,y\n1,2\n3,\n", "column 'y': row 2 is empty. Drop or fill such rows first"),
    "NA": ("x,y\n1,NA\n3,4\n", "column 'y': row 1 holds 'NA', a missing or infinite value"),
    "nan": ("x,y\n1,nan\n3,4\n", "column 'y': row 1 holds 'nan', a missing or infinite value"),
    "infinite": ("x,y\n1,2\n-inf,4\n", "column 'x': row 2 holds '-inf', a missing or infinite value"),
    "only missing": ("x,y\n1,NA\n3,NA\n", "column 'y': row 1 holds 'NA', a missing or infinite value"),
    "a word": (
        "x,y\n1,2\n3,high\n",
        "column 'y': row 2 holds 'high', which is no number, but row 1 holds '2'",
    ),
    "a number among words": (
        "x,y\n1,low\n3,high\n4,7\n",
        "column 'y': row 1 holds 'low', which is no number, but row 3 holds '7'. Correct the cell, or",
    ),
    "underscore": ("x,y\n1,2\n3,1_000\n", "column 'y': row 2 holds '1_000', which is no number"),
    "quoted decimal comma": (
        'x,y\n1,2\n3,"4,5"\n',
        "column 'y': row 2 holds '4,5'. Write decimals with a point",
    ),
    "all decimal commas": (
        'x,y\n"1,5",2\n"2,5",3\n',
        "column 'x': row 1 holds '1,5'. Write decimals with a point",
    ),
    "bare decimal comma": ("x,y\n1,2\n3,4,5\n", "row 2 has 3 value(s), but there are 2 columns. If decimals"),
    "pandas index": (
        ",x,y\n0,1,2\n",
        "column '': column 1 has no name in the header line. Name it, or write",
    ),
    "blank name": ("x,  \n1,2\n", "column '  ': column 2 has no name in the header line"),
    "blank before a name": ("x, y\n1,2\n", "column ' y': the name in the header line has blanks at an end"),
    "blank after a name": ("x ,y\n1,2\n", "blanks at an end. Write 'x', with no blanks around the separator"),
    "no header": ("1,2\n3,4\n", "column '1': all names in the header line are numbers, as if there were no"),
    "semicolons": ("x;y\n1,5;2,5\n", "the columns seem to be separated by ';', not by ','"),
    "semicolons and whole numbers": ("x;y\n1;2\n", "the columns seem to be separated by ';', not by ','"),
    "tabs": ("x\ty\n1\t2\n", "the columns seem to be separated by '\\t', not by ','"),
    "short row": ("x,y\n1,2\n3\n", "row 2 has 1 value(s), but there are 2 columns"),
    "blank line inside": ("x,y\n1,2\n\n3,4\n", "row 2 has 0 value(s), but there are 2 columns"),
    "repeated header": (
        "x,y,x\n1,2,3\n",
        "the column name 'x' occurs more than once. Rename or drop all but one of the columns 1 and 3",
    ),
    "no rows": ("x,y\n", "the table has no rows"),
    "nothing": ("", "the header line with the column names is missing"),
    "open quote": ('x,y\n1,"2\n', "cannot be read (unexpected end of data)"),
}


@pytest.mark.parametrize("case", BAD_CONTINUOUS)
def test_bad_continuous_tables(tmp_path, case):
    text, message = BAD_CONTINUOUS[case]
    with pytest.raises(InputError) as caught:
        read_site(_file(tmp_path, text))
    assert str(tmp_path / "site.csv") in str(caught.value)
    assert message in str(caught.value)


def _second(row):
    return CSV.replace("no,old", row)


UNKNOWN = "which is no declared state"
BAD_DISCRETE = {
    "unknown state": (
        _second("maybe,old"),
        STATES,
        f"column 'smoke': row 2 holds 'maybe', {UNKNOWN}. Declared: 'no', 'yes'. Correct the cell, or",
    ),
    "blank": (_second(" no,old"), STATES, f"column 'smoke': row 2 holds ' no', {UNKNOWN}"),
    "empty": (
        _second(",old"),
        STATES,
        "column 'smoke': row 2 is empty. Declared: 'no', 'yes'. Drop or fill such rows, or declare '' as a",
    ),
    "NA": (
        _second("NA,old"),
        STATES,
        f"column 'smoke': row 2 holds 'NA', {UNKNOWN}. Declared: 'no', 'yes'. Drop or fill such rows, or",
    ),
    "missing column": (
        CSV,
        {**STATES, "sex": ["f", "m"]},
        "there is no column 'sex', whose states are declared in the argument states. It has smoke, age",
    ),
}

BAD_STATES = {
    "boolean": ([False, True], "the state False is not text. Put quotes around it"),
    "real number": ([0.0, 1.0], "the state 0.0 is not text"),
    "no list": ("no, yes", "the declared states must be a list, not 'no, yes'"),
    "empty list": ([], "the declared states must be a list, not []"),
    "twice": (["no", "no"], "the declared states ['no', 'no'] must differ"),
}


@pytest.mark.parametrize("case", BAD_DISCRETE)
def test_bad_discrete_tables(tmp_path, case):
    text, states, message = BAD_DISCRETE[case]
    with pytest.raises(InputError) as caught:
        read_site(_file(tmp_path, text), states)
    assert message in str(caught.value)


@pytest.mark.parametrize("case", BAD_STATES)
def test_bad_states(tmp_path, case):
    states, message = BAD_STATES[case]
    with pytest.raises(InputError) as caught:
        read_site(_file(tmp_path, CSV), {**STATES, "smoke": states})
    assert f"the argument states, column 'smoke': {message}" in str(caught.value)


def test_bad_declarations(tmp_path):
    path = _file(tmp_path, CSV)
    with pytest.raises(InputError, match=r"none\.json: there is no such file of declared states"):
        read_site(path, tmp_path / "none.json")
    with pytest.raises(InputError, match=r"bad\.json: not valid JSON"):
        read_site(path, _file(tmp_path, "{", "bad.json"))
    with pytest.raises(InputError, match=r"bad\.yaml: not valid YAML"):
        read_site(path, _file(tmp_path, "a: [", "bad.yaml"))
    with pytest.raises(InputError, match=r"list\.json: the declared states must be a mapping"):
        read_site(path, _file(tmp_path, "[1]", "list.json"))


def test_a_column_declared_twice(tmp_path):
    """The later declaration would win in silence."""
    path = _file(tmp_path, "smoke\nno\n")
    json_text, yaml_text = '{"smoke": ["no"], "smoke": ["no", "yes"]}', "smoke: [no]\nsmoke: [no, yes]\n"
    for name, text in (("s.json", json_text), ("s.yaml", yaml_text)):
        with pytest.raises(InputError) as caught:
            read_site(path, _file(tmp_path, text, name))
        assert f"{name}, column 'smoke': the column is declared more than once" in str(caught.value)


BAD_PARQUET = {
    "text and numbers": (
        {"smoke": ["no", "yes"], "bmi": [21.5, 30.1]},
        "column 'smoke': the column holds text, but no states are declared. A table is all discrete or all "
        "continuous, and 'bmi' holds measurements: cut them into intervals",
    ),
    "true and false": (
        {"a": [True, False]},
        "column 'a': the column holds true and false, but no states are declared. To declare the states, "
        'pass states=: {"a": ["true", "false"]}',
    ),
    "dates": (
        {"day": pd.to_datetime(["2020-01-01", "2021-01-01"])},
        "column 'day': the column is of the type timestamp",
    ),
    "lists": ({"x": [[1], [2]]}, "column 'x': the column is of the type list<"),
}


@pytest.mark.parametrize("case", BAD_PARQUET)
def test_bad_types_in_parquet(tmp_path, case):
    columns, message = BAD_PARQUET[case]
    path = tmp_path / "site.parquet"
    pd.DataFrame(columns).to_parquet(path)
    with pytest.raises(InputError) as caught:
        read_site(path)
    assert f"{path}, {message}" in str(caught.value)


def test_measurements_are_no_states(tmp_path):
    """A remedy that lists 21.5 and 30.1 as states would be followed."""
    path = _file(tmp_path, "smoke,bmi\nno,21.5\nyes,30.1\n")
    for states in (None, {"smoke": ["no", "yes"]}):
        with pytest.raises(InputError, match="'bmi' holds measurements: cut them into intervals") as caught:
            read_site(path, states)
        assert "21.5" not in str(caught.value)


def test_repeated_columns_in_parquet(tmp_path):
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table([pyarrow.array([1]), pyarrow.array([2])], names=["x", "x"])
    pyarrow.parquet.write_table(table, tmp_path / "s.parquet")
    with pytest.raises(InputError, match=r"s\.parquet: the column name 'x' occurs more than once"):
        read_site(tmp_path / "s.parquet")


def test_decimals_in_parquet_are_numbers(tmp_path):
    path = tmp_path / "s.parquet"
    pd.DataFrame({"x": [Decimal("1.5"), Decimal("-2.25")]}).to_parquet(path)
    assert read_site(path).values.tolist() == [[1.5], [-2.25]]


def _warnings(path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_site(path, **options)
    return [str(warning.message) for warning in caught]


def test_codes_read_as_numbers_are_told_once_a_file(tmp_path):
    (told,) = _warnings(_file(tmp_path, "x,y\n0,1\n1,2\n1,2\n"))
    assert told.startswith(
        f"{tmp_path / 'site.csv'}: read as continuous, though these columns look like codes of states: 'x',"
    )
    assert 'write site.csv.states.json beside the file: {"x": ["0", "1"], "y": ["1", "2"]}' in told
    pd.DataFrame({"x": [0, 1, 2, 2], "y": [0.5, 1.5, 2.5, 3]}).to_parquet(tmp_path / "p.parquet")
    (told,) = _warnings(tmp_path / "p.parquet")
    assert "codes of states: 'x'. A table is all discrete or all continuous" in told


@pytest.mark.parametrize(
    "column",
    ["0 0 0", "0 2 0", "0.5 1.5 0.5", "3 4 3", "0 1 2", "-1 0 0", " ".join(map(str, [*range(11), 0, 0]))],
    ids=["constant", "a gap", "not whole", "from 3", "all different", "negative", "more than ten"],
)
def test_numbers_that_are_no_codes_are_not_told(tmp_path, column):
    assert _warnings(_file(tmp_path, "x\n" + column.replace(" ", "\n") + "\n")) == []


def test_declared_or_written_here_is_not_told(tmp_path):
    path = _file(tmp_path, "x\n0\n1\n1\n")
    assert _warnings(path, states={"x": ["0", "1"]}) == []
    write_site(SiteData(["x"], [[0.0], [1.0], [1.0]]), tmp_path / "s.parquet")  # it says itself what it is
    assert _warnings(tmp_path / "s.parquet") == []


# --- sites that meet ------------------------------------------------------------------------------

ODD_SITES = {
    "absent column": (
        "x\n1.5\n2.5\n",
        None,
        "odd: the variables differ from those of 'even'; missing: y. Give every site the same columns",
    ),
    "other column": ("x,z\n1.5,2\n2.5,3\n", None, "'even'; missing: y; extra: z"),
    "other order": ("y,x\n1.5,2\n2.5,3\n", None, "odd: the variables stand in another order than at 'even'"),
    "other kind": (
        "x,y\nu,v\n",
        {"x": ["u"], "y": ["v"]},
        "odd: this site is discrete but 'even' is not. Declare the states of all columns at every site, or",
    ),
}


@pytest.mark.parametrize("case", ODD_SITES)
def test_sites_that_do_not_fit_together(tmp_path, case):
    text, states, message = ODD_SITES[case]
    even = read_site(_file(tmp_path, "x,y\n1.5,2\n2.5,3\n", "even.csv"))
    odd = read_site(_file(tmp_path, text, "odd.csv"), states)
    check_same_variables([even, even])
    with pytest.raises(InputError) as caught:
        check_same_variables([even, odd])
    assert message in str(caught.value)


def test_sites_with_other_states_do_not_fit_together(tmp_path):
    path = _file(tmp_path, "smoke,age\nno,old\n")
    one, other = (read_site(path, {"smoke": states, "age": ["old"]}) for states in (["no"], ["no", "yes"]))
    with pytest.raises(InputError, match=r"column 'smoke': the declared states \['no', 'yes'\] differ from"):
        check_same_variables([one, other])


# --- missing values -------------------------------------------------------------------------------


def test_missing_values_in_parquet(tmp_path):
    pd.DataFrame({"x": [1.0, None]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet, column 'x': row 2 "):
        read_site(tmp_path / "a.parquet")
    pd.DataFrame({"x": [1.0, 2.0, np.inf]}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"column 'x': row 3 holds 'inf', a missing or infinite value"):
        read_site(tmp_path / "b.parquet")
    pd.DataFrame({"x": ["u", None, "v"]}).astype("category").to_parquet(tmp_path / "c.parquet")
    with pytest.raises(InputError, match=r"column 'x': row 2 is empty"):
        read_site(tmp_path / "c.parquet", {"x": ["u", "v"]})
    pd.DataFrame({"x": ["u", "w"]}).to_parquet(tmp_path / "d.parquet")
    with pytest.raises(InputError, match=r"column 'x': row 2 holds 'w', which is no declared state"):
        read_site(tmp_path / "d.parquet", {"x": ["u", "v"]})
    pd.DataFrame({"x": pd.Series([], dtype=float)}).to_parquet(tmp_path / "e.parquet")
    with pytest.raises(InputError, match=r"e\.parquet: the table has no rows"):
        read_site(tmp_path / "e.parquet")


def test_bad_paths_and_formats(tmp_path):
    with pytest.raises(InputError, match=r"none\.csv: there is no such file"):
        read_site(tmp_path / "none.csv")
    for name in ("table.xlsx", "table.parquet.gz", "table"):
        with pytest.raises(InputError, match=r"the suffix '.*' is not known. Use \.parquet, \.csv"):
            read_site(_file(tmp_path, CSV, name))
        with pytest.raises(InputError, match="is not known"):
            write_site(DISCRETE, tmp_path / name)
    with pytest.raises(InputError, match=r"no\.parquet: cannot be read as Parquet"):
        read_site(_file(tmp_path, CSV, "no.parquet"))
    with pytest.raises(InputError, match=r"no\.csv\.gz: cannot be read"):
        read_site(_file(tmp_path, CSV, "no.csv.gz"))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(CSV.encode())[:-10])
    with pytest.raises(InputError, match=r"cut\.csv\.gz: cannot be read"):
        read_site(tmp_path / "cut.csv.gz")
    (tmp_path / "latin.csv").write_bytes("größe\n1\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_site(tmp_path / "latin.csv")
    with pytest.raises(InputError, match=r"there is no column 'sex'. It has smoke, age"):
        read_site(_file(tmp_path, CSV), columns=["sex"])
    with pytest.raises(InputError, match="the table has no columns"):
        read_site(_file(tmp_path, CSV), columns=[])


def test_what_other_programs_write(tmp_path):
    """A byte-order mark, Windows line ends, quoted header, blank lines at the end, blanks around numbers."""
    path = _file(tmp_path, '\ufeff"x","y"\r\n 1,2 \r\n3,4e-1\r\n\r\n')
    site = read_site(path)
    assert site.names == ("x", "y")
    assert site.values.tolist() == [[1.0, 2.0], [3.0, 0.4]]


def test_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    import pyarrow.parquet

    path = tmp_path / "s.parquet"
    write_site(DISCRETE, path)
    before = path.read_bytes()

    def half(table, where, **_):
        with open(where, "wb") as file:
            file.write(b"PAR1")
        raise OSError("disk full")

    monkeypatch.setattr(pyarrow.parquet, "write_table", half)
    with pytest.raises(OSError, match="disk full"):
        write_site(SiteData(["x"], [[1.0]]), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.parquet"]


# --- column names that no one meant ---------------------------------------------------------------


def test_index_of_pandas_in_parquet(tmp_path):
    path = tmp_path / "p.parquet"
    pd.DataFrame({"x": [1.0, 2.0]}, index=[5, 9]).to_parquet(path)
    with pytest.raises(InputError) as caught:
        read_site(path)
    assert caught.value.where == f"{path}, column '__index_level_0__'"
    assert caught.value.remedy == "Write the file with index=False"
    assert read_site(path, columns=["x"]).values.tolist() == [[1.0], [2.0]]


def test_names_that_were_asked_for_or_declared_are_meant(tmp_path):
    path = _file(tmp_path, ", y,1\n0,1,2\n")
    assert read_site(path, columns=["", " y", "1"]).values.tolist() == [[0.0, 1.0, 2.0]]
    declared = {"": ["0"], " y": ["0", "1"], "1": ["2"]}
    assert read_site(path, declared).values.tolist() == [[0, 1, 0]]
    path = _file(tmp_path, "1,x\n0,1\n")  # one number among the names is no missing header
    assert read_site(path).names == ("1", "x")


@pytest.mark.parametrize("name", ["", " x", "1.5"])
def test_what_could_not_be_read_is_not_written(tmp_path, name):
    site = SiteData([name], [[1.0]])
    with pytest.raises(InputError, match="in the header line"):
        write_site(site, tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []
    write_site(site, tmp_path / "s.parquet")
    _same(read_site(tmp_path / "s.parquet"), site)


def test_tables_of_one_stem_keep_their_states(tmp_path):
    other = SiteData(["x"], [[0]], [["u", "v"]])
    write_site(DISCRETE, tmp_path / "q.csv")
    write_site(other, tmp_path / "q.tsv")
    _same(read_site(tmp_path / "q.csv"), DISCRETE)
    _same(read_site(tmp_path / "q.tsv"), other)
    write_site(SiteData(["x"], [[1.5]]), tmp_path / "q.tsv")
    write_site(SiteData(["x"], [[1.5]]), tmp_path / "q.csv.gz")
    _same(read_site(tmp_path / "q.csv"), DISCRETE)


def test_damaged_gzip(tmp_path):
    packed = bytearray(gzip.compress(CSV.encode()))
    packed[10:14] = b"\xff" * 4
    (tmp_path / "bad.csv.gz").write_bytes(packed)
    with pytest.raises(InputError, match=r"bad\.csv\.gz: cannot be read"):
        read_site(tmp_path / "bad.csv.gz")


# --- what a SiteData takes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([["x", "y"]], "site: the values are text, not numbers. Give one number a cell"),
        ([["1", "2"]], "site: the values are text, not numbers"),
        (np.array([["1", 2]], dtype=object), "site: some values are text, not numbers"),
        ([[1 + 2j, 3]], "site: the values are complex numbers, not numbers"),
        (
            np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]"),
            "the values are dates, not numbers",
        ),
        (np.array([[1, 2]], dtype="timedelta64[s]"), "the values are times, not numbers"),
        (np.array([[1j, 2]], dtype=object), "site: the values are no table of numbers"),
        ([[1, 2], [3]], "site: the values are no table of numbers"),
        (np.array([[1, None]], dtype=object), "site, column 'b': 1 missing or infinite value(s)"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_values_that_are_no_numbers(values, message):
    with pytest.raises(InputError) as caught:
        SiteData("ab", values)
    assert message in str(caught.value)


@pytest.mark.parametrize("states", [{"a": 5}, {"a": ["u", "v"]}, [5], 5, "uv"])
def test_states_that_are_no_lists(states):
    with pytest.raises(InputError, match="site: the declared states must be one list of texts a column, not"):
        SiteData(["a"], [[0]], states)


@pytest.mark.parametrize("code", [float("nan"), 1e30, 65536, 0.5, -1])
@pytest.mark.filterwarnings("error")
def test_codes_that_are_no_positions(code):
    with pytest.raises(InputError, match=r"site, column 'a': row 1 has the code .* no position among the 2"):
        SiteData(["a"], [[code]], [["u", "v"]])
