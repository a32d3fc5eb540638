import copy
import itertools
import pickle

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, digraphs, every_graph, pdags, repeatable
from hypothesis import given
from hypothesis import strategies as st

from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph


def named(a):
    return Graph([f"v{i}" for i in range(len(a))], a)


def nx_of(a):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(a)))
    graph.add_edges_from(map(tuple, np.argwhere(a).tolist()))
    return graph


# --- orders, cycles, ancestors, d-separation, against networkx -------------------------------------


@repeatable
@given(digraphs())
def test_is_dag_agrees_with_networkx(a):
    assert dag.is_dag(a) == nx.is_directed_acyclic_graph(nx_of(a))


@pytest.mark.parametrize(("d", "count"), [(0, 1), (1, 1), (2, 3), (3, 25), (4, 543)])
def test_number_of_labelled_dags(d, count):
    assert sum(dag.is_dag(a) for a in every_graph(d)) == count  # OEIS A003024


@repeatable
@given(dags())
def test_topological_order_is_the_lexicographically_first(a):
    assert dag.topological_order(a).tolist() == list(nx.lexicographical_topological_sort(nx_of(a)))


@repeatable
@given(pdags(7))
def test_a_cycle_found_is_one_and_is_found_when_there_is_one(a):
    cycle = dag.find_cycle(a)
    assert (cycle is None) == nx.is_directed_acyclic_graph(nx_of(a))
    if cycle is not None:
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1 >= 2
        assert all(a[i, j] for i, j in itertools.pairwise(cycle))


def test_cycles_loops_and_undirected_edges_are_told_apart():
    a = np.zeros((4, 4), int)
    a[0, 1] = a[1, 2] = a[2, 1] = 1
    assert not dag.is_dag(a)
    assert dag.find_cycle(a) in ([1, 2, 1], [2, 1, 2])
    with pytest.raises(InputError, match="edge 1 — 2 is undirected"):
        dag.topological_order(a)
    a[2, 1] = 0
    a[2, 0] = 1
    with pytest.raises(InputError, match=r"directed cycle (0 → 1 → 2 → 0|1 → 2 → 0 → 1|2 → 0 → 1 → 2)"):
        dag.topological_order(a)
    a[2, 0] = 0
    a[3, 3] = 1
    assert not dag.is_dag(a)
    assert dag.find_cycle(a) == [3, 3]
    with pytest.raises(InputError, match="edge 3 → 3 is a loop"):
        dag.topological_order(a)


@repeatable
@given(digraphs(), st.data())
def test_ancestors_agree_with_networkx(a, data):
    nodes = data.draw(st.sets(st.integers(0, len(a) - 1))) if len(a) else set()
    expected = nodes.union(*(nx.ancestors(nx_of(a), node) for node in nodes))
    assert set(np.flatnonzero(dag.ancestors(a, nodes)).tolist()) == expected


@repeatable
@given(dags().filter(lambda a: len(a) >= 2), st.data())
def test_d_separation_agrees_with_networkx(a, data):
    x, y, *rest = data.draw(st.permutations(range(len(a))))
    held = rest[: data.draw(st.integers(0, len(rest)))]
    assert dag.d_separated(a, x, y, held) == nx.is_d_separator(nx_of(a), {x}, {y}, set(held))


def test_d_separation_of_a_collider_and_its_child():
    a = Graph.from_edges("abcd", ["ac", "bc", "cd"]).adjacency
    assert dag.d_separated(a, 0, 1)
    assert not dag.d_separated(a, 0, 1, [2])
    assert not dag.d_separated(a, 0, 1, [3])
    assert dag.d_separated(a, 0, 3, [2])


@pytest.mark.parametrize(
    ("x", "y", "held", "problem"),
    [
        (0, 0, [], "different nodes"),
        (0, 1, [1], "different"),
        (0, 3, [], "no node 3"),
        (0, 1, [-1], "no node -1"),
    ],
)
def test_d_separation_refuses_overlap_and_unknown_nodes(x, y, held, problem):
    with pytest.raises(InputError, match=problem):
        dag.d_separated(np.zeros((3, 3)), x, y, held)


