"""The tidy tables behind the figures, against the measures computed one by one."""

import math

import numpy as np
import pandas
import pytest

import fedbnsl
from fedbnsl.evaluate import smhd
from fedbnsl.evaluate.consensus_table import consensus_table
from fedbnsl.evaluate.federated_table import federated_table
from fedbnsl.graphs.graph import Graph
from fedbnsl.scores import bdeu


@pytest.fixture(scope="module")
def chain():
    """Three small graphs in different variable orders, the truth, and two sites."""
    network = fedbnsl.data.load_network("asia")
    sites = [network.sample(300, seed=s) for s in (1, 2)]
    truth = network.graph
    names = truth.names
    first = Graph.from_edges(names, truth.edges()[:-1])
    second = Graph.from_edges(names, [*truth.edges()[1:], ("asia", "smoke")])
    third = Graph.from_edges(names, truth.edges()[:4]).reordered(names[::-1])
    return [first, second, third], truth, sites


def test_every_row_equals_the_measures_of_its_graph(chain):
    inputs, truth, sites = chain
    path = fedbnsl.consensus.prune(inputs, ties="first")
    table = consensus_table(path, inputs, truth, sites)
    at = table[table["series"] == "consensus"]
    assert list(at["theta"]) == list(path.thetas())
    for _, row in at.iterrows():
        graph = path.at(row["theta"])
        assert row["smhd_inputs"] == pytest.approx(np.mean([smhd(graph, other) for other in inputs]))
        assert row["smhd_gold"] == smhd(graph, truth)
        assert row["bdeu"] == pytest.approx(np.mean([bdeu(graph, site) for site in sites]), rel=1e-12)
        assert row["edges"] == graph.n_edges
    best = table[table["series"] == "best"].iloc[0]
    assert best["smhd_inputs"] == at["smhd_inputs"].min()
    gold = table[table["series"] == "gold"].iloc[0]
    assert gold["smhd_gold"] == 0
    mean = table[table["series"] == "inputs"].iloc[0]
    assert mean["edges"] == pytest.approx(np.mean([graph.n_edges for graph in inputs]))
    assert mean["smhd_inputs"] == pytest.approx(np.mean([smhd(a, b) for a in inputs for b in inputs]))


def test_without_truth_and_data_those_columns_are_missing(chain):
    inputs, _, _ = chain
    table = consensus_table(fedbnsl.consensus.fuse(inputs), inputs)
    assert set(table["series"]) == {"consensus", "best", "inputs"}
    assert table["smhd_gold"].isna().all()
    assert table["bdeu"].isna().all()
    assert math.isnan(table["theta"].iloc[0])


def test_rounds_are_measured_one_by_one():
    names = ("a", "b", "c")
    truth = Graph.from_edges(names, [("a", "b"), ("b", "c")])
    rounds = pandas.DataFrame(
        {"seed": 2, "round": [1, 2, 3], "bytes_up": [10, 10, 10], "bytes_down": [5, 1, 1]}
    )
    history = pandas.DataFrame(
        {"seed": 2, "round": [2, 3, 3], "i": [1, 0, 1], "j": [0, 1, 2], "weight": [0.5, 1.0, -2.0]}
    )
    table = federated_table(names, rounds, history, truth, 0.75)
    assert list(table["shd"]) == [2, 2, 0]  # nothing; one edge reversed and one missing; all right
    assert list(table["tpr"]) == [0.0, 0.0, 1.0]
    assert list(table["fdr"]) == [0.0, 1.0, 0.0]
    assert list(table["bytes"]) == [15, 26, 37]
    assert list(table["last"]) == [False, False, True]
    assert table["sid"].isna().tolist() == [True, True, False]
    assert table["varsortability"].isna().tolist() == [True, True, False]
    assert table["varsortability"].iloc[-1] == 0.75
    empty = federated_table(names, rounds, history[:0], truth, None)
    assert empty["varsortability"].isna().all()
