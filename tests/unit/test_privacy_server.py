"""Servers that do not keep to the protocol: sites answer in turn, and refuse numbers that have no meaning."""

import numpy as np
import pytest

from fedbnsl import InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.federate import run
from fedbnsl.federate.messages import Message, pack_sparse, pack_symmetric
from fedbnsl.federate.run import assemble
from fedbnsl.privacy.noise import SecureNoise, SeededNoise
from fedbnsl.privacy.staged_site import GaussianSite

NAMES = list("abc")
ONES, TRIANGLE = np.ones(3), np.ones(6)
SPARSE = pack_sparse(np.eye(3))


class Rows(np.ndarray):
    """Rows that nobody may compute with."""

    def __array_ufunc__(self, *_, **__):
        raise AssertionError("a row was read")

    def __array_function__(self, *_, **__):
        raise AssertionError("a row was read")


def sparse_site(rounds=2, mode="secure"):
    values = np.random.default_rng(2).normal(size=(50, 3))
    options = {"epsilon": 0.5, "delta": 1e-4, "force": True, "rounds": rounds, "updates": 1, "rho2": 0.5}
    if mode == "secure":
        options["mode"] = mode
    return assemble("dp-fed-sparse-bnsl", [SiteData(NAMES, values)], None, options)[1].sites[0]


@pytest.mark.parametrize(
    "scale",
    [
        [0.5, 0.5, np.nan],
        [0.5, 0.5, np.inf],
        [0.5, 0.5, 0.0],
        [0.5, 0.5, -0.4],
        [0.5, 1e300, 0.5],
        [0.5, 0.5],
        [[0.5, 0.5, 0.5]],
        ["1", "1", "1"],
    ],
)
def test_smoothness_constants_without_meaning_are_refused_before_rows_are_read(scale):
    site = sparse_site()
    site.step(0, Message())
    site._values = site._values.view(Rows)
    with pytest.raises(InputError, match="the server sent 'scale' that cannot be used"):
        site.step(1, Message({"scale": np.array(scale)}))
    with pytest.raises(InputError, match="the next is 2"):
        site.step(1, Message({"scale": np.full(3, 0.5)}))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"values": np.array([1.0, np.nan, 1.0])}, "values"),
        ({"values": np.array([1.0, -np.inf, 1.0])}, "values"),
        ({"values": np.array([1.0, 1e200, 1.0])}, "values"),
        ({"values": np.ones((3, 2))}, "values"),
        ({"positions": np.array([[0], [4], [9]], dtype=np.uint8)}, "positions"),
        ({"positions": np.array([[0], [4], [8]], dtype=np.int64)}, "positions"),
        ({"positions": np.array([0, 4, 8], dtype=np.uint8)}, "positions"),
        ({"positions": np.array([[0], [4]], dtype=np.uint8)}, "positions"),
    ],
)
def test_a_consensus_or_entries_without_meaning_are_refused(change, what):
    site = sparse_site()
    site.step(0, Message())
    site.step(1, Message({"scale": np.full(3, 0.5)}))
    before = site.dual.copy()
    with pytest.raises(InputError, match=f"the server sent '{what}'"):
        site.step(2, Message({**SPARSE, **change}))
    np.testing.assert_array_equal(site.dual, before)
    site = gaussian_site()
    with pytest.raises(InputError, match=f"the server sent '{what}'"):
        site.step(0, Message({**SPARSE, "residual_scales": ONES, **change}))


def test_a_consensus_too_large_for_exact_scores_is_refused_whatever_the_rows():
    site = sparse_site()
    site.step(0, Message())
    site.step(1, Message({"scale": np.full(3, 0.5)}))
    with pytest.raises(InputError, match="too large for exact noise"):
        site.step(2, Message(pack_sparse(0.08 * 2.0**43 * (1 - np.eye(3)))))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 2.0**28 + 1, 2.0**43])
def test_secure_noise_takes_no_scores_beyond_what_is_exact(wrong):
    scores = np.zeros((3, 3))
    np.fill_diagonal(scores, -np.inf)
    scores[0, 2] = wrong
    with pytest.raises(InputError, match="too large for exact noise"):
        SecureNoise().noisy_max(scores, None, None, 1.0)


def test_numbers_that_are_not_numbers_are_never_small_enough():
    """What the site refuses already, the updates refuse again."""
    from fedbnsl.privacy.greedy import GreedyUpdates

    linear = np.zeros((3, 3))
    linear[0, 1] = np.nan
    updates = GreedyUpdates(np.ones((9, 3)), ONES, 1.0, 0.1, 1.0, 1.0, 3.0, SecureNoise())
    with pytest.raises(InputError, match="too large for exact noise"):
        updates.run(linear, 1)


