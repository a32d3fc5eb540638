"""Outputs appear whole or not at all."""

import stat

import pytest

from fedbnsl.errors import InputError
from fedbnsl.files import read_json, replacing, write_json


def test_a_failing_writer_leaves_the_old_file_and_no_rest(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def write():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_file_has_the_usual_permissions_and_suffix(tmp_path):
    path = tmp_path / "deep/er/table.csv.gz"
    with replacing(path) as temporary:
        assert temporary.name.endswith(".csv.gz")
        temporary.write_text("x")
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_json_keeps_floats_and_text_exactly(tmp_path):
    content = {"b": [0.1, 1e-300], "a": "θ → x"}
    write_json(tmp_path / "x.json", content)
    assert read_json(tmp_path / "x.json") == content
    assert (tmp_path / "x.json").read_text(encoding="utf-8").startswith('{"b":')


def test_a_damaged_json_file_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "1-5.json"
    path.write_text('{"sites": [')
    with pytest.raises(InputError, match=r"1-5\.json: the file is damaged(.|\n)*Delete it and run again"):
        read_json(path)
