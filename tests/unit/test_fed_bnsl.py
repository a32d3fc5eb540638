import numpy as np
import pytest
import scipy.linalg
import scipy.optimize

from fedbnsl import Graph
from fedbnsl.data import SiteData
from fedbnsl.federate import Message, run
from fedbnsl.federate.fed_bnsl import SCHEDULES, FedBnslServer, FedBnslSite, Penalties

TRUTH = np.array([[0, 1.5, 0, -1.0], [0, 0, 1.2, 0], [0, 0, 0, 0], [0, 0, 0, 0]])  # a → b → c, a → d
NAMES = ("a", "b", "c", "d")
GRAPH = Graph(NAMES, TRUTH != 0)


def sites(rows, weights=TRUTH, seed=1):
    """One site for each number of rows, with means that differ between sites."""
    rng = np.random.default_rng(seed)
    d = len(weights)
    names = [f"x{i}" for i in range(d)] if d != 4 else NAMES
    spread = np.linalg.inv(np.eye(d) - weights)
    return [
        SiteData(names, rng.normal(size=(n, d)) @ spread + 10 * k, label=f"site {k}")
        for k, n in enumerate(rows)
    ]


def covariance(site):
    return np.cov(site.values.T, bias=True)


def problem(d=6, count=3, seed=4):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.4), 1)
    return sites([400, 900, 650][:count], weights, seed)


# --- the pieces ---------------------------------------------------------------------------------


