"""Graph files: what is written comes back, and other programs read the same graph from it."""

import gzip
import io
import json
import re
import xml.etree.ElementTree as ElementTree

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedbnsl
from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.errors import InputError
from fedbnsl.graphs.formats import (
    bif,
    dot,
    edge_table,
    gml,
    graph_from_dict,
    graph_to_dict,
    graphml,
    json_graph,
    net,
    tetrad,
    xdsl,
    xmlbif,
)
from fedbnsl.graphs.graph import Graph, WeightedGraph

HOSTILE = ["a b", "p44/42", 'say "hi"', "Größe", "x-y", "1st", "a,b", "a;b", "it's", "<&>", "日本", "graph"]
HOSTILE += [
    "from",
    "to",
    "node",
    "a\nb",
    "a\rb",
    "tab\there",
    "\\",
    "end\\",
    " lead",
    "",
    "&#34;",
    "&amp;",
    "-->",
    "(L)",
]
HOSTILE += [
    "\x00",
    "\x1f",
    "\r",
    "//",
    "/*",
    "#",
    "%",
    "{",
    "[dir=none]",
    "'",
    "\u2028",
    "0",
    "n1",
    "1.5",
    "A|B",
]

STRUCTURE = {
    ".json": (json_graph.read, json_graph.write, lambda name: True),
    ".csv": (
        edge_table.read,
        lambda graph: edge_table.write(graph, ","),
        lambda name: name != "" and name == name.strip() and "\x00" not in name,
    ),
    ".tsv": (
        edge_table.read,
        lambda graph: edge_table.write(graph, "\t"),
        lambda name: name != "" and name == name.strip() and "\x00" not in name,
    ),
    ".graphml": (
        graphml.read,
        graphml.write,
        lambda name: not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", name),
    ),
    ".gml": (gml.read, gml.write, lambda name: True),
    ".dot": (dot.read, dot.write, lambda name: not re.search(r"[\\\x00]", name) and name.strip("\n") != ""),
    ".txt": (
        tetrad.read,
        tetrad.write,
        lambda name: name != "" and not any(c.isspace() or c in ";,()[]" for c in name),
    ),
}
TABLES = {".bif": bif, ".xmlbif": xmlbif, ".xdsl": xdsl, ".net": net}

any_name = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
plain_name = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,5}", fullmatch=True)


@st.composite
def mixed_graphs(draw, names=any_name):
    """Directed and undirected edges in any pattern, cycles and isolated variables included."""
    names = draw(st.lists(names, unique=True, max_size=6))
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    for i in range(len(names)):
        for j in range(i):
            matrix[i, j], matrix[j, i] = draw(st.sampled_from([(0, 0), (1, 0), (0, 1), (1, 1)]))
    return Graph(names, matrix)


@st.composite
def weighted_graphs(draw, names=any_name):
    names = draw(st.lists(names, unique=True, max_size=5))
    number = st.just(0.0) | st.floats(allow_nan=False, allow_infinity=False)
    matrix = [[0.0 if i == j else draw(number) for j in range(len(names))] for i in range(len(names))]
    return WeightedGraph(names, np.reshape(matrix, (len(names), len(names))))


@st.composite
def dags(draw, names=plain_name):
    names = draw(st.lists(names, unique_by=str.lower, min_size=1, max_size=5))
    order = draw(st.permutations(range(len(names))))
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    for place, i in enumerate(order):
        for j in order[:place]:
            matrix[j, i] = draw(st.integers(0, 1))
    return Graph(names, matrix)


def random_network(seed, names=("C", "A", "B", "D")):
    """A network whose tables tell apart every order of parents and states."""
    rng = np.random.default_rng(seed)
    states = [["no", "yes"], ["x", "y", "z"], ["lo", "hi"], ["p", "q", "r", "s"]]
    parents = [[2, 1], [], [], [0, 2, 1]]
    tables = [
        rng.dirichlet(np.ones(len(states[i])), size=[len(states[p]) for p in parents[i]]) for i in range(4)
    ]
    return DiscreteNetwork("random", names, states, parents, tables)


def assert_same(found, expected):
    assert type(found) is type(expected)
    assert found.names == expected.names
    key = "weights" if isinstance(expected, WeightedGraph) else "adjacency"
    assert np.array_equal(getattr(found, key), getattr(expected, key))


# --- structure formats --------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", STRUCTURE)
@settings(max_examples=120, deadline=None)
@given(graph=mixed_graphs())
def test_graphs_come_back_exactly_or_the_name_is_refused(suffix, graph):
    read, write, holds = STRUCTURE[suffix]
    if all(map(holds, graph.names)):
        text = write(graph)
        assert_same(read(text.encode(), "file"), graph)
        assert write(Graph(graph.names, graph.adjacency)) == text
    else:
        with pytest.raises(InputError, match="cannot hold the variable name") as caught:
            write(graph)
        assert any(repr(name) in str(caught.value) for name in graph.names if not holds(name))


@pytest.mark.parametrize("suffix", STRUCTURE)
def test_every_hostile_name_at_either_end_of_an_edge(suffix):
    read, write, holds = STRUCTURE[suffix]
    held = [name for name in HOSTILE if holds(name)]
    assert len(held) >= len(HOSTILE) / 2
    for name in held:
        graph = Graph.from_edges(["X", name, "Y", "Z"], [("X", name), (name, "Y")], [("Z", name)])
        assert_same(read(write(graph).encode(), "file"), graph)
    together = Graph(held, np.triu(np.ones((len(held), len(held)), dtype=np.int8), 1))
    assert_same(read(write(together).encode(), "file"), together)


