"""A user's own networks: which files, which variables, which edges and why."""

import itertools
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import yaml
from graph_strategies import every_graph, matrix_of, repeatable
from hypothesis import given
from hypothesis import strategies as st

from fedbnsl.consensus.own_inputs import OwnInput, OwnInputs, labels, marginal, read_own
from fedbnsl.consensus.own_reasons import Distance, comparison_rows, input_rows, pair_rows, theta_rows
from fedbnsl.consensus.pruning import prune
from fedbnsl.consensus.voting import vote
from fedbnsl.errors import InputError
from fedbnsl.evaluate.structure import smhd
from fedbnsl.graphs.formats import write_graph
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.graphs.treewidth import treewidth
from fedbnsl.plot.own import own_page, theta_figure
from fedbnsl.workflow import own_networks
from fedbnsl.workflow.settings import check_config

SCHEMA = Path(__file__).resolve().parents[2] / "workflow/schemas/config.schema.yaml"
NAMES = "abcdef"


def acyclic(d, codes, order):
    """A DAG whose pairs (in order) have an arc where the code is 1, relabelled by ``order``."""
    a = matrix_of(d, [min(code, 1) for code in codes])
    return Graph(NAMES[:d], a[np.ix_(order, order)])


@st.composite
def dags(draw, d):
    pairs = d * (d - 1) // 2
    codes = draw(st.lists(st.integers(0, 1), min_size=pairs, max_size=pairs))
    return acyclic(d, codes, draw(st.permutations(range(d))))


def own(graphs):
    return OwnInputs(
        tuple(OwnInput(f"n{k}", f"n{k}.bif", g, frozenset(g.names), ()) for k, g in enumerate(graphs, 1)),
        "same",
        (),
    )


def section(**changes):
    return {"files": [], "variables": "same", "methods": ["gmcbc"], "theta": None, **changes}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with three networks in three formats and a text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experts").mkdir()
    write_graph(Graph.from_edges("abc", [("a", "b"), ("b", "c")]), "experts/north.graphml")
    write_graph(Graph.from_edges("cab", [("a", "b")], [("b", "c")]), "experts/south.json")
    write_graph(WeightedGraph("abc", [[0, 0.5, -2], [0, 0, 0], [0, 0, 0]]), "experts/west.csv")
    (tmp_path / "experts/readme.md").write_text("not a network")
    return tmp_path


# --- the section of config.yaml


def test_equal_methods_are_one_and_config_options_hold():
    wanted = section(methods=["gmcbc@ties=random", "gmcbc", "majority@threshold=0.60", "mcbnc"])
    checked = own_networks.check_section(wanted, {"mcbnc": {"ties": "first"}})
    assert checked["methods"] == ["gmcbc", "majority@threshold=0.6", "mcbnc@ties=first"]


@pytest.mark.parametrize("text", ["gmbc", "ges", "gmcbc@", "@x", "gmcbc@ties=last", "gmcbc@tie=first"])
def test_methods_are_checked_with_the_yaml_that_would_be_right(text):
    if text == "gmcbc@":
        assert own_networks.check_section(section(methods=[text]), {})["methods"] == ["gmcbc"]
        return
    with pytest.raises(InputError, match=r"config\.yaml, networks\.methods") as error:
        own_networks.check_section(section(methods=[text]), {})
    if "@ti" not in text:
        example = str(error.value).split("For example\n\n")[1]
        assert yaml.safe_load(example) == {"networks": {"methods": ["gmcbc"]}}


@pytest.mark.parametrize("theta", [float("nan"), float("inf")])
def test_theta_is_a_finite_number(theta):
    with pytest.raises(InputError, match=r"networks\.theta: θ cannot be"):
        own_networks.check_section(section(theta=theta), {})


