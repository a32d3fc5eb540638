"""Greedy equivalence search on thousands of small random tables, step by step against its definition.

Whatever the kernels remember, skip or count in another way shows here as another step.
"""

import functools
import itertools

import numpy as np
import pytest
from ges_cases import continuous_site, family_of, started, without_constants
from literal_ges import LiteralSearch, members

from fedbnsl import Graph
from fedbnsl.data import SiteData, load_network
from fedbnsl.graphs.cpdag import dag_to_cpdag
from fedbnsl.learn import ges

LEAST_TURN = 2**-19


class WithTurns(LiteralSearch):
    """With the turning phase: all reversals of an edge in all DAGs of the class."""

    def turns(self):
        """(gain, y, x, C, class after) where D' has x → y and D has y → x."""
        for dag in members(self.p):
            for y, x in np.argwhere(dag):
                of_y, of_x = set(np.flatnonzero(dag[:, y])), set(np.flatnonzero(dag[:, x])) - {y}
                if len(of_y) >= self.cap or self.leads(dag, y, x):
                    continue
                other = dag.copy()
                other[y, x], other[x, y] = 0, 1
                after = dag_to_cpdag(other)
                if (after != self.p).any():
                    gain = self.gain(x, y, of_y) - self.gain(y, x, of_x)
                    yield gain, y, x, tuple(sorted(of_y & self.neighbours(y))), after

    def leads(self, dag, y, x):
        """Whether a path other than the edge y → x leads from y to x."""
        seen, stack = set(), [v for v in np.flatnonzero(dag[y]) if v != x]
        while stack:
            v = stack.pop()
            if v not in seen:
                seen.add(v)
                stack.extend(np.flatnonzero(dag[v]))
        return x in seen

    def turn_once(self):
        valid = [turn for turn in self.turns() if turn[0] > LEAST_TURN]
        if valid:
            self.p = min(valid, key=lambda turn: (-turn[0], *turn[1:4]))[-1]
        return bool(valid)

    def start(self, phase):
        """There is nothing to forget."""

    def step(self, phase):
        return (self.insert_once, self.delete_once)[phase]()

    def turn(self):
        return self.turn_once()

    def adjacency(self):
        return self.p


def steps(search, plan):
    """(phase, class) after every operator, phase after phase; 2 is turning."""
    for phase in plan:
        if phase < 2:
            search.start(phase)
        while search.step(phase) if phase < 2 else search.turn():
            yield phase, search.adjacency()


def random_table(rng, rows, most):
    """Columns of up to ``most`` states that follow the sum of up to three others, so many ways are ties."""
    d = rng.integers(2, 8)
    cards = rng.integers(2, most + 1, d)
    values = rng.integers(0, cards, (rows, d))
    for j in range(1, d):
        parents = rng.permutation(j)[: rng.integers(0, 4)]
        if len(parents):
            follows = rng.random(rows) < rng.choice([0.5, 0.8, 0.95])
            values[follows, j] = values[follows][:, parents].sum(axis=1) % cards[j]
    states = [[str(k) for k in range(card + rng.integers(0, 2))] for card in cards]
    names = [f"v{i}" for i in range(d)]
    order = rng.permutation(d)
    return SiteData(names, values[:, order], [states[i] for i in order])


def random_class(rng, d, cap):
    dag = np.triu(rng.random((d, d)) < rng.choice([0.3, 0.6, 0.9]), 1)
    for j in range(d):
        dag[rng.permutation(np.flatnonzero(dag[:, j]))[d if cap is None else cap :], j] = False
    return dag_to_cpdag(dag[np.ix_(*[rng.permutation(d)] * 2)])


def random_case(seed, kind):
    """(site, score, ess, cap)."""
    rng = np.random.default_rng(seed)
    if kind == "continuous":
        d = int(rng.integers(2, 8))
        site = continuous_site(d, d + int(rng.choice([3, 10, 50, 300])), seed)
        score = "gaussian-bic"
    else:
        rows = rng.choice([2, 4, 8, 15, 30, 60, 120, 250] if kind == "narrow" else [40, 150, 400, 900])
        site = without_constants(random_table(rng, rows, 3 if kind == "narrow" else 9))
        score = str(rng.choice(["bdeu", "bdeu", "bic"]))
    cap = None if rng.random() < 0.6 else int(rng.integers(0, 4))
    return site, score, float(rng.choice([0.1, 1.0, 10.0, 60.0])), cap


CASES = {"narrow": 8, "wide": 2, "continuous": 1}
BATCH = 250


@pytest.mark.parametrize(("kind", "batch"), [(kind, k) for kind, n in CASES.items() for k in range(n)])
def test_random_searches(kind, batch):
    """``wide`` tables have so many cells that all three ways of counting occur.

    Every second search of up to five variables starts from any class, with turning before and after.
    """
    taken = np.zeros(3, dtype=int)
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        site, score, ess, cap = random_case(seed, kind)
        d = len(site.names)
        if d < 2:
            continue
        literal = WithTurns(d, functools.cache(family_of(site, score, ess)), cap)
        ours, plan = started(site, score, cap, ess), (0, 1)
        if seed % 2 and d < 6:
            literal.p, plan = random_class(np.random.default_rng(seed), d, cap), (2, 0, 1, 2)
            ours.set(literal.p)
        for mine, theirs in itertools.zip_longest(steps(ours, plan), steps(literal, plan)):
            assert mine is not None, seed
            assert theirs is not None, seed
            assert mine[0] == theirs[0], seed
            assert (mine[1] == theirs[1]).all(), seed
            taken[mine[0]] += 1
        if plan == (0, 1):
            assert ges(site, score=score, ess=ess, max_parents=cap) == Graph(site.names, literal.p), seed
    assert taken.min() > 5


@pytest.mark.parametrize(("name", "rows", "ess"), [("win95pts", 300, 10.0), ("pathfinder", 100, 1.0)])
def test_what_is_remembered_changes_no_step_of_a_large_search(name, rows, ess):
    """More variables than bits in a word: a search that starts at each class takes the same step."""
    site = without_constants(load_network(name).sample(rows, 2))
    assert len(site.names) > 64
    ours, fresh = (started(site, "bdeu", 5, ess) for _ in range(2))
    taken = [0, 0]
    for phase in (0, 1):
        if phase == 1:  # little would be left to delete
            ours.set(random_class(np.random.default_rng(0), len(site.names), 3))
        ours.start(phase)
        moved = True
        while moved:
            fresh.set(ours.adjacency())
            fresh.start(phase)
            moved = ours.step(phase)
            assert fresh.step(phase) == moved
            assert (fresh.adjacency() == ours.adjacency()).all()
            taken[phase] += moved
    assert min(taken) > 50