@pytest.mark.parametrize("suffix", [suffix for suffix in STRUCTURE if suffix != ".txt"])
@settings(max_examples=60, deadline=None)
@given(graph=weighted_graphs(plain_name | st.sampled_from(["a b", 'q"', "ü", "p44/42"])))
def test_weights_come_back_bit_for_bit(suffix, graph):
    read, write, _ = STRUCTURE[suffix]
    assert_same(read(write(graph).encode(), "file"), graph)


@settings(max_examples=60, deadline=None)
@given(graph=mixed_graphs() | weighted_graphs())
def test_plain_dict_comes_back(graph):
    assert_same(graph_from_dict(json.loads(json.dumps(graph_to_dict(graph)))), graph)


def test_a_weighted_graph_without_edges_stays_weighted():
    graph = WeightedGraph(["b", "a"], np.zeros((2, 2)))
    for suffix, (read, write, _) in STRUCTURE.items():
        if suffix != ".txt":
            assert_same(read(write(graph).encode(), "file"), graph)
    with pytest.raises(InputError, match=r"cannot hold weights.*\.csv"):
        tetrad.write(graph)


def test_lone_surrogates_are_kept_by_json_and_refused_elsewhere(tmp_path):
    graph = Graph(["a\ud800"], [[0]])
    fedbnsl.write_graph(graph, tmp_path / "g.json")
    assert_same(fedbnsl.read_graph(tmp_path / "g.json"), graph)
    for suffix in (".csv", ".dot", ".txt"):
        with pytest.raises(InputError, match=r"not a Unicode character.*\.json"):
            fedbnsl.write_graph(graph, tmp_path / f"g{suffix}")
    assert [p.name for p in tmp_path.iterdir()] == ["g.json"]


def test_written_layouts():
    graph = Graph.from_edges(["A", "B", "C", "D"], [("A", "B")], [("B", "C")])
    assert edge_table.write(graph, ",") == (
        "from,to,type\nA,,\nB,,\nC,,\nD,,\nA,B,directed\nB,C,undirected\n"
    )
    assert edge_table.write(Graph.from_edges("AB", ["AB"]), "\t") == "from\tto\nA\tB\n"
    assert edge_table.write(WeightedGraph("AB", [[0, 0.1], [0, 0]]), ",") == "from,to,weight\nA,B,0.1\n"
    assert tetrad.write(graph) == ("Graph Nodes:\nA;B;C;D\n\nGraph Edges:\n1. A --> B\n2. B --- C\n")
    assert dot.write(graph) == (
        'digraph {\n  "A";\n  "B";\n  "C";\n  "D";\n  "A" -> "B";\n  "B" -> "C" [dir=none];\n}\n'
    )
    assert json.loads(json_graph.write(graph)) == {
        "nodes": ["A", "B", "C", "D"],
        "edges": [["A", "B"]],
        "undirected": [["B", "C"]],
    }


# --- other programs as oracles ------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".graphml", ".gml"])
@settings(max_examples=60, deadline=None)
@given(
    graph=mixed_graphs(plain_name | st.sampled_from(["a b", 'q"', "ü", "<&>", "p44/42"]))
    | weighted_graphs(plain_name)
)
def test_networkx_reads_the_same_graph_and_is_read(suffix, graph):
    _, write, _ = STRUCTURE[suffix]
    if suffix == ".graphml":
        theirs = networkx.parse_graphml(write(graph))
    else:
        theirs = networkx.parse_gml(write(graph))
    assert list(theirs.nodes) == list(graph.names)
    if isinstance(graph, WeightedGraph):
        assert (
            np.array_equal(networkx.to_numpy_array(theirs, nodelist=graph.names), graph.weights)
            or not graph.names
        )
    else:
        assert_same(Graph.from_networkx(theirs), graph)
    out = io.BytesIO()
    (networkx.write_graphml if suffix == ".graphml" else networkx.write_gml)(theirs, out)
    back = STRUCTURE[suffix][0](out.getvalue(), "file")
    if isinstance(graph, WeightedGraph) and graph.graph.n_edges:
        assert_same(back, graph)
    else:
        assert_same(fedbnsl.graphs.as_graph(back), fedbnsl.graphs.as_graph(graph))


@settings(max_examples=60, deadline=None)
@given(graph=mixed_graphs())
def test_dot_lines_follow_the_grammar_of_graphviz(graph):
    if not all(map(STRUCTURE[".dot"][2], graph.names)):
        return
    quoted = r'"((?:[^"\\]|\\")*)"'
    statement = re.compile(rf"  {quoted}(?: -> {quoted}( \[dir=none\])?)?;\n")
    text, place, found = dot.write(graph), len("digraph {\n"), []
    while match := statement.match(text, place):
        found.append(match.groups())
        place = match.end()
    assert text.startswith("digraph {\n")
    assert text[place:] == "}\n"
    names = [a.replace('\\"', '"') for a, b, _ in found if b is None]
    edges = [(a.replace('\\"', '"'), b.replace('\\"', '"')) for a, b, _ in found if b is not None]
    assert (tuple(names), edges) == (graph.names, graph.edges())
    assert sum(plain is not None for _, _, plain in found) == len(graph.undirected_edges())


