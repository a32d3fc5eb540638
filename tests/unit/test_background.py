"""Background knowledge in greedy equivalence search, against all members of the classes."""

import functools
import itertools
from pathlib import Path

import networkx
import numpy as np
import pytest
import yaml
from ges_cases import (
    FULL,
    PHASES,
    arbitrary_family,
    classes,
    discrete_site,
    family_of,
    filled_by,
    literal_steps,
    random_site,
    reversals,
    started,
    steps_of,
    without_constants,
)
from graph_strategies import dags, repeatable
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_ges import LiteralSearch, members

from fedbnsl import Graph, InputError, consensus
from fedbnsl.data import SiteData, load_network, simulate_linear_gaussian
from fedbnsl.graphs.cpdag import dag_to_cpdag
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn import ges, ges_search
from fedbnsl.learn.background import Background
from fedbnsl.registry import method
from fedbnsl.spec import Spec
from fedbnsl.workflow import settings as workflow_settings
from fedbnsl.workflow.plan import Plan

NO_DATA = SiteData([f"v{i}" for i in range(9)], np.zeros((2, 9)))


def random_knowledge(d, seed, cap=None):
    """Tiers of some variables, forbidden edges, and required ones that none of them forbids."""
    rng = np.random.default_rng([7, seed])
    names = [f"v{i}" for i in range(d)]
    tier = rng.integers(-1, 3, d) if rng.random() < 0.6 else np.full(d, -1)
    tiers = [[names[i] for i in np.flatnonzero(tier == t)] for t in range(3)]
    forbidden = rng.random((d, d)) < rng.choice([0.0, 0.1, 0.3])
    np.fill_diagonal(forbidden, False)
    order = rng.permutation(d)
    required = np.triu(rng.random((d, d)) < rng.choice([0.0, 0.1, 0.25]), 1)[np.ix_(order, order)]
    backwards = (tier[:, None] > tier) & (tier >= 0)
    required &= ~forbidden & ~backwards
    for y in range(d):
        required[np.flatnonzero(required[:, y])[d if cap is None else cap :], y] = False
    return Background.of(names, named(names, required), named(names, forbidden), tiers)


def named(names, matrix):
    return [(names[i], names[j]) for i, j in np.argwhere(matrix)]


def literal(d, family, cap, knowledge):
    return LiteralSearch(d, family, cap, knowledge.required, knowledge.forbidden)


# --- every step ------------------------------------------------------------------------------------


def assert_same_steps(search, slow, seed):
    assert (search.adjacency() == slow.p).all(), seed
    for ours, theirs in itertools.zip_longest(steps_of(search), literal_steps(slow)):
        assert ours is not None, seed
        assert theirs is not None, seed
        assert ours[0] == theirs[0], seed
        assert (ours[1] == theirs[1]).all(), seed


def test_every_step_is_that_of_the_definition_on_arbitrary_scores():
    refused = 0
    for seed in range(150):
        d = 3 + seed % 4
        family, knowledge = arbitrary_family(seed), random_knowledge(d, seed, cap=3)
        slow = literal(d, family, 3, knowledge)
        assert_same_steps(ges_search._Search(NO_DATA, d, 3, filled_by(family), knowledge), slow, seed)
        refused += slow.refused
    assert refused > 1000


RELEASED = [
    # w → z → u → x is forced, so x — y would be x → y, which is forbidden; w — u frees z — u — x.
    (
        "wzuxy",
        "w-z z-u u-x",
        "z>w x>y",
        kernels.FORWARD,
        {"y": {"x": 5}, "u": {"z": 0, "wz": 3}},
        ["wu", "xy"],
    ),
    # x beside the parents w and v of y would make x → y; next to both of them it may be y → x.
    (
        "wvyx",
        "w>y v>y v-x",
        "x>y",
        kernels.FORWARD,
        {"y": {"wv": 0, "wvx": 5}, "x": {"v": 0, "vw": 3}},
        ["wx", "yx"],
    ),
    # Without p — b, p → a would go on to r, against q → r; without r — q it may.
    (
        "pabrq",
        "p-a a-b b-r r-q p-b",
        "a>p r>q",
        kernels.BACKWARD,
        {"p": {"a": 10, "ab": 5}, "r": {"q": -3}},
        ["rq", "pb"],
    ),
]