@pytest.mark.parametrize(
    ("wrong", "message", "right"),
    [
        ({"files": "a/x.bif"}, "must be a list", {"files": ["a/x.bif"]}),
        ({"file": ["a/x.bif"]}, "Did you mean 'files'?", {"files": ["a/x.bif"]}),
        ({"variables": "unoin"}, "'unoin' is not one of same, union", {"variables": "union"}),
        ({"theta": "high"}, "must be a number or null", {"theta": None}),
        ({"methods": ["gmbc"]}, "no consensus method 'gmbc'", {"methods": ["gmcbc"]}),
    ],
)
def test_mistakes_in_the_section_are_answered_with_the_yaml_that_is_right(wrong, message, right):
    config = {"preset": "smoke", "studies": ["gmcbc"], "seed": 1, "networks": wrong}
    with pytest.raises(InputError) as error:
        check_config(config, SCHEMA, {"gmcbc": {}})
    said = str(error.value)
    assert message in said
    assert yaml.safe_load(said.split("\n\n", 1)[1]) == {"networks": right}


def test_without_the_section_its_defaults_hold():
    config = {"preset": "smoke", "studies": ["gmcbc"], "seed": 1}
    assert check_config(config, SCHEMA, {"gmcbc": {}})["networks"] == section()


# --- which files


def test_patterns_are_sorted_and_a_file_named_twice_counts_once(folder):
    files, repeated = own_networks.expand(["experts/west.csv", "experts/*[!d]", "./experts/south.json"])
    assert files == ["experts/west.csv", "experts/north.graphml", "experts/south.json"]
    assert repeated == ["experts/west.csv", "experts/south.json"]
    assert "used once: experts/west.csv, experts/south.json" in read_own(files, repeated=repeated).notes[-1]


def test_results_are_no_input(folder):
    (folder / "results/own/gmcbc").mkdir(parents=True)
    write_graph(Graph.from_edges("ab", []), "results/own/gmcbc/network.graphml")
    assert own_networks.expand(["**/*.graphml"]) == (["experts/north.graphml"], [])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("experts/*.bif", r"the pattern 'experts/\*\.bif' matches no file"),
        ("experts/nort.graphml", r"there is no file .* Did you mean 'experts/north\.graphml'\?"),
        ("nowhere/a.bif", "there is no file 'nowhere/a.bif'"),
        ("broken.bif", "there is no file 'broken.bif'.* It is a link to 'gone.bif', which is not there"),
        ("/dev/null", "there is no file '/dev/null'.* What is called so is no file"),
        ("experts", r"'experts' is a folder. .*files: \[experts/\*\.graphml\]"),
        ("experts/*", r"experts/readme\.md: the suffix '\.md' is not that of a graph format"),
        ("x{1}.json", r"x\{1\}\.json: braces"),
    ],
)
def test_files_that_cannot_be_used(folder, entry, message):
    (folder / "x{1}.json").write_text("")
    (folder / "broken.bif").symlink_to("gone.bif")
    with pytest.raises(InputError, match=rf"(?s)config\.yaml, networks\.files: {message}"):
        own_networks.expand([entry])


def test_without_files_the_message_is_the_yaml_to_write():
    problem = str(own_networks.NO_FILES)
    example = yaml.safe_load(problem.split("for example\n\n")[1].split("\n\n")[0])
    assert example == {"networks": {"files": ["experts/*.bif", "learned/north.graphml"]}}


# --- reading


def test_formats_weights_and_undirected_edges(folder):
    found = read_own(["experts/north.graphml", "experts/south.json", "experts/west.csv"])
    assert found.names == ("a", "b", "c")
    assert [one.label for one in found.inputs] == ["north", "south", "west"]
    assert found.graphs[1] == Graph.from_edges("abc", [("a", "b")], [("b", "c")])
    assert found.graphs[2] == Graph.from_edges("abc", [("a", "b"), ("a", "c")])
    assert [one.notes for one in found.inputs] == [
        (),
        ("1 edge without direction; the fusion takes a DAG of the same class",),
        ("its weights are ignored",),
    ]
    assert found.notes == ()
    assert OwnInputs.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_names_of_files_are_short_where_they_differ():
    assert labels(["x/a.bif.gz", "x/b.json", "y/b.json"]) == ["a", "x/b.json", "y/b.json"]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (
            Graph.from_edges("abcd", [("a", "b"), ("b", "c"), ("c", "a")]),
            "bad.json: the graph has the directed cycle a → b → c → a. Give a DAG or a CPDAG: drop or turn",
        ),
        (WeightedGraph("ab", [[0, 1.0], [2.0, 0]]), "bad.json: .* a directed cycle. Give a DAG"),
        (
            Graph.from_edges("abcd", [], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]),
            "bad.json: the partially directed graph has no DAG .*direct its undirected edges",
        ),
        (Graph((), np.zeros((0, 0))), "bad.json: the file has no variables"),
    ],
)
def test_files_that_hold_no_dag_are_named(folder, graph, message):
    write_graph(graph, "bad.json")
    with pytest.raises(InputError, match=message):
        read_own(["experts/north.graphml", "bad.json"])


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_files_that_cannot_be_read_are_named(folder, content):
    (folder / "bad.json").write_text(content)
    with pytest.raises(InputError, match=r"^bad\.json"):
        read_own(["bad.json"])


