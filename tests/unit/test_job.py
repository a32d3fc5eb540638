"""What surrounds every script."""

import types

import pytest

from fedbnsl.errors import InputError
from fedbnsl.workflow import job, summary


def fake(tmp_path):
    return types.SimpleNamespace(rule="learn", log=[str(tmp_path / "logs/learn.log")], output=[])


def test_output_and_work_time_go_to_the_log(tmp_path, capsys):
    job.run(lambda snakemake: print("hello"), fake(tmp_path))
    lines = (tmp_path / "logs/learn.log").read_text().splitlines()
    assert lines[0] == "hello"
    busy, own, jobs = summary.work(tmp_path / "logs", since=0.0)
    assert jobs == 1
    assert busy == own >= 0
    assert capsys.readouterr().out == ""


def test_bad_input_is_one_line_without_a_traceback(tmp_path, capsys):
    def main(snakemake):
        raise InputError("it is empty", where="a.csv", remedy="Fill it")

    with pytest.raises(SystemExit) as caught:
        job.run(main, fake(tmp_path))
    assert caught.value.code == 1
    assert capsys.readouterr().err == "learn: a.csv: it is empty. Fill it\n"
    assert "Traceback" not in (tmp_path / "logs/learn.log").read_text()


def test_an_unforeseen_failure_leaves_its_traceback_in_the_log(tmp_path, capsys):
    with pytest.raises(SystemExit):
        job.run(lambda snakemake: 1 / 0, fake(tmp_path))
    assert "learn: ZeroDivisionError: division by zero" in capsys.readouterr().err
    assert "Traceback" in (tmp_path / "logs/learn.log").read_text()
