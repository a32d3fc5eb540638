import importlib
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl import InputError
from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.errors import ConvergenceWarning
from fedbnsl.federate import Federation, Message, ProtocolRun, drive, run
from fedbnsl.federate.admm import Penalties
from fedbnsl.federate.messages import (
    index_bytes,
    pack_sparse,
    pack_symmetric,
    sum_over_sites,
    unpack_sparse,
    unpack_symmetric,
)
from fedbnsl.registry import Method


def site(seed, rows=50, d=3, label=None):
    values = np.random.default_rng(seed).normal(size=(rows, d))
    return SiteData([f"x{i}" for i in range(d)], values, label=label or f"site {seed}")


def with_column(base, column, values, label="clinic"):
    table = base.values.copy()
    table[:, column] = values
    return SiteData(base.names, table, label=label)


# --- messages -----------------------------------------------------------------------------------


def test_index_bytes_follow_the_formula():
    for d in range(1, 3000):
        assert index_bytes(d) == int(np.ceil(np.log2(d * d) / 8)), d
    assert [index_bytes(d) for d in (16, 17, 20, 200, 256, 257)] == [1, 2, 2, 2, 2, 3]


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.floats(0, 1))
def test_sparse_packing_is_lossless_and_costs_what_it_says(seed, d, density):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(d, d)) * (rng.random((d, d)) < density)
    message = Message(pack_sparse(matrix))
    assert message.n_bytes == np.count_nonzero(matrix) * (8 + index_bytes(d))
    np.testing.assert_array_equal(unpack_sparse(message, d), matrix)


def test_sparse_packing_reaches_the_last_entry_of_a_large_matrix():
    matrix = np.zeros((300, 300))
    matrix[299, 299], matrix[0, 0] = -1.5, 2.0
    message = Message(pack_sparse(matrix))
    assert message.n_bytes == 2 * (8 + 3)
    np.testing.assert_array_equal(unpack_sparse(message, 300), matrix)


def test_symmetric_packing_is_lossless_and_half_the_size():
    for d in (1, 2, 3, 20, 181):
        root = np.random.default_rng(d).normal(size=(d, d))
        matrix = root + root.T
        packed = pack_symmetric(matrix)
        assert packed.nbytes == d * (d + 1) // 2 * 8
        np.testing.assert_array_equal(unpack_symmetric(packed), matrix)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_sum_over_sites_has_the_same_bits_in_any_order(seed, sites):
    rng = np.random.default_rng(seed)
    arrays = rng.normal(size=(sites, 4, 4)) * 10.0 ** rng.integers(-12, 12, (sites, 4, 4))
    total = sum_over_sites(arrays)
    assert total.tobytes() == sum_over_sites(arrays[rng.permutation(sites)]).tobytes()
    np.testing.assert_allclose(total, arrays.sum(axis=0), rtol=1e-9, atol=1e-12 * np.abs(arrays).max())


# --- the loop -----------------------------------------------------------------------------------


class CountingSite:
    """Answers with as many numbers as it has been asked, and remembers what it was told."""

    def __init__(self, width):
        self.width, self.heard = width, []

    def step(self, round, message):
        self.heard.append((round, message["value"][0]))
        return Message({"value": np.full((round + 1) * self.width, float(self.width))})


class SummingServer:
    def __init__(self):
        self.total, self.asked = 0.0, 0

    def start(self):
        return Message({"value": np.array([-1.0, 0.0, 0.0])})

    def aggregate(self, messages):
        self.asked += 1
        self.total += sum(message["value"].sum() for message in messages)
        return Message({"value": np.array([self.total])})

    def diagnostics(self):
        return {"total": self.total}

    def finished(self):
        return False

    def unmet(self):
        return None

    def result(self):
        return np.array([[self.total]]), np.array([[float(self.asked)]])


def summing(sites, *, seed):
    return ProtocolRun([CountingSite(1) for _ in sites], SummingServer(), 2)


def test_loop_delivers_messages_in_turn_and_counts_them():
    sites, server = [CountingSite(1), CountingSite(2)], SummingServer()
    table, history, seconds = drive(ProtocolRun(sites, server, 3), keep_history=True)
    # round t: site w sends (t + 1) w numbers of value w: 1 + 4 = 5 times t + 1.
    assert sites[0].heard == [(0, -1.0), (1, 5.0), (2, 15.0)]
    assert sites[0].heard == sites[1].heard
    assert table["round"].tolist() == [1, 2, 3]
    assert table["bytes_up"].tolist() == [24, 48, 72]
    assert table["bytes_down"].tolist() == [2 * 24 + 2 * 8, 16, 16]  # the start counts in round one
    assert table["total"].tolist() == [5.0, 15.0, 30.0]
    assert history.tolist() == [[[1.0]], [[2.0]], [[3.0]]]
    assert seconds.shape == (3, 2)
    assert (seconds >= 0).all()
    assert drive(ProtocolRun(sites, server, 1)).history is None


