"""dp-staged, dp-auto and dp-fed-bnsl as methods: budgets, messages, modes, statements, what they learn."""

import math
import warnings

import numpy as np
import pytest

from fedbnsl import InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.errors import ConvergenceWarning
from fedbnsl.evaluate import metrics
from fedbnsl.federate import run
from fedbnsl.privacy import gdp_budget, gdp_epsilon
from fedbnsl.privacy.plan import PLANS, chosen_plan, scale_share, site_mus
from fedbnsl.privacy.regime import difficulty

METHODS = ["dp-staged", "dp-auto", "dp-fed-bnsl"]


@pytest.fixture(scope="module")
def simulated():
    return simulate_linear_gaussian(nodes=8, edges=8, sites=3, rows=2000, seed=1001)


@pytest.fixture(scope="module")
def tiny():
    return simulate_linear_gaussian(nodes=3, edges=2, sites=2, rows=[300, 400], seed=5)[0]


def test_shares_add_up_and_the_rule_is_public():
    for plan in PLANS.values():
        shares = plan.shares(0.05)
        assert sum(shares) == pytest.approx(1.0)
        assert shares[0] == 0.05
        assert len(shares) == plan.rounds
        mus = site_mus(0.7, shares)
        assert math.sqrt(sum(mu**2 for mu in mus)) == pytest.approx(0.7)
    assert PLANS["preconditioned"].shares(0.05)[1:] == pytest.approx([0.19, 0.38, 0.19, 0.19])
    # d = 100, 8 sites of 5000, ε = 1, δ = 4e-8: worked by hand from μ = .2053.
    mu = gdp_budget(1.0, 4e-8)
    omega = difficulty(100, [5000] * 8, [mu] * 8)
    assert omega == pytest.approx(2.2 * 1000 / (5000 * mu * math.sqrt(8)))
    assert 0.7 < omega < 0.8
    assert chosen_plan(omega).name == chosen_plan(1.0).name == "preconditioned"
    assert chosen_plan(1.01).name == "direct"
    # Rows pool: a small site beside large ones is no obstacle.
    assert difficulty(20, [10_000, 10_000, 100], [1.0] * 3) < 1.3 * difficulty(20, [10_000] * 2, [1.0] * 2)


def test_few_variables_with_a_small_budget_spend_more_on_their_scales():
    assert scale_share(20, 0.13) == scale_share(100, 1.0) == 0.05
    assert scale_share(8, 5.0) == 0.3
    # d = 8 and ω = .15: the noise of a count, √(2d)/(√q μ n √P), is 5 % of the records.
    share = scale_share(8, 0.15)
    assert 0.05 < share < 0.3
    n_mu_root_p = 2.2 * 8**1.5 / 0.15
    assert math.sqrt(16) / (math.sqrt(share) * n_mu_root_p) == pytest.approx(0.05)


@pytest.mark.parametrize("name", METHODS)
def test_a_run_spends_its_budget_and_no_more(simulated, name):
    sites, _ = simulated
    found = run(name, sites, seed=3, epsilon=2.0)
    assert [ledger.site for ledger in found.ledgers] == [site.label for site in sites]
    for ledger in found.ledgers:
        assert ledger.conversion == "gdp"
        assert ledger.delta == 2000**-2.0
        assert not any(one.variation for one in ledger.releases)
        assert 0.999999 < ledger.spent / ledger.budget < 1 + 1e-9
        assert ledger.epsilon_spent == pytest.approx(2.0, rel=1e-6)
        assert len(ledger.releases) == len(found.rounds)
        mu = math.sqrt(sum(one.mu**2 for one in ledger.releases))
        assert gdp_epsilon(mu, ledger.delta) == pytest.approx(2.0, rel=1e-6)
    assert not found.privacy.private
    assert found.privacy.reason == "seed known"


