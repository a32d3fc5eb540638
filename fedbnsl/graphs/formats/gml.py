"""GML, the Graph Modelling Language (Himsolt 1997), as networkx, igraph, yEd and Gephi use it.

An undirected edge beside directed ones is written as two edges, one each way; GML has no other way.
Characters beyond printable ASCII are written as ``&#…;``, so every name can be held. The variables
are the nodes' labels; without labels, their names or ids.
"""

import re
from collections.abc import Iterator
from html.entities import name2codepoint

from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import Gathering, arcs_of, is_undirected
from fedbnsl.graphs.formats._text import decoded
from fedbnsl.graphs.graph import Graph, WeightedGraph

_TOKEN = re.compile(r'\s+|#[^\n]*|("[^"]*")|([\[\]])|([^\s\[\]"#][^\s\[\]"]*)')
_ENTITY = re.compile(r"&(?:#(\d+)|#[xX]([0-9a-fA-F]+)|(\w+));")


def read(content: bytes, where: str) -> Graph | WeightedGraph:
    """Read the bytes of a .gml file."""
    text = decoded(content, where)
    graphs = [item for item in _parsed(text, where) if item[0] == "graph" and isinstance(item[1], list)]
    if len(graphs) != 1:
        raise InputError(f"one graph is expected, but the file has {len(graphs)}", where=where)
    items = graphs[0][1]
    one = {key: value for key, value, _ in items if not isinstance(value, list)}
    directed = one.get("directed", "0") != "0"
    gathering = Gathering(where, reciprocal=True, weighted=one.get("weighted", "0") != "0")
    names: dict[str, str] = {}
    for node, place in _lists("node", items):
        if "id" not in node or node["id"] in names:
            problem = f"the node {node['id']} is given twice" if "id" in node else "a node has no id"
            raise gathering.error(problem, place)
        names[node["id"]] = node.get("label", node.get("name", node["id"]))
        gathering.declare(names[node["id"]], place)
    for edge, place in _lists("edge", items):
        a, b = (names.get(edge.get(end), edge.get(end, "")) for end in ("source", "target"))
        gathering.edge(a, b, place, directed=directed, weight=edge.get("weight"))
    return gathering.graph()


def write(graph: Graph | WeightedGraph) -> str:
    """The text of a .gml file."""
    undirected = is_undirected(graph)
    lines = ["graph [", f"  directed {0 if undirected else 1}"]
    if isinstance(graph, WeightedGraph):
        lines.append("  weighted 1")
    for i, name in enumerate(graph.names):
        lines += ["  node [", f"    id {i}", f'    label "{_escaped(name)}"', "  ]"]
    for i, j, weight in arcs_of(graph):
        if undirected and i > j:
            continue
        lines += ["  edge [", f"    source {i}", f"    target {j}"]
        if weight is not None:
            lines.append(f"    weight {_real(weight)}")
        lines.append("  ]")
    return "\n".join([*lines, "]", ""])


def _lists(wanted: str, items: list) -> Iterator[tuple[dict[str, str], str]]:
    """The simple values of each list with this key, and the line where it begins."""
    for key, value, line in items:
        if key == wanted and isinstance(value, list):
            yield {key: inner for key, inner, _ in value if not isinstance(inner, list)}, f"line {line}"


def _parsed(text: str, where: str) -> list[tuple[str, str | list, int]]:
    """(key, value, line of the key) of the outermost list; a value is a text or such a list."""
    stack: list[list] = [[]]
    key, key_line, line, position = None, 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise InputError("a quoted text is not closed", where=f"{where}, line {line}")
        quoted, bracket, word = match.groups()
        if bracket == "]":
            if key is not None or len(stack) == 1:
                raise InputError("this ] is out of place", where=f"{where}, line {line}")
            stack.pop()
        elif key is None:
            if quoted or bracket:
                raise InputError(f"a key is expected, not {match[0][:40]}", where=f"{where}, line {line}")
            if word:
                key, key_line = word, line
        elif bracket:
            stack[-1].append((key, [], key_line))
            stack.append(stack[-1][-1][1])
            key = None
        elif quoted or word:
            stack[-1].append((key, _unescaped(quoted[1:-1]) if quoted else word, key_line))
            key = None
        position, line = match.end(), line + match[0].count("\n")
    if key is not None or len(stack) > 1:
        raise InputError("the file ends within a list: a ] is missing", where=f"{where}, line {line}")
    return stack[0]


def _escaped(name: str) -> str:
    # igraph reads the named ones only.
    named = name.replace("&", "&amp;").replace('"', "&quot;")
    return re.sub("[^ -~]", lambda match: f"&#{ord(match[0])};", named)


def _unescaped(text: str) -> str:
    def character(match):
        decimal, hexadecimal, name = match.groups()
        if name is not None:
            return chr(name2codepoint[name]) if name in name2codepoint else match[0]
        code = int(decimal) if decimal else int(hexadecimal, 16)
        return chr(code) if code < 0x110000 else match[0]

    return _ENTITY.sub(character, text)


def _real(weight: float) -> str:
    # A real number in GML has a point even before an exponent.
    mantissa, exponent, power = repr(weight).partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent.upper()}{power}"