def test_the_loop_ends_when_the_server_has_finished():
    server = SummingServer()
    server.finished = lambda: server.asked == 2
    driven = drive(ProtocolRun([CountingSite(1)], server, 5), keep_history=True)
    assert len(driven.rounds) == len(driven.history) == len(driven.seconds) == 2


def test_one_network_a_site_has_graphs_but_not_one_graph():
    driven = drive(ProtocolRun([CountingSite(1)] * 2, SummingServer(), 1))
    weights = np.zeros((2, 3, 3))
    weights[0, 0, 1] = weights[1, 2, 0] = 0.7
    variances = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.5]])
    rest = (driven.rounds, None, 2, True, driven.seconds, variances)
    federation = Federation("personal", ("a", "b", "c"), weights, weights, *rest)
    assert [graph.edges() for graph in federation.graphs] == [[("a", "b")], [("c", "a")]]
    assert federation.varsortability == 1.0  # both edges rise, each with its own site's variances
    with pytest.raises(InputError, match=r"each of 2 sites.*\.graphs"):
        _ = federation.graph
    single = Federation("common", ("a", "b", "c"), weights[0], weights[0], *rest)
    assert single.graphs == (single.graph,)
    assert single.varsortability == 0.5  # the mean variances of a and b are equal
    assert single.paper_bytes == 2 * 1 * 2 * 9 * 8


# --- bad input ----------------------------------------------------------------------------------


def test_a_missing_number_is_reported_with_site_and_column():
    with pytest.raises(InputError, match=r"clinic, column 'x1': .*row 5"):
        with_column(site(1), 1, [0.0, 1.0, 2.0, 3.0, np.nan] * 10)


@pytest.mark.parametrize("method", ["fed-bnsl", "notears-pooled"])
def test_a_constant_column_is_reported_with_site_and_column(method):
    sites = [site(1), with_column(site(2), 2, 7.25)]
    with pytest.raises(InputError, match=r"clinic, column 'x2': all 50 rows have the value 7.25"):
        run(method, sites)


def test_one_row_is_too_little():
    with pytest.raises(InputError, match=r"site 2: .*1 row"):
        run("fed-bnsl", [site(1), site(2, rows=1)])


def test_discrete_data_are_refused():
    codes = np.random.default_rng(0).integers(0, 2, (20, 2))
    with pytest.raises(InputError, match="discrete"):
        run("fed-bnsl", [SiteData(["a", "b"], codes, [["no", "yes"]] * 2)])


@pytest.mark.parametrize("data", ["continuous", "discrete", "any"])
def test_run_checks_the_kind_of_data_before_the_method_sees_it(monkeypatch, data):
    entry = Method("summing", "federate", f"{__name__}:summing", data, "sums", "nobody")
    module = importlib.import_module("fedbnsl.federate.run")
    monkeypatch.setattr(module.registry, "method", lambda name, kind: entry)
    codes = SiteData(["a", "b"], [[0, 1], [1, 1]], [["no", "yes"]] * 2, label="coded")
    constant = with_column(site(2), 2, 7.25)
    if data == "discrete":
        with pytest.raises(InputError, match="clinic: summing needs discrete data"):
            run("summing", [constant])
    if data == "continuous":
        with pytest.raises(InputError, match="clinic, column 'x2'"):
            run("summing", [constant])
        with pytest.raises(InputError, match=r"coded: .*discrete"):
            run("summing", [codes])
    allowed = {"continuous": [site(1)], "discrete": [codes], "any": [constant]}[data]
    assert run("summing", allowed).rounds["total"].tolist() == [1.0, 3.0]


def test_sites_must_fit_together():
    with pytest.raises(InputError, match="there is no site"):
        run("fed-bnsl", [])
    with pytest.raises(InputError, match=r"site 2: .*extra: x3"):
        run("fed-bnsl", [site(1), site(2, d=4)])


def test_unknown_methods_and_options_are_refused():
    with pytest.raises(InputError, match="fed-bnsl"):
        run("fed-bnls", [site(1)])
    with pytest.raises(InputError, match="no federate method 'notears'"):
        run("notears", [site(1)])
    with pytest.raises(InputError, match="no option 'lambda1'"):
        run("fed-bnsl", [site(1)], lambda1=0.1)
    with pytest.raises(InputError, match="rho1"):
        run("fed-bnsl", [site(1)], rho1=-1.0)


