"""Structural measures: worked by hand, against other implementations, and by their properties."""

import math
import warnings

import gadjid
import networkx
import numpy as np
import pytest
from graph_strategies import dags, every_graph, repeatable
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from fedbnsl import Graph, InputError, WeightedGraph
from fedbnsl.evaluate import dense_bytes, edge_metrics, metrics, normalised_mse, shd, smhd, sparse_entry_bytes
from fedbnsl.graphs import dag
from fedbnsl.learn import threshold_to_dag

TRUTH = Graph.from_edges("ABCD", ["AB", "BC", "AD", "CD"])
# A → B reversed, B → C right, A → C extra, A → D and C → D missing
ESTIMATE = Graph.from_edges("ABCD", ["BA", "BC", "AC"])


@st.composite
def tuples_of_dags(draw, count, max_nodes=6):
    """DAGs over the same variables, each with an order of its own."""
    d = draw(st.integers(0, max_nodes))
    names = [f"v{i}" for i in range(d)]
    found = []
    for _ in range(count):
        order = draw(st.permutations(range(d)))
        bits = draw(st.lists(st.booleans(), min_size=d * d, max_size=d * d))
        upper = np.triu(np.reshape(np.array(bits, dtype=np.int8), (d, d)), 1)
        found.append(Graph(names, upper[np.ix_(order, order)]))
    return tuple(found)


def graph(matrix):
    return Graph([f"v{i}" for i in range(len(matrix))], matrix)


# --- worked by hand --------------------------------------------------------------------------------


def test_every_measure_on_a_worked_example():
    """Moral edges AB BC AD CD AC against AB BC AC; CPDAGs A — B — C with A → D ← C against a triangle."""
    assert metrics(ESTIMATE, TRUTH) == {
        "shd": 4,
        "tpr": 1 / 4,
        "fdr": 2 / 3,
        "fpr": 2 / 2,
        "precision": 1 / 3,
        "recall": 1 / 4,
        "f1": 2 / 7,
        "skeleton_f1": 4 / 7,
        "skeleton_correct": 2,
        "arrowhead_error": 5 / 12,
        "edges": 3,
        "edges_true": 4,
        "cpdag_shd": 3,
        "smhd": 2,
        "v_structures": 0,
        "v_structures_estimate": 0,
        "v_structures_true": 1,
        "sid": 8,  # pair by pair in test_sid.py
        "treewidth": 2,
    }


def test_an_undirected_edge_of_a_cpdag_is_correct_but_differs():
    """The truth's own CPDAG: A — B and B — C undirected, A → D ← C directed."""
    found = metrics(TRUTH.cpdag(), TRUTH)
    assert found["shd"] == 2
    assert found["tpr"] == 1
    assert found["fdr"] == 0
    assert found["fpr"] == 0
    assert (found["precision"], found["recall"], found["f1"]) == (4 / 6, 1, 8 / 10)
    assert found["skeleton_f1"] == 1
    assert found["arrowhead_error"] == 2 / 12
    assert found["edges"] == 4
    assert found["v_structures"] == found["v_structures_true"] == 1
    assert found["cpdag_shd"] == found["smhd"] == 0


def test_v_structures_in_common_are_counted_not_only_present():
    truth = Graph.from_edges("ABCDE", ["AC", "BC", "DC", "CE"])  # AB, AD, BD meet in C
    estimate = Graph.from_edges("ABCDE", ["AC", "BC", "AB", "DC", "EC"])  # AD, BD, AE, BE, DE
    found = metrics(estimate, truth)
    assert (found["v_structures"], found["v_structures_estimate"], found["v_structures_true"]) == (2, 5, 3)


def test_the_empty_graph_has_the_arrowhead_error_that_makes_it_look_good():
    truth = Graph.from_edges("ABCDE", ["AB", "BC", "CD", "DE", "AE"])  # d edges on d nodes
    empty = Graph("ABCDE", np.zeros((5, 5)))
    assert edge_metrics(empty, truth)["arrowhead_error"] == pytest.approx(1 / (5 - 1))


def test_an_empty_estimate_misses_everything_and_claims_nothing():
    empty = Graph("ABCD", np.zeros((4, 4)))
    found = metrics(empty, TRUTH)
    expected = {
        "shd": 4,
        "tpr": 0,
        "fdr": 0,
        "fpr": 0,
        "precision": 1,
        "recall": 0,
        "f1": 0,
        "skeleton_f1": 0,
    }
    expected |= {"edges": 0, "cpdag_shd": 4, "smhd": 5, "v_structures": 0, "treewidth": 0}
    assert {key: found[key] for key in expected} == expected


