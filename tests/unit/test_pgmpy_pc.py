"""PC through pgmpy: the true class from large samples, pgmpy's own graph, and contradictions."""

import itertools
import warnings

import numpy as np
import pandas
import pytest
from graph_strategies import pdags, repeatable
from hypothesis import given

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, load_network, simulate_linear_gaussian
from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag
from fedbnsl.graphs.dag import is_dag, v_structures
from fedbnsl.learn import pc_pgmpy, pgmpy_pc
from fedbnsl.registry import method

NETWORKS = {
    "empty": [],
    "chain": ["AB", "BC", "CD"],
    "fork": ["BA", "BC", "BD"],
    "collider with a child": ["AC", "BC", "CD"],
    "diamond": ["AB", "AC", "BD", "CD"],
    "two colliders": ["AC", "BC", "BD", "ED"],
    "five": ["AB", "BC", "DC", "CE"],
}


def discrete_site(edges, rows=20_000, seed=1):
    """Three-valued rows: noise, or with a chance the sum of the parents."""
    rng = np.random.default_rng(seed)
    names = "ABCDE" if any("E" in edge for edge in edges) else "ABCD"
    order = Graph.from_edges(names, edges)
    values = np.zeros((rows, len(names)), dtype=int)
    done = []
    while len(done) < len(names):
        for j, name in enumerate(names):
            parents = [names.index(edge[0]) for edge in edges if edge[1] == name]
            if j not in done and set(parents) <= set(done):
                noise = rng.integers(0, 3, rows)
                follow = (rng.random(rows) < 0.8) & bool(parents)
                values[:, j] = np.where(follow, values[:, parents].max(axis=1, initial=0), noise)
                done.append(j)
    return SiteData(names, values, ["xyz"] * len(names)), order


def gaussian_site(edges, rows=20_000, seed=1):
    rng = np.random.default_rng(seed)
    names = "ABCDE" if any("E" in edge for edge in edges) else "ABCD"
    graph = Graph.from_edges(names, edges)
    noise = rng.standard_normal((rows, len(names))) * rng.uniform(0.5, 2, len(names))
    weights = graph.adjacency * rng.uniform(0.6, 1.4, (len(names),) * 2)
    values = noise @ np.linalg.inv(np.eye(len(names)) - weights)
    return SiteData(names, values * 10.0 ** np.arange(len(names)) + 5), graph


def pgmpys(site, test, **options):
    """The graph that pgmpy gives when it is used as its manual says, which may have no DAG."""
    from pgmpy.causal_discovery import PC

    frame = pandas.DataFrame(site.values, columns=list(site.names))
    search = PC(variant="stable", ci_test=test, max_cond_vars=3, show_progress=False, **options)
    found = search.fit(frame).adjacency_matrix_.loc[list(site.names), list(site.names)]
    return Graph(site.names, (found.to_numpy() != 0).astype(int))


# --- the true class, and pgmpy's graph ------------------------------------------------------------


@pytest.mark.parametrize("make", [discrete_site, gaussian_site])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_large_sample_of_a_faithful_network_gives_its_class(make, name):
    site, graph = make(NETWORKS[name])
    found = pc_pgmpy(site, significance_level=1e-4)
    assert found.edges() == graph.cpdag().edges()
    assert found.is_cpdag()


def with_sorted_names(site):
    """pgmpy takes variables in the order of their names, this package in that of the site."""
    return SiteData([f"v{k:02d}" for k in range(len(site.names))], site.values, site.states)


@pytest.mark.parametrize(("network", "rows"), [("asia", 500), ("asia", 5000), ("child", 500)])
def test_discrete_sites_give_pgmpys_graph(network, rows):
    site = with_sorted_names(load_network(network).sample(rows, seed=1))
    theirs = pgmpys(site, "chi_square")
    assert theirs.is_cpdag()
    assert theirs.n_edges > 3
    assert pc_pgmpy(site) == theirs


@pytest.mark.parametrize("seed", range(3))
def test_continuous_sites_give_pgmpys_graph(seed):
    site = with_sorted_names(simulate_linear_gaussian(nodes=10, edges=10, sites=1, rows=500, seed=seed)[0][0])
    theirs = pgmpys(site, "pearsonr")
    assert theirs.is_cpdag()
    assert theirs.n_edges > 3
    assert pc_pgmpy(site) == theirs