@pytest.mark.parametrize("name", METHODS)
def test_a_seed_makes_a_run_and_another_another(simulated, name):
    sites, _ = simulated
    first, again, other = (run(name, sites, seed=seed, epsilon=1.0).raw_weights for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.any(first != other)


def test_much_privacy_budget_finds_the_graph(simulated):
    sites, truth = simulated
    for name, most in zip(METHODS, (0, 0, 2), strict=True):
        found = run(name, sites, seed=3, epsilon=20.0)
        assert metrics(found.graph, truth)["shd"] <= most, name
        assert found.graph.is_dag()


def test_dp_auto_is_dp_staged_by_the_rule(simulated):
    sites, _ = simulated
    easy = run("dp-auto", sites, seed=1, epsilon=3.0)
    assert "dp-staged, plan preconditioned" in easy.privacy.public
    assert "ω = " in easy.privacy.public
    assert len(easy.rounds) == 5
    hard = run("dp-auto", [site.rows(slice(150)) for site in sites], seed=1, epsilon=0.5)
    assert "plan direct" in hard.privacy.public
    assert len(hard.rounds) == 7


def test_bytes_are_those_of_the_messages(simulated):
    sites, _ = simulated
    found = run("dp-staged", sites, seed=1, epsilon=3.0)
    d, p = 8, 3
    up = found.rounds["bytes_up"].tolist()
    assert up == [p * 8 * d * 24, p * 8 * 36, p * 8 * 36, p * 8 * 24, p * 8 * 24]
    down = found.rounds["bytes_down"].tolist()
    # Scales and R; the map and R; 24 entries of 8 + 1 bytes and d residual scales, twice; the edges.
    edges = int(np.count_nonzero(found.weights))
    ask = p * (24 * 9 + 8 * d)
    assert down == [p * 8 * (d + 1), p * 8 * 37, ask, ask, p * 9 * edges]


def test_too_small_a_budget_is_refused_unless_forced(simulated):
    sites, _ = simulated
    small = [site.rows(slice(100)) for site in sites]
    with pytest.raises(InputError, match=r"ε = 0.2 is too small for 8 variables and 300 rows at 3 sites"):
        run("dp-auto", small, seed=1, epsilon=0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = run("dp-auto", small, seed=1, epsilon=0.2, force=True)
    assert "forced" in found.privacy.public


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 0.01}, "not below 1/n"),
        ({"delta": 1.5}, "delta"),
        ({"mode": "private"}, "mode"),
        ({"mode": "secure", "seed": 1}, "no seed"),
    ],
)
def test_bad_options_are_refused(simulated, name, options, message):
    options = {"epsilon": 1.0, **options}
    with pytest.raises(InputError, match=message):
        run(name, simulated[0], **options)


@pytest.mark.parametrize("name", METHODS)
def test_one_variable_or_a_constant_column_are_refused(name):
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="two variables"):
        run(name, [SiteData(["a"], rng.standard_normal((500, 1)))], seed=1, epsilon=5.0)
    values = rng.standard_normal((500, 2))
    values[:, 1] = 2.0
    with pytest.raises(InputError, match="column 'b'"):
        run(name, [SiteData(["a", "b"], values)], seed=1, epsilon=5.0)


def test_one_site_is_enough(simulated):
    found = run("dp-auto", simulated[0][:1], seed=1, epsilon=20.0)
    assert metrics(found.graph, simulated[1])["shd"] <= 3


def test_secure_runs_are_private_and_never_the_same(tiny, tmp_path):
    runs = [run(name, tiny, epsilon=5.0, mode="secure") for name in METHODS * 2]
    for found in runs:
        assert found.privacy.private
        assert found.variances is None
        assert np.isnan(found.seconds).all()
        for ledger in found.ledgers:
            # 1 % of δ is kept for the rounding of the noise.
            assert 0.97 < ledger.spent / ledger.budget < 1.0
            assert all(0 < one.variation < 0.01 * ledger.delta for one in ledger.releases)
    for first, second in zip(runs[:3], runs[3:], strict=True):
        assert np.any(first.raw_weights != second.raw_weights)
    run("dp-staged", tiny, epsilon=5.0, mode="secure", ledger=tmp_path)
    with pytest.raises(InputError, match="not enough is left"):
        run("dp-staged", tiny, epsilon=5.0, mode="secure", ledger=tmp_path)


def test_secure_noise_has_the_promised_size_and_stays_on_its_grid():
    from fedbnsl.privacy.gradients import GradientRelease
    from fedbnsl.privacy.noise import SecureNoise

    release = GradientRelease(400, 50, 0.8)
    noisy = release.measure(np.zeros((50, 400)), SecureNoise())
    assert noisy.std() == pytest.approx(release.deviation, rel=0.15)
    steps = noisy * 50 / release.unit
    np.testing.assert_allclose(steps, np.rint(steps), rtol=1e-12)


def test_the_papers_form_is_for_comparison(simulated):
    sites, _ = simulated
    found = run("dp-fed-bnsl", sites, seed=1, epsilon=5.0, bound=7.0)
    assert found.ledgers == ()
    assert not found.privacy.private
    assert "comparison only" in found.privacy.reason
    with pytest.raises(InputError, match="bound is not offered"):
        run("dp-fed-bnsl", sites, mode="secure", epsilon=5.0, bound=7.0)


