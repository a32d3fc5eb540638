"""Min-cut pruning: the published example, the cuts, and every step against the literal procedure."""

import itertools
from collections import Counter
from fractions import Fraction

import networkx
import numpy as np
import pytest
from literal_pruning import Pdag, all_scores, among_others, ancestral_moral, random_dags
from literal_pruning import prune as prune_literally

from fedbnsl import consensus
from fedbnsl.consensus import _inputs, _kernels, fuse, prune
from fedbnsl.consensus.candidates import scores
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph
from fedbnsl.graphs.cpdag import is_cpdag
from fedbnsl.registry import method
from fedbnsl.seeds import generator

EXAMPLE = [
    Graph.from_edges("wxyz", [("w", "x"), ("x", "y"), ("y", "z")]),
    Graph.from_edges("wxyz", [("w", "x"), ("w", "y"), ("x", "z")]),
    Graph.from_edges("wxyz", [("w", "x"), ("y", "x"), ("x", "z")]),
]


def table(found):
    return {(s.x, s.y, s.H): Fraction(s.total, 3) for s in found}


def as_literal(path):
    return [(s.x, s.y, set(s.H), s.total, [set(arcs) for arcs in s.cut]) for s in path.steps]


def literal(path, completed=False, k_max=10, draws=None):
    arcs = [set(graph.edges()) for graph in path.inputs]
    fusion = set(path.fusion.edges())
    return prune_literally(arcs, path.fusion.names, fusion, completed, k_max, draws)


# --- the published example ---------------------------------------------------------------------


def test_first_sweep_of_the_example():
    assert table(scores(EXAMPLE, fuse(EXAMPLE))) == {
        ("w", "x", ()): 1,
        ("y", "z", ()): Fraction(1, 3),
        ("w", "y", ()): Fraction(2, 3),
        ("x", "z", ()): Fraction(2, 3),
        ("y", "x", ()): Fraction(2, 3),
    }


def test_second_sweep_of_the_example():
    path = prune(EXAMPLE, ties="first")
    first = path.steps[0]
    assert (first.x, first.y, first.H, first.total, first.psi) == ("y", "z", (), 1, 1 / 3)
    assert first.cut == ((("y", "z"),), (), ())
    state = path.cpdag_at(0.5)
    assert state.directed_edges() == []
    assert {frozenset(pair) for pair in state.edges()} == set(map(frozenset, ("wx", "wy", "xz", "xy")))
    two, four = Fraction(2, 3), Fraction(4, 3)
    assert table(scores(path.inputs_at(0.5), state)) == {
        ("w", "x", ()): 1,
        ("w", "x", ("y",)): four,
        ("x", "w", ()): 1,
        ("x", "w", ("y",)): four,
        ("w", "y", ()): two,
        ("w", "y", ("x",)): two,
        ("y", "w", ()): two,
        ("y", "w", ("x",)): two,
        ("x", "z", ()): two,
        ("z", "x", ()): two,
        ("y", "x", ()): two,
        ("y", "x", ("w",)): four,
        ("x", "y", ()): two,
        ("x", "y", ("w",)): four,
    }


@pytest.mark.parametrize("seed", range(5))
def test_result_of_the_example(seed):
    path = prune(EXAMPLE, seed=seed)
    assert path.order == ("w", "y", "x", "z")
    assert set(path.at(0.5).edges()) == {("w", "x"), ("w", "y"), ("x", "z"), ("y", "x")}
    assert path.best_theta() == 1 / 3


# --- minimum cuts ------------------------------------------------------------------------------


def cut_by_kernel(graph, x, y, given):
    """Size of the minimum cut and the side of y."""
    [parents], orders = _inputs.parent_rows([graph])
    rows = _kernels.input_rows(parents[None], orders, np.ones(1, np.int64))
    d, words = parents.shape
    removed = _kernels.pack(np.isin(np.arange(d), given))
    inside, scratch = np.empty(words, np.uint64), _kernels.cut_scratch(d, words)
    _kernels.ancestral(x, y, removed, rows[2][0], inside)
    size = _kernels.min_cut(y, x, removed, inside, rows[0][0], rows[1][0], 10**6, scratch)
    return size, set(np.flatnonzero(_kernels.unpack(scratch[2], d)))