@repeatable
@given(dags())
def test_v_structures_agree_with_networkx(a):
    expected = {(min(i, j), k, max(i, j)) for i, k, j in nx.dag.v_structures(nx_of(a))}
    assert dag.v_structures(a) == expected


def test_v_structures_of_a_pdag_need_two_arrows():
    graph = Graph.from_edges("abcd", [("a", "c"), ("b", "c")], undirected=[("c", "d")])
    assert dag.v_structures(graph.adjacency) == {(0, 2, 1)}


# --- the type ---------------------------------------------------------------------------------------


@repeatable
@given(pdags(), st.data())
def test_order_of_variables_matters_neither_for_equality_nor_for_the_hash(a, data):
    graph = named(a)
    names = data.draw(st.permutations(graph.names))
    other = graph.reordered(names)
    assert other.names == tuple(names)
    assert set(other.arcs()) == set(graph.arcs())
    assert other == graph
    assert hash(other) == hash(graph)
    if len(a) >= 2:
        i, j = data.draw(st.permutations(range(len(a))))[:2]
        changed = a.copy()
        changed[i, j] ^= 1
        assert named(changed) != other


def test_equality_needs_the_same_variables():
    assert Graph("ab", np.zeros((2, 2))) != Graph("ac", np.zeros((2, 2)))
    assert Graph("ab", np.zeros((2, 2))) != Graph("abc", np.zeros((3, 3)))
    assert Graph("ab", np.zeros((2, 2))) != "ab"


@repeatable
@given(pdags())
def test_edges_are_counted_once(a):
    graph = named(a)
    assert graph.n_edges == len(graph.edges()) == len({frozenset(edge) for edge in graph.edges()})
    assert len(graph.arcs()) == a.sum()
    assert Graph.from_edges(graph.names, graph.directed_edges(), graph.undirected_edges()) == graph
    assert graph.skeleton().n_edges == graph.n_edges
    assert graph.skeleton().directed_edges() == []


def test_small_and_full_graphs():
    nothing = Graph([], np.zeros((0, 0)))
    assert nothing.n_nodes == nothing.n_edges == 0
    assert nothing.is_dag()
    assert nothing.is_cpdag()
    assert nothing.cpdag() == nothing.moral() == nothing.to_dag() == nothing.ancestral([]) == nothing
    one = Graph(["a"], [[0]])
    assert one.cpdag() == one.moral() == one
    full = Graph("abcd", np.triu(np.ones((4, 4)), 1))
    assert full.n_edges == 6
    assert full.cpdag() == full.moral() == full.skeleton()
    assert full.cpdag().to_dag().is_dag()
    assert dag.find_cycle(nothing.adjacency) is None
    assert dag.v_structures(nothing.adjacency) == set()


@pytest.mark.parametrize(
    "change",
    [
        lambda g: setattr(g, "names", ()),
        lambda g: delattr(g, "names"),
        lambda g: setattr(g, "colour", "red"),
    ],
)
@pytest.mark.parametrize("make", [lambda m: Graph("ab", m), lambda m: WeightedGraph("ab", m)])
def test_graphs_cannot_be_changed(change, make):
    with pytest.raises(AttributeError):
        change(make(np.zeros((2, 2))))