@pytest.mark.parametrize(
    ("names", "edges", "forbidden", "phase", "scores", "pairs"),
    RELEASED,
    ids=["forced", "collider", "delete"],
)
def test_an_operator_is_back_when_another_has_made_it_legal(names, edges, forbidden, phase, scores, pairs):
    """The best operator at first, with nothing of its own edges changed by the one that frees it."""
    start = Graph.from_edges(
        names,
        [e.split(">") for e in edges.split() if ">" in e],
        undirected=[e.split("-") for e in edges.split() if "-" in e],
    )
    knowledge = Background.of(names, None, [e.split(">") for e in forbidden.split()], None)

    def family(y, parents):
        known = {frozenset(key): value for key, value in scores.get(names[y], {}).items()}
        others = len(parents) * (1 if phase == kernels.BACKWARD else -1)
        return known.get(frozenset(names[p] for p in parents), others)

    d = len(names)
    search, slow = (
        ges_search._Search(NO_DATA, d, d, filled_by(family), knowledge),
        literal(d, family, None, knowledge),
    )
    search.set(start.adjacency)
    slow.p = start.adjacency
    search.start(phase)
    changed = []
    while search.step(phase):
        before = slow.p
        assert slow.insert_once() if phase == kernels.FORWARD else slow.delete_once()
        assert (search.adjacency() == slow.p).all()
        i, j = np.argwhere(np.triu((slow.p | slow.p.T) != (before | before.T)))[0]
        changed.append({names[i], names[j]})
    assert changed == [set(pair) for pair in pairs]
    assert slow.refused >= 1


@pytest.mark.parametrize("score", FULL)
def test_every_step_is_that_of_the_definition_on_data(score):
    """The network that made the data rarely keeps the knowledge."""
    refused = 0
    for seed in range(60):
        d = 3 + seed % 4
        site = without_constants(random_site(score, d, (30, 300, 2000)[seed % 3], seed))
        d = len(site.names)
        if d < 2:
            continue
        cap = 2 if seed % 5 == 0 else None
        knowledge = random_knowledge(d, seed, cap)
        slow = literal(d, functools.cache(family_of(site, score)), cap or d, knowledge)
        search = started(site, score, cap, background=knowledge)
        assert_same_steps(search, slow, seed)
        assert (search.refined() == shared(slow.keeping(slow.p))).all()
        refused += slow.refused
    assert refused > 20


@pytest.mark.parametrize("score", FULL)
def test_a_turn_is_the_best_legal_reversal_of_an_edge_that_is_not_required(score):
    turned = illegal = required = 0
    for seed, key in enumerate(list(classes(4))[::2]):
        rng = np.random.default_rng([5, seed])
        site = random_site(score, 4, 400, seed, skew=(1.0,))
        cpdag = np.frombuffer(key, dtype=np.int8).reshape(4, 4)
        dags_of_it = members(cpdag)
        must = (dags_of_it[rng.integers(len(dags_of_it))] == 1) & (rng.random((4, 4)) < 0.5)
        forbidden = ~must & ~must.T & (rng.random((4, 4)) < (0.3 if seed % 4 == 0 else 0.0))
        knowledge = Background(must, forbidden)
        slow = literal(4, functools.cache(family_of(site, score)), 4, knowledge)
        if not slow.is_legal(cpdag):
            continue

        def gain(after, before=cpdag, family=slow.family):
            scores = [
                sum(family(y, tuple(np.flatnonzero(members(c)[0][:, y]))) for y in range(4))
                for c in (after, before)
            ]
            return scores[0] - scores[1]

        every = [
            (gain(after), slow.is_legal(after), must[x, y] or must[y, x]) for x, y, after in reversals(key, 4)
        ]
        best = max([0.0, *(g for g, legal, fixed in every if legal and not fixed)])
        search = started(site, score, background=knowledge)
        search.set(cpdag)
        assert search.turn() == (best > 1e-5)
        assert gain(search.adjacency()) == pytest.approx(best, abs=1e-5)
        turned += best > 1e-5
        illegal += any(g > best + 1e-5 for g, legal, fixed in every if not legal and not fixed)
        required += any(g > best + 1e-5 for g, legal, fixed in every if legal and fixed)
    assert turned > 5
    assert illegal > 2
    assert required > 0