@pytest.fixture
def different(folder):
    """a → h → b with c, and a → b with x: a, b are common."""
    write_graph(Graph.from_edges("ahbc", [("a", "h"), ("h", "b"), ("h", "c")]), "one.json")
    write_graph(Graph.from_edges("xab", [("a", "b"), ("b", "x")]), "two.json")
    return ["one.json", "two.json"]


def test_different_variables_are_refused_and_both_ways_out_shown(different):
    with pytest.raises(InputError) as error:
        read_own(different)
    message = str(error.value)
    assert "one.json lacks x; two.json lacks h, c" in message
    shown = [yaml.safe_load(part) for part in message.split("\n\n") if part.startswith("  networks:")]
    assert shown == [{"networks": {"variables": way}} for way in ("union", "intersection")]
    for way in shown:
        read_own(different, way["networks"]["variables"])


def test_union_leaves_absent_variables_without_edges(different):
    found = read_own(different, "union")
    assert found.names == tuple("ahbcx")
    assert found.graphs[0].edges() == [("a", "h"), ("h", "b"), ("h", "c")]
    assert found.graphs[1].edges() == [("a", "b"), ("b", "x")]
    assert found.inputs[1].notes == ("it does not know h, c",)
    assert "no evidence against" in found.notes[0]
    rows = {frozenset((r["from"], r["to"])): r for r in pair_rows(found, vote(found.graphs), None)}
    row = rows[frozenset("bx")]
    assert (row["support"], row["support_known"], row["inputs_known"]) == (0.5, 1.0, 1)
    assert rows[frozenset("ab")]["support_known"] == 0.5


def test_intersection_sums_the_others_out(different):
    found = read_own(different, "intersection")
    assert found.names == ("a", "b")
    assert [g.edges() for g in found.graphs] == [[("a", "b")], [("a", "b")]]
    assert found.inputs[0].notes == ("summed out: h, c; this joined 1 pair more",)
    assert found.inputs[1].notes == ("summed out: x; this joined 0 pairs more",)
    assert "summed out: h, c, x" in found.notes[1]


def test_no_common_variable(folder):
    write_graph(Graph.from_edges("AB", [("A", "B")]), "upper.json")
    with pytest.raises(
        InputError, match=r"(?s)no variable stands in all 2 files.*'a' and 'A'.*variables: union"
    ):
        read_own(["experts/north.graphml", "upper.json"], "intersection")


def test_names_that_differ_in_case_are_pointed_at(folder):
    write_graph(Graph.from_edges("aBc", [("a", "B")]), "upper.json")
    with pytest.raises(InputError, match="differ in letter case only: 'b' and 'B'; write them alike"):
        read_own(["experts/north.graphml", "upper.json"])
    told = read_own(["experts/north.graphml", "upper.json"], "union").notes[-1]
    assert told == "Names that differ in letter case only count as different variables: 'b' and 'B'."


# --- summing variables out


@repeatable
@given(dags(5), st.integers(1, 4))
def test_a_marginal_claims_no_independence_too_many_and_has_no_edge_too_many(graph, kept):
    keep = list(NAMES[:kept])
    found = marginal(graph, keep)
    assert found.names == tuple(keep)
    assert found.is_dag()
    whole, part = graph.to_networkx(), found.to_networkx()
    for x, y in itertools.combinations(keep, 2):
        rest = [name for name in keep if name not in (x, y)]
        for size in range(len(rest) + 1):
            for given_ in itertools.combinations(rest, size):
                if nx.is_d_separator(part, x, y, set(given_)):
                    assert nx.is_d_separator(whole, x, y, set(given_))
    for x, y in found.edges():  # without the edge, y would be independent of x given its other parents
        assert not nx.is_d_separator(whole, x, y, set(part.predecessors(y)) - {x})