@pytest.mark.parametrize("mode", ["research", "secure"])
def test_a_sparse_site_answers_every_round_once_in_order_up_to_its_number(mode):
    site = sparse_site(rounds=2, mode=mode)
    with pytest.raises(InputError, match="the next is 0"):
        site.step(1, Message({"scale": ONES}))
    site.step(0, Message())
    with pytest.raises(InputError, match="the next is 1"):
        site.step(0, Message())
    site.step(1, Message({"scale": ONES}))
    with pytest.raises(InputError, match="the next is 2"):
        site.step(1, Message({"scale": ONES}))
    site.step(2, Message(pack_sparse(np.zeros((3, 3)))))
    with pytest.raises(InputError, match="all have been given"):
        site.step(3, Message(pack_sparse(np.zeros((3, 3)))))


def gaussian_site():
    values = np.ones((20, 3)).view(Rows)
    return GaussianSite(values, [0.3], SeededNoise(np.random.default_rng(4)))


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ({"scales": np.array([1, np.nan, 1]), "radius": np.ones(1)}, "scales"),
        ({"scales": np.array([1.0, 0.0, 1.0]), "radius": np.ones(1)}, "scales"),
        ({"scales": np.full(3, 1e-320), "radius": np.ones(1)}, "scales"),
        ({"scales": np.ones((20, 3)), "radius": np.ones(1)}, "scales"),
        ({"scales": np.ones(1), "radius": np.ones(1)}, "scales"),
        ({"scales": ONES, "radius": np.array([np.nan])}, "radius"),
        ({"scales": ONES, "radius": np.array([1e-155])}, "radius"),
        ({"scales": ONES, "radius": np.array([1.0, 2.0])}, "radius"),
        ({"map": np.ones(5), "radius": np.ones(1)}, "map"),
        ({"map": np.array([1, 1, 1, 1, 1, np.inf]), "radius": np.ones(1)}, "map"),
        ({**SPARSE, "residual_scales": np.array([1.0, -1.0, 1.0])}, "residual_scales"),
        ({**SPARSE, "residual_scales": np.ones((20, 3))}, "residual_scales"),
    ],
)
def test_a_gaussian_site_refuses_broadcasts_without_meaning_before_it_reads_rows(message, what):
    site = gaussian_site()
    with pytest.raises(InputError, match=f"the server sent '{what}'"):
        site.step(0, Message(message))


def test_rows_are_read_for_honest_broadcasts():
    """So the tests above would notice."""
    for message in (
        {},
        {"scales": ONES, "radius": np.ones(1)},
        {"map": pack_symmetric(np.eye(3)), "radius": np.ones(1)},
        {**SPARSE, "residual_scales": ONES},
    ):
        with pytest.raises(AssertionError, match="a row was read"):
            gaussian_site().step(0, Message(message))


@pytest.mark.parametrize("plan", ["preconditioned", "direct"])
def test_no_entry_to_look_at_is_no_release_and_an_empty_graph(plan):
    rows = np.random.default_rng(0).normal(size=(5000, 3))
    found = run("dp-staged", [SiteData(NAMES, rows)], seed=1, epsilon=5.0, plan=plan, variance_ratio=1e-6)
    assert found.graph.n_edges == 0
    assert found.rounds["bytes_up"].iloc[-1] == 0


METHODS = ["dp-auto", "dp-staged", "dp-fed-bnsl", "dp-fed-sparse-bnsl"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 20.5}, r"epsilon = 20\.5 is above 20"),
        ({"epsilon": 1e300}, "is above 20"),
        ({"delta": 4e-5}, r"a: delta = 4e-05 is above 0\.01/n = 3\.33e-05: .* Give delta, 3\.33e-05 or less"),
    ],
)
def test_a_budget_that_promises_too_little_is_never_called_private(method, options, message):
    sites, _ = simulate_linear_gaussian(3, 2, 1, 300, seed=5)
    sites = [SiteData(sites[0].names, sites[0].values, label="a")]
    options = {"epsilon": 5.0, **options}
    with pytest.raises(InputError, match=message):
        assemble(method, sites, None, {**options, "mode": "secure"})
    if options["epsilon"] < 100:
        assemble(method, sites, 1, options)


@pytest.mark.parametrize("method", METHODS)
def test_two_sites_of_one_label_are_refused_in_secure_mode(method):
    sites, _ = simulate_linear_gaussian(3, 2, 2, 300, seed=5)
    same = [SiteData(site.names, site.values, label="a") for site in sites]
    with pytest.raises(InputError, match="2 sites are called 'a'"):
        assemble(method, same, None, {"epsilon": 5.0, "mode": "secure"})
    assemble(method, same, 1, {"epsilon": 5.0})


def test_small_sites_must_give_delta_in_secure_mode():
    sites = [SiteData(NAMES, np.random.default_rng(0).normal(size=(50, 3)), label="small")]
    options = {"epsilon": 5.0, "mode": "secure", "force": True}
    with pytest.raises(InputError, match=r"small: delta = 0\.0004 is above 0\.01/n = 0\.0002"):
        assemble("dp-auto", sites, None, options)
    assemble("dp-auto", sites, None, {**options, "delta": 0.01 / 50})
