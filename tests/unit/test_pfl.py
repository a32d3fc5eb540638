"""NOTEARS-PFL: the direct solver, the rounds, the choice of λ, bad input."""

import numpy as np
import pytest

from fedbnsl.data.personal import PersonalSimulation
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.evaluate.structure import edge_metrics
from fedbnsl.federate import refit, run
from fedbnsl.federate.attack import listen
from fedbnsl.federate.messages import unpack_symmetric
from fedbnsl.federate.pfl_admm import global_step
from fedbnsl.federate.pfl_choose import Choice, held_out, noise_scale, parts_of
from fedbnsl.federate.pfl_direct import FINAL, Effort, _Problem, acyclicities, fit, objective
from fedbnsl.federate.pfl_prox import KINDS
from fedbnsl.learn.notears import notears_weights
from fedbnsl.learn.sufficient import sufficient_statistics

TIGHT = Effort(h=1e-8, decrease=1e-9, steps=200, sweeps=100)


def simulated(nodes=6, sites=4, rows=200, seed=3, **options):
    simulation = PersonalSimulation(nodes, nodes, seed, **options)
    return [simulation.site(k + 1, rows) for k in range(sites)], [
        simulation.site_truth(k + 1).graph for k in range(sites)
    ]


def covariances(sites):
    return np.stack([sufficient_statistics(site).covariance for site in sites])


def mean_f(found, truths):
    return np.mean([edge_metrics(g, t)["f1"] for g, t in zip(found.graphs, truths, strict=True)])


# --- the direct solver -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_steps_never_raise_the_objective(kind):
    sites, _ = simulated()
    problem = _Problem(covariances(sites), kind, 0.05, 0.1)
    problem.smooth = 1e-3 if kind == "chain" else 0.0
    z, alpha = np.zeros_like(problem.quadratic), np.full(4, 0.3)
    values = [problem.lagrangian(z, alpha, 10.0)[0]]
    for _ in range(25):
        z, _ = problem.minimise(z, alpha, 10.0, FINAL._replace(steps=1))
        problem.smooth = 1e-3 if kind == "chain" else 0.0
        values.append(problem.lagrangian(z, alpha, 10.0)[0])
    assert np.all(np.diff(values) <= 1e-9)
    assert values[-1] < 0.9 * values[0]


@pytest.mark.parametrize("kind", KINDS)
def test_the_inner_problem_ends_where_no_direction_descends(kind):
    sites, _ = simulated(nodes=4, sites=3)
    problem = _Problem(covariances(sites), kind, 0.05, 0.1)
    z, alpha = np.zeros_like(problem.quadratic), np.full(3, 0.3)
    z, _ = problem.minimise(z, alpha, 10.0, Effort(0, 0, 300, 200))
    best = problem.lagrangian(z, alpha, 10.0)[0]
    rng = np.random.default_rng(1)
    off = 1 - np.eye(4)
    directions = [rng.normal(size=z.shape) * off for _ in range(20)]
    directions += [-z, z.mean(axis=0) - z, *(rng.normal(size=z.shape) * (z != 0) for _ in range(20))]
    for direction in directions:
        for length in (1e-2, 1e-4):
            assert problem.lagrangian(z + length * direction, alpha, 10.0)[0] >= best - 1e-6


def test_without_second_penalty_every_site_is_separate_notears():
    sites, _truths = simulated(rows=500)
    sigma = covariances(sites)
    for kind in ("group", "fused", "chain", "none"):
        found = fit(sigma, kind, 0.1, 0.0, TIGHT).weights
        for k, covariance in enumerate(sigma):
            alone = fit(covariance[None], "none", 0.1, 0.0, TIGHT).weights[0]
            # h ≤ 1e-8 leaves room for pairs of opposite weights as small as this
            assert found[k] == pytest.approx(alone, abs=0.03)
            other_solver = notears_weights(covariance, 0.1)
            assert found[k] == pytest.approx(other_solver, abs=0.03)
            large = [np.abs(w) > 0.1 for w in (found[k], alone, other_solver)]
            assert (large[0] == large[1]).all()
            assert (large[0] == large[2]).all()