def test_local_step_solves_its_linear_system_for_any_penalty():
    sigma = covariance(problem()[0])
    penalties = Penalties(1.0, 0.01, growth2=7.0)
    site, rng = FedBnslSite(sigma, penalties), np.random.default_rng(0)
    dual, local = np.zeros_like(sigma), None
    for round in range(6):
        w = rng.normal(size=sigma.shape) if round else np.zeros_like(sigma)
        if round:
            dual = dual + 0.01 * 7.0 ** (round - 1) * (local - w)
        rho2 = 0.01 * 7.0**round
        sent = site.step(round, Message({"W": w} if round else {}))["B"]
        local = np.linalg.solve(sigma + rho2 * np.eye(len(sigma)), rho2 * w - dual + sigma)
        np.testing.assert_allclose(sent, local, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(site.dual, dual, rtol=1e-9, atol=1e-10)


def test_two_rounds_of_one_site_by_hand():
    # Σ + I = [[2, 1], [1, 4]], its inverse [[4, −1], [−1, 2]] / 7; no ℓ1, no penalty on h.
    penalties = Penalties(0.0, 1.0)
    site = FedBnslSite(np.array([[1.0, 1.0], [1.0, 3.0]]), penalties)
    server = FedBnslServer(2, penalties, 0.0, 1e-12, 0.3)
    local = site.step(0, server.start())
    np.testing.assert_allclose(local["B"], np.array([[3, 1], [1, 5]]) / 7)
    broadcast = server.aggregate([local])
    np.testing.assert_allclose(broadcast["W"], np.array([[0, 1], [1, 0]]) / 7, atol=1e-9)
    np.testing.assert_allclose(server.mean_dual, np.array([[3, 0], [0, 5]]) / 7, atol=1e-9)
    assert server.diagnostics()["primal_residual"] == pytest.approx(np.sqrt(9 + 25) / 7)
    assert server.diagnostics()["dual_residual"] == pytest.approx(np.sqrt(2) / 7)
    assert server.diagnostics()["h"] == pytest.approx(2 * np.cosh(1 / 49) - 2)
    second = site.step(1, broadcast)
    np.testing.assert_allclose(site.dual, np.array([[3, 0], [0, 5]]) / 7, atol=1e-9)
    np.testing.assert_allclose(second["B"], np.array([[8, 16], [12, 24]]) / 49, atol=1e-9)


def test_the_multiplier_of_h_grows_by_rho1_times_h():
    server = FedBnslServer(2, Penalties(2.0, 1.0, growth1=3.0), 0.0, 1e-9, 0.3)
    expected = 0.0
    for rho1 in (2.0, 6.0, 18.0):
        w = server.aggregate([Message({"B": np.array([[0.0, 0.9], [0.8, 0.0]])})])["W"]
        h = 2 * np.cosh(w[0, 1] * w[1, 0]) - 2
        expected += rho1 * h
        assert h > 1e-6
        assert server.alpha == pytest.approx(expected, rel=1e-6)


def test_the_server_follows_the_mean_of_the_sites_duals():
    penalties = SCHEDULES["reference"].penalties
    pieces = [FedBnslSite(covariance(site), penalties) for site in problem()]
    server = FedBnslServer(6, penalties, 0.01, 1e-9, 0.3)
    broadcast = server.start()
    for round in range(5):
        broadcast = server.aggregate([piece.step(round, broadcast) for piece in pieces])
    for piece in pieces:
        piece.step(5, broadcast)
    np.testing.assert_allclose(np.mean([p.dual for p in pieces], axis=0), server.mean_dual, atol=1e-12)


def test_rounds_agree_with_the_plain_algorithm():
    """Every site's dual at the server, linear solves, and SciPy on W split into two parts."""
    rho1, rho2, l1, d = 10.0, 1.0, 0.05, 6
    sigmas = [covariance(site) for site in problem()]
    w, alpha, betas = np.zeros((d, d)), 0.0, np.zeros((3, d, d))
    bounds = [(0, 0 if i == j else None) for _ in "+-" for i in range(d) for j in range(d)]
    for _ in range(3):
        bs = [
            np.linalg.solve(s + rho2 * np.eye(d), rho2 * w - b + s)
            for s, b in zip(sigmas, betas, strict=True)
        ]

        def objective(x, bs=bs, alpha=alpha, betas=betas):
            w = (x[: d * d] - x[d * d :]).reshape(d, d)
            e = scipy.linalg.expm(w * w)
            h = np.trace(e) - d
            f = l1 * x.sum() + alpha * h + rho1 / 2 * h * h
            g = (alpha + rho1 * h) * 2 * e.T * w
            for b, beta in zip(bs, betas, strict=True):
                f += np.sum(beta * (b - w)) + rho2 / 2 * np.sum((b - w) ** 2)
                g += -beta - rho2 * (b - w)
            return f, np.concatenate([(g + l1).ravel(), (l1 - g).ravel()])

        x0 = np.concatenate([np.maximum(w, 0).ravel(), np.maximum(-w, 0).ravel()])
        x = scipy.optimize.minimize(
            objective, x0, jac=True, method="L-BFGS-B", bounds=bounds,
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 50000},
        ).x  # fmt: skip
        w = (x[: d * d] - x[d * d :]).reshape(d, d)
        alpha += rho1 * (np.trace(scipy.linalg.expm(w * w)) - d)
        betas = betas + rho2 * (np.array(bs) - w)
    ours = run("fed-bnsl", problem(), rounds=3, rho1=rho1, rho2=rho2, l1=l1, tolerance=1e-13)
    np.testing.assert_allclose(ours.raw_weights, w, atol=2e-4)
    assert ours.rounds["primal_residual"].iloc[-1] == pytest.approx(
        np.sqrt(sum(np.sum((b - w) ** 2) for b in bs)), rel=1e-3
    )


def test_schedules():
    assert SCHEDULES["paper"].penalties.at(0) == SCHEDULES["paper"].penalties.at(99) == (1000.0, 1.0)
    growing = SCHEDULES["reference"].penalties
    assert growing.at(2) == pytest.approx((1e-3 * 1.75**2, 1e-3 * 1.25**2))
    assert growing.at(199) == (1e16, 1e16)
    assert len(run("fed-bnsl", problem()).rounds) == 100
    assert len(run("fed-bnsl", problem(), schedule="reference").rounds) == 200


# --- whole runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", ["paper", "reference"])
def test_an_easy_graph_is_recovered(schedule):
    assert run("fed-bnsl", sites([3000] * 3), schedule=schedule).graph == GRAPH


