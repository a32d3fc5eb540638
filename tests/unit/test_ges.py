"""Greedy equivalence search against its definitions, all DAGs, other searches and its own bookkeeping."""

import functools
import itertools
import time
import warnings

import networkx
import numpy as np
import pytest
from ges_cases import (
    FULL,
    PHASES,
    arbitrary_family,
    classes,
    continuous_site,
    discrete_site,
    family_of,
    filled_by,
    full_score,
    literal_steps,
    random_site,
    reversals,
    started,
    steps_of,
    varying,
    without_constants,
)
from graph_strategies import dags, every_graph, repeatable
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_ges import LiteralSearch, rounded

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, load_network, simulate_linear_gaussian
from fedbnsl.graphs.cpdag import dag_to_cpdag
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn import ges, ges_pgmpy, ges_scores, ges_search, ges_turning
from fedbnsl.learn.ges_bits import from_bits, to_bits
from fedbnsl.scores import bdeu

# --- gains -----------------------------------------------------------------------------------------


def gains_and_differences(site, score, ess, requests, seed):
    """What the kernel fills in beside differences of family scores, for random families."""
    rng, d = np.random.default_rng(seed), len(site.names)
    family = family_of(site, score, ess)
    owner = rng.integers(0, d, requests)
    base, need = np.zeros((2, requests, d), dtype=bool)
    for k in range(requests):
        others = rng.permutation([v for v in range(d) if v != owner[k]])
        size = 0 if k % 3 == 0 else rng.integers(0, min(5, d - 1))
        base[k, others[:size]] = True
        need[k, others[size:]] = rng.random(d - 1 - size) < 0.5
    gains = np.full((requests, d), np.nan)
    fill = ges_scores.gains_of(site, np.arange(d), score, ess)
    fill(np.arange(requests), owner, to_bits(base), to_bits(need), gains)
    assert (np.isnan(gains) == ~need).all()
    for k, x in np.argwhere(need):
        parents = tuple(np.flatnonzero(base[k]))
        yield gains[k, x], family(owner[k], (*parents, x)) - family(owner[k], parents)


@pytest.mark.parametrize("score", FULL)
@pytest.mark.parametrize("rows", [12, 150, 3000])
def test_gains_are_differences_of_family_scores(score, rows):
    for seed in range(4):
        site = without_constants(random_site(score, 9, rows, seed))
        compared = list(gains_and_differences(site, score, 2.5, 40, seed))
        assert len(compared) > 50
        got, expected = np.transpose(compared)
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=2**-20)


@pytest.mark.parametrize("name", ["alarm", "pathfinder"])
def test_gains_on_columns_with_many_and_unseen_states(name):
    site = without_constants(load_network(name).sample(700, 3))
    got, expected = np.transpose(list(gains_and_differences(site, "bdeu", 10.0, 60, 1)))
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=2**-20)


def test_gains_are_the_same_when_the_table_of_terms_is_too_small(monkeypatch):
    site = discrete_site(8, 400, 5)
    expected = list(gains_and_differences(site, "bdeu", 1.0, 60, 2))
    monkeypatch.setattr(ges_scores, "_TERMS", 0)
    assert list(gains_and_differences(site, "bdeu", 1.0, 60, 2)) == expected


