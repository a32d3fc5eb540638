import functools
import itertools
from collections import defaultdict

import numpy as np
import pytest
from graph_strategies import dags, every_graph, matrix_of, repeatable
from hypothesis import given
from hypothesis import strategies as st

from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, dag
from fedbnsl.graphs.graph import Graph


def v_structures(a):
    """Plain reading of the definition, for directed edges among any edges."""
    d, a = len(a), a.tolist()
    return frozenset(
        (i, k, j)
        for i, j in itertools.combinations(range(d), 2)
        if not a[i][j] and not a[j][i]
        for k in range(d)
        if a[i][k] and a[j][k] and not a[k][i] and not a[k][j]
    )


def class_of(a):
    """What all Markov equivalent DAGs share (Verma and Pearl): skeleton and v-structures."""
    return (a | a.T).tobytes(), v_structures(a)


@functools.cache
def classes(d):
    """All DAGs of d nodes by equivalence class."""
    members = defaultdict(list)
    for a in every_graph(d):
        if dag.is_dag(a):
            members[class_of(a)].append(a)
    return members


@pytest.mark.parametrize(("d", "count"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_an_edge_is_directed_where_the_whole_class_agrees(d, count):
    essential = set()
    for members in classes(d).values():
        expected = np.bitwise_or.reduce(members)  # both directions occur: undirected
        assert all((cpdag.dag_to_cpdag(a) == expected).all() for a in members)
        essential.add(expected.tobytes())
    assert len(essential) == len(classes(d)) == count  # OEIS A007984


def test_only_completed_graphs_are_cpdags():
    essential = {np.bitwise_or.reduce(members).tobytes() for members in classes(4).values()}
    assert {p.tobytes() for p in every_graph(4, (0, 1, 2, 3)) if cpdag.is_cpdag(p)} == essential


def test_an_extension_is_found_exactly_when_one_exists():
    extended = 0
    for p in every_graph(4, (0, 1, 2, 3)):
        exists = any((a <= p).all() for a in classes(4).get(class_of(p), ()))
        if exists:
            a = cpdag.pdag_to_dag(p)
            assert (a <= p).all()
            assert class_of(a) == class_of(p)
            assert dag.is_dag(a)
            extended += 1
        else:
            with pytest.raises(InputError):
                cpdag.pdag_to_dag(p)
    assert 543 < extended < 4**6


@repeatable
@given(dags(12))
def test_agrees_with_pgmpy(a):
    names = [f"v{i}" for i in range(len(a))]
    theirs = Graph.from_pgmpy(Graph(names, a).to_pgmpy().to_pdag())
    assert Graph(names, a).cpdag() == theirs


@repeatable
@given(dags(9), st.data())
def test_ranks_of_a_topological_order_give_back_that_very_dag(a, data):
    essential = cpdag.dag_to_cpdag(a)
    assert (cpdag.pdag_to_dag(essential, np.argsort(dag.topological_order(a))) == a).all()
    rank = data.draw(st.permutations(range(len(a))))
    other = cpdag.pdag_to_dag(essential, rank)
    assert dag.is_dag(other)
    assert (cpdag.dag_to_cpdag(other) == essential).all()
    assert cpdag.is_cpdag(essential)


def test_of_eligible_sinks_the_highest_rank_goes_first_and_ties_to_the_smallest_index():
    triangle = 1 - np.eye(3, dtype=int)
    ranked = Graph("abc", cpdag.pdag_to_dag(triangle, [2, 0, 1]))
    assert ranked == Graph.from_edges("abc", ["ba", "bc", "ca"])
    assert Graph("abc", cpdag.pdag_to_dag(triangle)) == Graph.from_edges("abc", ["ba", "ca", "cb"])


def test_cpdag_of_a_graph_with_a_compelled_chain():
    # a → c ← b is a v-structure; c → d would make another one if turned; e — f is free
    graph = Graph.from_edges("abcdef", ["ac", "bc", "cd", "ef"])
    assert graph.cpdag() == Graph.from_edges("abcdef", ["ac", "bc", "cd"], undirected=["ef"])
    assert graph.cpdag().cpdag() == graph.cpdag()
    assert not graph.is_cpdag()
    assert graph.cpdag().is_cpdag()


def test_an_incomplete_pdag_is_completed():
    pdag = Graph.from_edges("abcd", ["ac", "bc"], undirected=["cd"])
    assert not pdag.is_cpdag()
    assert pdag.cpdag() == Graph.from_edges("abcd", ["ac", "bc", "cd"])


def test_what_cannot_be_extended_is_refused_with_the_reason():
    square = Graph.from_edges("abcd", [], undirected=["ab", "bc", "cd", "da"])
    with pytest.raises(InputError, match="no DAG with the same skeleton and v-structures"):
        square.cpdag()
    assert not square.is_cpdag()
    with pytest.raises(InputError, match=r"directed cycle \d → \d → \d → \d"):
        cpdag.pdag_to_dag(matrix_of(3, (1, 2, 1)))
    with pytest.raises(InputError, match=r"directed cycle \d → \d → \d → \d"):
        cpdag.dag_to_cpdag(matrix_of(3, (1, 2, 1)))
    with pytest.raises(InputError, match="directed cycle 0 → 0"):
        cpdag.pdag_to_dag([[1, 0], [0, 0]])
    assert not cpdag.is_cpdag([[1, 0], [0, 0]])
    with pytest.raises(InputError, match="edge 0 — 1 is undirected"):
        cpdag.dag_to_cpdag([[0, 1], [1, 0]])


@pytest.mark.parametrize("rank", [[1], [0, np.nan], [[0, 1]]])
def test_ranks_must_be_one_number_a_node(rank):
    with pytest.raises(InputError, match="one finite number for each of the 2 nodes"):
        cpdag.pdag_to_dag(np.zeros((2, 2)), rank)


def test_inputs_are_left_as_they_were():
    a = matrix_of(4, (1, 1, 0, 1, 0, 1))
    before = a.copy()
    p = cpdag.dag_to_cpdag(a)
    kept = p.copy()
    cpdag.pdag_to_dag(p)
    assert (a == before).all()
    assert (p == kept).all()