def queries(count, nodes, others=None):
    """(DAG, x, y, conditioning set, graph to cut)."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        [graph] = random_dags(seed, nodes=nodes, inputs=1)
        if others:
            [graph] = among_others([graph], others)
        places = [graph.names.index(f"v{i}") for i in rng.permutation(nodes)]
        x, y, *rest = places
        given = rest[: int(rng.integers(0, 3))]
        edges = ancestral_moral({tuple(map(graph.names.index, arc)) for arc in graph.edges()}, {x, y, *given})
        kept = networkx.Graph([tuple(edge) for edge in edges if not edge & set(given)])
        kept.add_nodes_from([x, y])
        networkx.set_edge_attributes(kept, 1, "capacity")
        yield graph, x, y, given, kept


@pytest.mark.parametrize(("nodes", "others"), [(8, None), (12, 130)])
def test_size_and_side_of_a_minimum_cut(nodes, others):
    sizes = Counter()
    for graph, x, y, given, kept in queries(60, nodes, others):
        size, side = cut_by_kernel(graph, x, y, given)
        # networkx takes the side of the target as small as it can be
        value, (_, nearest) = networkx.minimum_cut(kept, x, y)
        assert (size, side) == (value, nearest)
        sizes[size] += 1
    assert len(sizes) >= 4


def test_the_cut_is_the_minimum_one_nearest_to_y():
    distant = 0
    for graph, x, y, given, kept in queries(40, 7):
        others = [v for v in kept if v not in (x, y)]
        sides = [{y, *chosen} for k in range(len(others) + 1) for chosen in itertools.combinations(others, k)]
        sizes = [networkx.cut_size(kept, side) for side in sides]
        minimal = [side for side, size in zip(sides, sizes, strict=True) if size == min(sizes)]
        size, side = cut_by_kernel(graph, x, y, given)
        assert size == min(sizes)
        assert side == set.intersection(*minimal)
        distant += len(minimal) > 1
    assert distant >= 10


def test_flow_that_must_be_sent_back():
    """Sparse graphs in which the shortest path can be a wrong one (as for seeds 163 and 195).

    Any undirected graph is a moral graph without its conditioning set: a common child for each edge.
    """
    for seed in range(150, 200):
        kept = networkx.gnp_random_graph(20, 0.15, seed=seed)
        networkx.set_edge_attributes(kept, 1, "capacity")
        children = {edge: 20 + k for k, edge in enumerate(kept.edges)}
        names = [str(v) for v in range(20 + len(children))]
        arcs = [(str(u), str(child)) for edge, child in children.items() for u in edge]
        size, side = cut_by_kernel(Graph.from_edges(names, arcs), 1, 0, list(children.values()))
        value, (_, nearest) = networkx.minimum_cut(kept, 1, 0)
        assert (size, side) == (value, nearest)


def test_a_limit_stops_the_flow():
    graph = Graph.from_edges("abcd", [("a", "b"), ("a", "c"), ("c", "b"), ("a", "d"), ("d", "b")])
    [parents], orders = _inputs.parent_rows([graph])
    rows = _kernels.input_rows(parents[None], orders, np.ones(1, np.int64))
    nothing, everything = _kernels.pack(np.zeros(4)), _kernels.pack(np.ones(4))
    for limit, expected in ((0, 0), (2, 2), (3, 3), (9, 3)):
        scratch = _kernels.cut_scratch(4, 1)
        found = _kernels.min_cut(1, 0, nothing, everything, rows[0][0], rows[1][0], limit, scratch)
        assert found == expected


# --- the path ----------------------------------------------------------------------------------


@pytest.mark.parametrize("k_max", [0, 1, 2, 10])
@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_every_step_is_the_literal_one(variant, k_max):
    with_sets = 0
    for seed in range(14 * k_max, 14 * k_max + 14):
        path = prune(random_dags(seed), variant, ties="first", k_max=k_max)
        assert as_literal(path) == literal(path, variant == "mcbnc", k_max)
        with_sets += any(step.H for step in path.steps)
    assert with_sets >= (0 if k_max == 0 else 3)


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_drawn_ties_are_the_literal_ones(variant):
    for seed in range(8):
        path = prune(random_dags(seed), variant, seed=seed)
        draws = generator(seed, "ties of the pruning").random(len(path.steps))
        assert as_literal(path) == literal(path, variant == "mcbnc", draws=draws)


def test_dense_inputs_with_large_sets():
    largest = 0
    for seed in range(3):
        complete = Graph([f"v{i}" for i in range(7)], np.triu(np.ones((7, 7)), 1))
        graphs = [complete, *random_dags(seed, nodes=7, inputs=2)]
        path = prune(graphs, "mcbnc", ties="first")
        assert as_literal(path) == literal(path, completed=True)
        largest = max(largest, *(len(step.H) for step in path.steps))
    assert largest >= 2


def test_rows_of_several_words():
    for seed in range(6):
        graphs = random_dags(seed, nodes=7, inputs=3)
        narrow = prune(graphs, ties="first")
        order = [*narrow.order]
        wide = among_others(graphs)
        rest = [name for name in wide[0].names if name not in order]
        path = prune(wide, ties="first", order=order + rest)
        assert as_literal(path) == as_literal(narrow)


@pytest.mark.parametrize(("density", "k_max"), [(None, 2), (0.9, 1), (0.9, 2), (1.0, 3)])
def test_scores_are_the_literal_ones(density, k_max):
    for seed in range(10):
        graphs = random_dags(seed, nodes=6)
        state = random_dags(1000 + seed, nodes=6, inputs=1, density=density)[0].cpdag()
        pdag = Pdag(state.names, state.directed_edges(), state.undirected_edges())
        expected = all_scores([set(graph.edges()) for graph in graphs], pdag, k_max=k_max)
        assert [(s.x, s.y, set(s.H), s.total) for s in scores(graphs, state, k_max=k_max)] == expected


def test_states_are_cpdags_and_lose_one_edge_a_step():
    for seed in range(25):
        path = prune(random_dags(seed), "mcbnc", seed=seed)
        assert len(path.steps) == path.fusion.n_edges
        for k, state in enumerate(path._replay().states(range(len(path.steps) + 1))):
            assert is_cpdag(state)
            assert np.triu(state | state.T).sum() == path.fusion.n_edges - k


def sweeps(path):
    """(inputs, state, step) before each deletion."""
    inputs, names = list(path.inputs), path.fusion.names
    for step, state in zip(path.steps, path._replay().states(range(len(path.steps))), strict=True):
        yield inputs, Graph(names, state), step
        inputs = [
            Graph.from_edges(names, set(graph.edges()) - set(arcs))
            for graph, arcs in zip(inputs, step.cut, strict=True)
        ]


@pytest.mark.parametrize(
    ("nodes", "variant", "seeds"), [(14, "gmcbc", (1, 2, 3)), (14, "mcbnc", (4, 5)), (66, "mcbnc", (1,))]
)
def test_what_is_kept_between_sweeps_changes_nothing(nodes, variant, seeds):
    """Larger graphs: every deletion is the first of the least scores, all computed anew."""
    for seed in seeds:
        graphs = random_dags(seed, nodes=nodes, inputs=3, density=2 / nodes)
        path = prune(graphs, variant, ties="first")
        for inputs, state, step in sweeps(path):
            found = scores(inputs, state)
            assert tuple(step[:4]) == tuple(min(found, key=lambda score: score.total)[:4])


NEW = {"v0": "u2", "v1": "u0", "v2": "u4", "v3": "u1", "v4": "u3"}


def renamed(graph):
    """The graph under other names, in the order of those."""
    return Graph([NEW[name] for name in graph.names], graph.adjacency).reordered(sorted(NEW.values()))


def test_names_do_not_matter_to_the_scores():
    for seed in range(15):
        path = prune(random_dags(seed, nodes=5, inputs=3), seed=seed)
        for inputs, state, step in sweeps(path):
            found = scores(inputs, state)
            again = scores([renamed(graph) for graph in inputs], renamed(state))
            assert min(s.total for s in found) == step.total
            assert {(NEW[s.x], NEW[s.y], frozenset(NEW[h] for h in s.H), s.total) for s in found} == {
                (s.x, s.y, frozenset(s.H), s.total) for s in again
            }


def test_names_do_not_matter_until_a_tie():
    compared = 0
    for seed in range(60):
        path = prune(random_dags(seed, nodes=5, inputs=7), ties="first")
        order = [NEW[name] for name in path.order]
        again = prune([renamed(graph) for graph in path.inputs], ties="first", order=order)
        for (inputs, state, ours), theirs in zip(sweeps(path), again.steps, strict=True):
            if [s.total for s in scores(inputs, state)].count(ours.total) > 1:
                break
            assert (NEW[ours.x], NEW[ours.y], {NEW[h] for h in ours.H}) == (theirs.x, theirs.y, {*theirs.H})
            assert ours.total == theirs.total
            for arcs, others in zip(ours.cut, theirs.cut, strict=True):
                assert {(NEW[u], NEW[v]) for u, v in arcs} == set(others)
            compared += 1
    assert compared >= 20


def test_a_seed_repeats_and_seeds_differ():
    graphs = random_dags(11, nodes=7, inputs=3)
    paths = [prune(graphs, seed=seed) for seed in range(6)]
    assert prune(graphs, seed=2) == paths[2]
    assert len({path.steps for path in paths}) == 6


def test_every_tied_candidate_is_drawn_equally_often():
    # Each edge stands in one of two inputs: both orientations of all three have Ψ = 1/2
    graphs = [Graph.from_edges("abcd", [("a", "b"), ("b", "c")]), Graph.from_edges("abcd", [("c", "d")])]
    path = prune(graphs, "mcbnc", ties="first")
    tied = [s for s in scores(graphs, path.cpdag_at(-1)) if s.total == path.steps[0].total]
    drawn = Counter(
        (step.x, step.y, step.H) for step in (prune(graphs, "mcbnc", seed=s).steps[0] for s in range(600))
    )
    assert set(drawn) == {(s.x, s.y, s.H) for s in tied}
    assert len(tied) == 6
    expected = 600 / len(tied)
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 15.1  # χ²(5), 1 %


# --- inputs and options --------------------------------------------------------------------------


def test_equal_inputs_lose_nothing_below_one():
    for seed in range(20):
        [graph] = random_dags(seed, inputs=1)
        path = prune([graph] * 3, seed=seed)
        assert path.fusion == path.at(0.99) == graph
        assert all(step.total % 3 == 0 for step in path.steps)
        assert all(step.psi >= 1 for step in path.steps[:1])


def test_one_input_is_pruned_to_nothing():
    [graph] = random_dags(9, nodes=6, inputs=1)
    path = prune([graph])
    assert path.at(0) == graph
    assert path.at(np.inf).n_edges == 0


@pytest.mark.parametrize("names", ["", "a", "abc"])
def test_inputs_without_edges(names):
    path = prune([Graph.from_edges(names, [])] * 2)
    assert (path.steps, path.thetas()) == ((), (0.0,))
    assert path.best() == Graph.from_edges(names, [])
    assert path.curve() == ((0.0, 0.0, 0),)


def test_cpdags_are_extended():
    graphs = [graph.cpdag() for graph in random_dags(12, nodes=7, inputs=3)]
    assert prune(graphs, seed=1) == prune([graph.to_dag() for graph in graphs], seed=1)


def test_variables_in_another_order():
    first, second = random_dags(13, nodes=6, inputs=2)
    assert prune([first, second.reordered(second.names[::-1])]) == prune([first, second])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variant": "bes"}, "variant cannot be 'bes'. Choose one of: gmcbc, mcbnc"),
        ({"ties": "last"}, "ties cannot be 'last'. Choose one of: random, first"),
        ({"k_max": -1}, "k_max cannot be -1. Give a whole number from 0 to 20"),
        ({"k_max": 2.5}, "k_max cannot be 2.5"),
        ({"order": "wxy"}, "order: .*Missing: z"),
    ],
)
def test_a_wrong_option_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        prune(EXAMPLE, **options)


@pytest.mark.parametrize("name", ["gmcbc", "mcbnc"])
def test_the_methods_of_the_register(name):
    graphs = random_dags(14)
    entry = method(name, "consensus")
    assert entry.load()(graphs, seed=3, **entry.defaults()) == prune(graphs, name, seed=3)
    first = entry.load()(graphs, seed=3, **entry.checked({"ties": "first", "k_max": 1}))
    assert first == prune(graphs, name, ties="first", k_max=1)


def test_importing_a_module_does_not_hide_a_function_of_the_same_name():
    prune(EXAMPLE)
    for name in ("fuse", "minimal_imap", "node_order", "prune", "vote"):
        assert callable(getattr(consensus, name)), name
