"""Parameters from all sites: equal to the fit on one table, and to pgmpy; bad input; the bytes sent."""

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

import fedbnsl
from fedbnsl.data import SiteData, load_network, simulate_linear_gaussian
from fedbnsl.data.gaussian_network import GaussianNetwork
from fedbnsl.errors import InputError
from fedbnsl.federate import fit_parameters
from fedbnsl.federate.parameters import CountsSite, TableLayout
from fedbnsl.graphs.graph import Graph
from fedbnsl.scores import held_out_log_likelihood, row_log_likelihoods


def pooled(sites):
    return SiteData(sites[0].names, np.vstack([site.values for site in sites]), sites[0].states, "pooled")


def test_counts_worked_example():
    states = [["no", "yes"], ["no", "yes"]]
    north = SiteData("ab", [[0, 0], [0, 1], [1, 1]], states, "north")
    south = SiteData("ab", [[1, 1], [1, 0]], states, "south")
    fitted = fit_parameters(Graph.from_edges("ab", [("a", "b")]), [north, south])
    a, b = fitted.network.tables
    assert np.allclose(a, [3 / 7, 4 / 7])  # counts 2 and 3, one more each
    assert np.allclose(b, [[2 / 4, 2 / 4], [2 / 5, 3 / 5]])
    # north: 2 cells of a, 3 of (a, b); south: 1 and 2; 8 bytes each
    assert (fitted.bytes_up, fitted.rows) == (8 * 8, (3, 2))


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), sizes=st.lists(st.integers(0, 40), min_size=1, max_size=4))
def test_equals_the_fit_on_one_table(seed, sizes):
    rng = np.random.default_rng(seed)
    names = "abcd"
    states = [[str(k) for k in range(n)] for n in (2, 3, 1, 2)]
    sizes = [*sizes, 5]
    graph = _dag(rng, names)
    discrete = [
        SiteData(names, np.column_stack([rng.integers(len(s), size=n) for s in states]), states, f"s{k}")
        for k, n in enumerate(sizes)
    ]
    shifts = rng.normal(size=(len(sizes), 4)) * 3
    continuous = [
        SiteData(names, rng.normal(size=(n + 8, 4)) @ rng.normal(size=(4, 4)) + shift, label=f"s{k}")
        for k, (n, shift) in enumerate(zip(sizes, shifts, strict=True))
    ]
    for sites in (discrete, continuous):
        together = pooled(sites)
        fitted = fit_parameters(graph, sites)
        mean = row_log_likelihoods(fitted.network, together).mean()
        assert mean == pytest.approx(held_out_log_likelihood(graph, together, together), rel=1e-8)
        again = fit_parameters(graph, sites[::-1]).network
        same = row_log_likelihoods(again, together)
        assert np.array_equal(same, row_log_likelihoods(fitted.network, together))


def _dag(rng, names):
    order = rng.permutation(len(names))
    matrix = np.triu(rng.random((len(names), len(names))) < 0.5, 1)
    return Graph(names, matrix[np.ix_(np.argsort(order), np.argsort(order))])


def test_agrees_with_pgmpy_and_answers_a_query(tmp_path):
    from pgmpy.estimators import BayesianEstimator
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.readwrite import BIFReader

    network = load_network("asia")
    sites = [network.sample(rows, seed=rows, label=str(rows)) for rows in (300, 700, 1000)]
    fitted = fit_parameters(network.graph, sites).network
    model = DiscreteBayesianNetwork(network.graph.edges())
    frame = pooled(sites).to_frame().astype(str)
    known = {name: list(states) for name, states in zip(network.names, network.states, strict=True)}
    estimator = BayesianEstimator(model, frame, state_names=known)
    for i, name in enumerate(network.names):
        columns = int(np.prod([len(known[parent]) for parent in model.get_parents(name)]))
        ones = np.ones((len(known[name]), columns))
        theirs = estimator.estimate_cpd(name, prior_type="dirichlet", pseudo_counts=ones)
        for row in np.ndindex(fitted.tables[i].shape):
            given = {
                network.names[p]: known[network.names[p]][s]
                for p, s in zip(fitted.parents[i], row, strict=False)
            }
            value = theirs.get_value(**{name: known[name][row[-1]], **given})
            assert fitted.tables[i][row] == pytest.approx(value, abs=1e-12)
    fedbnsl.write_graph(fitted, tmp_path / "net.bif")
    loaded = BIFReader(str(tmp_path / "net.bif")).get_model()
    answer = VariableElimination(loaded).query(["lung"], evidence={"smoke": "yes"}, show_progress=False)
    k = network.names.index("lung")
    assert answer.get_value(lung="yes") == pytest.approx(fitted.tables[k][0, 0], abs=1e-4)


def test_gaussian_network_in_pgmpy_has_the_same_joint_distribution():
    sites, truth = simulate_linear_gaussian(nodes=6, edges=8, sites=3, rows=200, seed=2)
    fitted = fit_parameters(truth, sites).network
    model = fitted.to_pgmpy()
    assert model.check_model()
    mean, covariance = model.to_joint_gaussian()
    order = list(networkx.topological_sort(model))
    places = [fitted.names.index(name) for name in order]
    ours = fitted.moments()
    assert np.allclose(mean, ours[0][places])
    assert np.allclose(covariance, ours[1][np.ix_(places, places)])
    density = multivariate_normal(*ours).logpdf(sites[0].values)
    assert np.allclose(density, row_log_likelihoods(fitted, sites[0]))