def test_matrices_are_copies_and_read_only():
    given_matrix = np.array([[0, 1], [0, 0]], dtype=np.int8)
    weights = np.array([[0, 0.5], [0, 0]])
    graph, weighted = Graph("ab", given_matrix), WeightedGraph("ab", weights)
    given_matrix[:] = 0
    weights[:] = 0
    assert graph.arcs() == weighted.graph.arcs() == [("a", "b")]
    for matrix in (graph.adjacency, weighted.weights, weighted.graph.adjacency):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 1] = 0
    assert graph.adjacency.dtype == np.int8


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_and_pickles_are_equal_and_still_read_only(again):
    graph = Graph.from_edges("abc", ["ab"], undirected=["bc"])
    other = again(graph)
    assert other == graph
    assert other.names == graph.names
    assert not other.adjacency.flags.writeable
    weighted = WeightedGraph("ab", [[0, 0.25], [0, 0]])
    assert again(weighted) == weighted
    assert not again(weighted).weights.flags.writeable


def test_weighted_graphs_compare_weights_in_any_order():
    weighted = WeightedGraph("abc", [[0, 0.5, 0], [0, 0, -2], [0, 0, 0]])
    other = WeightedGraph("cab", [[0, 0, 0], [0, 0, 0.5], [-2, 0, 0]])
    assert weighted == other
    assert hash(weighted) == hash(other)
    assert weighted.graph == as_graph(other)
    assert as_graph(weighted.graph) is weighted.graph
    assert weighted != WeightedGraph("abc", [[0, 0.4, 0], [0, 0, -2], [0, 0, 0]])
    assert weighted != WeightedGraph("abd", weighted.weights)


@pytest.mark.parametrize(
    ("names", "matrix", "problem"),
    [
        ("aba", np.zeros((3, 3)), "a occurs more than once"),
        ("ab", np.zeros((3, 3)), r"shape \(3, 3\), but there are 2 names"),
        ("ab", np.zeros((2, 3)), r"square, but this one has the shape \(2, 3\)"),
        ("ab", [0, 1], "square"),
        ("ab", [[0, 1], [0]], "rows of different lengths"),
        ("ab", [[0, 0.5], [0, 0]], "only 0 and 1"),
        ("ab", [[0, 257], [0, 0]], "only 0 and 1"),
        ("ab", [[0, np.nan], [0, 0]], "only 0 and 1"),
        ("ab", [[0, 0], [0, 1]], "edge b → b is a loop"),
    ],
)
def test_bad_matrices_are_refused(names, matrix, problem):
    with pytest.raises(InputError, match=problem):
        Graph(names, matrix)


def test_bad_weights_are_refused():
    with pytest.raises(InputError, match="finite"):
        WeightedGraph("ab", [[0, np.inf], [0, 0]])
    with pytest.raises(InputError, match="loop"):
        WeightedGraph("ab", [[0.1, 0], [0, 0]])
    for weights in ([[0, 1.5], [0]], [[0, "heavy"], [0, 0]]):
        with pytest.raises(InputError, match="different lengths or entries that are no numbers"):
            WeightedGraph("ab", weights)


def test_names_that_are_no_text_work_everywhere_as_their_text():
    graph = Graph([0, 1], [[0, 1], [0, 0]])
    assert graph.reordered([1, 0]).adjacency.tolist() == [[0, 0], [1, 0]]
    assert graph.reordered(np.array([1, 0])) == graph


@pytest.mark.parametrize(
    ("pairs", "undirected", "problem"),
    [
        (["ab", "bz"], [], "edge b → z names 'z', which is not a variable. The variables are a, b, c"),
        ([], ["az"], "edge a — z names 'z'"),
        (["ab", "ba"], [], "edges b → a and a → b are both given"),
        (["ab"], ["ba"], "between b and a is given both as directed and undirected"),
        (["aa"], [], "edge a → a is a loop"),
        (["aa", "aa"], [], "edge a → a is a loop"),
        ([], ["cc"], "edge c → c is a loop"),
    ],
)
def test_bad_edges_are_refused(pairs, undirected, problem):
    with pytest.raises(InputError, match=problem):
        Graph.from_edges("abc", pairs, undirected)


def test_an_edge_given_twice_is_one_edge():
    graph = Graph.from_edges("abc", ["ab", "ab"], undirected=["bc", "cb"])
    assert graph.directed_edges() == [("a", "b")]
    assert graph.undirected_edges() == [("b", "c")]


