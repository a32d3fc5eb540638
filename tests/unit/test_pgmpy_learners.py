"""The searches that pgmpy lends: what they are given, and what comes back."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, load_network
from fedbnsl.learn.pgmpy_ges import ges_pgmpy, hill_climb_pgmpy
from fedbnsl.registry import method
from fedbnsl.scores import bdeu

ROOT = Path(__file__).parents[2]
LEARNERS = pytest.mark.parametrize("learn", [ges_pgmpy, hill_climb_pgmpy])
# A → C ← B, C → D: its only equivalent DAG is itself
COLLIDER = Graph.from_edges("ABCD", ["AC", "BC", "CD"])
CHAIN = Graph.from_edges("ABCD", [], undirected=["AB", "BC", "CD"])


def noisy(bits, rng):
    """Bits with one in ten turned."""
    return bits ^ (rng.random(len(bits)) < 0.1)


def collider_site(rows=400):
    """Binary rows of COLLIDER: C is A or B, D is C, with noise."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, rows))
    c = noisy(a | b, rng)
    return SiteData("ABCD", np.column_stack([a, b, c, noisy(c, rng)]), [["no", "yes"]] * 4)


def chain_site(rows=400, constant=()):
    """Binary rows of CHAIN, with constant columns put in at the given places."""
    rng = np.random.default_rng(0)
    columns, names = [rng.integers(0, 2, rows)], list("ABCD")
    for _ in range(3):
        columns.append(noisy(columns[-1], rng))
    for place, name in constant:
        columns.insert(place, np.ones(rows, dtype=int))
        names.insert(place, name)
    return SiteData(names, np.column_stack(columns), [["no", "yes"]] * len(names))


def continuous_site(names="ABCD", rows=300):
    """Rows of CHAIN, each variable in units of its own."""
    rng = np.random.default_rng(2)
    columns = [rng.standard_normal(rows)]
    for _ in range(3):
        columns.append(columns[-1] + 0.5 * rng.standard_normal(rows))
    return SiteData(list(names), np.column_stack(columns) * [1, 1e3, 1e-3, 1])


@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_a_collider_is_found(score):
    assert ges_pgmpy(collider_site(), score=score) == COLLIDER


@LEARNERS
@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_a_chain_is_found_in_discrete_rows(learn, score):
    assert learn(chain_site(), score=score) == CHAIN


@LEARNERS
def test_a_chain_is_found_in_continuous_rows_whatever_the_names(learn):
    names = ["income (k€)", "2nd visit", "C", "x ~ y + 1"]
    assert learn(continuous_site(names), score="bic") == Graph(names, CHAIN.adjacency)


def test_the_search_is_pgmpys_own():
    """Where every state occurs, pgmpy's GES with pgmpy's BDeu finds the same graph."""
    from pgmpy.causal_discovery import GES
    from pgmpy.structure_score import BDeu

    site = load_network("asia").sample(300, seed=3)
    assert all(len(np.unique(column)) == 2 for column in site.values.T)
    frame = site.to_frame()
    score = BDeu(frame, equivalent_sample_size=10)
    theirs = Graph.from_networkx(GES(scoring_method=score).fit(frame).causal_graph_)
    found = ges_pgmpy(site, ess=10)
    assert found.is_cpdag()
    assert found.n_edges > 4
    assert found.skeleton() == theirs.skeleton()
    assert bdeu(found, site, ess=10) == pytest.approx(bdeu(theirs, site, ess=10), rel=1e-9)


@LEARNERS
@pytest.mark.parametrize("declared", [2, 40])
def test_declared_states_decide_whether_or_not_they_are_seen(learn, declared):
    """A weak dependence is worth an edge between binary variables and none between 40-valued ones."""
    table = {(0, 0): 60, (0, 1): 40, (1, 0): 40, (1, 1): 60}
    values = [cell for cell, count in table.items() for _ in range(count)]
    site = SiteData("AB", values, [[str(k) for k in range(declared)]] * 2)
    edge, empty = Graph.from_edges("AB", ["AB"]), Graph("AB", np.zeros((2, 2)))
    gain = bdeu(edge, site) - bdeu(empty, site)
    assert (gain > 0) == (declared == 2)
    assert learn(site) == (edge.cpdag() if declared == 2 else empty)