def test_an_empty_truth_makes_every_edge_wrong():
    empty = Graph("ABCD", np.zeros((4, 4)))
    found = metrics(TRUTH, empty)
    expected = {
        "shd": 4,
        "tpr": 1,
        "fdr": 1,
        "fpr": 4 / 6,
        "precision": 0,
        "recall": 1,
        "f1": 0,
        "skeleton_f1": 0,
    }
    assert {key: found[key] for key in expected} == expected


def test_against_a_complete_truth_the_false_positive_rate_counts_reversals():
    complete = Graph("ABC", np.triu(np.ones((3, 3)), 1))
    turned = Graph.from_edges("ABC", ["BA", "AC", "BC"])
    assert metrics(turned, complete)["fpr"] == 1  # one reversal over max(0 unlinked pairs, 1)
    assert metrics(complete, complete)["fpr"] == 0


@pytest.mark.parametrize("d", [0, 1, 2, 5])
@pytest.mark.parametrize("filled", [False, True])
def test_a_graph_agrees_with_itself_at_any_size(d, filled):
    g = graph(np.triu(np.full((d, d), filled), 1))
    found = metrics(g, g)
    for key in ("tpr", "precision", "recall", "f1", "skeleton_f1"):
        assert found[key] == 1, key
    for key in ("shd", "fdr", "fpr", "arrowhead_error", "cpdag_shd", "smhd", "sid"):
        assert found[key] == 0, key


@pytest.mark.parametrize(
    "bad",
    [
        Graph.from_edges("ABCD", ["AB", "BC", "CA"]),
        Graph.from_edges("ABCD", ["AB", "DC"], undirected=["BC"]),  # each orientation makes a new v-structure
    ],
)
def test_what_needs_a_dag_is_missing_for_a_graph_that_has_none(bad):
    for found in (metrics(bad, TRUTH), metrics(TRUTH, bad)):
        for key in ("cpdag_shd", "smhd", "sid"):
            assert math.isnan(found[key]), key
        assert not any(math.isnan(value) for key, value in found.items() if key not in _CLASS)
    assert math.isnan(metrics(bad, TRUTH)["treewidth"])
    assert metrics(TRUTH, bad)["treewidth"] == 2
    with pytest.raises(InputError):
        smhd(bad, TRUTH)


_CLASS = ("cpdag_shd", "smhd", "sid", "treewidth")


def test_sid_can_be_left_out():
    found = metrics(ESTIMATE, TRUTH, sid=False)
    assert math.isnan(found["sid"])
    assert list(found) == list(metrics(ESTIMATE, TRUTH))


def test_variables_in_another_order_and_weights_make_no_difference():
    order = ["C", "A", "D", "B"]
    weighted = WeightedGraph("ABCD", ESTIMATE.adjacency * -0.7).graph.reordered(order)
    assert metrics(weighted, TRUTH) == metrics(ESTIMATE, TRUTH)
    assert metrics(WeightedGraph("ABCD", ESTIMATE.adjacency * -0.7), TRUTH.reordered(order)) == metrics(
        ESTIMATE, TRUTH
    )
    for measure in (shd, smhd):
        assert measure(ESTIMATE.reordered(order), TRUTH) == measure(ESTIMATE, TRUTH)


@pytest.mark.parametrize("measure", [metrics, edge_metrics, shd, smhd])
@pytest.mark.parametrize("names", ["ABCE", "ABC", "ABCDE"])
def test_different_variables_are_refused(measure, names):
    other = Graph(names, np.zeros((len(names), len(names))))
    with pytest.raises(InputError, match=r"same variables.*Only in the"):
        measure(other, TRUTH)


@pytest.mark.parametrize("measure", [metrics, edge_metrics, shd, smhd])
def test_a_cycle_of_two_weights_is_no_undirected_edge(measure):
    raw = WeightedGraph("ab", [[0, 0.9], [0.1, 0]])
    truth = Graph.from_edges("ab", ["ab"])
    for pair, place in (((raw, truth), "first"), ((truth, raw), "second")):
        with pytest.raises(InputError, match=f"the {place} graph: .*a → b and b → a.*threshold_to_dag"):
            measure(*pair)
    cut = WeightedGraph("ab", threshold_to_dag(raw.weights, 0.3))
    assert measure(cut, truth) == measure(truth, truth)
    assert metrics(raw.graph, truth)["tpr"] == 1.0  # as a Graph it is an undirected edge


