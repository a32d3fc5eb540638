"""Reinsertion against its definition, the best of all DAGs, and what greedy search itself promises."""

import functools
import itertools

import numpy as np
import pytest
from ges_cases import (
    arbitrary_family,
    discrete_site,
    family_of,
    filled_by,
    full_score,
    random_site,
    started,
    without_constants,
)
from graph_strategies import repeatable
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_ges import LiteralSearch, rounded

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, load_network
from fedbnsl.learn import _reinsertion_kernels as kernels
from fedbnsl.learn import ges, ges_reinsertion
from fedbnsl.learn.background import Background
from fedbnsl.learn.ges_bits import to_bits
from fedbnsl.learn.ges_reinsertion import OutOfTime, Reinsertion, reinsertions
from fedbnsl.scores import bdeu

# --- one reinsertion -------------------------------------------------------------------------------


class Literal:
    """The definition on sets; ``family(y, parents)`` is a score."""

    def __init__(self, family, dag, required, avoided, cap):
        self.family, self.required, self.avoided, self.cap = family, required, avoided, cap
        self.d = len(dag)
        self.parents = [set(np.flatnonzero(dag[:, y]).tolist()) for y in range(self.d)]

    def gain(self, y, base, x):
        base = tuple(sorted(base))
        return rounded(self.family(y, tuple(sorted({*base, x}))) - self.family(y, base))

    def score(self):
        return sum(self.family(y, tuple(sorted(p))) for y, p in enumerate(self.parents))

    def possible(self, y):
        below = {y}
        while more := {v for v in range(self.d) if self.parents[v] & below} - below:
            below |= more
        return [x for x in range(self.d) if x not in below and not self.avoided[x, y]]

    def climb(self, y, parents):
        among, fixed = self.possible(y), set(np.flatnonzero(self.required[:, y]).tolist())
        while True:
            added = [(-self.gain(y, parents, x), x) for x in among if x not in parents]
            if added and min(added)[0] < -kernels.LEAST and len(parents) < self.cap:
                parents = parents | {min(added)[1]}
                continue
            moves = []
            for p in sorted(parents - fixed):
                rest = parents - {p}
                lost = self.gain(y, rest, p)
                moves.append((lost, p, -1))
                others = [(-self.gain(y, rest, x), x) for x in among if x not in parents]
                if others and min(others)[0] < -kernels.LEAST:
                    moves.append((lost + min(others)[0], p, min(others)[1]))
            if not moves or min(moves)[0] >= -kernels.LEAST:
                return parents
            _, p, x = min(moves)
            parents = parents - {p} | ({x} if x >= 0 else set())

    def reinsert(self, y, released, start):
        before, old = [set(p) for p in self.parents], self.score()
        for c in released:
            self.parents[c].discard(y)
        parents = set(start) & set(self.possible(y)) | set(np.flatnonzero(self.required[:, y]).tolist())
        if len(parents) <= self.cap:
            self.parents[y] = self.climb(y, parents)
            for c in sorted(released):
                self.parents[c] = self.climb(c, self.parents[c])
            if self.score() - old > kernels.LEAST:
                return self.score() - old
        self.parents = before
        return 0.0


def random_case(d, seed):
    """(DAG, required, avoided, cap): the DAG keeps the rest."""
    rng = np.random.default_rng([3, seed])
    order = rng.permutation(d)
    dag = np.triu(rng.random((d, d)) < rng.choice([0.2, 0.4, 0.7]), 1)[np.ix_(order, order)]
    required = dag & (rng.random((d, d)) < rng.choice([0.0, 0.2]))
    avoided = ~dag & (rng.random((d, d)) < rng.choice([0.0, 0.3])) | required.T
    np.fill_diagonal(avoided, False)
    most = int(dag.sum(axis=0).max())
    return dag.astype(np.int8), required, avoided, int(rng.choice([most, most + 1, d]))


