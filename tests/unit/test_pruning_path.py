"""Networks along a pruning path: what θ means, the choice of θ, storage."""

import json
import math

import numpy as np
import pytest
from literal_pruning import random_dags

from fedbnsl.consensus import PruningPath, prune
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph


def paths(count, **options):
    for seed in range(count):
        yield prune(random_dags(seed, inputs=3), seed=seed, **options)


@pytest.fixture(scope="module")
def falling():
    """A path with a deletion of smaller Ψ after one of larger Ψ, and the place of the larger."""
    for path in paths(100):
        psi = [step.psi for step in path.steps]
        drops = [k for k in range(len(psi) - 1) if psi[k + 1] < psi[k] == max(psi[: k + 1])]
        if drops:
            return path, drops[0]
    raise AssertionError("no path falls")


def test_the_network_at_theta_stops_before_the_first_larger_score(falling):
    path, k = falling
    between = (path.steps[k].psi + path.steps[k + 1].psi) / 2
    # The later deletion has Ψ ≤ θ and is not made.
    assert path.steps[k + 1].psi < between < path.steps[k].psi
    assert path.at(between).n_edges == path.fusion.n_edges - k
    assert path.at(path.steps[k].psi).n_edges < path.fusion.n_edges - k - 1


def test_a_score_equal_to_theta_is_deleted():
    for path in paths(10):
        for k, step in enumerate(path.steps):
            if step.psi > max((earlier.psi for earlier in path.steps[:k]), default=-1):
                assert path.at(np.nextafter(step.psi, -1)).n_edges == path.fusion.n_edges - k
                assert path.at(step.psi).n_edges <= path.fusion.n_edges - k - 1


def test_thetas_are_exactly_where_the_network_changes():
    for path in paths(20):
        thetas = path.thetas()
        assert thetas[0] == 0
        edges = [path.at(theta).n_edges for theta in thetas]
        assert edges == sorted(set(edges), reverse=True)
        assert edges[-1] == 0
        for low, high, count in zip(thetas, thetas[1:], edges, strict=False):
            assert path.at((low + high) / 2).n_edges == count


def test_networks_are_those_at_the_thetas():
    for path in paths(10, variant="mcbnc"):
        assert list(path.networks()) == [(theta, path.at(theta)) for theta in path.thetas()]


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_below_every_score_stands_the_fusion(variant):
    for path in paths(20, variant=variant):
        assert path.at(-1) == path.fusion
        assert path.cpdag_at(-1) == path.fusion.cpdag()


def test_the_cpdag_is_the_class_of_the_network():
    for path in paths(20):
        for theta, dag in path.networks():
            state = next(path._replay().states([path.fusion.n_edges - dag.n_edges]))
            assert dag.is_dag()
            assert path.cpdag_at(theta) == dag.cpdag() == Graph(dag.names, state).cpdag()


def test_of_several_extensions_the_sinks_are_latest_in_the_order():
    # x – y alone is left undirected: the extension ends in the later of the two
    for order in ("ab", "ba"):
        path = prune([Graph.from_edges("ab", [("a", "b")])], "mcbnc", order=order)
        assert path.at(0).edges() == [tuple(order)]


def test_curve_counts_the_moral_edges_that_differ():
    for path in paths(20):
        for point, theta in zip(path.curve(), path.thetas(), strict=True):
            dag = path.at(theta)
            moral = {frozenset(edge) for edge in dag.moral().edges()}
            apart = [
                len(moral ^ {frozenset(edge) for edge in graph.moral().edges()}) for graph in path.inputs
            ]
            assert point.theta == theta
            assert point.mean_smhd == pytest.approx(sum(apart) / len(apart), abs=1e-12)
            assert point.edges == dag.n_edges


def test_best_minimises_the_mean_smhd_to_the_inputs():
    for path in paths(20):
        curve = path.curve()
        least = min(point.mean_smhd for point in curve)
        assert path.best_theta() == next(point.theta for point in curve if point.mean_smhd == least)
        assert path.best() == path.at(path.best_theta())


def test_best_takes_another_measure():
    path = prune(random_dags(2, nodes=7, inputs=3))
    truth = path.at(path.thetas()[2])
    assert path.best(lambda graph: int((graph.adjacency != truth.adjacency).sum())) == truth
    assert path.best_theta(lambda graph: 0.0) == 0.0
    assert path.best_theta(lambda graph: graph.n_edges) == path.thetas()[-1]


def test_pruned_inputs_lack_the_arcs_that_were_cut():
    for path in paths(10):
        assert path.inputs_at(-1) == path.inputs
        for theta in path.thetas():
            made = path.steps[: path.fusion.n_edges - path.at(theta).n_edges]
            for i, (before, after) in enumerate(zip(path.inputs, path.inputs_at(theta), strict=True)):
                cut = [arc for step in made for arc in step.cut[i]]
                assert len(cut) == len(set(cut))
                assert set(after.edges()) == set(before.edges()) - set(cut)
                assert set(cut) <= set(before.edges())


def test_a_stored_path_is_the_same():
    for path in paths(10, variant="mcbnc"):
        again = PruningPath.from_dict(json.loads(json.dumps(path.to_dict())))
        assert again == path
        assert again.curve() == path.curve()
        assert again.order == path.order


@pytest.mark.parametrize("theta", [math.nan, None, "1"])
def test_a_theta_that_is_no_number_is_refused(theta):
    path = prune([Graph.from_edges("ab", ["ab"])])
    for method in (path.at, path.cpdag_at, path.inputs_at):
        with pytest.raises(InputError, match=f"theta: θ cannot be {theta!r}"):
            method(theta)
    assert (path.at(-math.inf).n_edges, path.at(math.inf).n_edges) == (1, 0)
