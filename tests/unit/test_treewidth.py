import functools
import itertools

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, repeatable, undirected_graphs
from hypothesis import given
from networkx.algorithms.approximation import treewidth_min_fill_in

import fedbnsl
from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.graphs.treewidth import min_fill_order, treewidth


def neighbours_of(a):
    return {v: set(np.flatnonzero(a[v]).tolist()) for v in range(len(a))}


def missing(around, v):
    """Pairs of neighbours of v that are not adjacent."""
    return [(u, w) for u, w in itertools.combinations(sorted(around[v]), 2) if w not in around[u]]


def eliminate(around, v):
    """The graph without v, its neighbours joined."""
    rest = {u: set(near) for u, near in around.items()}
    for u, w in missing(around, v):
        rest[u].add(w)
        rest[w].add(u)
    for u in rest.pop(v):
        rest[u].remove(v)
    return rest


def plain_min_fill(a):
    around, order, width = neighbours_of(a), [], 0
    while around:
        v = min(around, key=lambda v: (len(missing(around, v)), v))
        order.append(v)
        width = max(width, len(around[v]))
        around = eliminate(around, v)
    return order, width


def reachable_widths(a):
    """Every width that min-fill can end with, however ties are broken."""

    @functools.cache
    def widths(gone):
        around = neighbours_of(a)
        for v in gone:  # the graph that is left does not depend on the order of elimination
            around = eliminate(around, v)
        if not around:
            return frozenset({0})
        fill = {v: len(missing(around, v)) for v in around}
        least = min(fill.values())
        return frozenset(
            max(len(around[v]), later)
            for v in around
            if fill[v] == least
            for later in widths(tuple(sorted((*gone, v))))
        )

    return widths(())


def exact_treewidth(a):
    """Dynamic programming over the sets of nodes eliminated first (Bodlaender et al. 2012)."""
    d = len(a)
    around = neighbours_of(a)

    def reached(first, v):
        """How many neighbours v has once ``first`` are eliminated."""
        seen, stack, found = {v}, [v], set()
        while stack:
            for u in around[stack.pop()] - seen:
                seen.add(u)
                (stack.append if u in first else found.add)(u)
        return len(found)

    best = {frozenset(): 0}
    for size in range(1, d + 1):
        for first in map(frozenset, itertools.combinations(range(d), size)):
            best[first] = min(max(best[first - {v}], reached(first - {v}, v)) for v in first)
    return best[frozenset(range(d))]


def random_undirected(d, p, rng):
    upper = np.triu(rng.random((d, d)) < p, 1)
    return (upper | upper.T).astype(np.int8)


def matrix(graph):
    return nx.to_numpy_array(graph, dtype=np.int8)


@repeatable
@given(undirected_graphs(9))
def test_order_and_width_agree_with_plain_min_fill(a):
    order, width = min_fill_order(a)
    assert (order.tolist(), width) == plain_min_fill(a)


@pytest.mark.parametrize(("d", "p"), [(30, 0.1), (30, 0.3), (30, 0.8), (64, 0.1), (65, 0.2)])
def test_order_and_width_agree_with_plain_min_fill_on_larger_graphs(d, p):
    a = random_undirected(d, p, np.random.default_rng(d))
    order, width = min_fill_order(a)
    assert (order.tolist(), width) == plain_min_fill(a)


@repeatable
@given(undirected_graphs(7))
def test_never_below_the_treewidth_and_never_beyond_what_ties_explain(a):
    widths = reachable_widths(a)
    assert treewidth(a) in widths
    assert exact_treewidth(a) <= treewidth(a) <= max(len(a) - 1, 0)
    if len(a):  # networkx gives the graph without nodes −1
        # The same heuristic with other ties: both are widths that min-fill reaches, so they are
        # equal wherever ties do not matter.
        assert treewidth_min_fill_in(nx.from_numpy_array(a))[0] in widths


