"""Options of the pruning: weights of the inputs, scores that are kept, networks fused anew."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from graph_strategies import dags, repeatable
from hypothesis import given
from hypothesis import strategies as st
from literal_pruning import among_others, random_dags
from literal_pruning import prune as prune_literally

from fedbnsl.consensus import PruningPath, _inputs, fuse, node_order, prune
from fedbnsl.consensus.site_weights import site_weights
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph
from fedbnsl.registry import method
from fedbnsl.seeds import generator


def as_literal(path):
    return [(s.x, s.y, set(s.H), s.total, [set(arcs) for arcs in s.cut]) for s in path.steps]


def literal(path, **options):
    arcs = [set(graph.edges()) for graph in path.inputs]
    completed = path.variant == "mcbnc"
    return prune_literally(arcs, path.fusion.names, set(path.fusion.edges()), completed, **options)


# --- weights -------------------------------------------------------------------------------------


def several_dags():
    """One to four DAGs over the same variables, with a whole weight each."""

    def over(first):
        same = dags(max_nodes=5).filter(lambda a: len(a) == len(first))
        return st.lists(same, max_size=3).map(lambda rest: [first, *rest])

    return dags(max_nodes=5).flatmap(over).map(lambda found: [Graph(range(len(a)), a) for a in found])


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_every_weighted_step_is_the_literal_one(variant):
    for seed in range(10):
        graphs = random_dags(seed, inputs=3)
        weights = np.random.default_rng(seed).choice([1, 2, 3, 5, 7, 40], 3).tolist()
        path = prune(graphs, variant, ties="first", weights=weights)
        assert as_literal(path) == literal(path, weights=list(path.weights))
        path = prune(graphs, variant, seed=seed, weights=weights)
        draws = generator(seed, "ties of the pruning").random(len(path.steps))
        assert as_literal(path) == literal(path, weights=list(path.weights), draws=draws)


@repeatable
@given(several_dags(), st.data())
def test_a_whole_weight_is_as_many_copies(graphs, data):
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(graphs), max_size=len(graphs)))
    copies = [graph for graph, weight in zip(graphs, weights, strict=True) for _ in range(weight)]
    weighted, copied = prune(graphs, seed=3, weights=weights), prune(copies, seed=3)
    assert weighted.order == copied.order
    assert weighted.fusion == copied.fusion
    first = np.cumsum([0, *weights])[:-1]
    for ours, theirs in zip(weighted.steps, copied.steps, strict=True):
        assert (ours.x, ours.y, ours.H) == (theirs.x, theirs.y, theirs.H)
        assert ours.psi == pytest.approx(theirs.psi, abs=1e-12)
        assert ours.cut == tuple(theirs.cut[k] for k in first)
    assert weighted.best() == copied.best()
    for ours, theirs in zip(weighted.curve(), copied.curve(), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_equal_weights_are_none():
    for seed in range(10):
        graphs = random_dags(seed, inputs=3)
        for weights in ([1, 1, 1], [5000, 5000, 5000], [0.1] * 3, [1 / 3] * 3):
            assert prune(graphs, seed=seed, weights=weights) == prune(graphs, seed=seed)


def test_only_ratios_count():
    graphs = random_dags(4, nodes=6, inputs=3)
    paths = [prune(graphs, seed=1, weights=w) for w in ([1000, 500, 250], [4, 2, 1], [2, 1, 0.5])]
    assert paths[0] == paths[1] == paths[2]
    assert paths[0].weights == (4, 2, 1)
    assert prune(graphs, seed=1, weights=[1, 2, 4]) != paths[0]


def test_psi_is_the_weighted_mean():
    graphs = [Graph.from_edges("ab", ["ab"]), Graph.from_edges("ab", []), Graph.from_edges("ab", ["ba"])]
    [step] = prune(graphs, weights=[3, 5, 2]).steps
    assert (step.total, step.psi) == (5, 0.5)


def test_a_heavy_input_decides_the_order_and_the_best_network():
    chain, other = Graph.from_edges("abc", ["ab", "bc"]), Graph.from_edges("abc", ["cb", "ba", "ca"])
    assert node_order([chain, other], [9, 1]) == node_order([chain])
    assert fuse([chain, other], weights=[1, 9]) == fuse(
        [chain, other], order=node_order([other] * 9 + [chain])
    )
    one, two = random_dags(5, nodes=7, inputs=2)
    light = prune([one, two], seed=0, weights=[1, 50]).best()
    assert light.cpdag() == two.cpdag()


def test_weights_far_apart_take_no_more_levels_than_sums():
    graphs = random_dags(6, nodes=8, inputs=4)
    path = prune(graphs, ties="first", weights=[1, 10**3, 10**6, 10**9 + 7])
    assert as_literal(path) == literal(path, weights=list(path.weights))


def test_whole_weights():
    assert _inputs.whole_weights(None, 2) == (1, 1)
    assert _inputs.whole_weights([0.1, 0.2, 0.7], 3) == (1, 2, 7)
    assert _inputs.whole_weights([1 / 3, 1 / 6], 2) == (2, 1)
    assert _inputs.whole_weights([12, np.int64(18), Fraction(3)], 3) == (4, 6, 1)
    shares = np.array([4999, 5001, 17, 983]) / 11000
    assert _inputs.whole_weights(shares, 4) == (4999, 5001, 17, 983)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1], "weights: there are 2 graphs, but 1 weights"),
        ([1, 0], "weights: the weight of graph 2 of 2 cannot be 0"),
        ([-1, 1], "weight of graph 1 of 2 cannot be -1"),
        ([1, math.nan], "cannot be nan"),
        ([1, math.inf], "cannot be inf"),
        ([1, "2"], "cannot be '2'"),
        (5, "a list of numbers, not a int"),
        ({1: 2, 3: 4}, "a list of numbers, not a dict"),
        ({1, 2}, "a list of numbers, not a set"),
        ([1, 1e-9], "too far apart"),
        ([1, 2**41], "too far apart"),
    ],
)
def test_wrong_weights_are_refused(weights, words):
    graphs = [Graph.from_edges("ab", ["ab"])] * 2
    for function in (prune, fuse, node_order):
        with pytest.raises(InputError, match=words):
            function(graphs, weights=weights)


def test_equal_is_a_word_for_it_and_rows_are_not_known_here():
    graphs = random_dags(3)
    assert prune(graphs, weights="equal") == prune(graphs)
    assert node_order(graphs, weights="equal") == node_order(graphs)
    with pytest.raises(InputError, match="graphs alone do not say how many rows"):
        prune(graphs, weights="rows")
    with pytest.raises(InputError, match=r"weights cannot be 'row'.*Write equal, rows"):
        method("gmcbc", "consensus").checked({"weights": "row"})
    assert method("gmcbc", "consensus").checked({"weights": "rows"})["weights"] == "rows"


def test_weights_of_the_sites_that_have_a_graph():
    sites = ["a", "b", "c"]
    assert site_weights("equal", sites, {"c": None}) == "equal"
    assert site_weights("rows", sites, {"c": 30, "a": 500}) == "30+500"
    assert site_weights("1+2.5+3", sites, {"c": None, "a": 500}) == "3+1"
    with pytest.raises(InputError, match="m: there are 2 weights for 3 sites"):
        site_weights("1+2", sites, {"a": 1, "b": 2}, "m")
    with pytest.raises(InputError, match="how many c has is not known"):
        site_weights("rows", sites, {"a": 5, "c": None})


# --- scores that are kept ------------------------------------------------------------------------


@pytest.mark.parametrize("k_max", [1, 10])
@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_every_stale_step_is_the_literal_one(variant, k_max):
    different = 0
    for seed in range(12):
        graphs = random_dags(seed, inputs=3)
        path = prune(graphs, variant, ties="first", k_max=k_max, reuse="stale")
        assert as_literal(path) == literal(path, k_max=k_max, stale=True)
        different += path.steps != prune(graphs, variant, ties="first", k_max=k_max).steps
        path = prune(graphs, variant, seed=seed, k_max=k_max, reuse="stale", weights=[1, 2, 2])
        draws = generator(seed, "ties of the pruning").random(len(path.steps))
        assert as_literal(path) == literal(path, k_max=k_max, stale=True, draws=draws, weights=[1, 2, 2])
    assert different >= 2


def test_stale_scores_in_rows_of_several_words():
    graphs = among_others(random_dags(2, nodes=7, inputs=3), 70)
    path = prune(graphs, "mcbnc", ties="first", reuse="stale")
    assert as_literal(path) == literal(path, stale=True)


def test_a_stale_score_counts_arcs_that_are_gone():
    over = 0
    for seed in range(20):
        path = prune(random_dags(seed, nodes=7, inputs=3), "mcbnc", ties="first", reuse="stale")
        for step in path.steps:
            over += step.total > 0 and not any(step.cut)
        assert path.at(math.inf).n_edges == 0
    assert over >= 1


def test_stale_without_edges():
    path = prune([Graph.from_edges("abc", [])] * 2, reuse="stale")
    assert path.steps == ()


# --- networks fused anew -------------------------------------------------------------------------


def test_the_refused_network_is_the_fusion_of_the_pruned_inputs():
    other = 0
    for seed in range(15):
        path = prune(random_dags(seed, inputs=3), seed=seed, report="refused")
        for theta in path.thetas():
            assert path.at(theta) == fuse(path.inputs_at(theta))
            other += path.at(theta) != path.at(theta, report="g_star")
        assert path.at(-1) == fuse(path.inputs) == path.fusion
        assert list(path.networks()) == [(theta, path.at(theta)) for theta in path.thetas()]
        assert path.cpdag_at(0) == path.at(0).cpdag()
    assert other >= 10


def test_the_option_is_the_default_of_the_methods():
    for seed in range(10):
        graphs = random_dags(seed, inputs=3)
        plain, refused = prune(graphs, seed=seed), prune(graphs, seed=seed, report="refused")
        assert plain.steps == refused.steps
        assert plain.at(0, "refused") == refused.at(0)
        assert plain.curve("refused") == refused.curve()
        assert plain.curve() == refused.curve("g_star")
        assert plain.best(report="refused") == refused.best()


def test_the_choice_of_theta_looks_at_the_network_that_is_reported():
    apart = 0
    for seed in range(30):
        path = prune(random_dags(seed, nodes=6, inputs=4), seed=seed)
        curve = path.curve("refused")
        least = min(point.mean_smhd for point in curve)
        assert path.best_theta(report="refused") == next(p.theta for p in curve if p.mean_smhd == least)
        for point in curve:
            moral = {frozenset(edge) for edge in path.at(point.theta, "refused").moral().edges()}
            each = [len(moral ^ set(map(frozenset, graph.moral().edges()))) for graph in path.inputs]
            assert point.mean_smhd == pytest.approx(sum(each) / len(each), abs=1e-12)
            assert point.edges == path.at(point.theta, "refused").n_edges
        apart += path.best_theta() != path.best_theta(report="refused")
    assert apart >= 1


def test_a_stored_path_keeps_its_options():
    path = prune(random_dags(3, inputs=3), seed=1, report="refused", weights=[1, 2, 3])
    again = PruningPath.from_dict(json.loads(json.dumps(path.to_dict())))
    assert again == path
    assert (again.report, again.weights) == ("refused", (1, 2, 3))
    old = {k: v for k, v in path.to_dict().items() if k not in ("report", "weights", "forced")}
    assert PruningPath.from_dict(old).report == "g_star"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reuse": "never"}, "reuse cannot be 'never'. Choose one of: exact, stale"),
        ({"report": "fused"}, "report cannot be 'fused'. Choose one of: g_star, refused"),
        ({"max_edges": -1}, "the number of edges cannot be -1. Give a whole number of 0 or more"),
        ({"max_treewidth": 1.5}, "the treewidth cannot be 1.5"),
        ({"max_edges": 3, "report": "refused"}, 'max_edges and max_treewidth need report="g_star"'),
        ({"weights": "3+x"}, "weights: the weights cannot be '3\\+x'. Write equal, rows"),
        ({"time_limit": -1}, "time_limit cannot be -1"),
        ({"time_limit": math.nan}, "time_limit cannot be nan"),
        ({"time_limit": "1"}, "time_limit cannot be '1'"),
        ({"time_limit": 1, "reuse": "stale"}, 'time_limit needs reuse="exact"'),
        ({"weights": "3+2"}, "weights: there are 1 graphs, but 2 weights"),
    ],
)
def test_a_wrong_option_is_refused(options, words):
    graphs = [Graph.from_edges("ab", ["ab"])]
    with pytest.raises(InputError, match=words):
        prune(graphs, **options)
    if options.get("report") == "fused":
        with pytest.raises(InputError, match=words):
            prune(graphs).at(0, **options)


@pytest.mark.parametrize("name", ["gmcbc", "mcbnc"])
def test_the_methods_of_the_register_take_them(name):
    graphs = random_dags(14)
    entry = method(name, "consensus")
    chosen = {"reuse": "stale", "report": "refused", "ties": "first"}
    found = entry.load()(graphs, seed=3, **entry.checked(chosen))
    assert found == prune(graphs, name, "first", 3, reuse="stale", report="refused")
    text = "+".join(str(k + 1) for k in range(len(graphs)))
    chosen = {"weights": text, "max_treewidth": 1}
    found = entry.load()(graphs, seed=3, **entry.checked(chosen))
    assert found == prune(graphs, name, seed=3, weights=range(1, len(graphs) + 1), max_treewidth=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reuse": "stale", "tiers": "a..b"}, 'background knowledge needs reuse="exact"'),
        ({"report": "refused", "required": "a..b"}, 'needs reuse="exact" and report="g_star"'),
        ({"report": "refused", "max_treewidth": 3}, 'max_edges and max_treewidth need report="g_star"'),
        ({"max_edges": -1}, "-1 is less than the minimum"),
        ({"reuse": "stale", "time_limit": 5.0}, 'time_limit needs reuse="exact"'),
        ({"weights": "1+0+2"}, "weights: the weights cannot be '1\\+0\\+2'"),
        ({"weights": "nan+1"}, "weights cannot be 'nan\\+1'"),
        ({"required": "a..b+b..a"}, "cycle"),
    ],
)
def test_the_register_refuses_before_there_are_graphs(options, words):
    for name in ("gmcbc", "mcbnc"):
        with pytest.raises(InputError, match=words):
            method(name, "consensus").checked(options)