@pytest.mark.parametrize("kind", ["fused", "chain"])
def test_a_large_second_penalty_makes_all_sites_equal(kind):
    sites, _ = simulated(rows=500)
    sigma = covariances(sites)
    found = fit(sigma, kind, 0.1, 300.0).weights
    assert np.ptp(found, axis=0).max() < 1e-3
    together = fit(sigma.mean(axis=0)[None], "none", 0.1, 0.0).weights[0]
    assert (np.abs(found[0]) > 0.3).tolist() == (np.abs(together) > 0.3).tolist()
    assert found[0] == pytest.approx(together, abs=0.05)


def test_a_large_group_penalty_leaves_no_edge():
    sites, _ = simulated()
    assert not fit(covariances(sites), "group", 0.0, 1e4).weights.any()


@pytest.mark.parametrize("kind", ["group", "fused", "none"])
def test_order_of_sites_does_not_matter(kind):
    sites, _ = simulated(rows=30)
    sigma, order = covariances(sites), [2, 0, 3, 1]
    found, turned = (fit(s, kind, 0.05, 0.1).weights for s in (sigma, sigma[order]))
    assert turned == pytest.approx(found[order], abs=1e-6)


def test_order_of_sites_matters_to_the_chain():
    # Two clusters with networks of their own: in contiguous order only one step of the chain is large.
    first, second = PersonalSimulation(6, 8, 1, 0.0), PersonalSimulation(6, 8, 2, 0.0)
    sites = [first.site(k, 40) for k in (1, 2, 3)] + [second.site(k, 40) for k in (1, 2, 3)]
    sigma = covariances(sites)
    values = []
    for order in (range(6), [0, 3, 1, 4, 2, 5]):
        values.append(objective(sigma[list(order)], fit(sigma[list(order)], "chain", 0.05, 1.0).weights,
                                "chain", 0.05, 1.0))  # fmt: skip
    assert values[1] > values[0] + 1


def test_weights_are_acyclic_and_zeros_exact():
    sites, _ = simulated(nodes=12, rows=8)
    found = fit(covariances(sites), "group", 0.1, 0.3)
    assert found.h.max() <= FINAL.h
    assert acyclicities(found.weights) == pytest.approx(found.h)
    assert not found.weights[:, range(12), range(12)].any()
    assert (found.weights == 0).sum() > 4 * 12 * 4


def test_a_huge_scale_does_not_end_in_nan():
    sites, _ = simulated(nodes=5)
    found = fit(1e6 * covariances(sites), "group", 0.1, 0.1)
    assert np.isfinite(found.weights).all()


# --- the method ------------------------------------------------------------------------------------


def test_every_site_gets_its_network_and_what_is_shared_is_told():
    sites, truths = simulated(rows=400, changed=0.4)
    found = run("notears-pfl", sites)
    assert found.weights.shape == (4, 6, 6)
    assert len(found.graphs) == 4
    assert mean_f(found, truths) > 0.9
    adjacencies = np.array([g.adjacency for g in found.graphs])
    assert found.shared.adjacency.tolist() == adjacencies.min(axis=0).tolist()
    for own, more in zip(found.graphs, found.differences, strict=True):
        assert own.n_edges == found.shared.n_edges + more.n_edges
        assert own.is_dag()
    assert sum(more.n_edges for more in found.differences) > 0
    refitted = refit(found, sites)
    assert [g.graph.edges() for g in refitted] == [g.edges() for g in found.graphs]


def test_bytes_are_those_of_the_messages():
    sites, _ = simulated(rows=10)
    found = run("notears-pfl", sites)
    triangle = 6 * 7 // 2
    assert parts_of(10) == 5
    assert found.rounds["bytes_up"].sum() == 4 * (8 * triangle * (1 + 2 * 5) + 8)
    # every site receives its own edges, a value of 8 bytes and a position of 1
    assert found.rounds["bytes_down"].sum() == 9 * sum(g.n_edges for g in found.graphs)
    fixed = run("notears-pfl", sites, penalty="group", l1=0.1, l2=0.1)
    assert fixed.rounds["bytes_up"].sum() == 4 * (8 * triangle + 8)