def test_reordering_to_other_variables_names_them():
    with pytest.raises(InputError, match="Only in the first: b; Only in the second: z"):
        Graph("ab", np.zeros((2, 2))).reordered("az")
    with pytest.raises(InputError, match="do not have the same variables"):
        Graph("ab", np.zeros((2, 2))).reordered("aab")


@pytest.mark.parametrize("method", ["to_dag", "cpdag", "moral", "to_pgmpy"])
def test_a_cycle_is_named_by_its_variables(method):
    graph = Graph.from_edges(
        ["smoke", "tar", "cough", "x"], [("smoke", "tar"), ("tar", "cough"), ("cough", "smoke")]
    )
    with pytest.raises(InputError, match=r"directed cycle (\w+) → \w+ → \w+ → \1$") as caught:
        getattr(graph, method)()
    assert all(name in str(caught.value) for name in ("smoke", "tar", "cough"))


def test_ancestral_graph_by_names():
    graph = Graph.from_edges("dcba", ["ab", "bc", "db"])
    assert graph.ancestral(["b"]) == Graph.from_edges("abd", ["ab", "db"])
    assert graph.ancestral(["b"]).names == ("d", "b", "a")
    with pytest.raises(InputError, match="names 'z', which is not a variable"):
        graph.ancestral(["z"])
    with pytest.raises(InputError, match="edge a — b is undirected"):
        Graph.from_edges("ab", [], undirected=["ab"]).ancestral(["a"])


# --- networkx and pgmpy -----------------------------------------------------------------------------


@repeatable
@given(pdags())
def test_networkx_round_trip(a):
    graph = named(a)
    there = graph.to_networkx()
    assert list(there.nodes) == list(graph.names)
    back = Graph.from_networkx(there)
    assert back == graph
    assert back.names == graph.names


def test_from_other_kinds_of_networkx_graphs():
    undirected = Graph.from_networkx(nx.path_graph(3))
    assert undirected == Graph.from_edges("012", [], undirected=["01", "12"])
    multi = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "c")])
    assert Graph.from_networkx(multi) == Graph.from_edges("abc", ["ab", "bc"])
    assert Graph.from_networkx(nx.DiGraph()).n_nodes == 0
    with pytest.raises(InputError, match="1 occurs more than once"):
        Graph.from_networkx(nx.DiGraph([(1, "1")]))
    with pytest.raises(InputError, match="loop"):
        Graph.from_networkx(nx.DiGraph([("a", "a")]))


@repeatable
@given(pdags().filter(lambda a: dag.find_cycle(a & (1 - a.T)) is None))
def test_pgmpy_round_trip(a):
    from pgmpy.base import DAG, PDAG

    graph = named(a)
    there = graph.to_pgmpy()
    assert type(there) is (DAG if graph.is_dag() else PDAG)
    assert list(there.nodes) == list(graph.names)
    if type(there) is PDAG:
        assert set(there.directed_edges) == set(graph.directed_edges())
        assert {frozenset(e) for e in there.undirected_edges} == {
            frozenset(e) for e in graph.undirected_edges()
        }
    back = Graph.from_pgmpy(there)
    assert back == graph
    assert back.names == graph.names


def test_from_pgmpy_models_and_not_from_others():
    from pgmpy.base import ADMG, UndirectedGraph
    from pgmpy.models import DiscreteBayesianNetwork

    assert Graph.from_pgmpy(DiscreteBayesianNetwork(["ab", "bc"])) == Graph.from_edges("abc", ["ab", "bc"])
    markov = UndirectedGraph(["ab"])
    assert Graph.from_pgmpy(markov) == Graph.from_edges("ab", [], undirected=["ab"])
    with pytest.raises(InputError, match="a pgmpy ADMG cannot"):
        Graph.from_pgmpy(ADMG(directed_ebunch=[("a", "b")]))