@LEARNERS
def test_constant_columns_come_back_alone(learn):
    site = chain_site(constant=[(0, "first"), (3, "middle"), (6, "last")])
    assert site.names == ("first", "A", "B", "middle", "C", "D", "last")
    found = learn(site)
    assert found.names == site.names
    assert found.edges() == CHAIN.edges()


@LEARNERS
def test_without_two_varying_columns_there_is_no_edge(learn):
    rows = np.column_stack([np.arange(9) % 2, np.zeros(9)])
    for values, states in ((rows, ["xy", "xy"]), (0 * rows, ["xy", "xy"]), (rows, None)):
        site = SiteData("AB", values, states)
        assert learn(site, score="bic") == Graph("AB", np.zeros((2, 2)))


@LEARNERS
def test_the_result_is_a_cpdag_and_no_edge_of_it_could_be_dropped(learn):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        latent = rng.integers(0, 3, 150)
        values = np.column_stack([(latent + (rng.random(150) < 0.4)) % 3 for _ in range(5)])
        site = SiteData("ABCDE", values, ["xyz"] * 5)
        found = learn(site)
        assert found.is_cpdag()
        assert found.n_edges
        dag = found.to_dag()
        for i, j in np.argwhere(dag.adjacency):
            fewer = dag.adjacency.copy()
            fewer[i, j] = 0
            assert bdeu(Graph(site.names, fewer), site) < bdeu(dag, site)


def test_hill_climbing_keeps_to_its_parents():
    free = hill_climb_pgmpy(collider_site())
    assert free.to_dag().adjacency.sum(axis=0).max() > 1
    bound = hill_climb_pgmpy(collider_site(), max_parents=1)
    assert bound.to_dag().adjacency.sum(axis=0).max() == 1


def test_results_do_not_follow_the_hash_seed():
    """With texts for names, hill climbing gives different graphs under these two."""
    code = (
        "from fedbnsl.data import load_network\n"
        "from fedbnsl.learn import ges_pgmpy, hill_climb_pgmpy, pc_pgmpy\n"
        "site = load_network('asia').sample(200, seed=1)\n"
        "print(ges_pgmpy(site, ess=10).edges(), hill_climb_pgmpy(site, ess=10).edges())\n"
        "print(pc_pgmpy(site, significance_level=0.1).edges())"
    )
    found = set()
    for hash_seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-W", "ignore", "-c", code]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
        found.add(done.stdout)
        assert not done.stderr  # no progress bar, no log
    assert len(found) == 1
    assert found.pop().count("(") > 4


@LEARNERS
def test_the_seed_changes_nothing(learn):
    assert learn(collider_site(), seed=1) == learn(collider_site(), seed=2)


@LEARNERS
@pytest.mark.parametrize(
    ("site", "options", "message"),
    [
        (chain_site(rows=1), {}, "site: learning needs at least 2 rows, not 1"),
        (chain_site(rows=0), {}, "site: learning needs at least 2 rows, not 0"),
        (continuous_site(rows=1), {"score": "bic"}, "site: learning needs at least 2 rows, not 1"),
        (continuous_site(rows=0), {"score": "bic"}, "site: learning needs at least 2 rows, not 0"),
        (continuous_site(), {"score": "bdeu"}, r"site: this score needs discrete data.*Use a Gaussian score"),
        (chain_site(), {"score": "k2"}, "the score 'k2' is unknown. Choose one of: bdeu, bic"),
        (chain_site(), {"ess": 0}, "the equivalent sample size must be above 0"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(learn, site, options, message):
    with pytest.raises(InputError, match=message):
        learn(site, **options)


def test_copies_of_a_column_are_named():
    values = continuous_site().values
    site = SiteData("ABCDE", np.column_stack([values, values[:, 1] * 2]))
    with pytest.raises(InputError, match=r"column '[BE]': the column is an exact linear function of [BE]"):
        ges_pgmpy(site, score="bic")


@pytest.mark.parametrize("name", ["ges-pgmpy", "hill-climb-pgmpy"])
def test_the_register_runs_them(name):
    entry = method(name, "learn")
    assert entry.load()(chain_site(), seed=0, **entry.checked({"score": "bic"})) == CHAIN
