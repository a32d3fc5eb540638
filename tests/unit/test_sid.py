"""Structural intervention distance against its definition, computed with linear Gaussian models."""

import itertools

import numpy as np
import pytest
from graph_strategies import every_graph, repeatable
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl import Graph, InputError
from fedbnsl.evaluate import sid
from fedbnsl.graphs import dag


class Gaussian:
    """A linear Gaussian network on a DAG with weights in general position."""

    def __init__(self, a, seed=0):
        d = len(a)
        weights = a * np.random.default_rng(seed).uniform(0.5, 1.5, (d, d))
        #: [i, j] is the change of j when i is set one unit higher
        self.effect = np.linalg.inv(np.eye(d) - weights)
        self.covariance = self.effect.T @ self.effect

    def adjusted(self, i, j, given):
        """Coefficient of i in the regression of j on i and ``given``."""
        chosen = [i, *given]
        sigma = self.covariance
        return np.linalg.solve(sigma[np.ix_(chosen, chosen)], sigma[chosen, j])[0]

    def differs(self, i, j, claimed):
        return abs(self.effect[i, j] - claimed) > 1e-9


def mistakes(estimate, truth):
    """Pairs whose effect is wrong when computed by adjusting for the estimate's parents."""
    model = Gaussian(truth)
    wrong = 0
    for i, j in itertools.permutations(range(len(truth)), 2):
        parents = np.flatnonzero(estimate[:, i])
        wrong += model.differs(i, j, 0.0 if j in parents else model.adjusted(i, j, parents))
    return wrong


def mistakes_of_cpdag(cpdag, truth):
    """The same where the estimate is a CPDAG: an effect it does not identify is a mistake.

    Not identified: a path from i to j without an edge against it starts with an undirected edge.
    """
    model = Gaussian(truth)
    wrong = 0
    for i, j in itertools.permutations(range(len(truth)), 2):
        if _starts_undirected(cpdag, i, j):
            wrong += 1
            continue
        parents = np.flatnonzero((cpdag[:, i] == 1) & (cpdag[i] == 0))
        wrong += model.differs(i, j, 0.0 if j in parents else model.adjusted(i, j, parents))
    return wrong


def _starts_undirected(cpdag, i, j):
    reached, frontier = {i}, list(np.flatnonzero(cpdag[i] & cpdag[:, i]))
    while frontier:
        node = frontier.pop()
        if node not in reached:
            reached.add(node)
            frontier += list(np.flatnonzero(cpdag[node]))
    return j in reached - {i}


def graph(a):
    return Graph([f"v{i}" for i in range(len(a))], a)


DAGS_3 = [a for a in every_graph(3) if dag.is_dag(a)]
DAGS_4 = [a for a in every_graph(4) if dag.is_dag(a)]


def test_a_worked_example():
    """Truth A → B → C, A → D ← C; the estimate B → A → C ← B has the parents A {B}, C {A, B}.

    Wrong: A on B (called none), A on C and on D (B lies on the way), B on A and on D (A confounds), and D
    on A, B, C (D depends on all). Right: B on C, C on A and on B (none), C on D (A and B block A).
    """
    truth = Graph.from_edges("ABCD", ["AB", "BC", "AD", "CD"])
    assert sid(Graph.from_edges("ABCD", ["BA", "BC", "AC"]), truth) == 8


def test_the_distance_is_not_symmetric():
    edge, empty = Graph.from_edges("AB", ["AB"]), Graph("AB", np.zeros((2, 2)))
    assert sid(edge, empty) == 0  # adjusting for A does no harm
    assert sid(empty, edge) == 1  # B on A: nothing is adjusted for
    assert sid(Graph.from_edges("AB", ["BA"]), edge) == 2


def test_all_pairs_of_dags_on_three_nodes():
    assert len(DAGS_3) == 25
    for truth in DAGS_3:
        for estimate in DAGS_3:
            assert sid(graph(estimate), graph(truth)) == mistakes(estimate, truth)


@settings(repeatable, max_examples=400)
@given(st.sampled_from(DAGS_4), st.sampled_from(DAGS_4))
def test_pairs_of_dags_on_four_nodes(estimate, truth):
    assert sid(graph(estimate), graph(truth)) == mistakes(estimate, truth)


def test_all_cpdags_on_three_nodes():
    for truth in DAGS_3:
        for estimate in DAGS_3:
            cpdag = graph(estimate).cpdag()
            if not cpdag.is_dag():
                assert sid(cpdag, graph(truth)) == mistakes_of_cpdag(cpdag.adjacency, truth)


@settings(repeatable, max_examples=400)
@given(st.sampled_from(DAGS_4), st.sampled_from(DAGS_4))
def test_cpdags_on_four_nodes(estimate, truth):
    cpdag = graph(estimate).cpdag()
    assert sid(cpdag, graph(truth)) == mistakes_of_cpdag(cpdag.adjacency, truth)


@settings(repeatable, max_examples=200)
@given(st.sampled_from(DAGS_4))
def test_a_graph_answers_its_own_questions(a):
    assert sid(graph(a), graph(a)) == 0
    assert sid(graph(a).cpdag(), graph(a).cpdag()) == 0


@pytest.mark.parametrize("d", [0, 1])
def test_without_pairs_nothing_can_be_wrong(d):
    g = graph(np.zeros((d, d)))
    assert sid(g, g) == 0


def test_variable_order_makes_no_difference():
    truth = Graph.from_edges("ABCD", ["AB", "BC", "AD", "CD"])
    estimate = Graph.from_edges("ABCD", ["BA", "BC", "AC"])
    assert sid(estimate.reordered("DBCA"), truth.reordered("CADB")) == 8
    assert sid(estimate.cpdag().reordered("DBCA"), truth) == sid(estimate.cpdag(), truth)


def test_graphs_without_a_dag_are_refused():
    truth = Graph.from_edges("ABC", ["AB", "BC"])
    for bad in (Graph.from_edges("ABC", ["AB", "BC", "CA"]), Graph.from_edges("ABD", ["AB"])):
        with pytest.raises(InputError):
            sid(bad, truth)
        with pytest.raises(InputError):
            sid(truth, bad)