def test_many_variables_and_tiers_leave_nothing_to_insert_or_delete():
    """More variables than bits in a word; every step before the last goes through a legal class."""
    network = load_network("win95pts")
    site = without_constants(network.sample(400, 2))
    d = len(site.names)
    assert d > 64
    order = np.random.default_rng(3).permutation(d)
    tiers = [[site.names[i] for i in part] for part in np.array_split(order, 4)]
    knowledge = Background.of(site.names, None, None, tiers)
    search = started(site, "bic", background=knowledge)
    slow = literal(d, functools.cache(family_of(site, "bic")), None, knowledge)
    slow.is_legal = lambda cpdag: knowledge.refined(cpdag) is not None
    for phase, once in zip(PHASES, (slow.insert_once, slow.delete_once), strict=True):
        search.start(phase)
        while search.step(phase):
            assert knowledge.refined(search.adjacency()) is not None
        slow.p = search.adjacency()
        assert not once()
    assert slow.refused > 10


# --- the refined graph -----------------------------------------------------------------------------


def shared(found):
    """The graph whose directed edges all the DAGs share."""
    return np.max(found, axis=0)


def test_refining_is_right_for_every_class_of_four_variables_and_every_choice_of_directions():
    legal = 0
    for key in classes(4):
        cpdag = np.frombuffer(key, dtype=np.int8).reshape(4, 4)
        pairs = np.argwhere(np.triu(cpdag & cpdag.T))
        for kinds in itertools.product(range(3), repeat=len(pairs)):
            forbidden = np.zeros((4, 4), dtype=bool)
            for (i, j), kind in zip(pairs, kinds, strict=True):
                forbidden[i, j], forbidden[j, i] = kind == 1, kind == 2
            found = [dag for dag in members(cpdag) if not (dag.astype(bool) & forbidden).any()]
            refined = Background(np.zeros((4, 4), dtype=bool), forbidden).refined(cpdag)
            assert (refined is None) == (not found)
            if found:
                assert (refined == shared(found)).all()
                legal += 1
    assert legal > 2000


@settings(repeatable, max_examples=300)
@given(dags(6), st.integers(0, 10**6))
def test_refining_and_extending(dag, seed):
    d = len(dag)
    rng = np.random.default_rng(seed)
    cpdag = dag_to_cpdag(dag)
    required, forbidden = (dag == 1) & (rng.random((d, d)) < 0.1), rng.random((d, d)) < rng.choice([0.1, 0.3])
    forbidden &= ~required
    knowledge = Background(required, forbidden)
    found = LiteralSearch(d, None, None, required, forbidden).keeping(cpdag)
    refined = knowledge.refined(cpdag)
    assert (refined is None) == (not found)
    if found:
        assert (refined == shared(found)).all()
        graph = Graph(range(d), refined)
        assert any((graph.to_dag().adjacency == one).all() for one in found)
        assert (graph.cpdag().adjacency == cpdag).all()
        assert graph.is_dag() == (len(found) == 1)


def test_a_required_edge_between_variables_that_are_apart_makes_a_class_illegal():
    required = np.array([[0, 1], [0, 0]], dtype=bool)
    knowledge = Background(required, np.zeros((2, 2), dtype=bool))
    assert knowledge.refined(np.zeros((2, 2), dtype=np.int8)) is None
    assert (knowledge.refined(np.array([[0, 1], [1, 0]], dtype=np.int8)) == required).all()