# --- the search ------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", FULL)
def test_every_step_is_that_of_the_definition(score):
    """On many small data sets; this guards whatever is remembered between steps."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        d, rows = int(rng.integers(3, 9)), int(rng.choice([20, 60, 300, 2000]))
        cap = int(rng.integers(0, 4)) if seed % 4 == 0 else None
        site = without_constants(random_site(score, d, rows, seed))
        d = len(site.names)
        if d < 2:
            continue
        literal = LiteralSearch(d, functools.cache(family_of(site, score)), cap)
        pairs = itertools.zip_longest(steps_of(started(site, score, cap)), literal_steps(literal))
        before = full_score(Graph(site.names, np.zeros((d, d))), site, score)
        for ours, theirs in pairs:
            assert ours is not None, seed
            assert theirs is not None, seed
            assert ours[0] == theirs[0], seed
            assert (ours[1] == theirs[1]).all(), seed
            after = full_score(Graph(site.names, ours[1]), site, score)
            assert after - before == pytest.approx(literal.trace[-1][0], abs=1e-6)
            before = after


def test_every_step_is_that_of_the_definition_on_arbitrary_scores():
    """Long searches with many ways round, which on data are rare."""
    site = SiteData([f"v{i}" for i in range(9)], np.zeros((2, 9)))
    for seed in range(150):
        d = 5 + seed % 4
        family = arbitrary_family(seed)
        literal = LiteralSearch(d, family, cap=3)
        search = ges_search._Search(site, d, 3, filled_by(family))
        for ours, theirs in itertools.zip_longest(steps_of(search), literal_steps(literal)):
            assert ours is not None, seed
            assert theirs is not None, seed
            assert ours[0] == theirs[0], seed
            assert (ours[1] == theirs[1]).all(), seed


@pytest.mark.parametrize("score", FULL)
def test_phases_from_any_class_are_those_of_the_definition(score):
    applied = dict.fromkeys(PHASES, 0)
    for seed in range(40):
        d = 4 + seed % 5
        site = without_constants(random_site(score, d, 150, seed))
        d = len(site.names)
        rng = np.random.default_rng(seed)
        dag = np.triu(rng.random((d, d)) < rng.choice([0.3, 0.6, 0.9]), 1)[np.ix_(*[rng.permutation(d)] * 2)]
        start = dag_to_cpdag(dag)
        for phase in PHASES:
            literal = LiteralSearch(d, functools.cache(family_of(site, score)))
            literal.p = start
            search = started(site, score)
            search.set(start)
            search.start(phase)
            once = literal.insert_once if phase == kernels.FORWARD else literal.delete_once
            while search.step(phase):
                assert once()
                assert (search.adjacency() == literal.p).all()
                applied[phase] += 1
            assert not once()
    assert min(applied.values()) > 10


def test_the_result_on_many_variables_leaves_nothing_to_delete_or_insert():
    """More variables than bits in a word."""
    site = without_constants(load_network("win95pts").sample(400, 2))
    d = len(site.names)
    assert d > 64
    literal, search = LiteralSearch(d, functools.cache(family_of(site, "bic"))), started(site, "bic")
    for phase, once in zip(PHASES, (literal.insert_once, literal.delete_once), strict=True):
        search.start(phase)
        while search.step(phase):
            pass
        literal.p = search.adjacency()
        assert not once()


@pytest.mark.parametrize("score", FULL)
@pytest.mark.parametrize("d", [3, 4])
def test_enough_data_gives_the_best_of_all_dags(score, d):
    every = {dag_to_cpdag(a).tobytes(): a for a in every_graph(d) if Graph(range(d), a).is_dag()}
    for seed in range(4):
        site = random_site(score, d, 20000, seed, skew=(1.0,))
        scores = {key: full_score(Graph(site.names, a), site, score) for key, a in every.items()}
        found = ges(site, score=score)
        assert scores[found.adjacency.tobytes()] == pytest.approx(max(scores.values()), abs=1e-6)


@pytest.mark.parametrize("ess", [1.0, 10.0])
def test_asia_as_by_pgmpy(ess):
    site = load_network("asia").sample(2000, 4)
    assert ges(site, ess=ess) == ges_pgmpy(site, ess=ess)


@pytest.mark.parametrize("rows", [5000])
def test_child_is_recovered(rows):
    network = load_network("child")
    site = network.sample(rows, 1)
    assert ges(site) == network.graph.cpdag()


def test_linear_gaussian_data_give_the_true_class():
    (site,), truth = simulate_linear_gaussian(nodes=12, edges=12, sites=1, rows=20000, seed=3)
    found, true = ges(site), truth.graph.cpdag()
    assert (found.skeleton().adjacency == true.skeleton().adjacency).all()


def test_the_room_at_first_does_not_matter(monkeypatch):
    site = load_network("win95pts").sample(500, 2)
    expected = ges(site, ess=10.0)
    monkeypatch.setattr(ges_search, "_FIRST_CLIQUES", 1)
    monkeypatch.setattr(ges_search, "_FIRST_GROUPS", 1)
    assert ges(site, ess=10.0) == expected


@pytest.mark.parametrize("limit", ["_MOST_CLIQUES", "_MOST_GAINS"])
def test_too_many_operators_are_an_error(monkeypatch, limit):
    monkeypatch.setattr(ges_search, "_FIRST_CLIQUES", 1)
    monkeypatch.setattr(ges_search, "_FIRST_GROUPS", 1)
    monkeypatch.setattr(ges_search, limit, 1)
    with pytest.raises(InputError, match=r"site: the operators of GES are too many.* Set max_parents"):
        ges(load_network("asia").sample(500, 2))


def test_copies_of_a_column_need_a_cap_and_then_work():
    """BDeu joins them all: the more parents of equal content, the smaller the prior of what never occurs."""
    column = np.random.default_rng(1).integers(0, 2, 60)
    site = SiteData([f"v{i}" for i in range(20)], np.repeat(column[:, None], 20, axis=1), [("0", "1")] * 20)
    with pytest.raises(InputError, match="Set max_parents"):
        ges(site)
    assert ges(site, max_parents=3).to_dag().adjacency.sum(axis=0).max() == 3


# --- turning ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3, 4])
def test_turns_are_the_reversals_of_all_dags_of_a_class(d):
    for key in classes(d):
        cpdag = np.frombuffer(key, dtype=np.int8).reshape(d, d)
        expected = {(x, y, after.tobytes()) for x, y, after in reversals(key, d)}
        got = [
            (x, y, ges_turning.turned(cpdag, x, y, clique).tobytes())
            for x, y, clique in ges_turning.turns(ges_turning.Edges(cpdag))
        ]
        assert set(got) == expected


@pytest.mark.parametrize("score", FULL)
def test_a_turn_is_the_best_reversal(score):
    turned = 0
    for seed, key in enumerate(list(classes(4))[::6]):
        site = random_site(score, 4, 400, seed, skew=(1.0,))
        assert len(varying(site)) == 4
        cpdag = np.frombuffer(key, dtype=np.int8).reshape(4, 4)
        before = full_score(Graph(site.names, cpdag), site, score)
        gains = [full_score(Graph(site.names, r[2]), site, score) - before for r in reversals(key, 4)]
        search = started(site, score)
        search.set(cpdag)
        assert search.turn() == (max([0.0, *gains]) > 1e-5)
        after = full_score(Graph(site.names, search.adjacency()), site, score)
        assert after - before == pytest.approx(max([0.0, *gains]), abs=1e-5)
        turned += after > before
    assert turned > 5


def test_turning_never_lowers_the_score_and_sometimes_raises_it():
    raised = 0
    for seed in range(60):
        site = discrete_site(8, 400, seed)
        plain, with_turns = ges(site), ges(site, turning=True)
        assert bdeu(with_turns, site) >= bdeu(plain, site)
        raised += bdeu(with_turns, site) > bdeu(plain, site) + 1e-6
    assert raised > 0


# --- odd data --------------------------------------------------------------------------------------


def test_constant_columns_stay_isolated_and_change_nothing():
    site = load_network("asia").sample(1000, 1)
    values = np.insert(site.values, [0, 3], 1, axis=1)
    states = [*site.states]
    states.insert(3, ("a", "b", "c"))
    states.insert(0, ("a", "b"))
    names = ["p", *site.names[:3], "q", *site.names[3:]]
    wider = ges(SiteData(names, values, states))
    assert not wider.adjacency[[0, 4]].any()
    assert not wider.adjacency[:, [0, 4]].any()
    keep = [i for i in range(len(names)) if i not in (0, 4)]
    assert (wider.adjacency[np.ix_(keep, keep)] == ges(site).adjacency).all()


def test_all_columns_constant_or_a_single_one():
    constant = SiteData(["a", "b"], np.ones((5, 2)), [("0", "1")] * 2)
    assert ges(constant).n_edges == 0
    assert ges(SiteData(["a"], [[0], [1]], [("0", "1")])).n_edges == 0
    assert ges(SiteData(["a", "b"], np.ones((5, 2)))).names == ("a", "b")


def test_declared_states_weigh_whether_seen_or_not():
    """N = 30 rows: log BF of an edge by hand, with 2 or with 6 declared states each."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 30)
    y = np.where(rng.random(30) < 0.75, x, 1 - x)
    few, many = (
        SiteData(
            ["x", "y"], np.transpose([x, y]), [[str(k) for k in range(card)] for card in (2 + extra,) * 2]
        )
        for extra in (0, 4)
    )
    for site in (few, many):
        gain = bdeu(Graph(site.names, [[0, 1], [0, 0]]), site) - bdeu(
            Graph(site.names, np.zeros((2, 2))), site
        )
        assert ges(site).n_edges == (gain > 0)


