"""Tables of results as files."""

import pandas

from fedbnsl.workflow.table_files import write_measures, write_rows


def test_measures_start_with_what_all_rows_have_in_common(tmp_path):
    tables = [pandas.DataFrame({"seed": [seed], "shd": [shd]}) for seed, shd in ((1, 0.5), (2, None))]
    write_measures(tmp_path / "new/scores.tsv", tables, method="fed-bnsl@l1=0.1", sites=3)
    lines = (tmp_path / "new/scores.tsv").read_bytes().split(b"\n")
    assert lines == [
        b"method\tsites\tseed\tshd",
        b"fed-bnsl@l1=0.1\t3\t1\t0.5",
        b"fed-bnsl@l1=0.1\t3\t2\t",
        b"",
    ]
    assert list(tables[0]) == ["seed", "shd"]


def test_cells_with_the_separator_are_quoted(tmp_path):
    write_rows(tmp_path / "edges.csv", pandas.DataFrame({"from": ["a,b"], "to": ["c"]}), ",")
    assert (tmp_path / "edges.csv").read_text(encoding="utf-8") == 'from,to\n"a,b",c\n'