def pgmpy_read(path):
    from pgmpy.readwrite import BIFReader, NETReader, XDSLReader, XMLBIFReader

    reader = {".bif": BIFReader, ".xmlbif": XMLBIFReader, ".xdsl": XDSLReader, ".net": NETReader}[path.suffix]
    return reader(str(path)).get_model()


@pytest.mark.parametrize("suffix", TABLES)
def test_pgmpy_reads_the_same_network(suffix, tmp_path):
    network = random_network(3)
    path = tmp_path / f"network{suffix}"
    fedbnsl.write_graph(network, path)
    model = pgmpy_read(path)
    assert set(model.nodes) == set(network.names)
    assert set(model.edges) == set(network.graph.edges())
    for i, name in enumerate(network.names):
        cpd = model.get_cpds(name)
        assert cpd.variables == [name, *(network.names[p] for p in network.parents[i])]
        assert tuple(cpd.state_names[name]) == network.states[i]
        # Theirs: own state first, then the parents; ours: own state last.
        assert np.allclose(np.moveaxis(cpd.values, 0, -1), network.tables[i], rtol=0, atol=1e-15)
    assert_same(fedbnsl.read_graph(path), network.graph)


def test_what_pgmpy_writes_is_read(tmp_path):
    from pgmpy.readwrite import BIFWriter, NETWriter, XDSLWriter, XMLBIFWriter

    network = random_network(4)
    fedbnsl.write_graph(network, tmp_path / "ours.xdsl")
    model = pgmpy_read(tmp_path / "ours.xdsl")
    for suffix, writer in zip(TABLES, (BIFWriter, XMLBIFWriter, XDSLWriter, NETWriter), strict=True):
        writer(model).write(str(tmp_path / f"theirs{suffix}"))
        assert fedbnsl.read_graph(tmp_path / f"theirs{suffix}") == network.graph


# --- formats with tables ------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", TABLES)
@settings(max_examples=40, deadline=None)
@given(graph=dags(), sizes=st.lists(st.integers(1, 3), min_size=5, max_size=5))
def test_dags_come_back_with_uniform_tables(tmp_path_factory, suffix, graph, sizes):
    path = tmp_path_factory.getbasetemp() / f"dag{suffix}"
    states = {name: [f"s{k}" for k in range(size)] for name, size in zip(graph.names, sizes, strict=False)}
    fedbnsl.write_graph(graph, path, states=states)
    assert_same(fedbnsl.read_graph(path), graph)
    text = path.read_text()
    assert "Only the structure is meant" in text
    count = sum(
        len(states[name]) * int(np.prod([len(states[p]) for p, child in graph.edges() if child == name]))
        for name in graph.names
    )
    body = re.sub(r"\(-?\d+ -?\d+\)|<position>.*?</position>|version=\S+|VERSION=\S+|\[ \d+ \]", "", text)
    numbers = [float(x) for x in re.findall(r"(?<![\w.])(?:0\.\d+|1\.0)(?![\w.])", body)]
    assert len(numbers) == count
    assert sum(numbers) == pytest.approx(
        sum(np.prod([len(states[p]) for p, child in graph.edges() if child == name]) for name in graph.names)
    )


def test_names_that_table_formats_hold_and_refuse(tmp_path):
    cases = {
        ".bif": (
            ["p44/42", "a b", "x-y", "1st", "a//b", "Größe", "<5"],
            ["a,b", 'q"', " a", "x|y", "(a)", ""],
        ),
        ".xmlbif": (["p44/42", "a b", "a,b", 'q"', "<&>", "Größe", "a\rb"], [" a", "a\n", "\x01", ""]),
        ".xdsl": (["A_1", "b"], ["p44/42", "a b", "_a", "1st", "Größe", ""]),
        ".net": (["A_1", "_a"], ["p44/42", "a b", "1st", "x-y", ""]),
    }
    for suffix, (held, refused) in cases.items():
        path = tmp_path / f"g{suffix}"
        graph = Graph(held, np.eye(len(held), k=1, dtype=np.int8))
        fedbnsl.write_graph(graph, path, states={name: ["no", "yes"] for name in held})
        assert_same(fedbnsl.read_graph(path), graph)
        for name in refused:
            with pytest.raises(InputError, match=r"cannot hold the variable name .*\.json"):
                fedbnsl.write_graph(Graph([name], [[0]]), path, states={name: ["no", "yes"]})
        assert_same(fedbnsl.read_graph(path), graph)


def test_states_that_table_formats_refuse(tmp_path):
    graph = Graph(["A"], [[0]])
    for suffix, state in ((".bif", "(0,1]"), (".net", 'a"b'), (".xmlbif", " a")):
        with pytest.raises(InputError, match="cannot hold the state"):
            fedbnsl.write_graph(graph, tmp_path / f"g{suffix}", states={"A": ["ok", state]})