@settings(repeatable, max_examples=150)
@given(st.integers(2, 5), st.integers(0, 10**6), st.sampled_from([None, 2]), st.booleans())
def test_a_result_keeps_the_knowledge(d, seed, cap, turning):
    site = discrete_site(d, 200, seed)
    knowledge = random_knowledge(d, seed, cap)
    required, forbidden = (named(site.names, m) for m in (knowledge.required, knowledge.forbidden))
    found = ges(site, required=required, forbidden=forbidden, max_parents=cap, turning=turning)
    a = found.adjacency
    assert (a[knowledge.required] == 1).all()
    assert (a.T[knowledge.required] == 0).all()
    assert not (a[knowledge.forbidden] & (1 - a.T[knowledge.forbidden])).any()
    cpdag = found.cpdag().adjacency
    kept = LiteralSearch(d, None, None, knowledge.required, knowledge.forbidden).keeping(cpdag)
    assert (a == shared(kept)).all()
    dag = found.to_dag().adjacency
    assert any((dag == one).all() for one in kept)
    assert cap is None or dag.sum(axis=0).max() <= cap


# --- what it is good for ---------------------------------------------------------------------------


def chain(rows=3000, seed=5):
    """Binary a → b → c."""
    rng = np.random.default_rng(seed)
    a = rng.random(rows) < 0.4
    b = np.where(rng.random(rows) < 0.85, a, ~a)
    c = np.where(rng.random(rows) < 0.85, b, ~b)
    return SiteData("abc", np.transpose([a, b, c]).astype(int), [("no", "yes")] * 3)


def test_tiers_direct_a_chain():
    """Without them a — b — c; that a comes first directs a → b, and then b → c, or b would be a collider."""
    site = chain()
    assert ges(site).undirected_edges() == [("a", "b"), ("b", "c")]
    for tiers in ("a..b..c", "a..b+c", [["a"], ["b"], ["c"]], [["a"], ["b"]]):
        found = ges(site, tiers=tiers)
        assert found.is_dag()
        assert found.edges() == [("a", "b"), ("b", "c")]
    assert ges(site, tiers="a+b..c").edges() == [("b", "c"), ("a", "b")]
    assert ges(site, tiers="a+b..c").undirected_edges() == [("a", "b")]


def test_forbidden_and_required_edges_direct_a_chain():
    site = chain()
    assert ges(site, forbidden="b..a").edges() == [("a", "b"), ("b", "c")]
    assert ges(site, required=[("c", "b")]).edges() == [("b", "a"), ("c", "b")]
    # A class with both a → b and c → b needs a — c too.
    found = ges(site, required="a..b+c..b")
    assert found == Graph.from_edges("abc", [("a", "b"), ("c", "b")], undirected=[("a", "c")])
    apart = ges(site, forbidden="b..a+a..b")
    assert ("a", "b") not in apart.skeleton().arcs()


def test_knowledge_of_the_truth_refines_the_true_class():
    network = load_network("child")
    site, true = network.sample(5000, 1), network.graph.adjacency
    cpdag = network.graph.cpdag().adjacency
    forbidden = np.zeros_like(true, dtype=bool)
    forbidden[tuple(np.argwhere(true & cpdag & cpdag.T)[0][::-1])] = True
    found = ges(site, forbidden=named(site.names, forbidden))
    kept = [dag for dag in members(cpdag) if not (dag.astype(bool) & forbidden).any()]
    assert (found.adjacency == shared(kept)).all()
    assert found != network.graph.cpdag()
    depth = np.zeros(len(true), dtype=int)
    for _ in range(len(true)):
        depth = np.max(true * (depth[:, None] + 1), axis=0)
    tiers = [np.array(site.names)[depth == k] for k in range(depth.max() + 1)]
    assert ges(site, tiers=tiers) == network.graph