@pytest.mark.parametrize("penalty", ["auto", "none", "pooled"])
def test_the_unit_of_the_data_does_not_matter(penalty):
    sites, _ = simulated(rows=30)
    scaled = [SiteData(s.names, 100 * s.values, label=s.label) for s in sites]
    one, other = (run("notears-pfl", group, penalty=penalty) for group in (sites, scaled))
    assert [g.edges() for g in one.graphs] == [g.edges() for g in other.graphs]
    assert other.rounds["l1"][0] == pytest.approx(1e4 * one.rounds["l1"][0])


def test_auto_shares_edges_or_weights_as_the_sites_do():
    own, _ = simulated(nodes=8, sites=6, rows=15, seed=5)
    shared, _ = simulated(nodes=8, sites=6, rows=15, seed=5, weights="shared")
    assert run("notears-pfl", own).rounds["penalty"][0] == "group"
    assert run("notears-pfl", shared).rounds["penalty"][0] == "fused"


def test_together_sites_learn_more_than_alone():
    scores = {name: [] for name in ("auto", "none")}
    for seed in (1, 2):
        sites, truths = simulated(nodes=10, sites=6, rows=8, seed=seed, weights="shared")
        for name, values in scores.items():
            values.append(mean_f(run("notears-pfl", sites, penalty=name), truths))
    assert np.mean(scores["auto"]) > np.mean(scores["none"]) + 0.2


@pytest.mark.parametrize("penalty", ["pooled", "consensus"])
def test_common_penalties_make_one_network(penalty):
    sites, _ = simulated()
    found = run("notears-pfl", sites, penalty=penalty, l1=0.1)
    assert np.ptp(found.weights, axis=0).max() == 0
    assert all(g.n_edges == 0 for g in found.differences)
    pooled = covariances(sites).mean(axis=0)  # equally many rows
    assert found.raw_weights[0] == pytest.approx(notears_weights(pooled, 0.1), abs=0.02)


def test_pooled_counts_rows_and_consensus_sites():
    (first, second), _ = simulated(sites=2, rows=400, changed=1.0)
    few = SiteData(first.names, first.values[:20], label="few")
    options = {"l1": 0.1, "threshold": 0.0}
    by_rows = run("notears-pfl", [few, second], penalty="pooled", **options).raw_weights[0]
    large = run("notears-pfl", [second], penalty="pooled", **options).raw_weights[0]
    by_sites = run("notears-pfl", [few, second], penalty="consensus", **options).raw_weights[0]
    assert np.abs(by_rows - large).max() < np.abs(by_sites - large).max()


def test_one_site_alone_works():
    sites, truths = simulated(sites=1, rows=500)
    for penalty in ("auto", "chain", "fused", "group", "none", "pooled", "consensus"):
        assert mean_f(run("notears-pfl", sites, penalty=penalty), truths) == 1.0


def test_a_second_run_gives_the_same_bits():
    sites, _ = simulated()
    a, b = (run("notears-pfl", sites).weights for _ in range(2))
    assert a.tobytes() == b.tobytes()


# --- rounds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", ["group", "fused", "chain", "none", "consensus"])
def test_rounds_come_near_the_direct_solution(penalty):
    sites, _truths = simulated(rows=300)
    options = {"penalty": penalty, "l1": 0.1, "l2": 0.2 if penalty == "chain" else 0.05}
    direct = run("notears-pfl", sites, **options)
    rounds = run("notears-pfl", sites, mode="admm", **options)
    assert len(rounds.rounds) == 80
    assert rounds.converged
    assert [g.edges() for g in rounds.graphs] == [g.edges() for g in direct.graphs]
    assert rounds.raw_weights == pytest.approx(direct.raw_weights, abs=0.05)
    # a dense matrix each way, site and round
    assert rounds.bytes_total == 80 * 2 * 4 * 36 * 8


def test_rounds_with_a_choice_start_with_the_statistics():
    sites, _ = simulated(rows=30)
    found = run("notears-pfl", sites, mode="admm", penalty="group", rounds=5)
    direct = run("notears-pfl", sites, penalty="group")
    assert len(found.rounds) == 6
    assert found.rounds["bytes_up"][0] == direct.rounds["bytes_up"][0]
    assert found.rounds["l2"].tolist() == [direct.rounds["l2"][0]] * 6