@pytest.mark.parametrize("measure", [metrics, edge_metrics, shd, smhd])
def test_what_is_no_graph_is_refused(measure):
    with pytest.raises(InputError, match="second graph: a graph is expected, not a NoneType"):
        measure(TRUTH, None)
    with pytest.raises(InputError, match="first graph: a graph is expected, not a ndarray"):
        measure(TRUTH.adjacency, TRUTH)


# --- against other implementations -----------------------------------------------------------------


@repeatable
@given(tuples_of_dags(2))
def test_rates_agree_with_set_arithmetic_on_dags(pair):
    """The counts that the NOTEARS evaluation makes, from sets of pairs."""
    estimate, truth = pair
    found, true = set(estimate.arcs()), set(truth.arcs())
    turned = {(j, i) for i, j in true}
    reversed_, extra = found & turned, found - true - turned
    missing = {frozenset(arc) for arc in true} - {frozenset(arc) for arc in found}
    unlinked = math.comb(truth.n_nodes, 2) - len(true)
    result = edge_metrics(estimate, truth)
    assert result["shd"] == len(extra) + len(missing) + len(reversed_)
    assert result["fdr"] == (len(reversed_) + len(extra)) / max(len(found), 1)
    assert result["fpr"] == (len(reversed_) + len(extra)) / max(unlinked, 1)
    if true:
        assert result["tpr"] == len(found & true) / len(true)


@repeatable
@given(tuples_of_dags(2))
def test_rates_agree_with_set_arithmetic_on_cpdags(pair):
    """An undirected edge counts for the edge it stands on, in either direction (NOTEARS evaluation)."""
    estimate, truth = pair[0].cpdag(), pair[1]
    directed, undirected = set(estimate.directed_edges()), set(estimate.undirected_edges())
    true = set(truth.arcs())
    turned = {(j, i) for i, j in true}
    hits = len(directed & true) + len(undirected & (true | turned))
    result = edge_metrics(estimate, truth)
    assert result["edges"] == len(directed) + len(undirected)
    if true:
        assert result["tpr"] == hits / len(true)
    if estimate.n_edges:
        assert result["fdr"] == pytest.approx(1 - hits / estimate.n_edges)


@settings(repeatable, max_examples=40)
@given(tuples_of_dags(2))
def test_arc_shares_agree_with_sklearn(pair):
    for estimate in (pair[0], pair[0].cpdag()):
        a, b = estimate.adjacency.ravel(), pair[1].adjacency.ravel()
        result = edge_metrics(estimate, pair[1])
        if a.any():
            assert result["precision"] == pytest.approx(precision_score(b, a))
        if b.any():
            assert result["recall"] == pytest.approx(recall_score(b, a))
        if a.any() or b.any():
            assert result["f1"] == pytest.approx(f1_score(b, a))
            skeletons = [g.skeleton().adjacency.ravel() for g in (estimate, pair[1])]
            assert result["skeleton_f1"] == pytest.approx(f1_score(skeletons[1], skeletons[0]))


@repeatable
@given(tuples_of_dags(2))
def test_distances_agree_with_gadjid_and_networkx(pair):
    def coded(g):  # 2 is an undirected edge
        a = g.adjacency
        return np.ascontiguousarray(np.where(np.triu(a & a.T), 2, a & ~a.T)).astype(np.int8)

    a, b = pair
    if a.n_nodes < 2:
        return
    assert shd(a, b) == gadjid.shd(coded(b), coded(a))[1]
    assert metrics(a, b)["cpdag_shd"] == gadjid.shd(coded(b.cpdag()), coded(a.cpdag()))[1]
    morals = [{frozenset(e) for e in networkx.moral_graph(g.to_networkx()).edges} for g in (a, b)]
    assert smhd(a, b) == len(morals[0] ^ morals[1])


@repeatable
@given(tuples_of_dags(2))
def test_v_structures_agree_with_their_listing(pair):
    for estimate in (pair[0], pair[0].cpdag()):
        listed = [dag.v_structures(g.adjacency) for g in (estimate, pair[1])]
        found = metrics(estimate, pair[1], sid=False)
        assert found["v_structures"] == len(listed[0] & listed[1])
        assert (found["v_structures_estimate"], found["v_structures_true"]) == tuple(map(len, listed))