def test_two_rows():
    equal = SiteData(["a", "b", "c"], [[0, 0, 1], [1, 1, 1]], [("0", "1")] * 3)
    found = ges(equal)
    assert found.edges() == [("a", "b")]
    assert found.undirected_edges() == [("a", "b")]
    assert ges(equal, score="bic").edges() == [("a", "b")]
    with pytest.raises(InputError, match="the columns 'a', 'b' are linear functions of each other"):
        ges(SiteData(["a", "b"], [[0.0, 1.0], [1.0, 3.0]]))


def test_permuting_rows_changes_nothing():
    site = load_network("insurance").sample(800, 6)
    order = np.random.default_rng(1).permutation(800)
    assert ges(site) == ges(site.rows(order))


# --- options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [0, 1, 2])
def test_no_dag_of_the_class_has_more_parents_than_allowed(cap):
    site = load_network("win95pts").sample(1000, 1)
    found = ges(site, ess=10.0, max_parents=cap)
    most = found.to_dag().adjacency.sum(axis=0).max()
    assert most == cap
    assert ges(site, ess=10.0).to_dag().adjacency.sum(axis=0).max() > 2


def test_the_time_limit_stops_with_a_graph_and_a_warning():
    site = load_network("alarm").sample(500, 1)
    with pytest.warns(UserWarning, match="stopped at its time limit of 0 s"):
        assert ges(site, time_limit=0).n_edges == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ges(site, time_limit=1000.0) == ges(site)