@pytest.mark.parametrize("method", ["fed-bnsl", "notears-pooled"])
@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_what_is_no_seed_is_refused_though_nothing_is_drawn(method, seed):
    with pytest.raises(InputError, match="the seed must be a whole number"):
        run(method, [site(1)], seed=seed)


def test_what_is_no_list_of_sites_is_refused():
    for given_sites, kind in ((site(1), "SiteData"), (None, "NoneType")):
        with pytest.raises(InputError, match=f"a list of sites is expected, not a {kind}"):
            run("fed-bnsl", given_sites)
    with pytest.raises(InputError, match="site 2 of 2: a SiteData is expected, not a ndarray"):
        run("fed-bnsl", [site(1), site(2).values])


@pytest.mark.parametrize("option", ["l1", "threshold", "rho2", "tolerance"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_options_that_are_not_finite_are_refused(option, value):
    with pytest.raises(InputError, match=f"{option}: {value} is not a finite number"):
        run("fed-bnsl", [site(1)], **{option: value})


# --- convergence --------------------------------------------------------------------------------


def scaled(sites, factor):
    return [SiteData(one.names, factor * one.values, label=one.label) for one in sites]


SITES, _ = simulate_linear_gaussian(10, 10, 4, 1000, seed=2)


@pytest.mark.parametrize("factor", [10, 30, 1000])
def test_a_scale_that_the_penalty_does_not_fit_is_reported(factor):
    sites = scaled(SITES, factor)
    variances = [one.values.var(axis=0) for one in sites]
    with pytest.warns(ConvergenceWarning) as caught:
        result = run("fed-bnsl", sites)
    assert result.converged is False
    [message] = [str(warning.message) for warning in caught]
    assert caught[0].filename == __file__
    assert f"the primal residual is {result.rounds['primal_residual'].iloc[-1]:.3g}" in message
    assert f"range from {np.min(variances):.3g} to {np.max(variances):.3g}" in message
    for remedy in ("schedule='reference'", "larger rho2", "rescale", "log-transform"):
        assert remedy in message


@pytest.mark.parametrize("options", [{"schedule": "reference"}, {"rho2": 900.0}])
def test_the_remedies_converge(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        result = run("fed-bnsl", scaled(SITES, 30), **options)
    assert result.converged is True
    assert result.graph.n_edges > 0


@pytest.mark.parametrize("seed", range(10))
def test_ordinary_runs_converge(seed):
    sites, _ = simulate_linear_gaussian(20, 20, 8, 1000, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert run("fed-bnsl", sites).converged
        assert run("notears-pooled", sites).converged


def test_a_network_without_edges_converges_and_a_first_round_does_not():
    sites, _ = simulate_linear_gaussian(10, 0, 4, 1000, seed=2)
    assert run("fed-bnsl", sites).converged
    with pytest.warns(ConvergenceWarning, match="after 1 round"):
        assert not run("fed-bnsl", scaled(SITES, 30), rounds=1).converged


def test_the_pooled_reference_converges_by_its_tolerance_on_h():
    with pytest.warns(ConvergenceWarning, match=r"notears-pooled has not converged: h of the weights is 0\."):
        assert not run("notears-pooled", scaled(SITES, 1e10)).converged


def test_penalties_grow_by_a_factor_a_round_and_end_at_the_largest():
    grown = Penalties(0.5, 2.0, growth1=3.0, growth2=0.5, largest=10.0)
    assert [grown.at(t) for t in range(4)] == [(0.5, 2.0), (1.5, 1.0), (4.5, 0.5), (10.0, 0.25)]
    assert Penalties(20.0, 1.0, growth1=2.0, largest=10.0).at(3) == (20.0, 1.0)  # given, not grown
    assert Penalties(0.0, 1.0, growth1=2.0).at(3) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("notears-pfl", {"mode": "admm", "penalty": "chain", "l1": 0.1, "l2": 0.1, "rho1_growth": 1e300}),
        ("fed-sparse-bnsl", {"rho1": 1e-300, "rho1_last": 1e300}),
        ("fed-sparse-bnsl", {"rho1": 1e300, "rho1_last": 1e-300}),
        ("fed-bnsl", {"schedule": "reference", "rounds": 3300}),  # 1.75 ** 3300 is no float
    ],
)
def test_penalties_that_grow_past_all_floats_do_no_harm(method, options):
    sites, _ = simulate_linear_gaussian(4, 4, 2, 50, seed=1)
    assert np.isfinite(run(method, sites, **options).raw_weights).all()