def test_states_become_identifiers_for_genie(tmp_path):
    def written(states):
        fedbnsl.write_graph(Graph(["A"], [[0]]), tmp_path / "g.xdsl", states={"A": states})
        text = (tmp_path / "g.xdsl").read_text()
        return re.findall('state id="(.*?)"', text), "States are renamed" in text

    assert written(["no", "Yes_1"]) == (["no", "Yes_1"], False)
    assert written(["0", "<5", "Asy/Patch", "ü", ""]) == (["s0", "s_5", "Asy_Patch", "s_", "s"], True)
    with pytest.raises(InputError, match=r"cannot hold the states <5, >5 of 'A'"):
        written(["<5", ">5"])


def test_pgmpy_reads_states_with_signs(tmp_path):
    states = ["<5", "5-12", "12+", "Asy/Patch"]
    for suffix in (".bif", ".net"):
        path = tmp_path / f"g{suffix}"
        fedbnsl.write_graph(Graph(["A"], [[0]]), path, states={"A": states})
        assert pgmpy_read(path).get_cpds("A").state_names["A"] == states


@pytest.mark.parametrize("suffix", [".bif", ".xmlbif", ".xml", ".xdsl", ".net", ".bif.gz"])
def test_what_table_formats_refuse(suffix, tmp_path):
    path = tmp_path / f"g{suffix}"
    two = {"A": ["0", "1"], "B": ["0", "1"]}
    cases = [
        (Graph.from_edges("AB", ["AB"]), None, r"needs the states .*states=.*\.json"),
        (Graph.from_edges("AB", [], ["AB"]), two, r"only DAGs.*A — B.*to_dag\(\)"),
        (WeightedGraph("AB", [[0, 2.0], [0, 0]]), two, r"cannot hold weights.*\.graph.*\.csv"),
        (Graph.from_edges("ABC", ["AB", "BC", "CA"]), {**two, "C": "01"}, r"directed cycle"),
        (Graph.from_edges("AB", ["AB"]), {"A": ["0", "1"]}, r"the states of 'B'"),
        (Graph.from_edges("AB", ["AB"]), {**two, "B": ["0", "0"]}, r"the states of 'B'.*different"),
        (Graph.from_edges("AB", ["AB"]), {**two, "B": "01"}, r"the states of 'B'"),
        (Graph.from_edges("AB", ["AB"]), {**two, "Z": ["0"]}, r"'Z', which is not a variable"),
        (random_network(1), two, r"its own states"),
        ([[0, 1], [0, 0]], two, r"a list cannot be written"),
    ]
    for graph, states, message in cases:
        with pytest.raises(InputError, match=message):
            fedbnsl.write_graph(graph, path, states=states)
    assert not list(tmp_path.iterdir())


def test_tables_beyond_the_limit_are_refused(tmp_path):
    names = [f"V{i}" for i in range(24)]
    matrix = np.zeros((24, 24), dtype=np.int8)
    matrix[:-1, -1] = 1
    states = {name: ["no", "yes"] for name in names}
    with pytest.raises(InputError, match=r"'V23' has 23 parents.*16777216 numbers"):
        fedbnsl.write_graph(Graph(names, matrix), tmp_path / "g.bif", states=states)


def test_a_network_is_written_as_its_dag_where_there_are_no_tables(tmp_path):
    network = random_network(2)
    for suffix in STRUCTURE:
        fedbnsl.write_graph(network, tmp_path / f"g{suffix}")
        assert_same(fedbnsl.read_graph(tmp_path / f"g{suffix}"), network.graph)


def test_tables_survive_bif(tmp_path):
    network = random_network(5)
    fedbnsl.write_graph(network, tmp_path / "n.bif")
    back = fedbnsl.data.load_network(tmp_path / "n.bif")
    assert (back.names, back.states, back.parents) == (network.names, network.states, network.parents)
    assert all(np.array_equal(a, b) for a, b in zip(back.tables, network.tables, strict=True))


def test_benchmark_network_through_every_table_format(tmp_path):
    alarm = fedbnsl.data.load_network("alarm")
    for suffix in TABLES:
        fedbnsl.write_graph(alarm, tmp_path / f"alarm{suffix}")
        assert_same(fedbnsl.read_graph(tmp_path / f"alarm{suffix}"), alarm.graph)
    assert (alarm.graph.n_nodes, alarm.graph.n_edges) == (37, 46)


def test_genie_gets_parents_first_and_above_their_children():
    root = ElementTree.fromstring(xdsl.write(random_network(6), False))
    order = [node.get("id") for node in root.find("nodes")]
    height = {node.get("id"): int(node.find("position").text.split()[1]) for node in root.iter("node")}
    for node in root.find("nodes"):
        for parent in (node.findtext("parents") or "").split():
            assert order.index(parent) < order.index(node.get("id"))
            assert height[parent] < height[node.get("id")]
    boxes = {node.find("position").text for node in root.iter("node")}
    assert len(boxes) == 4


# --- files as others write them -----------------------------------------------------------------


