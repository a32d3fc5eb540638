"""Edges with their evidence, and where sites differ: worked examples."""

import numpy as np
import pytest

from fedbnsl.cohort.tables import difference_rows, edge_rows
from fedbnsl.data import load_network, simulate_linear_gaussian
from fedbnsl.federate import fit_parameters
from fedbnsl.graphs.graph import Graph, WeightedGraph

NETWORK = Graph.from_edges("abcd", [("a", "c"), ("b", "c"), ("c", "d")])
SITES = {
    "north": Graph.from_edges("dcba", [("a", "c"), ("b", "c")]),
    "south": Graph.from_edges("abcd", [("c", "a"), ("a", "b"), ("c", "d")]),
    "broken": None,
    "west": Graph.from_edges("abcd", [("c", "d")]).cpdag(),
}


def test_evidence_of_each_edge():
    replicates = [
        NETWORK,
        Graph.from_edges("abcd", [("a", "c"), ("b", "c")]),
        Graph.from_edges("abcd", [("c", "d")]),
        None,
        Graph("abcd", np.zeros((4, 4))),
    ]
    without = {"north": Graph.from_edges("abcd", [("a", "c"), ("c", "d")]), "south": NETWORK, "west": None}
    rows = {(row["from"], row["to"]): row for row in edge_rows(NETWORK, None, SITES, replicates, without)}
    assert list(rows) == [("a", "c"), ("b", "c"), ("c", "d")]
    edge = rows["a", "c"]
    assert edge["support"] == pytest.approx(2 / 3)
    assert edge["sites"] == "north →; south ←"
    assert edge["confidence"] == 0.5
    assert edge["confidence_direction"] == 1.0
    assert edge["direction"] == "fixed"
    edge = rows["c", "d"]
    assert edge["sites"] == "south →; west —"
    # joined in two of four: directed by the collider in the first, free in the third
    assert edge["confidence"] == 0.5
    assert edge["confidence_direction"] == pytest.approx(0.75)
    assert rows["b", "c"]["lost_without"] == "north; west (no network)"
    assert edge["coefficient"] is None
    assert edge["strength"] is None


def test_without_replicates_and_sites_there_are_no_shares():
    row, *_ = edge_rows(NETWORK, None, {"north": None}, [], {})
    assert (row["support"], row["confidence"], row["confidence_direction"]) == (None, None, None)


def test_weights_and_directions_by_model():
    sites, truth = simulate_linear_gaussian(nodes=5, edges=5, sites=2, rows=500, seed=1)
    fitted = fit_parameters(truth, sites)
    rows = edge_rows(WeightedGraph(truth.names, truth.weights), fitted, {}, [], {})
    place = {name: k for k, name in enumerate(truth.names)}
    assert len(rows) == 5
    for row in rows:
        assert row["direction"] == "by model"
        true = truth.weights[place[row["from"]], place[row["to"]]]
        assert row["coefficient"] == pytest.approx(true, abs=0.2)
        assert row["strength"] > 0
    asia = load_network("asia")
    rows = edge_rows(asia.graph, fit_parameters(asia.graph, [asia.sample(500, 1)]), {}, [], {})
    assert {row["direction"] for row in rows} == {"fixed", "free"}
    assert all(row["coefficient"] is None for row in rows)


def test_differences_put_the_divided_pairs_first():
    rows = difference_rows(NETWORK, SITES)
    table = {(row["from"], row["to"]): row for row in rows}
    assert table["a", "b"] == {
        "from": "a",
        "to": "b",
        "network": "",
        "at north": "",
        "at south": "→",
        "at broken": "no graph",
        "at west": "",
    }
    assert table["a", "c"]["at south"] == "←"
    assert table["c", "d"]["at west"] == "—"
    two = {"n": Graph.from_edges("abc", [("a", "b"), ("a", "c")]), "s": Graph.from_edges("abc", [("a", "b")])}
    rows = difference_rows(Graph("abc", np.zeros((3, 3))), two)
    assert [(row["from"], row["to"]) for row in rows] == [("a", "c"), ("a", "b")]