def test_parameters_come_back_with_many_rows():
    graph = Graph.from_edges("abc", [("a", "b"), ("b", "c"), ("a", "c")])
    matrix = np.array([[0, 1.5, -0.7], [0, 0, 0.4], [0, 0, 0]])
    truth = GaussianNetwork(graph, matrix, [2.0, -1.0, 0.5], [1.0, 0.25, 4.0])
    sites = [truth.sample(40_000, seed, label=str(seed)) for seed in (1, 2)]
    found = fit_parameters(graph, sites).network
    assert np.abs(found.coefficients - matrix).max() < 0.05
    assert np.abs(found.intercepts - truth.intercepts).max() < 0.1
    assert np.abs(found.variances / truth.variances - 1).max() < 0.03


def test_units_do_not_matter():
    sites, truth = simulate_linear_gaussian(nodes=5, edges=6, sites=2, rows=100, seed=3)
    scale = 10.0 ** np.array([-9, 0, 9, 3, -3])
    scaled = [SiteData(site.names, site.values * scale, label=site.label) for site in sites]
    plain, other = (fit_parameters(truth, some).network for some in (sites, scaled))
    assert np.allclose(other.coefficients * scale[:, None] / scale, plain.coefficients, rtol=1e-7)
    assert np.allclose(other.variances / scale**2, plain.variances, rtol=1e-7)


def test_cells_of_all_tables_are_disjoint_and_in_range():
    network = load_network("child")
    layout = TableLayout(network.graph, network.states)
    cells = layout.cells(network.sample(50, 1))
    assert (cells >= layout.starts[:-1]).all()
    assert (cells < layout.starts[1:]).all()
    message = CountsSite(network.sample(50, 1), layout).step(0, None)
    assert message["counts"].sum() == 50 * len(network.names)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pseudo_count": 0}, "pseudo-count must be above 0"),
        ({"pseudo_count": float("nan")}, "pseudo-count must be above 0"),
        ({"sites": []}, "there is no site"),
        ({"graph": Graph.from_edges(["asia", "bronc"], [])}, "variables"),
    ],
)
def test_bad_input(change, message):
    network = load_network("asia")
    given = {"graph": network.graph, "sites": [network.sample(10, 1)]} | change
    with pytest.raises(InputError, match=message):
        fit_parameters(given.pop("graph"), given.pop("sites"), **given)


def test_too_many_parents_are_named():
    names = [f"v{k}" for k in range(30)]
    graph = Graph.from_edges(names, [(name, "v29") for name in names[:-1]])
    site = SiteData(names, np.zeros((2, 30), dtype=int), [["a", "b"]] * 30)
    with pytest.raises(InputError, match="'v29' with 29 parents"):
        fit_parameters(graph, [site])


def test_columns_that_cannot_be_regressed_are_named():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20, 2))
    graph = Graph.from_edges("abc", [("a", "c"), ("b", "c")])
    with pytest.raises(InputError, match="column 'c': the column is an exact linear function of a, b"):
        fit_parameters(graph, [SiteData("abc", np.column_stack([x, x.sum(axis=1)]))])
    with pytest.raises(InputError, match="column 'b': the column has the same value"):
        fit_parameters(graph, [SiteData("abc", np.column_stack([x[:, 0], np.full(20, 7.1), x[:, 1]]))])
    # constant at each site, but not the same at both: there is something to fit
    apart = [SiteData("abc", np.column_stack([x[:, 0], np.full(20, k), x[:, 1]])) for k in (0.0, 1.0)]
    assert fit_parameters(graph, apart).network.variances[1] == pytest.approx(0.25)


def test_likelihood_refuses_other_states_and_kinds():
    network = load_network("asia")
    other = SiteData(network.names, np.zeros((1, 8), dtype=int), [["x", "y"]] * 8, "east")
    with pytest.raises(InputError, match=r"east, column 'asia'.*are not those of the network"):
        row_log_likelihoods(network, other)
    with pytest.raises(InputError, match="the rows are continuous, the network is discrete"):
        row_log_likelihoods(network, SiteData(network.names, np.zeros((1, 8))))
    with pytest.raises(InputError, match="variables are not those"):
        row_log_likelihoods(network, SiteData("ab", np.zeros((1, 2))))


def test_strength_is_what_the_likelihood_loses_without_the_edge():
    discrete = [load_network("asia").sample(400, k, label=str(k)) for k in range(2)]
    continuous, truth = simulate_linear_gaussian(nodes=8, edges=10, sites=2, rows=400, seed=2)
    for graph, sites in ((load_network("asia").graph, discrete), (truth.graph, continuous)):
        strength = fit_parameters(graph, sites, pseudo_count=1e-9).strength
        assert np.array_equal(strength > 0, graph.adjacency > 0)
        together = pooled(sites)
        full = held_out_log_likelihood(graph, together, together, 1e-9)
        for i, j in np.argwhere(graph.adjacency):
            fewer = graph.adjacency.copy()
            fewer[i, j] = 0
            without = held_out_log_likelihood(Graph(graph.names, fewer), together, together, 1e-9)
            assert strength[i, j] == pytest.approx(full - without, abs=1e-7)
