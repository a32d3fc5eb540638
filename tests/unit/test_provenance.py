"""What stands beside tables and networks about how they were made, and which of them are made again."""

import hashlib
import json
import platform
import types

import numpy
import pytest

from fedbnsl.errors import InputError
from fedbnsl.workflow.provenance import provenance_file, write_provenance
from fedbnsl.workflow.verification import choose


def job(output, **params):
    return types.SimpleNamespace(rule="table", output=output, input=["results/scores/a.tsv"], params=params)


def test_it_lies_beside_tables_and_networks_only():
    page = "results/networks/consensus/gmcbc/asia@rows=5.5/seeds1-1.html"
    assert provenance_file(page) == "results/networks/consensus/gmcbc/asia@rows=5.5/seeds1-1.provenance.json"
    assert provenance_file("results/tables/a.tsv") == "results/tables/a.provenance.json"
    assert provenance_file("results/learned/ges/1-2.json") is None


def test_it_tells_settings_versions_and_digests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/tables").mkdir(parents=True)
    (tmp_path / "results/tables/a.tsv").write_bytes(b"x\n1\n")
    write_provenance(job(["results/tables/a.tsv"], root_seed=7, code="abc", sites=(2, 3), seeds=range(1, 3)))
    told = json.loads((tmp_path / "results/tables/a.provenance.json").read_text())
    assert told["parameters"] == {"root_seed": 7, "code": "abc", "sites": [2, 3], "seeds": [1, 2]}
    assert told["made"] == {"results/tables/a.tsv": hashlib.sha256(b"x\n1\n").hexdigest()}
    assert told["read"] == ["results/scores/a.tsv"]
    assert told["versions"]["python"] == platform.python_version()
    assert told["versions"]["numpy"] == numpy.__version__


def test_other_jobs_write_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_provenance(job(["results/scores/a.tsv"]))
    write_provenance(job([]))
    assert not list(tmp_path.iterdir())


def test_a_sample_depends_on_the_seed_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"{k}.tsv" for k in range(20)]
    for name in names[:15]:
        (tmp_path / name).touch()
    first = choose(names, 3, seed=1)
    assert first == choose(reversed(names), 3, seed=1)
    assert len(set(first)) == 3
    assert set(first) <= set(names[:15])  # those that are there
    assert len({tuple(choose(names, 3, seed=k)) for k in range(10)}) > 5
    assert choose(names, 100, seed=1) == sorted(names[:15])


def test_named_results_must_be_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.tsv").touch()
    assert choose(["a.tsv", "b.tsv"], ["a.tsv"], seed=1) == ["a.tsv"]
    with pytest.raises(InputError, match=r"'b.tsv' is not among the results.*such as \['a.tsv'\]"):
        choose(["a.tsv", "b.tsv"], ["b.tsv"], seed=1)
    with pytest.raises(InputError, match="Run snakemake --cores 2 first"):
        choose(["b.tsv"], 3, seed=1)