@pytest.mark.parametrize("d", [4, 7, 66])
def test_a_reinsertion_is_that_of_the_definition(d):
    """Scores that follow no data; 66 variables are more than bits in a word."""
    changed = 0
    for seed in range(60 if d < 60 else 2):
        dag, required, avoided, cap = random_case(d, seed)
        if d > 60:
            dag &= np.random.default_rng(seed).random((d, d)) < 0.06
            required, avoided, cap = required & (dag > 0), avoided & (dag == 0), 4
            dag[:, dag.sum(axis=0) > cap], required = 0, required & False
        family = arbitrary_family(seed)
        slow = Literal(family, dag, required, avoided, cap)
        inner = Reinsertion(filled_by(family), d, cap, dag, Background(required, avoided & ~required.T))
        rng = np.random.default_rng(seed)
        for _ in range(12 if d < 60 else 2):
            y = int(rng.integers(d))
            children = [c for c in range(d) if y in slow.parents[c] and not required[y, c]]
            released = [c for c in children if rng.random() < 0.5]
            start = [x for x in range(d) if x != y and rng.random() < rng.choice([0.0, 0.3]) * min(1, 8 / d)]
            bits = to_bits(np.array([[v in group for v in range(d)] for group in (released, start)]))
            got = inner._with_gains(functools.partial(kernels.reinsert, inner.rows, inner.dag, y, *bits))
            expected = slow.reinsert(y, released, start)
            assert got == pytest.approx(expected, abs=1e-4)
            after = np.array([[x in slow.parents[v] for v in range(d)] for x in range(d)])
            assert (inner.adjacency() == after).all()
            assert (inner.dag.parents == to_bits(after.T)).all()
            changed += expected > 0
    assert changed > (0 if d > 60 else 50)


def test_the_ways_to_put_a_node_back():
    """y = 2 with the parents 0 and 1 (of which 1 has the parents 5 and 6) and the children 3, 4 and 7."""
    dag = np.zeros((8, 8), dtype=np.int8)
    dag[[0, 1, 5, 6, 2, 2, 2], [2, 2, 1, 1, 3, 4, 7]] = 1
    required = np.zeros((8, 8), dtype=bool)
    required[2, 7] = True
    for background, let_go in ((None, {3, 4, 7}), (Background(required, required & False), {3, 4})):
        inner = Reinsertion(None, 8, 8, dag, background)
        ways = [tuple(tuple(ges_reinsertion._nodes(row)) for row in way) for way in inner._ways(2)]
        first = [((), ()), ((), (5, 6))]
        assert ways == [*first, (tuple(sorted(let_go)), ()), *(((c,), ()) for c in sorted(let_go))]


# --- the search ------------------------------------------------------------------------------------


def improved(site, score, rounds, seed=0, **options):
    """(score before, search after)."""
    search = started(site, score, **options)
    search.run(None, False)
    before = full_score(Graph(site.names, search.refined()), site, score)
    assert reinsertions(search, rounds, len(site.names), seed, None, False)
    return before, search


@pytest.mark.parametrize(("score", "rows"), [("bdeu", 300), ("bic", 2000), ("gaussian-bic", 300)])
def test_more_rounds_are_never_worse_and_end_where_nothing_is_left_to_insert_or_delete(score, rows):
    raised = 0
    for seed in range(12):
        site = without_constants(random_site(score, 7, rows, seed))
        d = len(site.names)
        found = [ges(site, score=score, reinsertion=rounds) for rounds in (0, 1, 2, 5)]
        scores = [full_score(graph, site, score) for graph in found]
        assert all(b >= a - 1e-6 for a, b in itertools.pairwise(scores)), seed
        raised += scores[-1] > scores[0] + 1e-3
        assert all(graph.is_cpdag() for graph in found)
        literal = LiteralSearch(d, functools.cache(family_of(site, score)))
        literal.p = found[-1].adjacency
        assert not literal.insert_once()
        assert not literal.delete_once()
    assert raised > 1


def best_score(d, family):
    """Of all DAGs: the best sink of every set of nodes, by the best parents among the rest."""

    @functools.cache
    def of_family(y, others):
        subsets = itertools.chain.from_iterable(
            itertools.combinations(sorted(others), k) for k in range(len(others) + 1)
        )
        return max(map(functools.partial(scored, y), subsets))

    @functools.cache
    def scored(y, parents):
        return family(y, parents)

    @functools.cache
    def of(nodes):
        return max((of(nodes - {y}) + of_family(y, nodes - {y}) for y in nodes), default=0.0)

    return of(frozenset(range(d)))


