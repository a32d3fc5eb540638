"""From sites to one network: the same as by hand, whatever the order; stability; the choice of a method."""

import numpy as np
import pytest

from fedbnsl.cohort.choice import compare, recommend, stability
from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.learning import Way
from fedbnsl.cohort.stability import bootstrap, edge_shares, leave_one_out, resampled
from fedbnsl.consensus import prune
from fedbnsl.data import SiteData, load_network, simulate_linear_gaussian
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.learn import ges


@pytest.fixture(scope="module")
def asia():
    network = load_network("asia")
    return [network.sample(rows, rows, label=f"n{rows}") for rows in (300, 700, 1000)]


def test_consensus_is_what_the_pieces_give_by_hand(asia):
    way = Way("gmcbc", "ges")
    found = way.together(asia)
    path = prune([ges(site) for site in asia], variant="gmcbc")
    assert {frozenset(e) for e in found.graph.edges()} == {frozenset(e) for e in path.best().edges()}
    assert found.path is not None
    assert found.federation is None
    assert way.together(asia, way.learn_sites(asia).graphs).graph == found.graph


def test_knowledge_reaches_the_sites(asia):
    order = ("asia", "smoke", "tub", "lung", "bronc", "either", "xray", "dysp")
    way = Way("fusion", "ges", Knowledge(tiers=tuple((name,) for name in order)))
    for graph in way.learn_sites(asia).graphs:
        assert all(order.index(a) < order.index(b) for a, b in graph.edges())
        assert graph.is_dag()


def test_a_site_that_fails_is_named_and_left_out():
    sites, _ = simulate_linear_gaussian(nodes=4, edges=4, sites=2, rows=100, seed=1)
    twin = sites[0].values.copy()
    twin[:, 1] = twin[:, 0] * 2
    broken = SiteData(sites[0].names, twin, label="broken")
    way = Way("gmcbc", "ges")
    learned = way.learn_sites([*sites, broken])
    assert learned.graphs[2] is None
    assert list(learned.failed) == ["broken"]
    assert way.together([*sites, broken], learned.graphs).graph == way.together(sites).graph
    with pytest.raises(InputError, match="no graph at any of the 1 sites"):
        way.together([broken])


def test_federated_method_gives_weights():
    sites, truth = simulate_linear_gaussian(nodes=6, edges=6, sites=3, rows=500, seed=2)
    found = Way("fed-sparse-bnsl").together(sites)
    assert isinstance(found.graph, WeightedGraph)
    assert found.federation.bytes_total > 0
    assert set(found.graph.graph.edges()) == set(truth.graph.edges())


def test_bootstrap_batches_do_not_matter_and_rows_are_resampled_within_sites(asia):
    way = Way("majority", "ges", seed=3)
    whole = bootstrap(way, asia, range(6))
    parts = [*bootstrap(way, asia, range(3)), *bootstrap(way, asia, range(3, 6))]
    assert whole == parts
    assert bootstrap(way, asia[::-1], [4])[0].skeleton() == whole[4].skeleton()
    again = resampled(asia[0], 3, 1)
    assert again.n_rows == asia[0].n_rows
    assert set(map(tuple, again.values)) <= set(map(tuple, asia[0].values))
    assert not np.array_equal(again.values, resampled(asia[1].rows(slice(300), "n300"), 3, 2).values)


def test_strong_edges_are_stable_and_what_is_not_there_is_not(asia):
    way = Way("gmcbc", "ges")
    graph = way.together(asia).graph
    joined, forward, free = edge_shares(bootstrap(way, asia, range(20)))
    place = {name: k for k, name in enumerate(graph.names)}
    assert joined[place["smoke"], place["bronc"]] == 1.0
    assert joined[place["asia"], place["smoke"]] < 0.3
    assert np.allclose(joined, joined.T)
    assert np.allclose(forward + forward.T + free, joined)
    assert 0.6 < stability(graph, joined) <= 1


def test_shares_worked_example():
    chain = Graph.from_edges("abc", [("a", "b"), ("b", "c")])
    collider = Graph.from_edges("abc", [("a", "b"), ("c", "b")])
    joined, forward, free = edge_shares([chain, collider, None, Graph("abc", np.zeros((3, 3)))])
    assert joined[0, 1] == pytest.approx(2 / 3)
    assert forward[0, 1] == pytest.approx(1 / 3)  # the chain's class leaves it free
    assert free[0, 1] == pytest.approx(1 / 3)
    weighted = WeightedGraph("abc", [[0, 2.0, 0], [0, 0, 1.0], [0, 0, 0]])
    assert edge_shares([weighted])[1][0, 1] == 1.0  # the model identifies directions


def test_leave_one_out_uses_all_others(asia):
    way = Way("gmcbc", "ges")
    graphs = way.learn_sites(asia).graphs
    without = leave_one_out(way, asia, graphs)
    assert list(without) == ["n300", "n700", "n1000"]
    pair = way.together([asia[0], asia[2]], [graphs[0], graphs[2]], "without", "n700")
    assert without["n700"] == pair.graph
    assert leave_one_out(way, asia[:1]) == {}


