"""Greedy equivalence search against pgmpy's, whole graphs' scores, the truth, and numbers made by hand."""

import math

import networkx
import numpy as np
import pandas
import pytest
from ges_cases import (
    FULL,
    PHASES,
    discrete_site,
    full_score,
    random_site,
    started,
    varying,
)
from graph_strategies import dags, repeatable
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_ges import LiteralSearch
from pgmpy.causal_discovery import GES
from pgmpy.structure_score import BIC, BDeu

from fedbnsl import Graph
from fedbnsl.data import SiteData, load_network, read_site, simulate_linear_gaussian, write_site
from fedbnsl.data.networks import printed_facts
from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn import ges, ges_scores, pgmpy_ges
from fedbnsl.learn.ges_bits import to_bits
from fedbnsl.scores import bdeu
from fedbnsl.scores.bic import gaussian_bic_family

TIE = 2**-20  # gains that differ by less count as equal


# --- pgmpy, step by step ---------------------------------------------------------------------------


class Traced(GES):
    """pgmpy's search, which notes (phase, class before, class after) of the operators that it carries out.

    It also makes the operators that it only considers; those carried out are the ones it completes.
    """

    def __init__(self, scoring_method=None, return_type="pdag", min_improvement=1e-6):
        super().__init__(scoring_method, return_type, min_improvement)
        self.trace = []

    def noted(self, phase, before, after):
        complete = after.to_cpdag

        def to_cpdag():
            result = complete()
            self.trace.append((phase, matrix(before), matrix(result)))
            return result

        after.to_cpdag = to_cpdag
        return after

    def insert(self, u, v, T, current_model):
        after = super().insert(u, v, T, current_model)
        # So it is after a valid Insert (Chickering 2002, theorem 15); pgmpy's test takes half of its time.
        after.has_acyclic_extension = lambda: True
        return self.noted("insert", current_model, after)

    def delete(self, u, v, H, current_model):
        return self.noted("delete", current_model, super().delete(u, v, H, current_model))

    def turn(self, u, v, C, current_model):
        return self.noted("turn", current_model, super().turn(u, v, C, current_model))


def matrix(graph):
    return networkx.to_numpy_array(graph, nodelist=sorted(graph.nodes()), dtype=np.int8)


def with_seen_states(site):
    """Without constant columns and unseen states: pgmpy's own BDeu is right where all states occur."""
    if not site.is_discrete:
        return site
    columns = [np.unique(site.values[:, i], return_inverse=True)[1] for i in varying(site)]
    states = [[str(k) for k in range(column.max() + 1)] for column in columns]
    return SiteData([f"v{i}" for i in range(len(columns))], np.column_stack(columns), states)


def traced(site, score, ess, backwards):
    """The trace and the result of pgmpy's search; backwards: with the variables in that order.

    Of equal gains pgmpy takes the first in the order of variables, much as ours does. It uses its own scores
    but for continuous data, where its regressions take seconds.
    """
    way = slice(None, None, -1 if backwards else 1)
    frame = pandas.DataFrame(site.values[:, way], columns=range(len(site.names)))
    if score == "gaussian-bic":
        scoring = pgmpy_ges._scoring(gaussian_bic_family(site))
    else:
        scoring = BDeu(frame, equivalent_sample_size=ess) if score == "bdeu" else BIC(frame)
    search = Traced(scoring)
    search.fit(frame)
    trace = [(phase, before[way, way], after[way, way]) for phase, before, after in search.trace]
    return trace, matrix(search.causal_graph_)[way, way]


def ties_on_the_way(site, score, ess, backwards=False):
    """Follow pgmpy's path; the number of places where ours takes another operator, all of equal gain.

    Asserts that from each class that pgmpy comes through ours does as pgmpy does, apart from ties, and
    that without ties the whole searches end alike.
    """
    trace, result = traced(site, score, ess, backwards)
    ours = started(site, score, ess=ess)
    classes = {"insert": [np.zeros((len(site.names),) * 2, np.int8)], "delete": [], "turn": []}
    ties = 0

    def gain(before, after):
        return np.subtract(*(full_score(Graph(site.names, g), site, score, ess) for g in (after, before)))

    for phase, before, after in trace:
        ours.set(before)
        if phase == "turn":
            moved = ours.turn()
        else:
            ours.start(PHASES[phase == "delete"])
            moved = ours.step(PHASES[phase == "delete"])
        assert moved or gain(before, after) < 2 * TIE
        if (ours.adjacency() != after).any():
            assert gain(before, ours.adjacency()) == pytest.approx(gain(before, after), abs=TIE)
            ties += 1
        classes[phase].append(after)
    # where pgmpy ends a phase so does ours
    for number, (phase, end) in enumerate(zip(PHASES, ("insert", "delete"), strict=True)):
        last = (classes["insert"] + number * classes["delete"])[-1]
        ours.set(last)
        ours.start(phase)
        assert not ours.step(phase) or gain(last, ours.adjacency()) < 2 * TIE, end
    if not ties:
        plain = (classes["insert"] + classes["delete"])[-1]
        assert (ges(site, score=score, ess=ess).adjacency == plain).all()
        assert (result == (classes["turn"] or [plain])[-1]).all()
    return ties