def test_ties_seldom_matter_but_do():
    rng = np.random.default_rng(1)
    graphs = [random_undirected(25, 0.2, rng) for _ in range(40)]
    ours = np.array([treewidth(a) for a in graphs])
    theirs = np.array([treewidth_min_fill_in(nx.from_numpy_array(a))[0] for a in graphs])
    # No theorem bounds the gap; these are the measured sizes, which a wrong fill-in would exceed.
    assert 0 < abs(ours - theirs).max() <= 2
    assert abs(ours.mean() - theirs.mean()) < 0.3


def test_the_width_is_that_of_the_triangulation_that_the_order_makes():
    rng = np.random.default_rng(2)
    for _ in range(30):
        a = random_undirected(20, 0.25, rng)
        order, width = min_fill_order(a)
        filled, around = nx.from_numpy_array(a), neighbours_of(a)
        for v in order.tolist():
            filled.add_edges_from(missing(around, v))
            around = eliminate(around, v)
        assert nx.is_chordal(filled)
        assert max(map(len, nx.find_cliques(filled))) - 1 == width


def test_exact_on_chordal_graphs():
    rng = np.random.default_rng(3)
    for k in (1, 2, 3, 5):
        grown = nx.complete_graph(k + 1)
        for new in range(k + 1, 40):  # a k-tree: each new node is joined to a clique of k nodes
            cliques = [c for c in nx.find_cliques(grown) if len(c) == k + 1]
            clique = sorted(cliques[rng.integers(len(cliques))])
            grown.add_edges_from((new, u) for u in rng.permutation(clique)[:k].tolist())
        order = rng.permutation(40)
        a = matrix(grown)[np.ix_(order, order)]
        assert treewidth(a) == k == treewidth_min_fill_in(nx.from_numpy_array(a))[0]


@pytest.mark.parametrize(
    ("graph", "width"),
    [
        (nx.empty_graph(1), 0),
        (nx.empty_graph(5), 0),
        (nx.path_graph(2), 1),
        (nx.path_graph(9), 1),
        (nx.star_graph(9), 1),
        (nx.balanced_tree(3, 3), 1),
        (nx.cycle_graph(3), 2),
        (nx.cycle_graph(10), 2),
        (nx.wheel_graph(8), 3),
        (nx.complete_graph(2), 1),
        (nx.complete_graph(7), 6),
        (nx.complete_bipartite_graph(3, 8), 3),
        (nx.grid_2d_graph(2, 9), 2),
        (nx.grid_2d_graph(3, 6), 3),
        (nx.grid_2d_graph(4, 4), 4),
        (nx.petersen_graph(), 4),
        (nx.disjoint_union(nx.complete_graph(4), nx.cycle_graph(9)), 3),
    ],
)
def test_known_treewidths(graph, width):
    assert treewidth(matrix(graph)) == width


def test_no_nodes():
    order, width = min_fill_order(np.zeros((0, 0)))
    assert (order.tolist(), width) == ([], 0)


def test_directed_graphs_are_moralised_first():
    collider = Graph.from_edges("abcde", ["ae", "be", "ce", "de"])
    assert treewidth(collider) == treewidth(collider.adjacency) == 4
    fork = Graph.from_edges("abcde", ["ea", "eb", "ec", "ed"])
    assert treewidth(fork) == treewidth(fork.adjacency) == 1
    weighted = WeightedGraph("abcde", collider.adjacency * -0.3)
    assert treewidth(weighted) == 4
    assert fedbnsl.graphs.treewidth(weighted) == 4
    order, width = min_fill_order(Graph.from_edges("abc", ["ab", "bc"]))
    assert order.tolist() == [0, 1, 2]
    assert type(width) is int


@repeatable
@given(dags(8))
def test_the_whole_equivalence_class_has_one_treewidth(a):
    assert treewidth(a) == treewidth(cpdag.dag_to_cpdag(a)) == treewidth(Graph(range(len(a)), a).moral())


def test_graphs_without_a_moral_graph_are_refused():
    with pytest.raises(InputError, match="directed cycle"):
        treewidth([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(InputError, match="square"):
        treewidth([0, 1])


def test_alarm():
    alarm = fedbnsl.data.load_network("alarm").graph
    assert (alarm.n_nodes, alarm.n_edges) == (37, 46)
    assert treewidth(alarm) == treewidth(alarm.cpdag()) == 4