def test_marginals_of_three_variables():
    def edges(*pairs):
        return marginal(Graph.from_edges("ahb", pairs), "ab").edges()

    assert edges(("a", "h"), ("h", "b")) == [("a", "b")]
    assert edges(("b", "h"), ("h", "a")) == [("b", "a")]
    assert edges(("h", "a"), ("h", "b")) == [("a", "b")]
    assert edges(("a", "h"), ("b", "h")) == []
    assert edges(("a", "b"), ("b", "h")) == [("a", "b")]


# --- reasons


@repeatable
@given(st.lists(dags(4), min_size=1, max_size=4))
def test_the_pairs_still_joined_at_theta_are_those_cut_later(graphs):
    path = prune(graphs, ties="first")
    rows = pair_rows(own(graphs), path.best(), path)
    assert len(rows) == path.fusion.n_edges
    for theta in [*path.thetas(), 0.3, 0.9, 1.1]:
        joined = {frozenset(edge) for edge in path.at(theta).edges()}
        assert joined == {frozenset((r["from"], r["to"])) for r in rows if r["theta_cut"] > theta}
    assert [r["consensus"] for r in rows] == sorted((r["consensus"] for r in rows), reverse=True)
    kept = {(r["from"], r["to"]) for r in rows if r["consensus"] == "kept"}
    assert kept == set(path.best().edges())


@repeatable
@given(st.lists(st.sampled_from(list(every_graph(3, (0, 1, 2, 3)))), min_size=1, max_size=5))
def test_support_counts_inputs_by_direction(matrices):
    graphs = [Graph("abc", a) for a in matrices]
    result = vote([Graph("abc", np.triu(a, 1)) for a in matrices], 0.5)
    rows = pair_rows(own(graphs), result, None)
    for row in rows:
        pair = row["from"], row["to"]
        assert row["forward"] == sum(pair in g.directed_edges() for g in graphs)
        assert row["backward"] == sum(pair[::-1] in g.directed_edges() for g in graphs)
        assert row["undirected"] == sum({pair, pair[::-1]} <= set(g.arcs()) for g in graphs)
        together = row["forward"] + row["backward"] + row["undirected"]
        assert row["support"] * len(graphs) == pytest.approx(together)
        assert row["inputs"].count("n") == together
    known = {frozenset(edge) for g in (*graphs, result) for edge in g.edges()}
    assert {frozenset((r["from"], r["to"])) for r in rows} == known


def test_a_worked_example():
    """Two chains and one edge: b – c separates by one cut in two of three, a – b by one in all."""
    graphs = [
        Graph.from_edges("abc", [("a", "b"), ("b", "c")]),
        Graph.from_edges("abc", [("a", "b"), ("b", "c")]),
        Graph.from_edges("abc", [("b", "a")]),
    ]
    path = prune(graphs, ties="first")
    rows = {(r["from"], r["to"]): r for r in pair_rows(own(graphs), path.at(0.7), path)}
    (row,) = (r for r in rows.values() if r["consensus"] == "kept")
    assert {row["from"], row["to"]} == {"a", "b"}
    assert (row["support"], row["direction"], row["psi"], row["theta_cut"]) == (1.0, "free", 1.0, 1.0)
    assert sorted(row["inputs"].split("; ")) in (
        ["n1 →", "n2 →", "n3 ←"],
        ["n1 ←", "n2 ←", "n3 →"],
    )
    (bc,) = (r for pair, r in rows.items() if set(pair) == {"b", "c"})
    assert bc["support"] == pytest.approx(2 / 3)
    assert bc["consensus"] == "cut"
    assert (bc["step"], bc["psi"], bc["theta_cut"]) == (1, 2 / 3, 2 / 3)
    assert bc["arcs_cut"] == "n1: b → c; n2: b → c"