def test_comparison_counts_sites_by_rows():
    folds = {"a": np.array([[-1.0, -2.0], [-1.0, -2.0]]), "b": np.array([[-2.0, -1.0], [-2.2, -1.0]])}
    table = compare(folds, [300, 100])
    assert table["a"]["held_out"] == pytest.approx(-1.25)
    assert table["b"]["held_out"] == pytest.approx(-1.825)
    assert table["b"]["behind"] == pytest.approx(0.575)
    assert table["b"]["behind_se"] == pytest.approx(0.075)
    assert table["a"]["behind"] == 0
    assert np.isnan(compare(folds | {"c": np.full((2, 2), np.nan)}, [1, 1])["c"]["held_out"])


def row(method, held_out, behind, se, steady, parameters):
    return {
        "method": method,
        "held_out": held_out,
        "behind": behind,
        "behind_se": se,
        "stability": steady,
        "parameters": parameters,
    }


def test_recommendation_prefers_stable_then_simple_among_the_close():
    best = row("best", -1.0, 0, 0, 0.8, 50)
    close = row("close", -1.01, 0.01, 0.02, 0.9, 70)
    far = row("far", -2.0, 1.0, 0.1, 1, 5)
    name, said = recommend([best, close, far])
    assert name == "close"
    assert "not clearly behind (0.01 ± 0.02)" in said
    assert "Clearly behind: far" in said
    assert recommend([best, {**close, "stability": 0.81, "parameters": 20}, far])[0] == "close"
    assert recommend([best, {**close, "stability": 0.81, "parameters": 60}, far])[0] == "best"
    assert recommend([best, far])[0] == "best"
    name, said = recommend([best, row("broken", np.nan, np.nan, np.nan, np.nan, 3)])
    assert name == "best"
    assert "Not judged" in said
    assert "broken" in said
    assert recommend([row("broken", np.nan, np.nan, np.nan, np.nan, 3)])[0] is None


def test_a_weight_goes_with_its_site(asia):
    labels = tuple(site.label for site in asia)
    way = Way("gmcbc@weights=1+2+3", "ges", labels=labels)
    graphs = way.learn_sites(asia).graphs
    pair = Way("gmcbc@weights=1+3", "ges", labels=(labels[0], labels[2]))
    by_hand = pair.together([asia[0], asia[2]], [graphs[0], graphs[2]])
    without = leave_one_out(way, asia, graphs)["n700"]
    assert {frozenset(e) for e in without.edges()} == {frozenset(e) for e in by_hand.graph.edges()}
    assert None not in leave_one_out(way, asia, graphs).values()
    with pytest.raises(InputError, match="3 weights for 2 sites"):
        Way("gmcbc@weights=1+2+3", "ges", labels=labels[:2]).together(asia, graphs)


def test_sites_can_count_by_their_rows(asia):
    graphs = Way("gmcbc", "ges").learn_sites(asia).graphs
    way = Way("gmcbc@weights=rows", "ges")
    assert way.together(asia, graphs).path.weights == (3, 7, 10)
    assert way.together(asia, [None, *graphs[1:]]).path.weights == (7, 10)
    assert Way("gmcbc", "ges").together(asia, graphs).path.weights == (1, 1, 1)
    fewer = [SiteData(site.names, site.values[:100], site.states, label=site.label) for site in asia]
    assert way.together(fewer, graphs).path.weights == (1, 1, 1)  # rows as they are this time


def test_directions_that_follow_from_knowledge_are_fixed():
    chain = Graph.from_edges("abc", [("a", "b"), ("b", "c")])
    known = Knowledge(tiers=(("a",), ("b", "c")))
    joined, forward, free = edge_shares([chain], known)
    assert forward[0, 1] == 1.0
    assert forward[1, 2] == 1.0  # otherwise b would be a collider
    assert not free.any()
    assert edge_shares([chain])[2][0, 1] == 1.0
    assert joined[0, 2] == 0.0


def test_what_uses_knowledge():
    known = Knowledge(required=(("a", "b"),))
    assert Way("gmcbc", "ges", known).uses_knowledge
    assert not Way("fed-sparse-bnsl", "ges", known).uses_knowledge
    assert not Way("gmcbc", "ges").uses_knowledge


def test_private_methods_are_not_called_failures():
    private = {**row("dp-auto", np.nan, np.nan, np.nan, np.nan, np.nan), "private": True}
    name, said = recommend([row("best", -1.0, 0, 0, 0.8, 50), private])
    assert name == "best"
    assert "spend more of a budget: dp-auto" in said
    assert "failed" not in said
    assert "clearly behind" not in said


def test_two_folds_prove_little():
    best, other = row("best", -1.0, 0, 0, 0.8, 50), row("other", -1.1, 0.1, 0.02, 0.9, 20)
    assert recommend([best, other])[0] == "best"
    assert recommend([{**best, "folds": 2}, {**other, "folds": 2}])[0] == "other"
    _, said = recommend([{**best, "same": ["twin"]}, other])
    assert "The same network comes from twin" in said


def test_a_site_with_too_few_rows_does_not_spoil_the_comparison():
    values = np.array([[-1.0, np.nan], [-2.0, np.nan]])
    assert compare({"a": values}, [10, 2])["a"]["held_out"] == pytest.approx(-1.5)