def test_edge_lists_as_others_write_them():
    sachs = b'"Cause","Effect"\n"PIP2","PKC"\n"plcg","PIP2"\n"p44/42","pakts473"\n'
    expected = Graph.from_edges(
        ["PIP2", "PKC", "plcg", "p44/42", "pakts473"],
        [("PIP2", "PKC"), ("plcg", "PIP2"), ("p44/42", "pakts473")],
    )
    assert_same(edge_table.read(sachs, "sachs.csv"), expected)
    chain = Graph.from_edges("ABC", ["AB", "BC"])
    for content in (
        b"\xef\xbb\xbfFROM , To\r\nA, B\r\n\r\nB ,C\r\n",
        b"source;target\nA;B\nB;C\n",
        b'"","parent","child"\n"1","A","B"\n"2","B","C"\n',
        b"Target\tSource\tstrength\nB\tA\t0.9\nC\tB\t0.8\n",
        b"source,target,type,note\nA,B,Directed,x\nB,C,,\n,,,\n",
    ):
        assert edge_table.read(content, "f.csv") == chain, content
    gephi = b"Source,Target,Type,Id,Label,Weight\nA,B,Undirected,0,,1.0\n"
    assert_same(edge_table.read(gephi, "f.csv"), WeightedGraph("AB", [[0, 1], [1, 0]]))


def test_adjacency_matrices():
    content = b",A,B,C\nA,0,1,0\nB,0,0,1\nC,0,1,0\n"
    assert_same(edge_table.read(content, "f.csv"), Graph.from_edges("ABC", ["AB"], ["BC"]))
    content = b"\tto\tfrom\nto\t0\t-0.5\nfrom\t0\t0\n"
    assert_same(edge_table.read(content, "f.tsv"), WeightedGraph(["to", "from"], [[0, -0.5], [0, 0]]))
    # An edge list whose cells happen to repeat its header stays an edge list.
    assert_same(
        edge_table.read(b"from,to\nto,from\n", "f.csv"), Graph.from_edges(["to", "from"], [("to", "from")])
    )


def test_tetrad_files_of_every_age():
    expected = Graph.from_edges(["X1", "X2", "X3"], [("X1", "X2")], [("X2", "X3")])
    for nodes in ("X1;X2;X3", "X1,X2,X3", "X1 X2 X3 ", "X1;X2;\nX3"):
        text = (
            f"Graph Nodes:\r\n{nodes}\r\n\r\nGraph Edges: \r\n"
            "1. X2 <-- X1 dd nl\r\n2. X2 --- X3 [X2 --- X3]:0.9;\r\n\r\nGraph Attributes:\r\nBIC: -12.5\r\n"
        )
        assert_same(tetrad.read(text.encode(), "g.txt"), expected)


def test_dot_as_others_write_it():
    text = b"""
    /* made by hand */ strict DiGraph "G 1" {
      rankdir=LR; node [shape=box, label="\\N"]; graph [label=<<b>x</b>>]
      A -> B -> "C c" [color = red; style=bold] // a chain
      edge [dir=none]
      "C c":n -> D:s
      D -> E [dir=forward]; E -> F [dir="back"]
      # a note
      "G" + "G" -> E [dir=both arrowtail=none]; H
      -1.5 -- \xc3\xa9
    }"""
    expected = Graph.from_edges(
        ["A", "B", "C c", "D", "E", "F", "GG", "H", "-1.5", "é"],
        [("A", "B"), ("B", "C c"), ("D", "E"), ("F", "E"), ("GG", "E")],
        [("C c", "D"), ("-1.5", "é")],
    )
    assert_same(dot.read(text, "g.dot"), expected)
    numbered = (
        b'digraph { 0 [label="X one"]; 1 [label=Y]; 0 -> 1 [arrowtail=none, arrowhead=none, dir=both] }'
    )
    assert_same(dot.read(numbered, "g.dot"), Graph.from_edges(["X one", "Y"], [], [("X one", "Y")]))
    weighted = b'digraph { a -> b [weight=2, label="x"]; b -> c [weight="-.5"]; }'
    assert_same(dot.read(weighted, "g.dot"), WeightedGraph("abc", [[0, 2, 0], [0, 0, -0.5], [0, 0, 0]]))
    # A layout weight on some edges is no edge weight.
    assert_same(
        dot.read(b"digraph { a -> b [weight=9]; b -> c }", "g.dot"), Graph.from_edges("abc", ["ab", "bc"])
    )


def test_graphml_with_names_in_labels():
    head = (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'
    )
    body = '<graph edgedefault="directed">{}<edge source="n0" target="n1"/></graph></graphml>'
    label = '<node id="{}"><data key="d0"><y:Node><y:NodeLabel> {} </y:NodeLabel></y:Node></data></node>'
    expected = Graph.from_edges(["Rain", "Wet"], [("Rain", "Wet")])
    yed = head + body.format(label.format("n0", "Rain") + label.format("n1", "Wet"))
    assert_same(graphml.read(yed.encode(), "g.graphml"), expected)
    key = '<key id="v" for="node" attr.name="name" attr.type="string"/>'
    named = '<node id="{}"><data key="v">{}</data></node>'
    igraph = head + key + body.format(named.format("n0", "Rain") + named.format("n1", "Wet"))
    assert_same(graphml.read(igraph.encode(), "g.graphml"), expected)
    # Two nodes of one name: the ids are what tells them apart.
    twice = head + key + body.format(named.format("n0", "Rain") + named.format("n1", "Rain"))
    assert_same(graphml.read(twice.encode(), "g.graphml"), Graph.from_edges(["n0", "n1"], [("n0", "n1")]))
    single = '<graphml><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>'
    single += '<edge source="a" target="b" directed="false"/><edge source="b" target="c"/></graph></graphml>'
    assert_same(graphml.read(single.encode(), "g.graphml"), Graph.from_edges("abc", ["bc"], ["ab"]))


