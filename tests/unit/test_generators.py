import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from graph_strategies import dags, every_graph, repeatable
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fedbnsl.errors import InputError
from fedbnsl.graphs import _walk_kernels, dag, generators

# Chance of a false alarm of each statistical check; seeds are fixed, so a check never flickers.
RARE = 1e-4


def uniform(counts, cells):
    """Whether counts over ``cells`` equally likely cells look uniform."""
    observed = np.zeros(cells)
    observed[: len(counts)] = list(counts)
    return stats.chisquare(observed).pvalue > RARE


# --- Erdős–Rényi -------------------------------------------------------------------------------------


def test_erdos_renyi_edge_counts_are_binomial():
    rng = np.random.default_rng(1)
    graphs = [generators.erdos_renyi(20, 20, rng) for _ in range(2000)]
    counts = np.array([a.sum() for a in graphs])
    law = stats.binom(190, 20 / 190)
    assert abs(counts.mean() - 20) < 4 * law.std() / math.sqrt(len(counts))
    cut = np.array([14, 17, 20, 23, 26])
    expected = np.diff(law.cdf(np.r_[-1, cut, 190])) * len(counts)
    observed = np.histogram(counts, np.r_[-0.5, cut + 0.5, 190.5])[0]
    assert stats.chisquare(observed, expected).pvalue > RARE
    assert all(dag.is_dag(a) and a.dtype == np.int8 for a in graphs)


def test_erdos_renyi_index_says_nothing_about_direction_or_place():
    rng = np.random.default_rng(2)
    total = sum(generators.erdos_renyi(8, 10, rng).astype(int) for _ in range(3000))
    assert uniform(total[~np.eye(8, dtype=bool)], 56)
    orders = Counter(generators.erdos_renyi(3, 3, rng).tobytes() for _ in range(3000))
    assert len(orders) == 6
    assert uniform(orders.values(), 6)


def test_erdos_renyi_at_its_ends():
    rng = np.random.default_rng(3)
    assert generators.erdos_renyi(0, 0, rng).shape == (0, 0)
    assert generators.erdos_renyi(1, 0, rng).tolist() == [[0]]
    assert generators.erdos_renyi(6, 0, rng).sum() == 0
    full = generators.erdos_renyi(6, 15, rng)
    assert full.sum() == 15
    assert dag.is_dag(full)


# --- scale-free --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "edges", "m"),
    [(50, 50, 1), (50, 74, 1), (50, 75, 2), (50, 100, 2), (50, 200, 4), (4, 6, 2), (2, 1, 1)],
)
def test_scale_free_number_of_edges_and_children(d, edges, m):
    a = generators.scale_free(d, edges, np.random.default_rng(4))
    assert a.sum() == m * d - m * (m + 1) // 2
    assert dag.is_dag(a)
    assert Counter(a.sum(axis=1).tolist()) == Counter(min(new, m) for new in range(d))


def test_scale_free_attachment_is_proportional_to_degree():
    # The fourth node of a tree: degrees are then 2, 1, 1, so it makes a star with probability 1/2
    # (uniform attachment would give 1/3).
    rng = np.random.default_rng(5)
    graphs = [generators.scale_free(4, 4, rng) for _ in range(3000)]
    stars = sum(max((a + a.T).sum(axis=0)) == 3 for a in graphs)
    assert stats.binomtest(stars, 3000, 0.5).pvalue > RARE
    # Two of the degrees 3, 3, 2, 2 without replacement: the fifth node takes both hubs with
    # probability 2 · 3/10 · 3/7. Degrees 4, 4, 2, 2, 2 then show that it did.
    graphs = [generators.scale_free(5, 10, rng) for _ in range(3000)]
    hubs = sum(sorted((a + a.T).sum(axis=0).tolist()) == [2, 2, 2, 4, 4] for a in graphs)
    assert stats.binomtest(hubs, 3000, 18 / 70).pvalue > RARE


def test_scale_free_hubs_have_many_parents_and_any_index():
    rng = np.random.default_rng(6)
    hubs = [generators.scale_free(200, 400, rng).sum(axis=0).max() for _ in range(10)]
    plain = [generators.erdos_renyi(200, 400, rng).sum(axis=0).max() for _ in range(10)]
    assert min(hubs) > max(plain)
    first = Counter(int(np.flatnonzero(generators.scale_free(5, 5, rng).sum(1) == 0)[0]) for _ in range(2000))
    assert uniform(first.values(), 5)


def test_scale_free_at_its_ends():
    rng = np.random.default_rng(7)
    assert generators.scale_free(0, 0, rng).shape == (0, 0)
    assert generators.scale_free(1, 0, rng).tolist() == [[0]]
    assert generators.scale_free(5, 0, rng).sum() == 0
    with pytest.raises(InputError, match="means 0 edges a new node"):
        generators.scale_free(50, 10, rng)