@pytest.mark.parametrize(
    ("score", "rows", "counts"),
    [("bdeu", 2000, (31, 39, 40)), ("bic", 2000, (34, 38, 39)), ("gaussian-bic", 100, (31, 34, 38))],
)
def test_the_best_of_all_dags_is_found_more_often(score, rows, counts):
    """On 40 sites of five variables: without, with one and with six rounds."""
    found = [0, 0, 0]
    for seed in range(40):
        site = without_constants(random_site(score, 5, rows, seed))
        top = best_score(len(site.names), family_of(site, score))
        for k, rounds in enumerate((0, 1, 6)):
            reached = full_score(ges(site, score=score, reinsertion=rounds), site, score)
            assert reached < top + 1e-6
            found[k] += reached > top - 1e-6
    assert tuple(found) == counts


def inheritance(rows=3000, children=6, seed=1):
    """Every child copies one of two parents, as a switch of its own says; and the true graph."""
    rng = np.random.default_rng(seed)
    parents = rng.integers(0, 4, (rows, 2))
    switches = rng.integers(0, 2, (rows, children))
    copies = np.take_along_axis(parents, switches, axis=1)
    names = ["m", "f", *(f"s{k}" for k in range(children)), *(f"c{k}" for k in range(children))]
    states = (
        [[str(k) for k in range(4)]] * 2 + [["m", "f"]] * children + [[str(k) for k in range(4)]] * children
    )
    site = SiteData(names, np.concatenate([parents, switches, copies], axis=1), states)
    edges = [(p, f"c{k}") for k in range(children) for p in ("m", "f", f"s{k}")]
    return site, Graph.from_edges(names, edges)


def test_a_switch_between_two_parents_is_found():
    """Brothers and sisters say as much about one child as a parent; the switch says nothing by itself."""
    site, true = inheritance()
    plain, turned, found = ges(site), ges(site, turning=True), ges(site, reinsertion=1)
    assert bdeu(plain, site) < bdeu(true, site) - 1000
    assert bdeu(turned, site) < bdeu(true, site) - 1000
    assert found == true.cpdag()


def test_the_seed_decides():
    site = without_constants(discrete_site(12, 150, 3))
    found = [ges(site, reinsertion=2, seed=seed) for seed in (0, 0, 1, 2, 3, 4)]
    assert found[0] == found[1]
    assert any(graph != found[0] for graph in found[2:])
    assert ges(site, seed=0) == ges(site, seed=1)


def test_gaps_of_memory_change_nothing(monkeypatch):
    site = without_constants(discrete_site(9, 300, 2))
    expected = ges(site, reinsertion=3)
    monkeypatch.setattr(ges_reinsertion, "_GAINS", 0)
    cleared = []
    keep = Reinsertion._with_gains

    def counted(self, kernel):
        cleared.append(self.rows.numbers[kernels.N_ROWS])
        return keep(self, kernel)

    monkeypatch.setattr(Reinsertion, "_with_gains", counted)
    monkeypatch.setattr(ges_reinsertion, "_LEAST_ROWS", 100)
    assert ges(site, reinsertion=3) == expected
    assert (np.diff(cleared) < 0).any()
    monkeypatch.setattr(ges_reinsertion, "_LEAST_ROWS", 1)  # some steps do not fit and are left out
    assert bdeu(ges(site, reinsertion=3), site) >= bdeu(ges(site), site)


def test_nodes_that_are_left_out_would_not_move(monkeypatch):
    """A node is not tried again while all that decides about it is as it was."""
    sites = [without_constants(random_site(kind, 9, 400, 8)) for kind in ("bdeu", "gaussian-bic")]
    expected = [ges(site, reinsertion=3) for site in sites]
    tried, ways = [0], Reinsertion._ways

    def counted(self, y):
        tried[0] += 1
        return ways(self, y)

    monkeypatch.setattr(Reinsertion, "_ways", counted)
    assert [ges(site, reinsertion=3) for site in sites] == expected
    fewer, tried[0] = tried[0], 0
    monkeypatch.setattr(Reinsertion, "_surroundings", lambda self, y: object())
    assert [ges(site, reinsertion=3) for site in sites] == expected
    assert fewer < tried[0]


# --- what it must keep -----------------------------------------------------------------------------