def test_tables_cut_into_strata_decide_as_whole_ones(monkeypatch):
    site = load_network("child").sample(200, seed=2)
    whole = pc_pgmpy(site, max_conditioning=1)
    assert whole.n_edges > 9
    monkeypatch.setattr(pgmpy_pc, "_FEW_CELLS", 0)
    for cells in (2**21, 20):  # one table, and many
        monkeypatch.setattr(pgmpy_pc, "_MOST_CELLS", cells)
        assert pc_pgmpy(site, max_conditioning=1) == whole


def test_the_statistic_over_strata_is_scipys(monkeypatch):
    """Sums over the strata of Pearson's test, with Yates' correction in those of two by two."""
    from scipy.stats import chi2, chi2_contingency

    rng = np.random.default_rng(3)
    values = np.column_stack([rng.integers(0, 3, 90), rng.integers(0, 2, 90), *rng.integers(0, 4, (2, 90))])
    site = SiteData("XYUV", values, ["abc", "ab", "abcd", "abcd"])
    statistic = freedom = 0
    for u, v in itertools.product(range(4), repeat=2):
        rows = values[(values[:, 2] == u) & (values[:, 3] == v)]
        table = np.zeros((3, 2))
        np.add.at(table, (rows[:, 0], rows[:, 1]), 1)
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(table.shape) > 1:
            result = chi2_contingency(table, correction=table.shape == (2, 2))
            statistic, freedom = statistic + result.statistic, freedom + result.dof
    expected = chi2.sf(statistic, freedom)
    assert 0.01 < expected < 0.99
    frame = pandas.DataFrame(values, columns=range(4))
    for few in (0, 2**16):
        monkeypatch.setattr(pgmpy_pc, "_FEW_CELLS", few)
        independent = pgmpy_pc._chi_square(site, frame)
        assert independent(0, 1, (2, 3), expected * (1 - 1e-9))
        assert not independent(0, 1, (2, 3), expected * (1 + 1e-9))


def test_states_that_nobody_shows_change_nothing():
    site, _ = discrete_site(NETWORKS["diamond"], rows=500)
    wide = SiteData(site.names, site.values, [[*"xyz", *map(str, range(300))]] * 4)
    assert pc_pgmpy(wide) == pc_pgmpy(site)


# --- options and small data -----------------------------------------------------------------------


def test_conditioning_is_what_removes_the_far_edges_of_a_chain():
    site, _ = discrete_site(NETWORKS["chain"])
    assert pc_pgmpy(site, max_conditioning=0).n_edges == 6
    assert pc_pgmpy(site, max_conditioning=1).n_edges == 3


def test_a_stricter_level_keeps_fewer_edges():
    rng = np.random.default_rng(0)
    site = SiteData([f"v{k}" for k in range(12)], rng.standard_normal((60, 12)))  # 66 pairs, all independent
    counts = [pc_pgmpy(site, significance_level=level, max_conditioning=0).n_edges for level in (0.3, 0.001)]
    assert counts[0] > 10
    assert counts[1] == 0


def test_constant_columns_come_back_alone():
    site, _ = discrete_site(NETWORKS["chain"], rows=1000)
    values = np.insert(site.values, [0, 2, 4], 1, axis=1)
    wider = SiteData(["first", "A", "B", "middle", "C", "D", "last"], values, ["xyz"] * 7)
    found = pc_pgmpy(wider)
    assert found.names == wider.names
    assert found.edges() == pc_pgmpy(site).edges()
    assert found.n_edges


@pytest.mark.parametrize("rows", [2, 3, 4, 6])
def test_very_few_continuous_rows_are_no_trouble(rows):
    site = SiteData("ABCDE", np.random.default_rng(1).standard_normal((rows, 5)))
    assert pc_pgmpy(site, max_conditioning=5).is_cpdag()