def test_true_tiers_of_linear_gaussian_data():
    (site,), truth = simulate_linear_gaussian(nodes=12, edges=12, sites=1, rows=20000, seed=3)
    true = truth.graph
    order = list(networkx.topological_sort(true.to_networkx()))
    found = ges(site, tiers=[order[:4], order[4:8], order[8:]])
    tier = {name: k // 4 for k, name in enumerate(order)}
    assert found.skeleton() == true.skeleton()
    assert {e for e in true.edges() if tier[e[0]] < tier[e[1]]} <= set(found.directed_edges())


def test_consensus_takes_refined_graphs():
    network = load_network("asia")
    sites = [network.sample(1000, seed) for seed in (1, 2, 3)]
    graphs = [ges(site, tiers="asia+smoke..tub+lung+bronc+either..xray+dysp") for site in sites]
    assert not all(graph.is_cpdag() for graph in graphs)
    assert consensus.prune(graphs, variant="gmcbc").best().n_edges > 4


def test_without_knowledge_nothing_changes():
    site = load_network("insurance").sample(500, 3)
    plain = ges(site, turning=True)
    assert ges(site, turning=True, required=[], forbidden=(), tiers=[]) == plain
    # What the result keeps anyway hardly matters: the same class, and perhaps more of it directed.
    informed = ges(site, forbidden=[plain.directed_edges()[0][::-1]])
    assert informed.cpdag() == ges(site)


def test_a_time_limit_of_none_leaves_the_required_edges():
    site = load_network("asia").sample(500, 1)
    with pytest.warns(UserWarning, match="stopped at its time limit of 0 s"):
        found = ges(site, time_limit=0, required="smoke..dysp+asia..dysp+smoke..lung")
    expected = [("asia", "dysp"), ("smoke", "lung"), ("smoke", "dysp")]
    assert found == Graph.from_edges(site.names, expected)


# --- constant columns ------------------------------------------------------------------------------


@pytest.mark.parametrize("score", FULL)
def test_constant_columns_have_their_required_edges_only_and_do_not_count_in_scores(score):
    """Against the definition on families without them; the last two columns are constant."""
    tried = 0
    for seed in range(40):
        inner = without_constants(random_site(score, 2 + seed % 4, 300, seed))
        m = len(inner.names)
        if m < 2:
            continue
        d = m + 2
        values = np.column_stack([inner.values, np.ones((len(inner.values), 2), dtype=inner.values.dtype)])
        site = SiteData([f"v{i}" for i in range(d)], values, inner.states and [*inner.states, "abc", "ab"])
        knowledge = random_knowledge(d, seed)
        outside = np.arange(d) >= m
        if not knowledge.required[outside].any() and not knowledge.required[:, outside].any():
            continue
        known = functools.cache(family_of(inner, score))

        def family(y, parents, known=known, m=m):
            return known(y, tuple(p for p in parents if p < m)) if y < m else 0.0

        forbidden = knowledge.forbidden | ((outside[:, None] | outside) & ~knowledge.required)
        slow = LiteralSearch(d, family, None, knowledge.required, forbidden)
        slow.run()
        options = {
            "score": score,
            "required": named(site.names, knowledge.required),
            "forbidden": named(site.names, knowledge.forbidden),
        }
        assert (ges(site, **options).adjacency == shared(slow.keeping(slow.p))).all()
        turned = ges(site, turning=True, **options).adjacency
        for there, required in ((turned, knowledge.required), (turned.T, knowledge.required.T)):
            assert (there[outside] == required[outside]).all()
        tried += 1
    assert tried > 10


def test_required_edges_through_a_constant_column_close_no_cycle():
    """The data say a → m ← z and m → c; c → k → a is required, and k constant."""
    rng = np.random.default_rng(2)
    a, z, flip, turn = rng.random((4, 4000)) < np.array([[0.5], [0.5], [0.05], [0.1]])
    m = (a & z) ^ flip
    columns = np.transpose([a, z, m, m ^ turn, np.zeros_like(a)]).astype(int)
    site = SiteData("azmck", columns, [("no", "yes")] * 5)
    assert ges(site).directed_edges() == [("a", "m"), ("z", "m"), ("m", "c")]
    found = ges(site, required="c..k+k..a")
    assert [edge for edge in found.arcs() if "k" in edge] == [("c", "k"), ("k", "a")]
    assert found.to_dag().is_dag()
    assert ges(site, required="a..k").edges() == [("a", "m"), ("a", "k"), ("z", "m"), ("m", "c")]


def test_all_columns_constant():
    site = SiteData("ab", np.ones((5, 2)), [("0", "1")] * 2)
    assert ges(site, required="a..b").edges() == [("a", "b")]
    assert ges(site, forbidden="a..b").n_edges == 0


# --- reading ---------------------------------------------------------------------------------------


def test_the_text_and_the_lists_say_the_same():
    names = ["age", "sex", "b.mi", "x-1", "free"]
    one = Background.of(names, "age..b.mi+sex..x-1", "x-1..b.mi", "age+sex..b.mi+x-1")
    two = Background.of(
        names, [("age", "b.mi"), ("sex", "x-1")], (("x-1", "b.mi"),), [["age", "sex"], ("b.mi", "x-1")]
    )
    for got in (one, two):
        assert named(names, got.required) == [("age", "b.mi"), ("sex", "x-1")]
        assert named(names, got.forbidden) == [
            ("b.mi", "age"),
            ("b.mi", "sex"),
            ("x-1", "age"),
            ("x-1", "sex"),
            ("x-1", "b.mi"),
        ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"required": "a..b+b..c+c..a"}, "the required edges form the cycle [abc] → . → . → .. Leave out"),
        ({"required": "a..b+b..a"}, "the required edges form the cycle [ab] → [ab] → [ab]"),
        ({"required": "a..b", "forbidden": "a..b"}, "the edge a → b is both required and forbidden"),
        ({"required": "c..a", "tiers": "a..b..c"}, "c → a is required, but leads from tier 3 to tier 1"),
        ({"required": [("a", "x")]}, "required: there is no variable 'x'. There are: a, b, c"),
        ({"forbidden": "x..a"}, "forbidden: there is no variable 'x'"),
        ({"tiers": [["a"], ["x"]]}, "tiers: there is no variable 'x'"),
        ({"tiers": "a,b<c"}, "tiers: there is no variable 'a,b<c'"),
        ({"tiers": "a+b..b+c"}, "tiers: b stands twice, in tier 1 and in tier 2"),
        ({"tiers": [["a", "a"]]}, "tiers: a stands twice, in tier 1 and in tier 1"),
        ({"required": "b..b"}, "required: the edge b → b leads from a variable to itself"),
        ({"forbidden": [("b", "b")]}, "forbidden: the edge b → b leads from a variable to itself"),
        ({"required": "a"}, "required: 'a' is no edge. Give pairs of names, or the text a..b"),
        ({"required": [("a", "b", "c")]}, "required: 'a..b..c' is no edge"),
        ({"required": "ab"}, "required: 'ab' is no edge"),
        ({"required": ["ab"]}, "required: 'ab' is no edge"),
        ({"required": "a..c+b..c", "max_parents": 1}, "into c are 2, more than max_parents, 1"),
    ],
)
def test_bad_knowledge(options, message):
    with pytest.raises(InputError, match=message):
        ges(chain(50), **options)