def test_shares_are_by_weight_and_limits_hold_at_every_theta():
    graphs = [Graph.from_edges("abc", ["ab", "bc"]), Graph.from_edges("abc", ["ba"])]
    path = prune(graphs, ties="first", weights=[3, 1], max_edges=1)
    rows = {frozenset((r["from"], r["to"])): r for r in pair_rows(own(graphs), path.best(), path)}
    ab, bc = rows[frozenset("ab")], rows[frozenset("bc")]
    assert (ab["support"], ab["inputs_joining"], ab["theta_cut"], ab["consensus"]) == (1, 2, 1, "kept")
    assert (bc["support"], bc["inputs_joining"], bc["theta_cut"], bc["consensus"]) == (0.75, 1, None, "cut")
    assert (bc["support_known"], bc["inputs_known"], bc["psi"], bc["step"]) == (0.75, 2, 0.75, 1)


def test_distances_are_by_the_weights_that_theta_is_chosen_by():
    graphs = [Graph.from_edges("abc", ["ab", "bc"]), Graph.from_edges("abc", [])]
    path = prune(graphs, ties="first", weights=[3, 1])
    distance = Distance(graphs, path.weights)
    rows = theta_rows(path, distance)
    assert [(r["theta"], r["smhd_inputs"], r["edges"]) for r in rows] == list(path.curve())
    assert (path.best_theta(), distance(path.best())) == (0.0, 0.5)  # (3 · 0 + 1 · 2) / 4
    inputs = input_rows(own(graphs), distance)
    assert [row["smhd_inputs"] for row in inputs] == [0.5, 1.5]
    *_, best, mean = comparison_rows([], inputs, path.weights)
    assert best["network"] == "best input: n1"
    assert (mean["smhd_inputs"], mean["edges"]) == (0.75, 1.5)


def test_files_have_no_rows_to_be_weighted_by():
    for methods, options in ((["gmcbc@weights=rows"], {}), (["gmcbc"], {"gmcbc": {"weights": "rows"}})):
        with pytest.raises(InputError, match=r"networks\.methods: .*do not say how many rows") as error:
            own_networks.check_section(section(methods=methods, files=["a.bif"]), options)
        assert own_networks.check_section(section(methods=methods), options)["methods"]  # nothing to fuse
        example = yaml.safe_load(str(error.value).split("for example\n\n")[1])["networks"]
        assert own_networks.check_section(section(**example, files=["a.bif"]), {})
    assert own_networks.check_section(section(methods=["gmcbc@weights=equal"]), {})["methods"] == ["gmcbc"]


def test_weights_are_one_a_file():
    own_networks.check_weights(["gmcbc@weights=3+1", "gmcbc", "majority"], ["a.bif", "b.bif"])
    own_networks.check_weights(["gmcbc@weights=3+1"], [])
    with pytest.raises(InputError, match=r"gives 2 weights for 1 file\..* in the order a\.bif"):
        own_networks.check_weights(["gmcbc@weights=3+1"], ["a.bif"])


def test_a_file_named_twice_is_read_once(folder):
    found = read_own(["experts/north.graphml", "experts/south.json", "experts/north.graphml"])
    assert [one.label for one in found.inputs] == ["north", "south"]
    assert "Named more than once, used once: experts/north.graphml." in found.notes


def test_directions_are_fixed_only_in_v_structures():
    collider = Graph.from_edges("abcd", [("a", "b"), ("c", "b"), ("b", "d")])
    chain = Graph.from_edges("abcd", [("a", "b"), ("b", "c")])
    assert {r["direction"] for r in pair_rows(own([collider]), collider, None)} == {"fixed"}
    assert {r["direction"] for r in pair_rows(own([chain]), chain, None)} == {"free"}


@repeatable
@given(dags(5), st.integers(1, 3))
def test_identical_inputs_are_their_own_consensus_below_one(graph, copies):
    path = prune([graph] * copies)
    assert path.best_theta() == 0
    for theta in (0, 0.5, 0.99):
        assert path.at(theta) == graph
    assert all(r["theta_cut"] >= 1 for r in pair_rows(own([graph] * copies), path.best(), path))


