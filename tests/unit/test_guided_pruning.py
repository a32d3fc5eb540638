"""Pruning with background knowledge."""

import itertools
import json
import math

import numpy as np
import pytest
from literal_pruning import Pdag, random_dags
from literal_pruning import prune as prune_literally

from fedbnsl.consensus import PruningPath, fuse, prune
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph
from fedbnsl.registry import method


def dags_of(pdag):
    """All DAGs of the class of a CPDAG, as sets of arcs."""
    lines = [tuple(pair) for pair in pdag.undirected]
    for turned in itertools.product((False, True), repeat=len(lines)):
        arcs = pdag.arcs | {(v, u) if turn else (u, v) for (u, v), turn in zip(lines, turned, strict=True)}
        graph = Graph.from_edges(pdag.names, arcs)
        if graph.is_dag():
            whole = graph.cpdag()
            same = set(whole.directed_edges()) == pdag.arcs
            if same and {frozenset(pair) for pair in whole.undirected_edges()} == pdag.undirected:
                yield arcs


def keeps(arcs, required, forbidden):
    return set(required) <= arcs and not set(forbidden) & arcs


def random_knowledge(names, rng):
    """Some required edges, and edges forbidden in one and in both directions, that allow an order."""
    order = rng.permutation(names).tolist()
    pairs = list(itertools.combinations(order, 2))
    chosen = rng.permutation(len(pairs))[:5]
    kinds = rng.permutation(["required", "required", "one way", "one way", "both"])
    required, forbidden = [], []
    for k, kind in zip(chosen, kinds, strict=False):
        u, v = pairs[k]
        if kind == "required":
            required.append((u, v))
        else:
            forbidden += [(v, u)] if kind == "one way" else [(u, v), (v, u)]
    return required, forbidden


def guided_literally(path, required, forbidden):
    """Every step, with the DAGs of every class that a candidate leads to."""
    both = [pair for pair in forbidden if pair[::-1] in forbidden]
    one_way = [pair for pair in forbidden if pair not in both]

    def allowed(pdag, x, y, H):
        unwanted = [p for p in both if pdag.adjacent(*p)]
        if unwanted and (x, y) not in unwanted:
            return False
        if (x, y) in required or (y, x) in required:
            return False
        after = Pdag(pdag.names, pdag.arcs, pdag.undirected)
        after.delete(x, y, H)
        return any(keeps(arcs, required, one_way) for arcs in dags_of(after))

    arcs = [set(graph.edges()) for graph in path.inputs]
    fusion, completed = set(path.fusion.edges()), path.variant == "mcbnc"
    return prune_literally(arcs, path.fusion.names, fusion, completed, allowed=allowed)


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_every_step_is_the_literal_one(variant):
    changed = 0
    for seed in range(9):
        graphs = random_dags(seed, nodes=5, inputs=3, density=0.4)
        required, forbidden = random_knowledge(graphs[0].names, np.random.default_rng(seed))
        path = prune(graphs, variant, ties="first", required=required, forbidden=forbidden)
        found = [(s.x, s.y, set(s.H), s.total, [set(arcs) for arcs in s.cut]) for s in path.steps]
        assert found == guided_literally(path, required, forbidden)
        plain = prune_literally(
            [set(g.edges()) for g in graphs], path.fusion.names, {*path.fusion.edges()}, variant == "mcbnc"
        )
        changed += [s[:4] for s in found] != [s[:4] for s in plain[: len(found)]]
    assert changed >= 4


@pytest.mark.parametrize("ties", ["first", "random"])
@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_every_network_keeps_to_it(variant, ties):
    forced = 0
    for seed in range(8):
        graphs = random_dags(seed, nodes=8, inputs=4, density=0.3)
        required, forbidden = random_knowledge(graphs[0].names, np.random.default_rng(seed))
        path = prune(graphs, variant, ties, seed, required=required, forbidden=forbidden)
        for theta in (-1, *path.thetas(), math.inf):
            graph = path.at(theta)
            assert graph.is_dag()
            assert keeps(set(graph.edges()), required, forbidden)
            length = path._length(theta)
            state = Graph(graph.names, next(path._replay().states([length])))
            if length:
                assert graph.cpdag() == state
        assert set(path.at(math.inf).edges()) == set(required)
        for most in range(len(required), path.at(-1).n_edges + 1):
            assert path.with_edges(most).n_edges == most
            assert keeps(set(path.with_edges(most).edges()), required, forbidden)
        assert keeps(set(path.with_treewidth(2).edges()), required, forbidden)
        forced += path.forced
    assert forced >= 3