def test_weights_come_near_the_truth():
    result = run("fed-bnsl", sites([3000] * 3))
    np.testing.assert_allclose(result.weights, TRUTH, atol=0.08)


def test_bytes_are_those_of_dense_matrices_both_ways():
    result = run("fed-bnsl", problem(), rounds=7)
    assert result.rounds["bytes_up"].tolist() == [3 * 36 * 8] * 7
    assert result.rounds["bytes_down"].tolist() == [3 * 36 * 8] * 7
    assert result.bytes_total == result.paper_bytes == 2 * 7 * 3 * 36 * 8


def test_history_ends_in_the_result_and_matches_the_edges():
    result = run("fed-bnsl", problem(), rounds=9, keep_history=True)
    assert result.history.shape == (9, 6, 6)
    np.testing.assert_array_equal(result.history[-1], result.weights)
    assert result.rounds["edges"].tolist() == [np.count_nonzero(w) for w in result.history]
    short = run("fed-bnsl", problem(), rounds=4)
    np.testing.assert_array_equal(result.history[3], short.weights)
    assert short.history is None


@pytest.mark.parametrize("site_weights", ["equal", "rows"])
@pytest.mark.parametrize("loss", ["sum", "mean"])
def test_the_order_of_sites_changes_no_bit(site_weights, loss):
    group = problem()
    first = run("fed-bnsl", group, rounds=30, site_weights=site_weights, loss=loss)
    for order in ((2, 0, 1), (1, 0, 2)):
        again = run("fed-bnsl", [group[k] for k in order], rounds=30, site_weights=site_weights, loss=loss)
        assert again.raw_weights.tobytes() == first.raw_weights.tobytes()
        assert again.rounds.equals(first.rounds)


def test_runs_repeat_bit_by_bit_whatever_the_seed():
    first, second = run("fed-bnsl", problem(), seed=1), run("fed-bnsl", problem(), seed=2)
    assert first.raw_weights.tobytes() == second.raw_weights.tobytes()


def test_copies_of_a_site_act_as_one_site_with_scaled_penalties():
    one, exact = problem(count=1), {"rounds": 4, "tolerance": 1e-12}
    alone = run("fed-bnsl", one, rho1=10.0, l1=0.02, **exact)
    copies = run("fed-bnsl", one * 4, rho1=40.0, l1=0.08, **exact)
    np.testing.assert_allclose(copies.raw_weights, alone.raw_weights, atol=1e-4)
    averaged = run("fed-bnsl", one * 4, rho1=10.0, rho2=0.25, l1=0.02, loss="mean", **exact)
    np.testing.assert_allclose(averaged.raw_weights, alone.raw_weights, atol=1e-4)


def test_weights_by_rows_follow_the_rows():
    small, large = sites([500])[0], sites([2500], TRUTH / 2)[0]
    by_rows = run("fed-bnsl", [small, large], site_weights="rows")
    equal = run("fed-bnsl", [small, large])
    assert by_rows.raw_weights[0, 1] < equal.raw_weights[0, 1] - 0.1  # nearer to .75 than to 1.5
    same = run("fed-bnsl", [small, small], rounds=2, site_weights="rows")
    np.testing.assert_array_equal(same.raw_weights, run("fed-bnsl", [small, small], rounds=2).raw_weights)


def test_fewer_rows_than_variables_and_tiny_sites():
    tiny = problem(d=8, count=3)
    tiny = [tiny[0].rows(slice(0, 5)), tiny[1].rows(slice(0, 2)), tiny[2].rows(slice(0, 30))]
    for schedule in ("paper", "reference"):
        result = run("fed-bnsl", tiny, schedule=schedule)
        assert np.isfinite(result.raw_weights).all()
        assert np.isfinite(result.rounds.to_numpy()).all()
        assert result.graph.is_dag()


def test_a_single_variable_has_no_edges():
    result = run("fed-bnsl", sites([20, 30], np.zeros((1, 1))), rounds=3)
    assert result.graph.n_edges == 0
    assert result.bytes_total == 2 * 3 * 2 * 8