def test_distances_agree_with_pgmpy_on_all_pairs_of_three_nodes():
    from pgmpy.base import DAG
    from pgmpy.metrics import SHD, AdjacencyConfusionMatrix

    graphs = [graph(a) for a in every_graph(3) if dag.is_dag(a)]
    assert len(graphs) == 25
    models = []
    for g in graphs:
        model = DAG()
        model.add_nodes_from(g.names)
        model.add_edges_from(g.arcs())
        models.append(model)
    for a, model_a in zip(graphs, models, strict=True):
        for b, model_b in zip(graphs, models, strict=True):
            assert shd(a, b) == SHD().evaluate(true_causal_graph=model_b, est_causal_graph=model_a)
            if a.n_edges and b.n_edges:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    theirs = AdjacencyConfusionMatrix(metrics=["f1"]).evaluate(model_b, model_a)
                assert edge_metrics(a, b)["skeleton_f1"] == pytest.approx(theirs["f1"])


# --- properties ------------------------------------------------------------------------------------


@repeatable
@given(tuples_of_dags(3))
def test_shd_and_smhd_are_distances(triple):
    a, b, c = triple
    for distance in (shd, smhd):
        assert distance(a, a) == 0
        assert distance(a, b) == distance(b, a)
        assert distance(a, c) <= distance(a, b) + distance(b, c)
    mixed = (a.cpdag(), b, c.cpdag())
    assert shd(mixed[0], mixed[2]) <= shd(mixed[0], mixed[1]) + shd(mixed[1], mixed[2])
    assert (shd(a, b) == 0) == (a == b)


@repeatable
@given(dags(), st.lists(st.integers(0, 10**6), max_size=12))
def test_equivalent_dags_have_no_moral_distance(matrix, choices):
    """Turning covered edges reaches equivalent DAGs only (Chickering 1995)."""
    a = matrix.copy()
    for choice in choices:
        # i → j is covered if j's parents are i's parents and i itself
        covered = [(i, j) for i, j in np.argwhere(a) if (np.flatnonzero(a[:, i] != a[:, j]) == [i]).all()]
        if not covered:
            break
        i, j = covered[choice % len(covered)]
        a[i, j], a[j, i] = 0, 1
    first, second = graph(matrix), graph(a)
    assert smhd(first, second) == 0
    assert smhd(first, second.cpdag()) == 0
    found = metrics(first, second)
    assert found["cpdag_shd"] == 0
    assert found["skeleton_f1"] == 1
    assert found["v_structures"] == found["v_structures_estimate"] == found["v_structures_true"]


# --- weights and bytes -----------------------------------------------------------------------------


def test_normalised_mse_of_a_worked_example():
    truth = WeightedGraph("AB", [[0, 2], [0, 0]])
    assert normalised_mse(truth, truth) == 0
    assert normalised_mse(WeightedGraph("AB", np.zeros((2, 2))), truth) == 1
    # 0.5² for the edge that is there, 1² for the reversed one that is not, over 2²
    assert normalised_mse(WeightedGraph("AB", [[0, 1.5], [1, 0]]), truth) == (0.25 + 1) / 4
    assert normalised_mse(WeightedGraph("BA", [[0, 0], [2, 0]]), truth) == 0


def test_normalised_mse_needs_true_weights_and_the_same_variables():
    empty = WeightedGraph("AB", np.zeros((2, 2)))
    with pytest.raises(InputError, match="all 0"):
        normalised_mse(empty, empty)
    with pytest.raises(InputError, match="same variables"):
        normalised_mse(WeightedGraph("AC", np.zeros((2, 2))), empty)


def test_dense_bytes_are_the_printed_megabytes():
    # 100 rounds, 8 sites, 20 variables: 5.12 MB in the paper's table
    assert dense_bytes(100, 8, 20) == 5_120_000


@pytest.mark.parametrize(
    ("nodes", "index"),
    [(1, 0), (2, 1), (15, 1), (16, 1), (17, 2), (20, 2), (200, 2), (256, 2), (257, 3), (4096, 3)],
)
def test_an_index_takes_the_fewest_bytes_that_tell_all_places_apart(nodes, index):
    assert sparse_entry_bytes(nodes) == 8 + index
    assert 256**index >= nodes**2
    assert index == 0 or 256 ** (index - 1) < nodes**2
    assert index == math.ceil(math.log2(nodes**2) / 8)