@pytest.mark.parametrize("ess", [1.0, 10.0])
def test_child_as_by_pgmpy(ess):
    site = load_network("child").sample(200, 1)
    assert (site.cardinalities == [len(np.unique(column)) for column in site.values.T]).all()
    assert ties_on_the_way(site, "bdeu", ess) == 0


def test_random_networks_as_by_pgmpy():
    """50 of 3 to 8 variables."""
    ties = []
    for seed in range(50):
        d = 8 if seed == 0 else 3 + seed % 5
        rows = int(np.random.default_rng(seed).integers(300, 1000))
        site = with_seen_states(discrete_site(d, rows, seed))
        ties.append(ties_on_the_way(site, ("bdeu", "bic")[seed % 2], (1.0, 10.0)[seed // 2 % 2]))
    assert sum(ties) == 0


def test_continuous_networks_as_by_pgmpy():
    for seed in range(6):
        assert ties_on_the_way(random_site("gaussian-bic", 5, 200, seed), "gaussian-bic", 1.0) == 0


def test_what_differs_from_pgmpy_is_ties():
    """Columns with copies, and pgmpy gets the variables in the other order: the searches part."""
    ties = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        a = rng.integers(0, 2, 60)
        b = np.where(rng.random(60) < 0.8, a, 1 - a)
        c = np.where(rng.random(60) < 0.7, a & b, 1 - a)
        values = np.column_stack([a, b, c, a, b])[:, rng.permutation(5)]
        site = SiteData([f"v{i}" for i in range(5)], values, [("0", "1")] * 5)
        ties.append(ties_on_the_way(site, ("bdeu", "bic")[seed % 2], 1.0, backwards=True))
    assert sum(ties) > 3


# --- gains are differences of scores of whole graphs -----------------------------------------------


def held(search, phase):
    """(y, x, C) → gain, of all operators that the search weighs in this phase at its class."""
    search.start(phase)
    search.step(phase)  # what it carries out leaves its operators as they were
    s, d = search.state, search.state.parents.shape[0]
    found = {}
    for y in range(d):
        group = s.first[y]
        while group >= 0:
            clique, among = (
                [v for v in range(d) if int(rows[group, v // 64]) >> v % 64 & 1]
                for rows in (s.clique, s.among)
            )
            for x in among if phase == kernels.FORWARD else [int(s.choice[group])]:
                found[y, x, tuple(clique)] = s.gains[group, x]
            group = s.following[group]
    return found


@pytest.mark.parametrize("score", FULL)
@settings(repeatable, max_examples=40)
@given(dags(5), st.integers(10, 300), st.integers(0, 10**6), st.sampled_from([0.5, 1.0, 10.0]))
def test_every_gain_is_the_difference_of_two_scores_of_whole_graphs(score, dag, rows, seed, ess):
    if len(dag) < 2:
        return
    site = random_site(score, len(dag), rows, seed, skew=(1.0,))
    if len(varying(site)) < len(dag):
        return
    before = dag_to_cpdag(dag)
    literal = LiteralSearch(len(dag), lambda child, parents: 0.0)
    literal.p = before
    search = started(site, score, ess=ess)
    for phase in PHASES:
        search.set(before)
        gains = held(search, phase)
        if phase == kernels.FORWARD:
            valid = {(y, x, c): literal.inserted(y, c, x, t) for _, y, c, x, t in literal.inserts()}
            gains = {
                key: gain for key, gain in gains.items() if key[1] not in literal.reached(key[0], key[2])
            }
        else:
            valid = {(y, x, c): literal.deleted(y, x, c, h) for _, y, x, c, h in literal.deletes()}
        assert set(gains) == set(valid)
        here = full_score(Graph(site.names, before), site, score, ess)
        for key, after in valid.items():
            there = full_score(Graph(site.names, pdag_to_dag(after)), site, score, ess)
            sign = 1 if phase == kernels.FORWARD else -1  # a group of a Delete holds what it would undo
            assert sign * gains[key] == pytest.approx(there - here, rel=1e-9, abs=TIE)


# --- more rows, nearer the truth -------------------------------------------------------------------


def copying_network(seed, d=8, edges=8):
    """(true CPDAG, sampler): each parent, by up to two, favours one state of the child by e^1.5 to e^2.5."""
    rng = np.random.default_rng(seed)
    dag = np.zeros((d, d), np.int8)
    for i, j in rng.permutation(np.argwhere(np.triu(np.ones((d, d)), 1))):
        dag[i, j] = dag.sum() < edges and dag[:, j].sum() < 2
    cards, names = rng.integers(2, 4, d), [f"v{i}" for i in range(d)]
    weights = {
        (i, j): rng.uniform(1.5, 2.5)
        * (np.add.outer(np.arange(cards[i]), np.arange(cards[j]) + rng.integers(3)) % cards[j] == 0)
        for i, j in np.argwhere(dag)
    }

    def sample(rows):
        draws = np.random.default_rng([seed, rows])
        values = np.zeros((rows, d), dtype=int)
        for j in range(d):
            logits = np.zeros((rows, cards[j]))
            for i in np.flatnonzero(dag[:, j]):
                logits += weights[i, j][values[:, i]]
            values[:, j] = (logits + draws.gumbel(size=logits.shape)).argmax(axis=1)
        return SiteData(names, values, [[str(k) for k in range(card)] for card in cards])

    return Graph(names, dag).cpdag(), sample


def linear_network(seed):
    def simulated(rows):
        return simulate_linear_gaussian(nodes=8, edges=8, sites=1, rows=rows, seed=seed)

    return simulated(2)[1].graph.cpdag(), lambda rows: simulated(rows)[0][0]


@pytest.mark.parametrize("score", FULL)
def test_more_rows_come_nearer_to_the_truth(score):
    network = linear_network if score == "gaussian-bic" else copying_network
    distances = []
    for seed in range(10):
        truth, sample = network(seed)
        found = [ges(sample(rows), score=score).adjacency for rows in (100, 1000, 10000, 100000)]
        differ = np.array([a != truth.adjacency for a in found])
        distances.append((differ | differ.transpose(0, 2, 1)).sum(axis=(1, 2)) // 2)
    mean = np.mean(distances, axis=0)
    assert (np.diff(mean) < 0).all()
    assert mean[0] > 4
    assert mean[-1] < 0.5
    assert sum(row[-1] == 0 for row in distances) >= 9


# --- declared states -------------------------------------------------------------------------------


def gain_of_edge(site, score="bdeu", ess=1.0):
    """What the search weighs for joining the second variable to the first."""
    gains = np.full((1, 2), np.nan)
    base, need = to_bits(np.array([[False, False]])), to_bits(np.array([[True, False]]))
    fill = ges_scores.gains_of(site, np.arange(2), score, ess)
    fill(np.array([0]), np.array([1]), base, need, gains)
    return gains[0, 0]


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        # y alone: (3·4·5)² / (12⋯17); y given x: 3!·1 / (4·5·6·7) · 2! / (4·5)
        ((3, 4), math.log((6 / 840) * (2 / 20) / (60**2 / 8910720))),
        # as many as are seen: (6·7·8)² / (12⋯17); (3·4·5)·3 / (6·7·8·9) · (3·4) / (6·7)
        ((2, 2), math.log((180 / 3024) * (12 / 42) / (336**2 / 8910720))),
    ],
)
def test_the_gain_of_an_edge_by_hand(states, expected):
    """Rows xy: 00 thrice, 01 once, 11 twice; equivalent sample size 12. Two states of each occur."""
    values = [(0, 0)] * 3 + [(0, 1)] + [(1, 1)] * 2
    site = SiteData("xy", values, [[str(k) for k in range(count)] for count in states])
    assert gain_of_edge(site, ess=12.0) == pytest.approx(expected, abs=2**-21)


@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_sites_that_saw_different_states_are_scored_alike(tmp_path, score):
    """The same table but for which of three states occur; the files declare all three."""
    rng = np.random.default_rng(0)
    low = rng.integers(0, 2, (60, 3))
    low[:, 1] = np.where(rng.random(60) < 0.8, low[:, 0], low[:, 1])
    sites = []
    for number, values in enumerate((low, low + 1, 2 * low)):
        path = tmp_path / f"site{number}.csv"
        write_site(SiteData("xyz", values, ["abc"] * 3), path)
        sites.append(read_site(path))
    assert {site.states for site in sites} == {(("a", "b", "c"),) * 3}
    graph = Graph.from_edges("xyz", ["xy"])
    scores = [full_score(graph, site, score) for site in sites]
    assert scores == pytest.approx([scores[0]] * 3, rel=1e-12)
    found = [ges(site, score=score) for site in sites]
    assert found == [found[0]] * 3
    assert found[0].n_edges
    pairs = [SiteData("xy", site.values[:, :2], site.states[:2]) for site in sites]
    gains = [gain_of_edge(pair, score) for pair in pairs]
    assert gains == [gains[0]] * 3
    assert gains[0] != gain_of_edge(SiteData("xy", low[:, :2], ["ab"] * 2), score)


@pytest.mark.parametrize("name", printed_facts())
def test_few_rows_of_a_network(name):
    """Short tables have columns that repeat others: without a cap there may be too many operators."""
    network = load_network(name)
    for rows in (2, 5, 50):
        site = network.sample(rows, 1)
        found = ges(site, max_parents=2)
        constant = np.setdiff1d(np.arange(len(site.names)), varying(site))
        assert not found.adjacency[constant].any()
        assert not found.adjacency[:, constant].any()
        assert found.is_cpdag()
        assert found.to_dag().adjacency.sum(axis=0).max() <= 2
        assert bdeu(found, site) >= bdeu(Graph(site.names, 0 * found.adjacency), site)