@pytest.mark.parametrize("values", [[[0, 1]] * 5, [[0, 1], [0, 1], [1, 1]]])
def test_without_two_varying_columns_there_is_no_edge(values):
    for states in (["xy", "xy"], None):
        assert pc_pgmpy(SiteData("AB", values, states)) == Graph("AB", np.zeros((2, 2)))


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (1, {}, "learning needs at least 2 rows, not 1. Give the site more rows or leave it out"),
        (0, {}, "site: learning needs at least 2 rows, not 0"),
        (9, {"significance_level": 0.0}, "significance_level must lie between 0 and 1, not 0.0"),
        (9, {"significance_level": 1.0}, "significance_level must lie between 0 and 1, not 1.0"),
        (9, {"max_conditioning": -1}, "max_conditioning must be 0 or more, not -1"),
    ],
)
def test_bad_input_is_refused_with_a_remedy(rows, options, message):
    with pytest.raises(InputError) as caught:
        pc_pgmpy(gaussian_site(["AB"], rows=rows)[0], **options)
    assert message in str(caught.value)


def test_copies_of_a_column_are_named():
    """What a copy leaves of its original is rounding, and a correlation with that decides nothing."""
    site, _ = gaussian_site(NETWORKS["chain"], rows=300)
    twice = SiteData("ABCDE", np.column_stack([site.values, site.values[:, 1] * 2]))
    with pytest.raises(InputError, match=r"column '[BE]': the column is an exact linear function of [BE]"):
        pc_pgmpy(twice)


def test_the_register_runs_it():
    entry = method("pc-pgmpy", "learn")
    site, graph = discrete_site(NETWORKS["collider with a child"])
    assert entry.load()(site, seed=3, **entry.checked({"significance_level": 1e-4})) == graph.cpdag()
    assert entry.defaults() == {"significance_level": 0.01, "max_conditioning": 3}
    for wrong in ({"significance_level": 1}, {"significance_level": 0}, {"max_conditioning": -1}):
        with pytest.raises(InputError):
            entry.checked(wrong)


# --- tests that contradict each other -------------------------------------------------------------


def test_a_graph_without_a_dag_is_mended_with_a_warning():
    """Six variables whose skeleton has a cycle of four without chord, and no v-structure in it."""
    site = simulate_linear_gaussian(nodes=6, edges=9, sites=1, rows=200, seed=23)[0][0]
    theirs = pgmpys(with_sorted_names(site), "pearsonr", significance_level=0.05)
    with pytest.raises(InputError, match="no DAG with the same skeleton"):
        theirs.to_dag()
    message = (
        r"^site_0001: the tests of PC contradict each other; .* 0 of 5 directions .* 1 v-structures added$"
    )
    with pytest.warns(UserWarning, match=message):
        found = pc_pgmpy(site, significance_level=0.05)
    assert found.is_cpdag()
    assert (found.skeleton().adjacency == theirs.skeleton().adjacency).all()


def test_a_ring_of_four_gets_one_v_structure():
    ring = Graph.from_edges("ABCD", [], undirected=["AB", "BC", "CD", "DA"]).adjacency
    with pytest.warns(UserWarning, match="here: .* 0 of 0 directions were reversed and 1 v-structures added"):
        dag = pgmpy_pc.some_dag(ring, "here")
    assert len(v_structures(dag)) == 1


def test_a_directed_ring_loses_one_direction():
    ring = Graph.from_edges("ABC", ["AB", "BC", "CA"]).adjacency
    dag, turned, added = pgmpy_pc._near_dag(ring)
    assert (turned, added) == (1, 0)
    assert is_dag(dag)
    assert (dag & ring).sum() == 2


@repeatable
@given(pdag=pdags())
def test_any_mended_graph_is_a_dag_of_the_same_skeleton_at_the_price_told(pdag):
    dag, turned, added = pgmpy_pc._near_dag(pdag)
    assert is_dag(dag)
    assert ((dag | dag.T) == (pdag | pdag.T)).all()
    assert turned == (pdag & ~pdag.T & dag.T).sum()
    assert added == len(v_structures(dag) - v_structures(pdag))
    try:
        extension = pdag_to_dag(pdag)
    except InputError:
        assert turned + added > 0
    else:
        assert (turned, added) == (0, 0)
        assert (dag_to_cpdag(dag) == dag_to_cpdag(extension)).all()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pgmpy_pc.some_dag(pdag, "here")
