"""Whether joining pays: held-out rows of each site under its own model and the shared one."""

import numpy as np
import pytest

from fedbnsl.data import SiteData, load_network
from fedbnsl.data.gaussian_network import GaussianNetwork
from fedbnsl.errors import InputError
from fedbnsl.evaluate.joining import cross_validated, joining, split_rows
from fedbnsl.graphs.graph import Graph
from fedbnsl.learn import ges
from fedbnsl.scores import held_out_log_likelihood


def test_split_keeps_every_row_once_and_hangs_on_the_label_only():
    network = load_network("asia")
    north, south = (network.sample(101, seed, label=name) for seed, name in ((1, "north"), (2, "south")))
    train, test = split_rows([north, south], 0.2, seed=5)
    assert [site.n_rows for site in test] == [20, 20]
    both = np.vstack([train[0].values, test[0].values])
    assert sorted(map(tuple, both)) == sorted(map(tuple, north.values))
    assert np.array_equal(split_rows([south, north], 0.2, seed=5)[1][1].values, test[0].values)
    assert not np.array_equal(split_rows([north, south], 0.2, seed=6)[1][0].values, test[0].values)
    (kept,), (held,) = split_rows([north.rows([0])], 0.2, seed=1)
    assert (kept.n_rows, held.n_rows) == (1, 0)


def test_small_site_gains_and_a_different_one_loses():
    network = load_network("asia")
    sites = [network.sample(rows, rows, label=f"n{rows}") for rows in (30, 3000, 2000)]
    rng = np.random.default_rng(1)
    # a site whose variables are independent and uniform
    odd = SiteData(network.names, rng.integers(2, size=(2000, 8)), network.states, "odd")
    train, test = split_rows([*sites, odd], 0.3, seed=1)
    table = joining(network.graph, [ges(site) for site in train], train, test)
    verdicts = {row["site"]: row["verdict"] for row in table}
    assert verdicts["odd"] == "costs"
    # without the odd site, the small one gains and the large one does not care
    table = joining(network.graph, [ges(site) for site in train[:3]], train[:3], test[:3])
    assert table[0]["gain"] > 0.1
    assert abs(table[1]["gain"]) < 0.02
    for row, learned, held in zip(table, train, test, strict=False):
        assert row["own"] == pytest.approx(held_out_log_likelihood(ges(learned), learned, held), rel=1e-9)
        assert row["shared_graph"] == pytest.approx(
            held_out_log_likelihood(network.graph, learned, held), rel=1e-9
        )


def test_a_site_without_a_model_of_its_own_is_not_comparable():
    graph = Graph.from_edges("ab", [("a", "b")])
    truth = GaussianNetwork(graph, [[0, 1], [0, 0]], [0, 0], [1, 1])
    sites = [truth.sample(50, k, label=f"s{k}") for k in range(2)]
    flat = SiteData("ab", np.column_stack([np.ones(60), np.arange(60.0)]), label="flat")
    train, test = split_rows([*sites, flat], 0.3, seed=1)
    table = joining(graph, [graph, None, graph], train, test)
    assert [row["verdict"] for row in table][1:] == ["not comparable"] * 2
    assert np.isnan(table[1]["own"])
    assert np.isfinite(table[1]["shared"])
    assert np.isnan(table[2]["shared_graph"])
    few = joining(graph, [graph, graph], train[:2], [test[0].rows([]), test[1].rows(slice(9))])
    assert [row["verdict"] for row in few] == ["too few rows"] * 2
    assert np.isnan(few[0]["shared"])
    with pytest.raises(InputError, match="do not belong together"):
        joining(graph, [graph], train[:2], test[:2])


def test_cross_validation_finds_the_truth_better_than_nothing_or_everything():
    network = load_network("asia")
    sites = [network.sample(60, k, label=f"s{k}") for k in range(3)]
    full = Graph(network.names, np.triu(np.ones((8, 8)), 1))
    empty = Graph(network.names, np.zeros((8, 8)))
    true, most, least = (
        cross_validated(lambda train, graph=graph: graph, sites, 5, seed=1).mean()
        for graph in (network.graph, full, empty)
    )
    assert true > least
    assert true > most
    small = [sites[0], sites[1].rows(slice(3))]
    found = cross_validated(lambda train: empty, small, 5, seed=1)
    assert np.isfinite(found[:, 0]).all()
    assert np.isnan(found[:, 1]).all()


def test_a_fold_that_cannot_be_fitted_has_no_likelihood():
    names, values = "ab", np.column_stack([np.r_[1.0, np.zeros(9)], np.arange(10.0)])
    site = SiteData(names, values)  # without its first row, column a is constant
    found = cross_validated(lambda train: Graph(names, np.zeros((2, 2))), [site], 5, seed=1)
    assert np.isnan(found).sum() == 1


def test_learning_never_sees_the_rows_it_is_judged_on():
    marked = SiteData(("id",), np.arange(40)[:, None], [[str(k) for k in range(40)]])
    seen = []

    def learn(train):
        seen.append({int(v) for v in train[0].values[:, 0]})
        return Graph(("id",), np.zeros((1, 1)))

    cross_validated(learn, [marked], 4, seed=3)
    assert all(len(part) == 30 for part in seen)
    left_out = [set(range(40)) - part for part in seen]
    assert set().union(*left_out) == set(range(40))
    assert sum(map(len, left_out)) == 40
