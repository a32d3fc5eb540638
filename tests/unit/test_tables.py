import csv

import numpy as np
import pandas
import pytest

from fedbnsl.plot.tables import mean_sd, write_table


@pytest.mark.parametrize(
    ("values", "decimals", "text"),
    [
        ([1, 2, 3], None, "2.0 ± 1.0"),
        ([1, 2, 3], 2, "2.00 ± 1.00"),
        ([1234, 1100, 1300], None, "1211 ± 102"),
        ([0.123, 0.125, float("nan"), None], None, "0.1240 ± 0.0014"),
        ([5, 5], None, "5 ± 0"),
        ([0.5, 0.5], None, "0.500 ± 0.000"),
        ([2.5], None, "2.5"),
        ([2.5], 2, "2.50"),
        ([], None, "–"),
        ([float("nan")], 1, "–"),
        ([-1, 1], 1, "0.0 ± 1.4"),
    ],
)
def test_mean_and_sd_as_text(values, decimals, text):
    assert mean_sd(values, decimals) == text


def frame():
    return pandas.DataFrame(
        {
            "method": ["a|b", "tab\tand *star* a_b _c_", None],
            "shd": [0.1 + 0.2, np.nan, -2.0],
            "seed": [3, -4, 5],
            "bytes": [123456.7, 1e-7, 1e16],
            "last": [True, False, True],
        }
    )


def test_tsv_reads_back_to_the_same_numbers(tmp_path):
    path, _ = write_table(frame(), tmp_path / "deep" / "t.tsv", "T")
    assert b"\r" not in path.read_bytes()
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    assert rows[0] == ["method", "shd", "seed", "bytes", "last"]
    assert rows[1] == ["a|b", "0.30000000000000004", "3", "123456.7", "True"]
    assert rows[2] == ["tab\tand *star* a_b _c_", "", "-4", "1e-07", "False"]
    assert rows[3] == ["", "-2.0", "5", "1e+16", "True"]
    assert [float(row[3]) for row in rows[1:]] == frame()["bytes"].tolist()


def test_markdown_is_rounded_aligned_and_escaped(tmp_path):
    _, path = write_table(frame(), tmp_path / "t.tsv", "What it shows.")
    assert path.read_text(encoding="utf-8").splitlines() == [
        "**What it shows.**",
        "",
        "| method | SHD (edges) | seed | bytes | last |",
        "| --- | ---: | ---: | ---: | --- |",
        r"| a\|b | 0.300 | 3 | 123457 | True |",
        r"| tab and \*star\* a_b \_c\_ | – | −4 | 1e−07 | False |",
        "| – | −2 | 5 | 1e+16 | True |",
    ]


def test_same_frame_same_bytes_and_nothing_else_is_left(tmp_path):
    first = [path.read_bytes() for path in write_table(frame(), tmp_path / "t.tsv", "T")]
    assert [path.read_bytes() for path in write_table(frame(), tmp_path / "t.tsv", "T")] == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.md", "t.tsv"]


def test_words_that_look_missing_are_kept_and_empty_tables_have_a_header(tmp_path):
    path, _ = write_table(pandas.DataFrame({"state": ["nan", "<NA>"]}), tmp_path / "t.tsv", "T")
    assert path.read_text().splitlines() == ["state", "nan", "<NA>"]
    path, markdown = write_table(frame().iloc[:0], tmp_path / "e.tsv", "T", digits=2)
    assert path.read_text() == "method\tshd\tseed\tbytes\tlast\n"
    assert len(markdown.read_text().splitlines()) == 4


def test_digits_of_the_rounded_table(tmp_path):
    table = pandas.DataFrame({"x": [0.123456, 12.3456, 1234.56, 0.001234]})
    _, path = write_table(table, tmp_path / "t.tsv", "T", digits=2)
    assert path.read_text().splitlines()[4:] == ["| 0.12 |", "| 12 |", "| 1235 |", "| 0.0012 |"]


@pytest.mark.parametrize(("rows", "shown"), [(100, 100), (101, 60)])
def test_long_tables_are_cut_in_markdown_only(tmp_path, rows, shown):
    path, markdown = write_table(pandas.DataFrame({"x": range(rows)}), tmp_path / "t.tsv", "T")
    assert len(path.read_text().splitlines()) == rows + 1
    lines = markdown.read_text().splitlines()
    assert [line for line in lines if line.startswith("| ")][-1] == f"| {shown - 1} |"
    last = f"| {rows - 1} |" if shown == rows else "The first 60 of 101 rows; 41 more stand in `t.tsv`."
    assert lines[-1] == last