def test_gml_as_others_write_it():
    text = b"""Creator "someone"  # a note
    Version 1 graph [ comment "x ] y" directed 1
      node [ id 10 label "A &amp; &#66;" graphics [ x 1.0 y 2.0 type "box" ] ] node [ id 2 name "C" ]
      edge [ source 10 target 2 label "e" ] ]"""
    assert_same(gml.read(text, "g.gml"), Graph.from_edges(["A & B", "C"], [("A & B", "C")]))


def test_hugin_and_genie_files():
    text = b"""% node Z { }
    net { node_size = (80 40); label = "a } brace"; }
    discrete node A { label = "node B { }"; states = ("0" "1"); }
    node B { states = ("0" "1"); HR_Desc = "100 %"; }
    continuous node C { }
    potential (A) { data = (.5 .5); }
    potential (C | A B) { data = (normal(0, 1) normal(1, 1)); }"""
    assert_same(net.read(text, "g.net"), Graph.from_edges("ABC", ["AC", "BC"]))
    text = b"""<smile version="1.0" id="N"><nodes><cpt id="B"><state id="x"/></cpt>
    <noisymax id="A"><parents> B
    </parents></noisymax></nodes></smile>"""
    assert_same(xdsl.read(text, "g.xdsl"), Graph.from_edges("BA", ["BA"]))


