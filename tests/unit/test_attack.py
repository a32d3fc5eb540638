"""What the messages tell the server, and what a site makes of the result."""

import numpy as np
import pytest

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.data.simulate import LinearSimulation
from fedbnsl.evaluate import normalised_mse
from fedbnsl.federate import Federation, leakage, listen, recover_covariances, refit, refit_site, run
from fedbnsl.federate.messages import Message
from fedbnsl.graphs.graph import WeightedGraph


def covariance(site):
    return np.cov(site.values.T, bias=True)


def error(estimate, site):
    sigma = covariance(site)
    return np.linalg.norm(estimate - sigma) / np.linalg.norm(sigma)


@pytest.fixture(scope="module")
def sites():
    group, _ = simulate_linear_gaussian(12, 14, 3, [400, 90, 8], seed=1001)  # one with rows < variables
    return group


# --- the attack ---------------------------------------------------------------------------------


def test_the_first_messages_of_fed_bnsl_give_every_covariance_away(sites):
    transcript = listen("fed-bnsl", sites, rounds=1)
    for site, recovered in zip(sites, recover_covariances(transcript, 12), strict=True):
        np.testing.assert_allclose(recovered, covariance(site), rtol=1e-9, atol=1e-9)


def test_it_takes_the_agreed_penalty_and_gives_what_the_site_computes_with(sites):
    transcript = listen("fed-bnsl", sites, rounds=1, rho2=7.0, site_weights="rows")
    share = 3 * 400 / 498
    np.testing.assert_allclose(
        recover_covariances(transcript, 12, rho2=7.0)[0], share * covariance(sites[0]), rtol=1e-8, atol=1e-8
    )
    reference = listen("fed-bnsl", sites, rounds=1, schedule="reference")
    recovered = 3 * recover_covariances(reference, 12, rho2=1e-3)[0]
    assert error(recovered, sites[0]) < 1e-6
    assert error(recover_covariances(transcript, 12, rho2=1.0)[0], sites[0]) > 0.5  # a wrong guess


@pytest.mark.parametrize("variant", ["paper", "growing"])
def test_sparse_messages_give_an_estimate_only(sites, variant):
    transcript = listen("fed-sparse-bnsl", sites, rounds=1, variant=variant)
    for site, recovered in zip(sites, recover_covariances(transcript, 12, l1=0.1), strict=True):
        np.testing.assert_array_equal(recovered, recovered.T)
        assert 0.02 < error(recovered, site) < 3


def test_it_is_the_penalty_that_hides(sites):
    """With the exact minimum, a diagonal and a vanishing λ, Fed-Sparse-BNSL sends what Fed-BNSL does."""
    options = {"variant": "paper", "updates": "converged", "rounds": 1}
    open_book = listen("fed-sparse-bnsl", sites, l1=1e-7, **options)
    assert error(recover_covariances(open_book, 12, l1=1e-7)[0], sites[0]) < 1e-4
    known = recover_covariances(listen("fed-sparse-bnsl", sites, l1=0.05, **options), 12, l1=0.05)[0]
    ignored = recover_covariances(listen("fed-sparse-bnsl", sites, l1=0.05, **options), 12)[0]
    assert error(known, sites[0]) < 0.6 * error(ignored, sites[0])
    closed = listen("fed-sparse-bnsl", sites, l1=0.5, **options)
    assert error(recover_covariances(closed, 12, l1=0.5)[0], sites[0]) > 0.05


def test_the_transcript_is_what_was_exchanged_and_listening_changes_nothing(sites):
    transcript = listen("fed-sparse-bnsl", sites, rounds=6)
    result = run("fed-sparse-bnsl", sites, rounds=6)
    up = [sum(message.n_bytes for message in messages) for messages in transcript.received]
    assert up == result.rounds["bytes_up"].tolist()
    down = [3 * message.n_bytes for message in transcript.sent]
    assert down == [0, *result.rounds["bytes_down"]]
    assert len(listen("fed-sparse-bnsl", sites, stop=0.5).received) < 100  # it also ends early


def test_messages_without_a_local_matrix_are_refused(sites):
    with pytest.raises(InputError, match="covariance, rows, not a matrix B"):
        recover_covariances(listen("notears-pooled", sites), 12)
    empty = listen("fed-bnsl", sites, rounds=1)
    empty.received.clear()
    with pytest.raises(InputError, match="transcript is empty"):
        recover_covariances(empty, 12)