def test_one_or_equal_inputs_and_no_edges_are_said(folder):
    write_graph(Graph.from_edges("ab", []), "empty.json")
    write_graph(Graph.from_edges("ba", []), "also.json")
    assert read_own(["experts/north.graphml"]).notes[0].startswith("There is one input only")
    first, second = read_own(["empty.json", "also.json"]).notes
    assert first.startswith("All inputs are the same network")
    assert second == "No input has an edge, so the consensus has none."


def test_without_any_edge_everything_is_zero_and_drawn(tmp_path):
    graphs = own([Graph.from_edges("ab", []), Graph.from_edges("ab", [])])
    path = prune(graphs.graphs)
    distance = Distance(graphs.graphs)
    rows = theta_rows(path, distance)
    assert rows == [{"theta": 0.0, "edges": 0, "smhd_inputs": 0.0, "treewidth": 0}]
    assert pair_rows(graphs, path.best(), path) == []
    inputs = input_rows(graphs, distance)
    theta_figure(rows, 0.0, comparison_rows([], inputs)[-1])
    page = own_page(path.best(), "none", {}, [], inputs, b"", tmp_path / "page.html")
    assert "Network of 2 variables and 0 edges" in page


# --- measures


@repeatable
@given(st.lists(dags(4), min_size=1, max_size=4))
def test_measures_agree_with_the_path_and_with_pairwise_distances(graphs):
    path = prune(graphs, ties="first")
    rows = theta_rows(path, Distance(graphs))
    assert [(r["theta"], r["smhd_inputs"], r["edges"]) for r in rows] == list(path.curve())
    assert [r["treewidth"] for r in rows] == [treewidth(path.at(r["theta"])) for r in rows]
    inputs = input_rows(own(graphs), Distance(graphs))
    means = [np.mean([smhd(g, other) for other in graphs]) for g in graphs]
    assert [r["smhd_inputs"] for r in inputs] == pytest.approx(means)
    *_, best, mean = comparison_rows([], inputs)
    assert best["network"] == f"best input: n{int(np.argmin([r['smhd_inputs'] for r in inputs])) + 1}"
    assert mean["edges"] == pytest.approx(np.mean([g.n_edges for g in graphs]))


# --- pictures


def test_the_figure_marks_theta_and_has_no_axis_of_theta_without_one():
    rows = [{"theta": t, "edges": 3 - k, "smhd_inputs": k, "treewidth": 1} for k, t in enumerate((0, 0.5))]
    mean = {"edges": 2, "smhd_inputs": 1, "treewidth": 1}
    top, *_ = theta_figure(rows, 0.5, mean).axes
    assert 0.5 in [line.get_xdata()[0] for line in top.lines if len(set(line.get_xdata())) == 1]
    without = theta_figure([{**rows[0], "theta": None}], None, mean)
    assert all(len(ax.get_xticks()) == 0 for ax in without.axes)
    assert "this method has no θ" in [ax.get_xlabel() for ax in without.axes]


def test_the_page_tells_why_and_escapes_names(tmp_path):
    graph = Graph.from_edges(["<a>", "b"], [("<a>", "b")])
    inputs = own([graph])
    rows = pair_rows(inputs, graph, prune([graph]))
    listed = input_rows(inputs, Distance([graph]))
    page = own_page(graph, "t", {"remark": "x & y"}, rows, listed, b"PNG", tmp_path / "p.html")
    assert page == (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "<td>&lt;a&gt; → b</td><td>kept</td><td>free</td><td>1 of 1</td><td>n1 →</td>" in page
    assert 'src="data:image/png;base64,UE5H"' in page
    assert "<td>n1.bif</td>" in page
    assert "<a>" not in page


def test_long_tables_are_cut_on_the_page_and_say_so(tmp_path):
    names = [f"v{k}" for k in range(30)]
    graph = Graph(names, np.triu(np.ones((30, 30)), 1))
    rows = pair_rows(own([graph]), graph, None)
    page = own_page(graph, "t", {}, rows, [], b"", tmp_path / "p.html")
    assert "and 35 more pairs: see reasons.tsv" in page
