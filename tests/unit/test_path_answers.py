"""What a pruning path is asked afterwards: edges, treewidth, support, reasons."""

import itertools
import math

import networkx
import numpy as np
import pytest
from graph_strategies import dags, repeatable
from hypothesis import given
from literal_pruning import random_dags

from fedbnsl.consensus import _kernels, edge_support, fuse, prune, vote
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph, treewidth
from fedbnsl.registry import method


def states(path):
    """The class at each length of the path."""
    for state in path._replay().states(range(len(path.steps) + 1)):
        yield Graph(path.fusion.names, state)


def test_as_many_edges_as_asked_for():
    for seed in range(15):
        path = prune(random_dags(seed, inputs=3), seed=seed)
        m = path.fusion.n_edges
        for most, state in zip(range(m, -1, -1), states(path), strict=True):
            assert path.with_edges(most).n_edges == most
            assert path.with_edges(most).cpdag() == state.cpdag()
        assert path.with_edges(m + 5) == path.fusion
        for theta in path.thetas():
            assert path.with_edges(path.at(theta).n_edges) == path.at(theta)


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_the_first_network_within_a_treewidth(variant):
    skipped = 0
    for seed in range(25):
        path = prune(random_dags(seed, nodes=8, inputs=3, density=0.5), variant, seed=seed)
        widths = [treewidth(state) for state in states(path)]
        for most in range(max(widths) + 1):
            length = next(k for k, width in enumerate(widths) if width <= most)
            found = path.with_treewidth(most)
            assert treewidth(found) <= most
            assert found == path.with_edges(path.fusion.n_edges - length)
            skipped += length
    assert skipped >= 50


@repeatable
@given(dags())
def test_no_min_fill_is_below_the_degeneracy(a):
    graph = Graph(range(len(a)), a)
    moral = graph.moral()
    found = _kernels.degeneracy(_kernels.pack(moral.adjacency)) if len(a) else 0
    assert found <= treewidth(graph)
    assert found == max(networkx.core_number(networkx.from_numpy_array(moral.adjacency)).values(), default=0)


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_the_moral_graph_is_read_off_a_class(variant):
    for seed in range(25):
        path = prune(random_dags(seed, nodes=8, inputs=3, density=0.4), variant, ties="first")
        for k in range(len(path.steps) + 1):
            dag = path.with_edges(path.fusion.n_edges - k)
            replay = path._replay()
            state = replay._start()
            _kernels.advance(state, replay.edges, replay.chosen, 0, k, replay.completed)
            rows = np.empty_like(state[0])
            _kernels.moral_rows(state, rows)
            assert (_kernels.unpack(rows, 8) == dag.moral().adjacency).all()


@pytest.mark.parametrize("most", [-1, 1.5, None, "3"])
def test_a_wrong_limit_is_refused(most):
    path = prune([Graph.from_edges("ab", ["ab"])])
    with pytest.raises(InputError, match=r"the number of edges cannot be .*whole number of 0 or more"):
        path.with_edges(most)
    with pytest.raises(InputError, match="the treewidth cannot be"):
        path.with_treewidth(most)


def test_limits_that_required_edges_forbid():
    path = prune([Graph.from_edges("abc", ["ab", "bc"])], required="a..b+b..c+a..c")
    assert path.with_edges(3).n_edges == 3
    with pytest.raises(InputError, match=r"no network of the path has 2 edges or fewer. .*keeps 3"):
        path.with_edges(2)
    with pytest.raises(InputError, match="treewidth of 1 or less"):
        path.with_treewidth(1)
    with pytest.raises(InputError, match="2 edges or fewer"):
        prune([Graph.from_edges("abc", ["ab"])], required="a..b+b..c+a..c", max_edges=2)


def limits():
    """Number of edges and treewidth, one of them at least."""
    return [pair for pair in itertools.product((None, 0, 3, 7), (None, 0, 1, 2)) if pair != (None, None)]


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_limits_hold_at_every_theta(variant):
    bound = 0
    for seed in range(6):
        graphs = random_dags(seed, nodes=7, inputs=3, density=0.4)
        free = prune(graphs, variant, seed=seed)
        for edges, width in limits():
            path = prune(graphs, variant, seed=seed, max_edges=edges, max_treewidth=width)
            assert (path.steps, path.fusion) == (free.steps, free.fusion)
            found = [path.at(theta) for theta in (-math.inf, *path.thetas(), math.inf)]
            for graph in found:
                assert edges is None or graph.n_edges <= edges
                assert width is None or treewidth(graph) <= width
            first = free if edges is None else free.within(max_edges=edges)
            # nothing goes that the limits allow: one deletion less exceeds one of them
            if path.forced:
                before = free.with_edges(found[0].n_edges + 1)
                over = edges is not None and before.n_edges > edges
                assert over or treewidth(before.cpdag()) > width
            assert path.forced >= first.forced
            for theta, graph in path.networks():
                later = list(
                    itertools.takewhile(lambda step, most=theta: step.psi <= most, path.steps[path.forced :])
                )
                made = path.forced + len(later)
                assert graph == free.with_edges(free.fusion.n_edges - made)
            distance = {p.theta: p.mean_smhd for p in path.curve()}
            assert distance[path.best_theta()] == min(distance.values())
            assert path.reasons()["theta"].isna().sum() == path.forced
            bound += path.forced > 0
    assert bound >= 40