def test_global_step_with_slack_constraint_is_the_prox():
    rng = np.random.default_rng(1)
    target = np.triu(rng.normal(size=(3, 4, 4)), 1)  # acyclic: h stays 0 around it
    z, h = global_step(np.zeros_like(target), target, 2.0, np.zeros(3), 0.5, Choice("group", 0.4, 0.6))
    assert h == pytest.approx(np.zeros(3))
    length = np.sqrt((np.maximum(np.abs(target) - 0.2, 0) ** 2).sum(axis=0))
    factor = np.maximum(1 - 0.3 / np.maximum(length, 1e-12), 0)
    assert z == pytest.approx(np.sign(target) * np.maximum(np.abs(target) - 0.2, 0) * factor, abs=1e-9)


def test_first_round_hides_nothing():
    sites, _ = simulated()
    transcript = listen("notears-pfl", sites, mode="admm", penalty="group", l1=0.1, l2=0.1, rounds=1)
    for site, message in zip(sites, transcript.received[0], strict=True):
        sent = message["B"]
        recovered = sent @ np.linalg.inv(np.eye(6) - sent)
        assert recovered == pytest.approx(sufficient_statistics(site).covariance, abs=1e-10)


# --- rows held out ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "parts"), [(3, 3), (4, 2), (6, 3), (9, 4), (10, 5), (19, 5), (20, 1), (99, 1)]
)
def test_number_of_parts(rows, parts):
    assert parts_of(rows) == parts
    site = SiteData(("a",), np.random.default_rng(0).normal(size=(rows, 1)), label="s")
    train, test = held_out(site, parts)
    assert train.shape == test.shape == (parts, 1, 1)
    assert not np.isnan(test).any()


def test_held_out_rows_play_no_part_in_training():
    values = np.arange(14.0).reshape(7, 2) ** 1.5
    site = SiteData(("a", "b"), values, label="s")
    train, test = held_out(site, 3)
    kept, left = values[[1, 2, 4, 5]], values[[0, 3, 6]]
    assert train[0] == pytest.approx(np.cov(kept.T, bias=True))
    around = left - kept.mean(axis=0)
    assert test[0] == pytest.approx(around.T @ around / 3)


def test_noise_scale_is_the_variance_of_a_root():
    sites, _ = simulated(nodes=8, rows=5000)
    from fedbnsl.federate.pfl import StatisticsSite, received

    statistics = [received(StatisticsSite(site, 0).step(0, None)) for site in sites]
    assert noise_scale(statistics) == pytest.approx(1.0, abs=0.1)
    message = StatisticsSite(sites[0], 1).step(0, None)
    assert unpack_symmetric(message["train"][0]) == pytest.approx(held_out(sites[0], 1)[0][0])


# --- bad input -------------------------------------------------------------------------------------


def refused(sites, **options):
    with pytest.raises(InputError) as caught:
        run("notears-pfl", sites, **options)
    return str(caught.value)


def test_bad_sites_are_named():
    sites, _ = simulated(rows=10)
    names, values = sites[0].names, sites[0].values
    assert "odd" in refused([sites[0], SiteData(names, values[:1], label="odd")])
    message = refused([sites[0], SiteData(names, values[:2], label="odd")])
    assert "odd" in message
    assert "2 rows" in message
    assert "l1 and l2" in message
    run("notears-pfl", [sites[0], SiteData(names, values[:2], label="odd")], penalty="group", l1=0.1, l2=0.1)
    other = SiteData((*names[:-1], "other"), values, label="odd")
    assert "odd" in refused([sites[0], other])
    flat = values.copy()
    flat[:, 2] = 7.0
    message = refused([sites[0], SiteData(names, flat, label="odd")])
    assert "odd" in message
    assert "x3" in message
    gap = values.copy()
    gap[3, 1] = np.nan
    with pytest.raises(InputError, match="x2"):
        SiteData(names, gap, label="odd")
    assert "discrete" in refused([SiteData(("a",), np.array([[0], [1]]), states=(("n", "y"),), label="odd")])


def test_bad_options_are_refused():
    sites, _ = simulated(rows=10)
    assert "penalty" in refused(sites, penalty="ridge")
    assert "mode" in refused(sites, mode="pigeon")
    assert "l1" in refused(sites, penalty="group", l1=-1.0)
    assert "Name the penalty" in refused(sites, l1=0.1)