def test_the_order_puts_origins_of_required_edges_first():
    graphs = [Graph.from_edges("abcd", [("d", "c"), ("c", "b"), ("b", "a")])] * 2
    assert prune(graphs).order == ("d", "c", "b", "a")
    path = prune(graphs, required=[("a", "d")])
    assert path.order.index("a") < path.order.index("d")
    assert ("a", "d") in path.fusion.edges()
    assert set(path.fusion.edges()) - {("a", "d")} == set(fuse(graphs, path.order).edges())


def test_an_edge_forbidden_in_one_direction_is_turned():
    graphs = [Graph.from_edges("ab", ["ab"])] * 3
    path = prune(graphs, forbidden="a..b")
    assert (path.order, path.forced) == (("b", "a"), 0)
    assert path.at(0).edges() == [("b", "a")]


def test_edges_forbidden_in_both_directions_go_first_with_their_cuts():
    graphs = [Graph.from_edges("abc", ["ab", "bc"])] * 2 + [Graph.from_edges("abc", ["ab"])]
    path = prune(graphs, forbidden=[("a", "b"), ("b", "a")])
    assert path.forced == 1
    assert {path.steps[0].x, path.steps[0].y} == {"a", "b"}
    assert path.steps[0].psi == 1
    assert path.steps[0].cut == ((("a", "b"),),) * 3
    assert path.thetas() == (0, 2 / 3)
    assert path.at(-1).edges() == path.at(0).edges() != []
    assert path.reasons()["theta"].isna().tolist() == [True, False]


def test_tiers_are_times():
    graphs = random_dags(7, nodes=7, inputs=4, density=0.4)
    tiers = [["v3", "v5"], ["v0"], ["v1", "v2"]]
    path = prune(graphs, tiers=tiers)
    tier = {name: k for k, names in enumerate(tiers) for name in names}
    for _, graph in path.networks():
        for u, v in graph.edges():
            assert tier.get(u, -1) < 0 or tier.get(v, 9) >= tier[u]
    assert path == prune(graphs, tiers="v3+v5..v0..v1+v2")


def test_knowledge_that_agrees_with_everything_changes_nothing():
    for seed in range(10):
        [graph] = random_dags(seed, inputs=1)
        path = prune([graph] * 3, ties="first", forbidden=[(v, u) for u, v in graph.edges()], order=None)
        assert path.at(0.5) == graph


def test_a_required_edge_that_no_input_has_stays():
    graphs = [Graph.from_edges("abcd", ["ab", "cd"])] * 3
    path = prune(graphs, required=[("b", "d")])
    assert path.at(math.inf).edges() == [("b", "d")]
    assert path.at(0.5).n_edges == 3


def test_a_stored_path_keeps_the_knowledge():
    graphs = random_dags(4, nodes=6, inputs=3)
    path = prune(graphs, required=[("v1", "v0")], forbidden="v2..v3+v3..v2")
    again = PruningPath.from_dict(json.loads(json.dumps(path.to_dict())))
    assert again == path
    assert again.at(0) == path.at(0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"required": [("a", "x")]}, "required: there is no variable 'x'"),
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "required edges form the cycle"),
        ({"required": "a..b", "forbidden": "a..b"}, "both required and forbidden"),
        ({"forbidden": "a..b+b..c+c..a"}, "allow no order of the variables: . before . before"),
        ({"required": "a..b", "forbidden": "c..b+a..c"}, "allow no order"),
        ({"required": "b..a", "tiers": "a..b"}, "leads from tier 2 to tier 1"),
        ({"required": "a..b", "order": "bac"}, "order: a must come before b"),
        ({"required": "a..b", "reuse": "stale"}, 'needs reuse="exact" and report="g_star"'),
        ({"required": "a..b", "report": "refused"}, 'needs reuse="exact" and report="g_star"'),
    ],
)
def test_what_contradicts_itself_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        prune([Graph.from_edges("abc", ["ab"])], **options)


def test_the_methods_of_the_register_take_it_as_texts():
    graphs = random_dags(14, nodes=6, inputs=3)
    for name in ("gmcbc", "mcbnc"):
        entry = method(name, "consensus")
        found = entry.load()(graphs, seed=3, **entry.checked({"required": "v0..v1", "tiers": "v2..v3"}))
        assert found == prune(graphs, name, seed=3, required=[("v0", "v1")], tiers=[["v2"], ["v3"]])
        with pytest.raises(InputError, match="cycle"):
            entry.checked({"required": "v0..v1+v1..v0"})
