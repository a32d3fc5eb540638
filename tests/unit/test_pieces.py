"""Reading back learned graphs: which sites have one, which have none, which were warned of."""

import numpy as np
import pytest

from fedbnsl.errors import InputError
from fedbnsl.files import write_json
from fedbnsl.graphs.formats.json_graph import graph_to_dict
from fedbnsl.graphs.graph import Graph
from fedbnsl.workflow.pieces import by_reason, read_learned

GRAPH = Graph("ab", np.zeros((2, 2)))


def record(number, error=None, told=()):
    what = {"error": error} if error else {"graph": graph_to_dict(GRAPH)}
    return {"number": number, "site": f"site_{number:04d}", "rows": number, **what, "warnings": list(told)}


def learned(folder, *files):
    paths = []
    for k, records in enumerate(files):
        paths.append(folder / f"{k}.json")
        write_json(paths[-1], {"learner": "ges", "sites": records})
    return paths


def test_the_three_kinds_of_sites(tmp_path):
    later = [record(3, told=["cut short", "odd data"]), record(4, error="too late", told=["odd data"])]
    paths = learned(tmp_path, later, [record(1), record(2, error="disk full")])
    graphs, missing, warned, rows = read_learned(paths, 4)
    assert list(graphs) == [1, 3]
    assert graphs[3] == GRAPH
    assert rows == {1: 1, 3: 3}
    assert missing == {2: "disk full", 4: "too late"}
    assert warned == {3: "cut short; odd data"}  # of a site without a graph the error is enough


def test_only_the_sites_asked_for_count(tmp_path):
    paths = learned(tmp_path, [record(1), record(2, error="x"), record(3, told=["y"])])
    assert read_learned(paths, 1)[1:] == ({}, {}, {1: 1})


def test_no_graph_at_all_is_an_error_that_tells_each_reason_once(tmp_path):
    paths = learned(tmp_path, [record(1, error="x"), record(2, error="y"), record(3, error="x")])
    with pytest.raises(InputError, match=r"failed at every site \(sites 1, 3: x; site 2: y\)"):
        read_learned(paths, 3)


def test_no_reasons_are_no_text():
    assert by_reason({}) == ""