def test_a_number_of_edges_that_is_asked_for_is_met():
    """As config says it: at θ below every score the network has as many edges as it may."""
    graphs = random_dags(3, nodes=7, inputs=4, density=0.5)
    for name in ("gmcbc", "mcbnc"):
        entry = method(name, "consensus")
        for edges in range(8):
            path = entry.load()(graphs, seed=1, **entry.checked({"max_edges": edges}))
            assert path == prune(graphs, name, seed=1).within(max_edges=edges)
            assert path.at(-1).n_edges == edges
            again = type(path).from_dict(path.to_dict())
            assert again == path


# --- support -------------------------------------------------------------------------------------


def test_support_by_direction():
    graphs = [
        Graph.from_edges("abc", ["ab", "bc"]),
        Graph.from_edges("abc", ["ba"]),
        Graph.from_edges("abc", ["bc"], undirected=["ab"]),
        Graph.from_edges("abc", []),
    ]
    consensus = Graph.from_edges("abc", ["ba", "ac"], undirected=["bc"])
    table = edge_support(graphs, consensus)
    assert list(table.itertuples(index=False, name=None)) == [
        ("a", "c", 0.0, 0.0, 0.0, 0.0, 0),
        ("b", "a", 0.75, 0.25, 0.25, 0.25, 3),
        ("b", "c", 0.5, 0.5, 0.0, 0.0, 2),
    ]
    weighted = edge_support(graphs, consensus, [5, 1, 2, 2]).set_index(["from", "to"])
    assert weighted.loc[("b", "a")].tolist() == [0.8, 0.1, 0.5, 0.2, 3]
    assert weighted.loc[("b", "c")].tolist()[:2] == [0.7, 0.7]


def test_support_of_any_method_in_any_order_of_variables():
    graphs = random_dags(3, nodes=6, inputs=4)
    for consensus in (vote(graphs), fuse(graphs), graphs[0].cpdag()):
        table = edge_support(graphs, consensus)
        turned = consensus.reordered(consensus.names[::-1])
        mixed = [graphs[0], *(graph.reordered(graph.names[::-1]) for graph in graphs[1:])]
        assert edge_support(mixed, turned).equals(table)
        for row in table.to_dict("records"):
            joining = [{row["from"], row["to"]} in map(set, graph.edges()) for graph in graphs]
            assert row["support"] == sum(joining) / 4
            assert row["inputs"] == sum(joining)


def test_support_of_a_path_is_weighted_as_the_path():
    graphs = random_dags(5, nodes=6, inputs=3)
    path = prune(graphs, weights=[1, 2, 5])
    assert path.support().equals(edge_support(graphs, path.best(), [1, 2, 5]))
    assert path.support(path.fusion).equals(edge_support(graphs, path.fusion, [1, 2, 5]))
    assert len(edge_support(graphs, Graph(graphs[0].names, np.zeros((6, 6))))) == 0


def test_support_of_other_variables_is_refused():
    graphs = [Graph.from_edges("ab", ["ab"])]
    with pytest.raises(InputError, match="lacks b and has c besides"):
        edge_support(graphs, Graph.from_edges("ac", []))
    with pytest.raises(InputError, match="the consensus: a graph is expected, not a ndarray"):
        edge_support(graphs, np.zeros((2, 2)))


def test_reasons_of_the_example():
    graphs = [
        Graph.from_edges("wxyz", [("w", "x"), ("x", "y"), ("y", "z")]),
        Graph.from_edges("wxyz", [("w", "x"), ("w", "y"), ("x", "z")]),
        Graph.from_edges("wxyz", [("w", "x"), ("y", "x"), ("x", "z")]),
    ]
    table = prune(graphs, ties="first").reasons()
    first = table.iloc[0].to_dict()
    assert first == {
        "step": 1,
        "x": "y",
        "y": "z",
        "H": "",
        "support": pytest.approx(1 / 3),
        "psi": pytest.approx(1 / 3),
        "theta": pytest.approx(1 / 3),
        "cut": "1: y → z",
    }
    assert table["step"].tolist() == [1, 2, 3, 4, 5]


def test_reasons_say_at_which_theta_an_edge_goes():
    for seed in range(10):
        graphs = random_dags(seed, nodes=6, inputs=3)
        path = prune(graphs, seed=seed, weights=[1, 1, 2])
        table = path.reasons()
        assert len(table) == path.fusion.n_edges
        for row in table.to_dict("records"):
            pair = {row["x"], row["y"]}
            assert pair not in map(set, path.at(row["theta"]).edges())
            assert pair in map(set, path.at(math.nextafter(row["theta"], -1)).edges())
            joining = [pair in map(set, graph.edges()) for graph in graphs]
            assert row["support"] == (joining[0] + joining[1] + 2 * joining[2]) / 4
            assert row["psi"] > 0 or row["cut"] == ""
