import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, every_graph, repeatable, undirected_graphs
from hypothesis import given
from hypothesis import strategies as st

from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, dag, moral
from fedbnsl.graphs.graph import Graph


def by_definition(a):
    """Skeleton and married parents, straight from the words."""
    d = len(a)
    m = np.zeros((d, d), int)
    for i in range(d):
        for j in range(d):
            shared = any(a[i, k] and a[j, k] for k in range(d))
            m[i, j] = i != j and (a[i, j] or a[j, i] or shared)
    return m


@repeatable
@given(dags(8))
def test_moral_graph_agrees_with_networkx_and_the_definition(a):
    found = moral.moralize(a)
    assert (found == by_definition(a)).all()
    graph = nx.from_numpy_array(a, create_using=nx.DiGraph)
    assert (found == nx.to_numpy_array(nx.moral_graph(graph), nodelist=range(len(a)))).all()
    assert found.dtype == np.int8


@repeatable
@given(dags(7), st.data())
def test_ancestral_moral_graph_is_that_of_the_ancestral_subgraph(a, data):
    nodes = data.draw(st.sets(st.integers(0, len(a) - 1))) if len(a) else set()
    keep = nodes.union(*(nx.ancestors(nx.from_numpy_array(a, create_using=nx.DiGraph), v) for v in nodes))
    expected = np.zeros_like(a)
    inside = np.ix_(sorted(keep), sorted(keep))
    expected[inside] = by_definition(a[inside])
    assert (moral.ancestral_moral(a, nodes) == expected).all()


def test_ancestral_and_whole_moral_graph_differ():
    a = Graph.from_edges("abc", ["ac", "bc"]).adjacency
    assert moral.moralize(a)[0, 1] == 1
    assert moral.ancestral_moral(a, [0, 1]).sum() == 0
    assert moral.ancestral_moral(a, []).sum() == 0


def test_equivalent_dags_share_their_moral_graph_and_the_cpdag_has_it():
    for a in every_graph(4):
        if dag.is_dag(a):
            essential = Graph("wxyz", cpdag.dag_to_cpdag(a))
            assert (essential.moral().adjacency == by_definition(a)).all()


@repeatable
@given(undirected_graphs())
def test_an_undirected_graph_is_its_own_moral_graph(a):
    graph = Graph([f"v{i}" for i in range(len(a))], a)
    assert graph.moral() == graph


def test_what_has_no_moral_graph_is_refused():
    with pytest.raises(InputError, match="edge 0 — 1 is undirected"):
        moral.moralize([[0, 1], [1, 0]])
    with pytest.raises(InputError, match="edge 0 — 1 is undirected"):
        moral.ancestral_moral([[0, 1], [1, 0]], [0])
    with pytest.raises(InputError, match="edge 1 → 1 is a loop"):
        moral.moralize([[0, 0], [0, 1]])
    with pytest.raises(InputError, match="no node 2"):
        moral.ancestral_moral(np.zeros((2, 2)), [2])
    with pytest.raises(InputError, match=r"only 0 and 1\. Of a weight matrix W, give W != 0"):
        moral.moralize([[0, 0.3], [0, 0]])
    mixed = Graph.from_edges("abcde", ["ea"], undirected=["ab", "bc", "cd", "da"])
    with pytest.raises(InputError, match="no DAG with the same skeleton"):
        mixed.moral()