@pytest.mark.parametrize("cap", [2, 3])
def test_the_largest_number_of_parents(cap):
    site = load_network("win95pts").sample(300, 1)
    plain, found = (ges(site, max_parents=cap, reinsertion=rounds) for rounds in (0, 1))
    assert found.to_dag().adjacency.sum(axis=0).max() == cap
    assert bdeu(found, site) > bdeu(plain, site)


@settings(repeatable, max_examples=60)
@given(st.integers(3, 8), st.integers(0, 10**6))
def test_background_knowledge_is_kept(d, seed):
    """One column is constant and has required edges."""
    _, required, avoided, cap = random_case(d, seed)
    site = discrete_site(d, 200, seed)
    values = site.values.copy()
    values[:, seed % d] = 0
    site = SiteData(site.names, values, site.states)
    named = [
        [(site.names[i], site.names[j]) for i, j in np.argwhere(matrix)]
        for matrix in (required, avoided & ~required.T)
    ]
    given_ = {"max_parents": cap, "required": named[0], "forbidden": named[1]}
    plain, found = (ges(site, **given_, reinsertion=rounds) for rounds in (0, 3))
    kept = found.to_dag().adjacency.astype(bool)
    assert kept[required].all()
    assert not kept[avoided].any()
    assert kept.sum(axis=0).max() <= cap
    # The constant column does not count in the search's score.
    family = family_of(site, "bdeu")
    totals = [
        sum(
            family(y, [x for x in np.flatnonzero(graph.to_dag().adjacency[:, y]) if x != seed % d])
            for y in range(d)
            if y != seed % d
        )
        for graph in (plain, found)
    ]
    assert totals[1] >= totals[0] - 1e-6


def test_a_stop_at_any_time_keeps_what_was_gained(monkeypatch):
    site = without_constants(discrete_site(8, 300, 5))
    before, _ = improved(site, "bdeu", 0)
    _, last = improved(site, "bdeu", 2)
    reached = []
    for limit in range(0, 900, 13):
        search = started(site, "bdeu")
        search.run(None, False)
        ticks = itertools.count()
        monkeypatch.setattr(ges_reinsertion.time, "monotonic", lambda ticks=ticks: float(next(ticks)))
        ended = reinsertions(search, 2, len(site.names), 0, float(limit), False)
        graph = Graph(site.names, search.adjacency())
        assert graph.is_cpdag()
        reached.append(bdeu(graph, site))
        assert ended == (search.adjacency() == last.adjacency()).all() or not ended
    assert min(reached) >= before - 1e-6
    assert (np.diff(reached) >= -1e-6).all()
    assert reached[0] < reached[-1]


def test_a_stop_in_the_middle_of_a_shake_undoes_it():
    site = without_constants(discrete_site(8, 300, 5))
    search = started(site, "bdeu")
    search.run(None, False)
    dag = Graph(site.names, search.adjacency()).to_dag().adjacency
    inner = Reinsertion(search.fill, 8, 8, dag, deadline=0.0)
    with pytest.raises(OutOfTime):
        inner.shake(np.random.default_rng(1))
    assert (inner.adjacency() == dag).all()


def test_it_goes_with_turning_and_warns_at_the_time_limit(monkeypatch):
    site = without_constants(discrete_site(10, 300, 4))
    both = ges(site, reinsertion=2, turning=True)
    assert bdeu(both, site) >= bdeu(ges(site, turning=True), site)
    ticks = itertools.count()
    monkeypatch.setattr(ges_reinsertion.time, "monotonic", lambda: float(next(ticks)))
    with pytest.warns(UserWarning, match="stopped at its time limit of 60 s"):
        ges(site, reinsertion=50, time_limit=60.0)


def test_odd_sites():
    constant = SiteData(["a", "b"], np.ones((5, 2)), [("0", "1")] * 2)
    assert ges(constant, reinsertion=2, required="a..b").edges() == [("a", "b")]
    assert ges(SiteData(["a"], [[0], [1]], [("0", "1")]), reinsertion=2).n_edges == 0
    independent = SiteData(["a", "b"], np.random.default_rng(1).integers(0, 2, (50, 2)), [("0", "1")] * 2)
    assert ges(independent, reinsertion=2).n_edges == 0
    with pytest.raises(InputError, match="reinsertion must be a whole number of 0 or more"):
        ges(constant, reinsertion=-1)