def test_a_stop_midway_gives_the_graph_of_that_step(monkeypatch):
    site = load_network("asia").sample(500, 1)
    graphs = [adjacency for _, adjacency in steps_of(started(site, "bdeu"))]
    ticks = itertools.count()
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    with pytest.warns(UserWarning, match="time limit"):
        stopped = ges(site, time_limit=3.5)
    assert (stopped.adjacency == graphs[2]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "aic"}, "the score 'aic' is unknown"),
        ({"score": "gaussian-bic"}, "continuous data"),
        ({"ess": 0.0}, "must be a number above 0"),
        ({"ess": float("nan")}, "must be a number above 0"),
        ({"max_parents": -1}, "max_parents must be a whole number of 0 or more"),
        ({"time_limit": -1.0}, "time_limit must be 0 seconds or more"),
        ({"time_limit": float("nan")}, "time_limit must be 0 seconds or more"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(InputError, match=message):
        ges(load_network("asia").sample(50, 1), **options)


def test_data_that_do_not_fit():
    with pytest.raises(InputError, match="learning needs at least 2 rows, not 1"):
        ges(load_network("asia").sample(1, 1))
    with pytest.raises(InputError, match="needs discrete data"):
        ges(continuous_site(3, 20, 1), score="bdeu")
    site = continuous_site(3, 50, 1)
    copied = SiteData(["a", "b", "c", "d"], np.column_stack([site.values, 3 * site.values[:, 0] - 2]))
    with pytest.raises(InputError, match="are linear functions of each other"):
        ges(copied)


# --- kernels ---------------------------------------------------------------------------------------


@settings(repeatable, max_examples=200)
@given(dags(9))
def test_completing_a_dag(dag):
    rows = np.zeros((3, len(dag), 1), np.uint64)
    kernels.complete(to_bits(dag.T != 0), *rows)
    parents, children, neighbours = (from_bits(r) for r in rows)
    expected = dag_to_cpdag(dag)
    assert (children | neighbours == expected).all()
    assert (neighbours == (expected & expected.T)).all()
    assert (parents == children.T).all()


@settings(repeatable, max_examples=20)
@given(st.integers(1, 200), st.integers(1, 200), st.integers(0, 10**6))
def test_bits_and_back(rows, columns, seed):
    matrix = np.random.default_rng(seed).random((rows, columns)) < 0.5
    packed = to_bits(matrix)
    assert packed.shape == (rows, (columns + 63) // 64)
    for i, j in ((0, 0), (rows - 1, columns - 1)):
        assert int(packed[i, j // 64]) >> (j % 64) & 1 == matrix[i, j]
    square = to_bits(np.resize(matrix, (columns, columns)))
    assert (from_bits(square) == np.resize(matrix, (columns, columns))).all()


@pytest.mark.parametrize("largest", [0, 2, 70])
def test_cliques_are_listed_in_lexicographic_order(largest):
    graph = networkx.gnp_random_graph(70, 0.3, seed=1)
    site = SiteData([f"v{i}" for i in range(70)], np.eye(70))
    search = started(site, "gaussian-bic")
    search.state.neighbours[:] = to_bits(networkx.to_numpy_array(graph) > 0)
    while (count := kernels.list_cliques(search.state, search.state.neighbours[5], largest)) < 0:
        search._grow_cliques()
    rows = search.state.cliques[:count]
    got = [tuple(np.flatnonzero(np.unpackbits(r.view(np.uint8), bitorder="little"))) for r in rows]
    around = graph.subgraph(graph[5])
    expected = sorted(tuple(sorted(c)) for c in networkx.enumerate_all_cliques(around) if len(c) <= largest)
    assert got == [(), *expected]


def test_rounding():
    assert rounded(2**-21) == 2**-20
    assert rounded(-(2**-20) * 1.4) == -(2**-20)