# --- random walks over DAGs --------------------------------------------------------------------------


def walk_plainly(a, tails, heads, max_parents, max_children, max_edges, reverse, most):
    graph = nx.from_numpy_array(a, create_using=nx.DiGraph)
    changes = 0
    for x, y in zip(tails.tolist(), heads.tolist(), strict=True):
        if changes == most:
            break
        before = set(graph.edges)
        if graph.has_edge(x, y):
            graph.remove_edge(x, y)
            if reverse and not nx.has_path(graph.to_undirected(), x, y):
                fits = graph.in_degree(x) < max_parents and graph.out_degree(y) < max_children
                graph.add_edge(*((y, x) if fits else (x, y)))
        elif (
            graph.in_degree(y) < max_parents
            and graph.out_degree(x) < max_children
            and graph.number_of_edges() < max_edges
            and not nx.has_path(graph, y, x)
        ):
            graph.add_edge(x, y)
        changes += before != set(graph.edges)
    return nx.to_numpy_array(graph, nodelist=range(len(a)), dtype=np.int8), changes


@repeatable
@given(
    dags(7).filter(lambda a: len(a) >= 2),
    st.integers(0, 2**32),
    st.tuples(*[st.integers(0, 8)] * 3),
    st.booleans(),
    st.integers(0, 40),
)
def test_moves_agree_with_networkx(a, seed, caps, reverse, most):
    rng = np.random.default_rng(seed)
    tails = rng.integers(len(a), size=40)
    heads = (tails + 1 + rng.integers(len(a) - 1, size=40)) % len(a)
    found, changes = _walk_kernels.walk(a, tails, heads, *caps, reverse, most)
    expected, number = walk_plainly(a, tails, heads, *caps, reverse, most)
    assert (found == expected).all()
    assert changes == number
    assert dag.is_dag(found)


@pytest.mark.parametrize("moves", [0, 1, 7, 40])
def test_applied_moves_all_change_the_graph(moves):
    """From the empty graph on, k applied moves leave an odd number of arcs where k is odd."""
    rng = np.random.default_rng(20)
    empty = np.zeros((6, 6), dtype=np.int8)
    after = [generators.perturb(empty, moves, rng, count="applied") for _ in range(20)]
    assert {int(a.sum()) % 2 for a in after} == {moves % 2}


def test_few_of_the_drawn_moves_change_a_saturated_graph():
    """What makes the first scenario of GMCBC easy: most pairs drawn are refused."""
    rng = np.random.default_rng(21)
    base = generators.random_dag(100, rng)
    changed = {
        count: np.mean([(generators.perturb(base, 75, rng, count=count) != base).sum() for _ in range(10)])
        for count in generators.COUNTS
    }
    assert changed["drawn"] < 8
    assert changed["applied"] > 60


def test_with_reversal_no_part_comes_off():
    rng = np.random.default_rng(22)
    chain = np.eye(12, k=1, dtype=np.int8)
    for _ in range(20):
        after = generators.perturb(chain, 400, rng, remove="reverse")
        assert nx.is_weakly_connected(nx.from_numpy_array(after, create_using=nx.DiGraph))
        assert dag.is_dag(after)
    dropped = [generators.perturb(chain, 400, rng, max_edges=0) for _ in range(5)]
    assert all(a.sum() < 11 for a in dropped)


def test_moves_that_are_impossible_are_refused():
    # one parent and one child a node: neither end of a chain of three can turn round
    with pytest.raises(InputError, match="no move is possible on a graph of 3 nodes"):
        generators.perturb(
            np.eye(3, k=1), 1, np.random.default_rng(0), 1, 1, 2, count="applied", remove="reverse"
        )
    with pytest.raises(InputError, match="no move is possible on a graph of 1 nodes"):
        generators.perturb(np.zeros((1, 1)), 1, np.random.default_rng(0), count="applied")
    with pytest.raises(InputError, match=r"there is no 'all'\. Choose one of: drawn, applied"):
        generators.perturb(np.zeros((3, 3)), 1, np.random.default_rng(0), count="all")


def test_the_walk_is_uniform_over_dags():
    rng = np.random.default_rng(8)
    start = np.zeros((3, 3), dtype=np.int8)
    seen = Counter(generators.perturb(start, 60, rng, 2, 2, 3).tobytes() for _ in range(5000))
    assert len(seen) == 25
    assert uniform(seen.values(), 25)
    # and with caps over the DAGs that keep them: at most one parent a node and two edges
    kept = {
        a.tobytes() for a in every_graph(3) if dag.is_dag(a) and a.sum(axis=0).max() <= 1 and a.sum() <= 2
    }
    seen = Counter(generators.perturb(start, 60, rng, 1, 2, 2).tobytes() for _ in range(5000))
    assert set(seen) == kept
    assert uniform(seen.values(), len(kept))


