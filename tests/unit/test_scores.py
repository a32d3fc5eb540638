"""Scores and likelihoods against their formulas, other packages, and each other."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
import statsmodels.api
from graph_strategies import dags, repeatable
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, load_network
from fedbnsl.scores import _kernels, bdeu, bic, gaussian_bic, held_out_log_likelihood
from fedbnsl.scores.counts import family_counts

NETWORKS = ("asia", "child", "alarm", "insurance")


def names_of(d):
    return [f"v{i}" for i in range(d)]


def random_site(d, rows, seed, most_states=4):
    """Uniform codes; the last declared state of every variable stays unseen."""
    rng = np.random.default_rng(seed)
    cards = rng.integers(1, most_states + 1, d)
    values = rng.integers(0, np.maximum(cards - 1, 1), (rows, d))
    return SiteData(names_of(d), values, [[str(k) for k in range(c)] for c in cards])


def continuous_site(d, rows, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, d)) @ rng.standard_normal((d, d)) + rng.uniform(-5, 5, d)
    return SiteData(names_of(d), values)


def textbook_bdeu(matrix, site, ess):
    """Every configuration in turn, seen or not."""
    total, cards = 0.0, site.cardinalities
    for child in range(len(matrix)):
        parents = np.flatnonzero(matrix[:, child])
        r, q = cards[child], math.prod(cards[p] for p in parents)
        for configuration in itertools.product(*(range(cards[p]) for p in parents)):
            rows = site.values[(site.values[:, parents] == configuration).all(axis=1), child]
            total += math.lgamma(ess / q) - math.lgamma(ess / q + len(rows))
            for state in range(r):
                total += math.lgamma(ess / (q * r) + (rows == state).sum()) - math.lgamma(ess / (q * r))
    return total


def textbook_log_likelihood(matrix, train, test, c):
    """Row by row, with counts by comparing rows."""
    total = 0.0
    for row in test.values:
        for child in range(len(matrix)):
            parents = np.flatnonzero(matrix[:, child])
            like = train.values[(train.values[:, parents] == row[parents]).all(axis=1), child]
            total += math.log(((like == row[child]).sum() + c) / (len(like) + c * train.cardinalities[child]))
    return total / len(test.values)


def pgmpy_model(graph):
    from pgmpy.base import DAG

    model = DAG()
    model.add_nodes_from(graph.names)
    model.add_edges_from(graph.arcs())
    return model


# --- kernels ---------------------------------------------------------------------------------------


@settings(repeatable, max_examples=50)
@given(st.integers(0, 30), st.integers(0, 5), st.integers(0, 10**6))
def test_rows_are_grouped_as_by_unique(rows, parents, seed):
    site = random_site(parents + 1, rows, seed)
    if not rows:
        return
    found = family_counts(np.ascontiguousarray(site.values.T), site.cardinalities, parents, range(parents))
    for counts, columns in zip(found, (site.values[:, :parents], site.values), strict=True):
        expected = np.unique(columns, axis=0, return_counts=True)[1] if columns.shape[1] else [rows]
        assert sorted(counts) == sorted(expected)


@settings(repeatable, max_examples=50)
@given(st.lists(st.integers(0, 10**5)), st.floats(-20, 5))
def test_rising_factorials_agree_with_scipy(counts, log_alpha):
    alpha = math.exp(log_alpha)
    expected = sum(gammaln(n + alpha) - gammaln(alpha) for n in counts)
    found = _kernels.log_rising(np.array(counts, dtype=np.int64), log_alpha)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


# --- BDeu ------------------------------------------------------------------------------------------


def test_bdeu_of_a_worked_example():
    """One binary variable, ess 2, counts 2 and 1: B(3, 2) / B(1, 1) = 1/12; a second one is independent."""
    site = SiteData("A", [[0], [0], [1]], ["xy"])
    assert bdeu(Graph("A", [[0]]), site, ess=2) == pytest.approx(math.log(1 / 12), rel=1e-12)
    # A state more, declared and not seen: a = 2/3 each, Γ(2)/Γ(5) · (2/3)(5/3) · (2/3)
    wider = SiteData("A", [[0], [0], [1]], ["xyz"])
    assert bdeu(Graph("A", [[0]]), wider, ess=2) == pytest.approx(math.log(20 / 27 / 24), rel=1e-12)


@settings(repeatable, max_examples=80)
@given(dags(5), st.integers(0, 25), st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]))
def test_bdeu_is_the_textbook_formula(matrix, rows, seed, ess):
    site = random_site(len(matrix), rows, seed)
    found = bdeu(Graph(site.names, matrix), site, ess=ess)
    assert found == pytest.approx(textbook_bdeu(matrix, site, ess), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("rows", [40, 2000])
def test_bdeu_and_bic_agree_with_pgmpy(name, rows):
    from pgmpy.structure_score import BIC, BDeu

    network = load_network(name)
    site = network.sample(rows, seed=4)
    model, frame = pgmpy_model(network.graph), site.to_frame()
    states = {name: list(column) for name, column in zip(site.names, site.states, strict=True)}
    theirs = BIC(frame, state_names=states).score(model)
    assert bic(network.graph, site) == pytest.approx(theirs, rel=1e-9)
    for ess in (1, 10):
        theirs = BDeu(frame, equivalent_sample_size=ess, state_names=states).score(model)
        expected = theirs + left_out_by_pgmpy(network.graph, site, ess)
        assert bdeu(network.graph, site, ess=ess) == pytest.approx(expected, rel=1e-9)


def left_out_by_pgmpy(graph, site, ess):
    """log Γ(α) for each state that a child with parents never has, in every configuration that occurs.

    pgmpy 1.1.2 subtracts them for all states and configurations and adds back those of configurations
    without rows only.
    """
    total, cards = 0.0, site.cardinalities
    for child in range(len(cards)):
        parents = np.flatnonzero(graph.adjacency[:, child])
        if len(parents):
            unseen = cards[child] - len(np.unique(site.values[:, child]))
            occurring = len(np.unique(site.values[:, parents], axis=0))
            total += unseen * occurring * math.lgamma(ess / (cards[parents].prod() * cards[child]))
    return total


def test_the_samples_above_have_unseen_states_of_children():
    found = {name: left_out_by_pgmpy(*_case(name, 40), ess=1) for name in NETWORKS}
    assert found.pop("asia") == 0
    assert min(found.values()) > 1


def _case(name, rows):
    network = load_network(name)
    return network.graph, network.sample(rows, seed=4)


def test_bdeu_with_more_configurations_than_floats_can_count():
    """400 parents of ten states: q = 10⁴⁰⁰. As α → 0, Γ(N + α)/Γ(α) → α Γ(N)."""
    d, rows, ess = 401, 6, 1.0
    values = np.random.default_rng(0).integers(0, 10, (rows, d))
    values[3] = values[0]  # a configuration that occurs twice, with the same child
    values[4, :-1] = values[1, :-1]  # and one with another child
    values[4, -1] = (values[1, -1] + 1) % 10
    site = SiteData(names_of(d), values, [[str(k) for k in range(10)]] * d)
    matrix = np.zeros((d, d))
    matrix[:-1, -1] = 1
    child = bdeu(Graph(site.names, matrix), site, ess) - bdeu(Graph(site.names, 0 * matrix), site, ess)
    child += textbook_bdeu(np.zeros((1, 1)), SiteData("A", values[:, -1:], site.states[:1]), ess)
    log_q = 400 * math.log(10)
    # 4 parent configurations with 2, 2, 1, 1 rows; 5 families with 2, 1, 1, 1, 1
    expected = 5 * (math.log(ess) - log_q - math.log(10)) - 4 * (math.log(ess) - log_q)
    assert child == pytest.approx(expected, rel=1e-9)
    assert bic(Graph(site.names, matrix), site) == -math.inf


def test_bdeu_grows_by_what_a_true_edge_explains():
    """Perfect dependence of two fair bits over n rows is worth about n log 2."""
    bits = np.random.default_rng(1).integers(0, 2, 2000)
    site = SiteData("AB", np.column_stack([bits, bits]), ["xy", "xy"])
    gain = bdeu(Graph.from_edges("AB", ["AB"]), site) - bdeu(Graph("AB", np.zeros((2, 2))), site)
    assert gain == pytest.approx(2000 * math.log(2), abs=15)


# --- BIC -------------------------------------------------------------------------------------------


def test_bic_of_a_worked_example():
    """A: 2 and 2 rows. B given A: 1 + 1 and 2 + 0; three declared states of B."""
    site = SiteData("AB", [[0, 0], [0, 1], [1, 0], [1, 0]], ["xy", "xyz"])
    expected = 4 * math.log(1 / 2) + 2 * math.log(1 / 2) - 0.5 * math.log(4) * (1 + 2 * 2)
    assert bic(Graph.from_edges("AB", ["AB"]), site) == pytest.approx(expected, rel=1e-12)


def test_bic_of_one_row_has_nothing_to_pay():
    site = SiteData("AB", [[0, 2]], ["xy", "xyz"])
    assert bic(Graph.from_edges("AB", ["AB"]), site) == 0


@settings(repeatable, max_examples=30)
@given(dags(5), st.integers(0, 10**6))
def test_gaussian_bic_is_the_sum_of_regressions(matrix, seed):
    site = continuous_site(len(matrix), 40, seed)
    expected = 0.0
    for child in range(len(matrix)):
        parents = np.flatnonzero(matrix[:, child])
        x = np.column_stack([np.ones(40), site.values[:, parents]])
        fit = statsmodels.api.OLS(site.values[:, child], x).fit()
        expected += fit.llf - (len(parents) + 2) / 2 * math.log(40)
    assert gaussian_bic(Graph(site.names, matrix), site) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_gaussian_bic_agrees_with_pgmpy():
    from pgmpy.structure_score import BICGauss

    site = continuous_site(4, 60, 3)
    graph = Graph.from_edges(site.names, [("v2", "v0"), ("v0", "v1"), ("v2", "v1"), ("v1", "v3")])
    theirs = BICGauss(site.to_frame()).score(pgmpy_model(graph))
    assert gaussian_bic(graph, site) == pytest.approx(theirs, rel=1e-9)


def test_columns_in_very_different_units_are_told_apart():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((200, 2))
    y = x @ [1.0, 1.0] + rng.standard_normal(200)
    graph = Graph.from_edges("ABY", ["AY", "BY"])
    plain = gaussian_bic(graph, SiteData("ABY", np.column_stack([x, y])))
    scaled = gaussian_bic(graph, SiteData("ABY", np.column_stack([x * [1e9, 1e-9], y])))
    assert scaled == pytest.approx(plain - 200 * math.log(1e9) + 200 * math.log(1e9), rel=1e-9)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (lambda x: [x, 0 * x + 0.1], r"column 'B': the column is constant"),
        (lambda x: [x, 3 * x - 7], r"column 'B': the column is an exact linear function of A"),
        (lambda x: [x * 1e6, x * 1e6 + 1e-11], r"exact linear function of A"),
    ],
)
def test_columns_without_noise_are_refused(columns, message):
    x = np.random.default_rng(0).standard_normal(50)
    site = SiteData("AB", np.column_stack(columns(x)), label="clinic 3")
    graph = Graph.from_edges("AB", [] if "constant" in message else ["AB"])
    with pytest.raises(InputError, match=message):
        gaussian_bic(graph, site)
    with pytest.raises(InputError, match=f"clinic 3, .*{message}"):
        held_out_log_likelihood(graph, site, site)


def test_fewer_rows_than_parents_are_refused():
    site = continuous_site(5, 4, 0)
    graph = Graph.from_edges(site.names, [(f"v{i}", "v4") for i in range(4)])
    with pytest.raises(InputError, match="'v4': the column is an exact linear function of v0, v1, v2, v3"):
        gaussian_bic(graph, site)


# --- over an equivalence class ---------------------------------------------------------------------


@settings(repeatable, max_examples=60)
@given(dags(6), st.permutations(range(6)), st.integers(0, 10**6))
def test_scores_are_equal_over_an_equivalence_class(matrix, priority, seed):
    d = len(matrix)
    graph = Graph(names_of(d), matrix)
    cpdag = graph.cpdag()
    other = cpdag.reordered([f"v{i}" for i in priority if i < d]).to_dag()  # a member, often another one
    discrete, continuous = random_site(d, 40, seed), continuous_site(d, 40, seed)
    for score, site in ((bdeu, discrete), (bic, discrete), (gaussian_bic, continuous)):
        expected = score(graph, site)
        assert score(cpdag, site) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert score(other, site) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("score", [bdeu, bic])
def test_variable_order_makes_no_difference(score):
    network = load_network("asia")
    site = network.sample(100, seed=1)
    assert score(network.graph.reordered(sorted(network.names)), site) == score(network.graph, site)


# --- held-out rows ---------------------------------------------------------------------------------


@settings(repeatable, max_examples=60)
@given(
    dags(5), st.integers(1, 15), st.integers(1, 15), st.integers(0, 10**6), st.sampled_from([0.5, 1.0, 3.0])
)
def test_discrete_log_likelihood_is_the_posterior_mean(matrix, n_train, n_test, seed, c):
    both = random_site(len(matrix), n_train + n_test, seed)
    if not len(matrix):
        return
    train, test = both.rows(slice(0, n_train)), both.rows(slice(n_train, None))
    found = held_out_log_likelihood(Graph(both.names, matrix), train, test, pseudo_count=c)
    assert found == pytest.approx(textbook_log_likelihood(matrix, train, test, c), rel=1e-9)


def test_unseen_states_and_configurations_are_finite():
    """Train shows A = x, B = x only; a row with A = y has every state of B alike."""
    train = SiteData("AB", [[0, 0], [0, 0]], ["xy", "xyz"])
    test = SiteData("AB", [[1, 2]], ["xy", "xyz"])
    found = held_out_log_likelihood(Graph.from_edges("AB", ["AB"]), train, test)
    assert found == pytest.approx(math.log(1 / 4) + math.log(1 / 3), rel=1e-12)


def test_probabilities_sum_to_one():
    site = random_site(3, 20, 7)
    cells = itertools.product(*(range(c) for c in site.cardinalities))
    graph = Graph.from_edges(site.names, [("v0", "v1"), ("v0", "v2"), ("v1", "v2")])
    total = 0.0
    for cell in cells:
        total += math.exp(held_out_log_likelihood(graph, site, SiteData(site.names, [cell], site.states)))
    assert total == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("d", [1, 3])
def test_gaussian_log_likelihood_of_a_complete_graph_is_the_multivariate_normal(d):
    both = continuous_site(d, 90, 11)
    train, test = both.rows(slice(0, 60)), both.rows(slice(60, None))
    normal = scipy.stats.multivariate_normal(
        train.values.mean(axis=0), np.cov(train.values, rowvar=False, ddof=0)
    )
    complete = Graph(both.names, np.triu(np.ones((d, d)), 1))
    expected = normal.logpdf(test.values).mean()
    assert held_out_log_likelihood(complete, train, test) == pytest.approx(expected, rel=1e-9)
    empty = Graph(both.names, np.zeros((d, d)))
    alone = scipy.stats.norm.logpdf(test.values, train.values.mean(axis=0), train.values.std(axis=0))
    assert held_out_log_likelihood(empty, train, test) == pytest.approx(alone.sum(axis=1).mean(), rel=1e-9)


def test_the_bic_is_the_likelihood_of_its_own_rows_with_its_price():
    site = continuous_site(3, 50, 2)
    graph = Graph.from_edges(site.names, [("v0", "v2"), ("v1", "v2")])
    likelihood = 50 * held_out_log_likelihood(graph, site, site)
    assert gaussian_bic(graph, site) == pytest.approx(likelihood - 0.5 * math.log(50) * 8, rel=1e-9)


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ess", [0, -1, math.nan, math.inf])
def test_ess_and_pseudo_counts_must_be_positive(ess):
    site = random_site(2, 5, 0)
    graph = Graph(site.names, np.zeros((2, 2)))
    with pytest.raises(InputError, match="above 0"):
        bdeu(graph, site, ess=ess)
    with pytest.raises(InputError, match="above 0"):
        held_out_log_likelihood(graph, site, site, pseudo_count=ess)


@pytest.mark.parametrize("score", [bdeu, bic, gaussian_bic])
def test_a_score_says_what_data_it_needs(score):
    site = random_site(2, 5, 0) if score is gaussian_bic else continuous_site(2, 5, 0)
    with pytest.raises(InputError, match=r"needs (continuous|discrete) data"):
        score(Graph(site.names, np.zeros((2, 2))), site)


@pytest.mark.parametrize("score", [bdeu, bic, gaussian_bic])
def test_graphs_that_do_not_fit_are_refused(score):
    site = continuous_site(3, 20, 0) if score is gaussian_bic else random_site(3, 20, 0)
    with pytest.raises(InputError, match="same variables"):
        score(Graph("ABC", np.zeros((3, 3))), site)
    with pytest.raises(InputError):
        score(Graph.from_edges(site.names, [("v0", "v1"), ("v1", "v2"), ("v2", "v0")]), site)


def test_without_rows_only_the_marginal_likelihood_exists():
    discrete = SiteData("AB", np.zeros((0, 2)), ["xy", "xy"])
    continuous = SiteData("AB", np.zeros((0, 2)))
    graph = Graph.from_edges("AB", ["AB"])
    assert bdeu(graph, discrete) == 0
    for score, site in ((bic, discrete), (gaussian_bic, continuous)):
        with pytest.raises(InputError, match="no row"):
            score(graph, site)
    full = SiteData("AB", [[0, 1]], ["xy", "xy"])
    for train, test in ((discrete, full), (full, discrete)):
        with pytest.raises(InputError, match="no row"):
            held_out_log_likelihood(graph, train, test)


def test_sites_with_different_states_cannot_be_compared():
    train = SiteData("A", [[0]], ["xy"])
    test = SiteData("A", [[0]], ["xyz"])
    with pytest.raises(InputError, match="declared states"):
        held_out_log_likelihood(Graph("A", [[0]]), train, test)