def test_xmlbif_with_its_dtd():
    text = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
    <!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
    <BIF VERSION="0.3"><NETWORK><NAME>dogs</NAME>
    <VARIABLE TYPE="nature"><NAME> l\xe4rm </NAME><OUTCOME>y</OUTCOME></VARIABLE>
    <VARIABLE TYPE="nature"><NAME>dog out</NAME><OUTCOME>y</OUTCOME></VARIABLE>
    <DEFINITION><FOR>l\xe4rm</FOR><GIVEN>dog out</GIVEN><TABLE>1</TABLE></DEFINITION>
    <DEFINITION><FOR>dog out</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>"""
    assert_same(xmlbif.read(text, "g.xml"), Graph.from_edges(["lärm", "dog out"], [("dog out", "lärm")]))


# --- errors -------------------------------------------------------------------------------------

GRAPHML = '<graphml><graph edgedefault="directed"><node id="a"/>\n<node id="b"/>\n{}</graph></graphml>'
XML_ENTITY = '<!DOCTYPE x [\n<!ENTITY e SYSTEM "file:///etc/passwd">]><{0}>&e;</{0}>'
XMLBIF = "<BIF><NETWORK><VARIABLE><NAME>A</NAME></VARIABLE>\n{}</NETWORK></BIF>"
BAD_FILES = [
    (".csv", "", "g.csv: the file is empty"),
    (".csv", "a,b\nc,d\n", "columns 'a, b' are unknown.*from,to"),
    (".csv", "from,to\nA,B\nA,B\n", "line 3: the edge A → B is given twice, first in line 2"),
    (".csv", "from,to\nA,B\nB,A\n", "line 3: both B → A and A → B.*undirected"),
    (".csv", "from,to,type\nA,B,\nB,A,undirected\n", "line 3: B and A have two edges"),
    (".csv", "from,to\n\nA,A\n", "line 3: .* loop"),
    (".csv", "from,to,type\nA,B,sideways\n", "line 2: the type 'sideways'"),
    (".csv", "from,to\n,B\n", "line 2: the column 'from' is empty"),
    (".csv", "from,to\nA,B,C\n", "line 2: there are 3 cells for 2 columns"),
    (".csv", "from,to,to\nA,B,C\n", "'to' occurs twice"),
    (".csv", 'from,to\n"A"x,B\n', "line 2: the table cannot be read"),
    (".csv", "from,to,weight\nA,B,1\nA,C,\n", "line 3: the edge A → C has no weight"),
    (".csv", "from,to,weight\nA,B,heavy\n", "line 2: the weight 'heavy'"),
    (".csv", "from,to,weight\nA,B,0\n", "line 2: .*weight 0"),
    (".csv", "from,to,weight\nA,B,nan\n", "line 2: .*finite"),
    (".csv", "from,to,weight\nA,,1\n", "line 2: a weight is given"),
    (".csv", ",A,B\nA,0,x\nB,0,0\n", "line 2, column 'B': 'x' is not a number"),
    (".csv", ",A,B\nA,0\nB,0,0\n", "line 2: there are 1 numbers for 2 variables"),
    (".csv", ",A\nA,1\n", "g.csv: the edge A → A is a loop"),
    (".csv", b"from,to\nA,\xff\n", "line 2: the file is not UTF-8"),
    (".json", '{"nodes": ["A"]', "line 1: the file is not JSON"),
    (".json", "[]", '"nodes" and "edges".*looks like'),
    (".json", '{"nodes": ["A"], "edges": [], "undirectd": []}', "'undirectd' is unknown"),
    (".json", '{"nodes": ["A", 1], "edges": []}', '"nodes" must be a list of texts'),
    (".json", '{"nodes": ["A", "A"], "edges": []}', r"nodes\[1\]: the variable 'A' is given twice"),
    (".json", '{"nodes": ["A"], "edges": [["A"]]}', r"edges\[0\]: .*not a pair"),
    (".json", '{"nodes": ["A"], "edges": [["A", "Z"]]}', r"edges\[0\]: .*'Z', which is not a variable"),
    (".json", '{"nodes": ["A", "B"], "edges": [["A", "B"]], "weights": []}', "one for each of the 1 edges"),
    (".json", '{"nodes": ["A", "B"], "edges": [["A", "B"]], "weights": [true]}', "list of numbers"),
    (".json", '{"nodes": ["A", "B"], "edges": [["A", "B"]], "weights": [1e999]}', "finite"),
    (
        ".json",
        '{"nodes": ["A", "B"], "edges": [["A", "B"]], "weights": [1' + "0" * 400 + "]}",
        "not a number",
    ),
    (
        ".json",
        '{"nodes": ["A", "B"], "edges": [], "undirected": [["A", "B"]], "weights": []}',
        "no undirected",
    ),
    (".json", "[" * 100_000, "not JSON|nested too deeply"),
    (".txt", "A --> B\n", "no line 'Graph Nodes:'.*Tetrad"),
    (".txt", "Graph Nodes:\nA;B\n", "no line 'Graph Edges:'"),
    (".txt", "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A o-> B\n", "line 5: .*latent.*DAGs and CPDAGs"),
    (".txt", "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A <-> B\n", "line 5: the edge A <-> B"),
    (".txt", "Graph Nodes:\nA;(L)\n\nGraph Edges:\n", r"line 2: \(L\) is a latent variable"),
    (".txt", "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A B\n", "line 5: cannot read the edge"),
    (".txt", "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A --> Z\n", "line 5: .*'Z'"),
    (".txt", "Graph Nodes:\nA;B\n\nGraph Edges:\n1. A ==> B\n", "line 5: '==>' is not an edge"),
    (".graphml", "<graphml><graph>\n<node></graph></graphml>", "line 2: the file is not XML"),
    (".graphml", "", "not XML"),
    (".graphml", "<svg/>", "outermost element is <svg>, but that of GraphML is <graphml>"),
    (".graphml", XML_ENTITY.format("graphml"), "line 2: the file declares the XML entity 'e'"),
    (".graphml", GRAPHML.format('<edge source="a" target="z"/>'), "line 3: .*'z', which is not a variable"),
    (".graphml", GRAPHML.format('<node id="a"/>'), "line 3: the node 'a' is given twice"),
    (".graphml", GRAPHML.format("<node/>"), "line 3: a node has no id"),
    (".graphml", GRAPHML.format("<hyperedge/>"), "line 3: the graph has hyperedges"),
    (".graphml", GRAPHML.format('<node id="c"><graph/></node>'), "has 2, nested"),
    (".gml", "graph [\nnode [ id 0 ]", "line 2: the file ends within a list"),
    (".gml", 'graph [ node [ id 0 label "a ] ]', "line 1: a quoted text is not closed"),
    (".gml", "graph [ ]\n]", "line 2: this ] is out of place"),
    (".gml", 'graph [\n"x" 1 ]', "line 2: a key is expected"),
    (".gml", "node [ id 0 ]", "one graph is expected, but the file has 0"),
    (".gml", "graph [ node [ id 0 ]\nnode [ id 0 ] ]", "line 2: the node 0 is given twice"),
    (".gml", "graph [ node [ id 0 ]\nedge [ source 0 target 7 ] ]", "line 2: .*'7'"),
    (".dot", "digraph {\n subgraph c { a } }", "line 2: the graph has a subgraph"),
    (".dot", "digraph {\n a -> { b c } }", "line 2: an edge leads to a subgraph"),
    (".dot", "digraph {\n p44/42 -> b }", "line 2: cannot read '/42.*double quotes"),
    (".dot", "digraph { a -> b", "line 1: found the end of the file, expected: a name"),
    (".dot", 'digraph { "a }', "line 1: cannot read"),
    (".dot", "digraph { a -> b [dir=both] }", "arrow at both ends.*dir=none"),
    (".dot", "digraph { a -> b [arrowhead=odot] }", "ends in a circle"),
    (".dot", "digraph { a -> b;\nb -> a }", "line 2: both b → a and a → b"),
    (".dot", "tree { }", "line 1: found 'tree', expected: graph or digraph"),
    (".dot", "graph {}\ngraph {}", "line 2: the file goes on"),
    (".bif", "network x {\n}\nvariable A {\n", "g.bif, line 3"),
    (".xmlbif", XML_ENTITY.format("BIF"), "XML entity 'e'"),
    (".xml", "<graphml><graph/></graphml>", "that of XMLBIF is <BIF>"),
    (".xmlbif", "<BIF/>", "no <NETWORK>"),
    (".xmlbif", XMLBIF.format(""), "line 1: 'A' has no <DEFINITION>"),
    (".xmlbif", XMLBIF.format("<DEFINITION><FOR>B</FOR></DEFINITION>"), "line 2: 'B' is not a variable"),
    (".xmlbif", XMLBIF.format("<DEFINITION></DEFINITION>"), "line 2: <DEFINITION> has no <FOR>"),
    (".xmlbif", XMLBIF.format("<DEFINITION><FOR>A</FOR><GIVEN>Z</GIVEN></DEFINITION>"), "line 2: .*'Z'"),
    (".xdsl", "<smile/>", "no <nodes>"),
    (".xdsl", '<smile><nodes>\n<decision id="D"/></nodes></smile>', "line 2: a <decision> node"),
    (".xdsl", '<smile><nodes/>\n<dynamic numslices="3"/></smile>', "line 2: the network is dynamic"),
    (
        ".xdsl",
        '<smile><nodes><cpt id="A"><parents>B</parents></cpt><cpt id="B"><parents>C</parents></cpt>'
        '<cpt id="C"><parents>A</parents></cpt></nodes></smile>',
        "directed cycle",
    ),
    (".net", "*Vertices 2\n1 A\n", "Pajek"),
    (".net", "net { }\nnode A {\n", "line 2: expected: net"),
    (".net", "net { }\nutility U { }\n", "line 2: 'utility U' is no chance node"),
    (".net", "net { }\nnode A { }\npotential (A B | ) { }\n", "line 3: the potential of 'A B'"),
    (".net", "net { }\nnode A { }\nnode A { }", "'A' is given twice"),
    (".net", "net { }\nnode A { }\npotential (A | Z) { }\n", "line 3: .*'Z'"),
]


@pytest.mark.parametrize(("suffix", "content", "message"), BAD_FILES)
def test_bad_files_say_where_and_what(suffix, content, message, tmp_path):
    path = tmp_path / f"g{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message) as caught:
        fedbnsl.read_graph(path)
    assert str(caught.value).startswith(str(path))


@settings(max_examples=300, deadline=None)
@given(
    suffix=st.sampled_from([*STRUCTURE, *TABLES]),
    graph=dags(),
    cut=st.integers(0, 400),
    junk=st.text(st.sampled_from('{}[]();,"<>/\\-=&#%*\n aA0'), max_size=8),
)
def test_damaged_files_give_a_graph_or_an_input_error(suffix, graph, cut, junk):
    if suffix in TABLES:
        d = graph.n_nodes
        parents = [np.flatnonzero(graph.adjacency[:, i]).tolist() for i in range(d)]
        tables = [np.full([2] * (len(given) + 1), 0.5) for given in parents]
        network = DiscreteNetwork("n", graph.names, [["no", "yes"]] * d, parents, tables)
        read, text = TABLES[suffix].read, TABLES[suffix].write(network, False)
    else:
        read, text = STRUCTURE[suffix][0], STRUCTURE[suffix][1](graph)
    try:
        found = read((text[:cut] + junk + text[cut + len(junk) :]).encode(), "file")
    except InputError as error:
        found = error.where
    assert isinstance(found, Graph | WeightedGraph) or found.startswith("file")


# --- paths --------------------------------------------------------------------------------------


def test_suffixes(tmp_path):
    graph = Graph.from_edges("AB", ["AB"])
    for name in ("g", "g.pdf", "g.gz", "g.csv.zip"):
        for act in (lambda p: fedbnsl.write_graph(graph, p), fedbnsl.read_graph):
            with pytest.raises(InputError, match=r"Known are \.json.*\.net, each also with \.gz"):
                act(tmp_path / name)
    for name in ("g.JSON", "my.data.CSV", "g.Txt.GZ"):
        fedbnsl.write_graph(graph, str(tmp_path / name))
        assert_same(fedbnsl.read_graph(str(tmp_path / name)), graph)
    with pytest.raises(InputError, match="there is no such file"):
        fedbnsl.read_graph(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="a ndarray cannot be written"):
        fedbnsl.write_graph(np.zeros((2, 2)), tmp_path / "a.csv")


def test_compressed_files_hold_the_same_bytes_and_no_time(tmp_path, monkeypatch):
    graph = Graph.from_edges("AB", ["AB"])
    fedbnsl.write_graph(graph, tmp_path / "g.gml")
    fedbnsl.write_graph(graph, tmp_path / "g.gml.gz")
    first = (tmp_path / "g.gml.gz").read_bytes()
    assert gzip.decompress(first) == (tmp_path / "g.gml").read_bytes()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    fedbnsl.write_graph(graph, tmp_path / "other.gml.gz")
    assert (tmp_path / "other.gml.gz").read_bytes() == first
    (tmp_path / "bad.gml.gz").write_bytes(first[:-6])
    with pytest.raises(InputError, match=r"bad\.gml\.gz: the file cannot be read"):
        fedbnsl.read_graph(tmp_path / "bad.gml.gz")
    (tmp_path / "plain.gml.gz").write_bytes(b"graph [ ]")
    with pytest.raises(InputError, match="cannot be read"):
        fedbnsl.read_graph(tmp_path / "plain.gml.gz")


def test_a_file_appears_complete_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "g.csv"
    fedbnsl.write_graph(Graph.from_edges("AB", ["AB"]), path)
    before = path.read_bytes()
    seen = {}

    def broken(source, target):
        seen["folder"], seen["complete"] = source.parent, source.read_bytes()
        raise OSError("the disk is gone")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        fedbnsl.write_graph(Graph.from_edges("AC", ["AC"]), path)
    assert seen == {"folder": tmp_path, "complete": b"from,to\nA,C\n"}
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["g.csv"]
    with pytest.raises(InputError, match=r"does not exist.*Create it"):
        fedbnsl.write_graph(Graph.from_edges("AC", ["AC"]), tmp_path / "none" / "g.csv")