@pytest.mark.parametrize("d", [10, 30, 50, 100])
def test_walks_keep_the_caps_and_change_at_most_one_arc_a_move(d):
    rng = np.random.default_rng(9)
    base = generators.random_dag(d, rng)
    moves = math.floor(0.75 * d)
    for a in [base, *(generators.perturb(base, moves, rng) for _ in range(5))]:
        assert dag.is_dag(a)
        assert a.sum(axis=0).max() <= 3
        assert a.sum(axis=1).max() <= 4
        assert a.sum() <= 2.5 * d
        assert (a != base).sum() <= moves
        assert a.dtype == np.int8


def test_one_move_from_the_empty_graph_adds_a_uniform_arc_and_a_second_one_may_remove_it():
    rng = np.random.default_rng(10)
    empty = np.zeros((4, 4), dtype=np.int8)
    once = Counter(generators.perturb(empty, 1, rng).tobytes() for _ in range(3000))
    assert len(once) == 12
    assert uniform(once.values(), 12)
    # The second pair is the arc (removed), its reverse (a cycle, refused) or one of ten others.
    twice = Counter(int(generators.perturb(empty, 2, rng).sum()) for _ in range(3000))
    observed = [twice[0], twice[1], twice[2]]
    assert stats.chisquare(observed, np.array([1, 1, 10]) * 250).pvalue > RARE


def test_caps_that_the_start_breaks_only_forbid_additions():
    # One child of six parents, caps of three parents and ten edges: nothing can be added to the child.
    start = np.zeros((7, 7), dtype=np.int8)
    start[1:, 0] = 1
    after = generators.perturb(start, 30, np.random.default_rng(11), max_edges=10)
    assert 3 <= after[:, 0].sum() < 6
    untouched = generators.perturb(start, 0, np.random.default_rng(11), max_edges=0)
    assert (untouched == start).all()
    assert untouched is not start


def test_with_an_edge_cap_of_zero_arcs_only_go():
    start = np.triu(np.ones((4, 4), dtype=np.int8), 1)
    after = generators.perturb(start, 500, np.random.default_rng(12), max_edges=0)
    assert after.sum() == 0


def test_random_dag_starts_from_a_relabelled_chain():
    chains = [generators.random_dag(4, np.random.default_rng(seed), moves=0) for seed in range(50)]
    for a in chains:
        assert sorted(a.sum(axis=0).tolist()) == sorted(a.sum(axis=1).tolist()) == [0, 1, 1, 1]
        assert dag.is_dag(a)
    assert len({a.tobytes() for a in chains}) > 12
    assert generators.random_dag(0, np.random.default_rng(0)).shape == (0, 0)
    assert generators.random_dag(1, np.random.default_rng(0)).tolist() == [[0]]


# --- all ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: generators.erdos_renyi(30, 60, rng),
        lambda rng: generators.scale_free(30, 60, rng),
        lambda rng: generators.random_dag(30, rng),
        lambda rng: generators.perturb(np.eye(30, k=1), 40, rng),
    ],
)
def test_the_generator_alone_decides(draw):
    rng = np.random.default_rng(13)
    np.random.seed(0)  # noqa: NPY002 (must not matter)
    first, second = draw(rng), draw(rng)
    np.random.seed(1)  # noqa: NPY002
    assert (draw(np.random.default_rng(13)) == first).all()
    assert (first != second).any()


@pytest.mark.parametrize(
    ("draw", "problem"),
    [
        (lambda rng: generators.erdos_renyi(-1, 0, rng), "nodes must be 0 or larger, not -1"),
        (lambda rng: generators.erdos_renyi(4, 7, rng), "4 nodes has 0 to 6 edges, not 7"),
        (lambda rng: generators.erdos_renyi(4, -1, rng), "0 to 6 edges, not -1"),
        (lambda rng: generators.erdos_renyi(4, math.nan, rng), "0 to 6 edges, not nan"),
        (lambda rng: generators.scale_free(1, 1, rng), "0 to 0 edges, not 1"),
        (lambda rng: generators.random_dag(5, rng, max_edges=3), "starts from a chain"),
        (lambda rng: generators.random_dag(5, rng, max_parents=0), "starts from a chain"),
        (lambda rng: generators.perturb(np.zeros((3, 3)), -1, rng), "moves must be 0 or larger, not -1"),
        (lambda rng: generators.perturb(np.zeros((3, 3)), 1, rng, max_children=-1), "caps"),
        (lambda rng: generators.perturb([[0, 1], [1, 0]], 1, rng), "edge 0 — 1 is undirected"),
    ],
)
def test_bad_numbers_are_refused(draw, problem):
    with pytest.raises(InputError, match=problem):
        draw(np.random.default_rng(0))