def test_leakage_says_how_near_the_server_comes(sites):
    exact = leakage("fed-bnsl", sites, rho2=3.0)
    assert exact["site"].tolist() == [1, 2, 3]
    assert (exact[["error", "correlation_error"]] < 1e-9).all(axis=None)
    sparse = leakage("fed-sparse-bnsl", sites, l1=0.3, rounds=50)
    recovered = recover_covariances(listen("fed-sparse-bnsl", sites, l1=0.3, rounds=1), 12, l1=0.3)
    for row, estimate, site in zip(sparse.to_dict("records"), recovered, sites, strict=True):
        assert row["error"] == pytest.approx(error(estimate, site))
        assert row["error_guess"] == pytest.approx(error(np.eye(12), site))
        off = ~np.eye(12, dtype=bool)
        true = np.corrcoef(site.values.T)
        assert row["correlation_error_guess"] == pytest.approx(np.sqrt(np.mean(true[off] ** 2)))
        scale = np.sqrt(np.maximum(np.diagonal(estimate), 0))
        own = np.where(np.outer(scale, scale) > 0, estimate / np.maximum(np.outer(scale, scale), 1e-300), 0)
        difference = np.clip(own, -1, 1)[off] - true[off]
        assert row["correlation_error"] == pytest.approx(np.sqrt(np.mean(difference**2)))


def test_matrices_may_come_after_messages_of_another_kind(sites):
    transcript = listen("fed-bnsl", sites, rounds=1)
    expected = recover_covariances(transcript, 12)
    transcript.received.insert(0, tuple(Message({"scale": np.ones(12)}) for _ in sites))
    np.testing.assert_array_equal(recover_covariances(transcript, 12), expected)


# --- refitting ----------------------------------------------------------------------------------


def federation(weights, sites):
    found = run("fed-bnsl", sites, rounds=1, rho2=1000.0)
    return Federation(
        found.method, found.names, weights, weights, found.rounds, None, found.n_sites, True,
        found.seconds, found.variances,
    )  # fmt: skip


def test_refitted_weights_are_least_squares_on_the_parents():
    simulation = LinearSimulation(8, 9, 1003, heterogeneous=True)
    group = [simulation.site(k, rows) for k, rows in ((1, 300), (2, 80))]
    group[1] = SiteData(group[1].names, group[1].values + 50, label="shifted")  # centred at the site
    pattern = (simulation.truth().weights != 0).astype(float)
    for site, own in zip(group, refit(federation(pattern, group), group), strict=True):
        sigma, expected = covariance(site), np.zeros((8, 8))
        for j in range(8):
            parents = np.flatnonzero(pattern[:, j])
            expected[parents, j] = np.linalg.solve(sigma[np.ix_(parents, parents)], sigma[parents, j])
        np.testing.assert_allclose(own.weights, expected, atol=1e-9)
        assert own.graph == simulation.truth().graph
        assert own.names == site.names
        turned = simulation.truth().graph.reordered(site.names[::-1])
        np.testing.assert_allclose(refit_site(turned, site).weights, own.weights)


def test_refitting_comes_nearer_to_the_weights_of_heterogeneous_sites():
    simulation = LinearSimulation(10, 10, 1005, heterogeneous=True)
    group = [simulation.site(k, 500) for k in range(1, 6)]
    found = run("fed-sparse-bnsl", group)
    common = WeightedGraph(found.names, found.weights)
    before, after = [], []
    for k, own in enumerate(refit(found, group), start=1):
        before.append(normalised_mse(common, simulation.site_truth(k)))
        after.append(normalised_mse(own, simulation.site_truth(k)))
    assert np.mean(after) < 0.5 * np.mean(before)


def test_fewer_rows_than_parents_give_the_weights_of_least_norm():
    rng = np.random.default_rng(3)
    site = SiteData("abcd", rng.normal(size=(3, 4)))
    pattern = np.zeros((4, 4))
    pattern[:3, 3] = 1.0
    [own] = refit(federation(pattern, [site]), [site])
    centred = site.values - site.values.mean(axis=0)
    np.testing.assert_allclose(own.weights[:3, 3], np.linalg.pinv(centred[:, :3]) @ centred[:, 3], atol=1e-10)


def test_personal_networks_are_refitted_each_on_its_own():
    group, _ = simulate_linear_gaussian(3, 2, 2, 50, seed=1)
    weights = np.zeros((2, 3, 3))
    weights[0, 0, 1] = weights[1, 2, 0] = 1.0
    names = group[0].names
    found = refit(federation(weights, group), group)
    assert [own.graph for own in found] == [
        Graph.from_edges(names, [(names[0], names[1])]), Graph.from_edges(names, [(names[2], names[0])])
    ]  # fmt: skip
    with pytest.raises(InputError, match="a network for each of 2"):
        refit(federation(weights, group), group[:1])


def test_sites_of_another_run_are_refused():
    group, _ = simulate_linear_gaussian(3, 2, 2, 50, seed=1)
    other = [SiteData("abc", site.values) for site in group]
    with pytest.raises(InputError, match="other variables than the run"):
        refit(federation(np.zeros((3, 3)), group), other)
    with pytest.raises(InputError, match="1 row"):
        refit(federation(np.zeros((3, 3)), group), [group[0], group[1].rows(slice(0, 1))])