def test_knowledge_in_config_reaches_the_search():
    """Through the checks, the cell's name (which is a file's name too), and back."""
    folder = Path(__file__).resolve().parents[2] / "workflow"
    studies = workflow_settings.load_studies(folder / "studies", folder / "schemas/study.schema.yaml")
    text = """
        preset: smoke
        studies: [gmcbc]
        seed: 1
        options:
          ges:
            tiers: asia+smoke..tub+lung+bronc..dysp
            required: either..xray+smoke..lung
            forbidden: bronc..dysp
        override: {}
    """
    config = workflow_settings.check_config(
        yaml.safe_load(text), folder / "schemas/config.schema.yaml", studies
    )
    cells = [p.cell for p in Plan(config, studies).all_cells()]
    (learner,) = {cell.learner for cell in cells if Spec.parse(cell.learner).name == "ges"}
    spec = Spec.parse(learner)
    site = load_network("asia").sample(500, 1)
    found = method(spec.name).load()(site, seed=3, **method(spec.name).checked(spec.dict()))
    assert found == ges(
        site,
        tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["dysp"]],
        required=[("either", "xray"), ("smoke", "lung")],
        forbidden=[("bronc", "dysp")],
    )
    assert found != ges(site)
    config = yaml.safe_load(text)
    config["options"]["ges"]["tiers"] = [["asia"], ["tub"]]
    with pytest.raises(InputError, match=r"options.ges.*tiers: .* is not of type 'string', 'null'"):
        workflow_settings.check_config(config, folder / "schemas/config.schema.yaml", studies)