def test_scales_outside_the_public_range_are_reported():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((3000, 3)) * [1.0, 1.0, 5000.0]
    with pytest.warns(ConvergenceWarning, match="column 3 first"):
        run("dp-auto", [SiteData(["a", "b", "c"], values)], seed=1, epsilon=5.0)


def test_records_of_any_size_pass_through(simulated):
    """Overflowing squares and products: no warning of NumPy, finite weights."""
    sites, _ = simulated
    values = sites[0].values.copy()
    values[0] = 1e150
    values[1, :4] = -1e120
    found = run(
        "dp-staged", [SiteData(sites[0].names, values, label="wild"), *sites[1:]], seed=1, epsilon=5.0
    )
    assert np.isfinite(found.raw_weights).all()


def test_a_site_reads_its_rows_only_to_release_them(simulated):
    """With the same noise, the messages of a site are those of noise alone plus exact clipped sums."""
    from fedbnsl.federate.messages import Message, pack_symmetric
    from fedbnsl.privacy.noise import SeededNoise
    from fedbnsl.privacy.staged_site import GaussianSite

    values = simulated[0][0].values
    message = Message({"scales": np.full(8, 2.0), "radius": np.array([1.5])})
    answers = [
        GaussianSite(rows, [0.3], SeededNoise(np.random.default_rng(4))).step(0, message)["moment"]
        for rows in (values, np.zeros_like(values))
    ]
    records = values / 2
    short = records * np.minimum(1, 1.5 / np.linalg.norm(records, axis=1))[:, None]
    expected = pack_symmetric(short.T @ short / len(values))
    np.testing.assert_allclose(answers[0] - answers[1], expected, atol=1e-5)


def test_the_filter_on_scales_matters_where_noise_variances_differ():
    sites, _ = simulate_linear_gaussian(8, 8, 2, 2000, seed=3, variance_low=0.1, variance_high=10.0)
    first = run("dp-staged", sites, seed=1, epsilon=20.0)
    second = run("dp-staged", sites, seed=1, epsilon=20.0, variance_ratio=None)
    assert np.any(first.raw_weights != second.raw_weights)


def test_no_round_is_answered_twice(simulated):
    from fedbnsl.federate.messages import Message
    from fedbnsl.privacy.noise import SeededNoise
    from fedbnsl.privacy.staged_site import GaussianSite

    site = GaussianSite(simulated[0][0].values, [0.3, 0.4], SeededNoise(np.random.default_rng(4)))
    with pytest.raises(InputError, match="the next is 0"):
        site.step(1, Message())
    site.step(0, Message())
    with pytest.raises(InputError, match="the next is 1"):
        site.step(0, Message())
    site.step(1, Message())
    with pytest.raises(InputError, match="all have been given"):
        site.step(2, Message())


@pytest.mark.filterwarnings("ignore::fedbnsl.errors.ConvergenceWarning")
@pytest.mark.parametrize("plan", ["preconditioned", "direct"])
@pytest.mark.parametrize("seed", range(4))
def test_noise_without_measure_gives_a_graph_all_the_same(simulated, plan, seed):
    small = [site.rows(slice(10)) for site in simulated[0]]
    found = run("dp-staged", small, seed=seed, epsilon=0.001, plan=plan, force=True)
    assert np.isfinite(found.raw_weights).all()
    assert found.graph.is_dag()


def test_rows_count_alike_wherever_they_are():
    from fedbnsl.privacy.pooling import Pool
    from fedbnsl.privacy.second_moment import MomentRelease

    pool = Pool([100, 300], [[0.5], [2.0]])
    np.testing.assert_allclose(pool.mean([np.array([1.0, 4.0]), np.array([5.0, 0.0])]), [4.0, 1.0])
    # √2 R²/(n μ) at each site; n √2 R²/(n μ) are 2√2 and √2/2 for R = 1, over 400 rows.
    found = pool.deviation(0, lambda n, mu: MomentRelease(2, n, 1.0, mu))
    assert found == pytest.approx(math.sqrt(8 + 0.5) / 400)
    counts = np.zeros((1, 24))
    counts[0, 8:10] = 10.0  # as many squares in [½, 1) as in [1, 2)
    np.testing.assert_array_equal(pool.scales([counts, counts]), pool.scales([counts * 0.5, counts * 1.5]))


def test_the_penalty_of_dp_fed_bnsl_follows_the_noise(simulated):
    sites, _ = simulated
    edges = {
        (epsilon, l1): run("dp-fed-bnsl", sites, seed=2, epsilon=epsilon, l1=l1).graph.n_edges
        for epsilon in (0.1, 20.0)
        for l1 in (None, 0.1)
    }
    assert edges[0.1, None] < edges[0.1, 0.1]
    assert edges[20.0, None] == edges[20.0, 0.1]
