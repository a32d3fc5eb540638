"""Counts with noise: how far one record moves them, how much noise that takes, and what it may be called."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.data import SiteData, load_network
from fedbnsl.errors import InputError
from fedbnsl.federate import fit_parameters
from fedbnsl.federate.messages import Message
from fedbnsl.federate.parameters import TableLayout
from fedbnsl.privacy import private_parameters, zcdp_budget
from fedbnsl.privacy.counts import PrivateCountsSite


class Silent:
    """No noise at all, to look at what is released."""

    def gaussian(self, totals, scale):
        return totals


@settings(deadline=None, max_examples=200)
@given(seed=st.integers(0, 10**9))
def test_no_pair_of_records_moves_the_counts_by_more_than_the_sensitivity(seed):
    network = load_network("child")
    layout = TableLayout(network.graph, network.states)
    rng = np.random.default_rng(seed)
    rest = network.sample(5, seed).values
    one, other = (np.array([rng.integers(len(s)) for s in network.states]) for _ in range(2))
    vectors = []
    for record in (one, other):
        site = SiteData(network.names, np.vstack([rest, record]), network.states)
        vectors.append(PrivateCountsSite(site, layout, 1.0, Silent()).step(0, Message())["counts"])
    moved = np.linalg.norm(vectors[0] - vectors[1])
    assert moved <= math.sqrt(2 * len(network.names)) + 1e-12
    if (one != other).all():
        assert moved == pytest.approx(math.sqrt(2 * len(network.names)))


def test_noise_is_that_of_the_budget():
    network = load_network("asia")
    site = network.sample(2000, 1, label="north")
    layout = TableLayout(network.graph, network.states)
    found = [private_parameters(network.graph, [site], epsilon=1.0, seed=k) for k in range(3)]
    [release] = found[0].ledgers[0].releases
    assert release.sensitivity == pytest.approx(4.0)  # √(2·8)
    assert release.rho == pytest.approx(zcdp_budget(1.0, 2000**-2))
    assert found[0].ledgers[0].spent == pytest.approx(found[0].ledgers[0].budget)
    assert found[0].statement.private is False
    assert found[0].statement.reason == "seed known"
    from fedbnsl.privacy.setting import noise_source

    noise = np.concatenate(
        [
            PrivateCountsSite(site, layout, release.scale, noise_source("research", k, "x", 0)).step(
                0, Message()
            )["counts"]
            - PrivateCountsSite(site, layout, 1.0, Silent()).step(0, Message())["counts"]
            for k in range(200)
        ]
    )
    assert noise.std() == pytest.approx(release.scale, rel=0.03)
    assert abs(noise.mean()) < 4 * release.scale / math.sqrt(noise.size)


def test_more_budget_comes_nearer_to_the_fit_without_noise():
    network = load_network("asia")
    sites = [network.sample(5000, k, label=str(k)) for k in range(4)]
    exact = fit_parameters(network.graph, sites).network

    def error(epsilon):
        fitted = private_parameters(network.graph, sites, epsilon=epsilon, seed=1).fitted.network
        return sum(np.abs(a - b).sum() for a, b in zip(fitted.tables, exact.tables, strict=True))

    errors = [error(epsilon) for epsilon in (0.1, 1, 10, 100)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.2


def test_secure_mode_is_private_and_takes_no_seed(tmp_path):
    network = load_network("asia")
    sites = [network.sample(500, k, label=str(k)) for k in range(2)]
    found = private_parameters(network.graph, sites, epsilon=1.0, mode="secure", ledger=tmp_path)
    assert found.statement.private is True
    assert "the graph" in found.statement.public
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["0.json", "1.json"]
    with pytest.raises(InputError, match="not enough is left"):
        private_parameters(network.graph, sites, epsilon=1.0, mode="secure", ledger=tmp_path)
    with pytest.raises(InputError, match="takes no seed"):
        private_parameters(network.graph, sites, epsilon=1.0, mode="secure", seed=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 1.0, "delta": 0.1}, "not below 1/n"),
        ({"epsilon": 1.0, "mode": "quiet"}, "no mode 'quiet'"),
        ({"epsilon": 1.0, "pseudo_count": 0}, "pseudo-count"),
    ],
)
def test_bad_input(change, message):
    network = load_network("asia")
    with pytest.raises(InputError, match=message):
        private_parameters(network.graph, [network.sample(50, 1)], **change)


def test_a_site_counts_once():
    network = load_network("asia")
    layout = TableLayout(network.graph, network.states)
    piece = PrivateCountsSite(network.sample(50, 1), layout, 1.0, Silent())
    piece.step(0, Message())
    for round in (0, 1):
        with pytest.raises(InputError, match="all have been given"):
            piece.step(round, Message())


def test_sites_without_rows_or_with_one_are_refused():
    network = load_network("asia")
    site = network.sample(50, 1)
    with pytest.raises(InputError, match=r"empty: it has no rows\. Leave the site out"):
        private_parameters(network.graph, [site, site.rows(slice(0), "empty")], epsilon=1.0)
    with pytest.raises(InputError, match=r"delta = 1 is not below 1/n = 1: .*\. Give a smaller delta"):
        private_parameters(network.graph, [site.rows(slice(1))], epsilon=1.0)


def test_the_ledgers_of_a_second_fit_hold_the_first(tmp_path):
    from fedbnsl.privacy import Ledger

    network = load_network("asia")
    site = network.sample(500, 1, label="north")
    Ledger("north", 4.0, 500**-2.0).save(tmp_path / "north.json")
    spent = [
        private_parameters(network.graph, [site], epsilon=1.0, mode="secure", ledger=tmp_path)
        .ledgers[0]
        .epsilon_spent
        for _ in range(2)
    ]
    assert spent[0] == pytest.approx(1.0)
    assert spent[1] == pytest.approx(Ledger.load(tmp_path / "north.json").epsilon_spent)
    assert spent[1] > 1.3


def test_continuous_sites_are_refused():
    from fedbnsl.graphs.graph import Graph

    site = SiteData("ab", np.random.default_rng(1).normal(size=(9, 2)))
    with pytest.raises(InputError, match="discrete data only"):
        private_parameters(Graph.from_edges("ab", [("a", "b")]), [site], epsilon=1.0)
