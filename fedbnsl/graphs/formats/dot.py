"""Graphviz DOT: the part of it that says which nodes and edges there are.

Written is a ``digraph``; an undirected edge has ``dir=none`` and a weight is the edge's ``label`` (the
attribute ``weight`` would steer the layout). Read are nodes, edges and chains of edges with ``->`` and
``--``, quoted names, comments, and what ``dir``, ``arrowhead`` and ``arrowtail`` say of the ends,
also as defaults (``edge [dir=none]``). A graph is weighted if every edge has the attribute ``weight``,
or else every edge a number as its ``label``. Subgraphs are refused. Where all ids are mere numbers and
every node has its own label, the labels are the variables.
"""

import re

from fedbnsl.graphs.formats._dot_tokens import Token, Tokens
from fedbnsl.graphs.formats._edges import Gathering, edges_of
from fedbnsl.graphs.formats._labels import numbered_names
from fedbnsl.graphs.formats._text import decoded, refuse_names
from fedbnsl.graphs.graph import Graph, WeightedGraph

_TYPES = {"forward": (True, False), "back": (False, True), "both": (True, True), "none": (False, False)}
_CIRCLES = {"dot", "odot"}


def read(content: bytes, where: str) -> Graph | WeightedGraph:
    """Read the bytes of a .dot file."""
    return _Parser(Tokens(decoded(content, where), where)).graph()


def write(graph: Graph | WeightedGraph) -> str:
    """The text of a .dot file."""
    refuse_names(graph.names, re.compile(r"[\\\x00]|^$"), "DOT", "it is empty or has a backslash or NUL")
    lines = ["digraph {"]
    if isinstance(graph, WeightedGraph):
        lines.append("  weighted=true;")
    lines += [f"  {_quoted(name)};" for name in graph.names]
    for a, b, directed, weight in edges_of(graph):
        attribute = "" if directed else " [dir=none]"
        if weight is not None:
            attribute = f' [label="{weight!r}"]'
        lines.append(f"  {_quoted(a)} -> {_quoted(b)}{attribute};")
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '\\"') + '"'


class _Parser:
    """Statement by statement, with the edges kept until labels and weights can be judged as a whole."""

    def __init__(self, tokens: Tokens):
        self.tokens = tokens
        self.defaults: dict[str, str] = {}
        self.labels: dict[str, str | None] = {}
        self.edges: list[tuple[str, str, str, dict[str, str], str]] = []
        self.weighted = False

    def graph(self) -> Graph | WeightedGraph:
        tokens = self.tokens
        if tokens.peek().is_word("strict"):
            tokens.take()
        if not tokens.take().is_word("graph", "digraph"):
            raise tokens.error("expected: graph or digraph")
        if tokens.peek().is_name:
            tokens.take()
        tokens.expect("{")
        while not tokens.peek().is_sign("}"):
            self._statement()
            while tokens.peek().is_sign(";", ","):
                tokens.take()
        tokens.take()
        if tokens.peek().kind != "end":
            tokens.take()
            raise tokens.error("the file goes on after its graph", "Give each graph its own file")
        return self._gathered()

    def _statement(self) -> None:
        tokens = self.tokens
        first = tokens.peek()
        if first.is_word("subgraph") or first.is_sign("{"):
            tokens.take()
            raise tokens.error("the graph has a subgraph", "Only graphs without subgraphs can be read")
        if first.is_word("graph", "node", "edge"):
            tokens.take()
            attributes = self._attributes()
            if first.is_word("edge"):
                self.defaults |= attributes
            return
        chain = [self._node()]
        if tokens.peek().is_sign("="):
            tokens.take()
            value = tokens.name().text
            self.weighted |= first.text == "weighted" and value == "true"
            return
        operators = []
        while tokens.peek().is_sign("->", "--"):
            operators.append(tokens.take())
            if tokens.peek().is_word("subgraph") or tokens.peek().is_sign("{"):
                tokens.take()
                raise tokens.error("an edge leads to a subgraph", "Write one edge for each pair")
            chain.append(self._node())
        attributes = self._attributes()
        for node in chain:
            self.labels.setdefault(node.text, None)
        if not operators:
            self.labels[first.text] = attributes.get("label", self.labels[first.text])
        for a, operator, b in zip(chain, operators, chain[1:], strict=False):
            self.edges.append((a.text, operator.text, b.text, self.defaults | attributes, operator.place))

    def _node(self) -> Token:
        node = self.tokens.name()
        while self.tokens.peek().is_sign(":"):  # a port or compass point only concerns the drawing
            self.tokens.take()
            self.tokens.name()
        return node

    def _attributes(self) -> dict[str, str]:
        tokens, found = self.tokens, {}
        while tokens.peek().is_sign("["):
            tokens.take()
            while not tokens.peek().is_sign("]"):
                key = tokens.name().text
                found[key] = "true"
                if tokens.peek().is_sign("="):
                    tokens.take()
                    found[key] = tokens.name().text
                while tokens.peek().is_sign(";", ","):
                    tokens.take()
            tokens.take()
        return found

    def _gathered(self) -> Graph | WeightedGraph:
        names = numbered_names(self.labels)
        weights = self._weights()
        gathering = Gathering(self.tokens.where, weighted=self.weighted)
        for name in names.values():
            gathering.declare(name, "")
        for (a, operator, b, attributes, place), weight in zip(self.edges, weights, strict=True):
            a, b = names[a], names[b]
            head, tail = self._ends(gathering, operator, attributes, f"{a} {operator} {b}", place)
            if tail and not head:
                a, b = b, a
            gathering.edge(a, b, place, directed=head or tail, weight=weight)
        return gathering.graph()

    def _weights(self) -> list[str | None]:
        for key in ("weight", "label"):
            found = [attributes.get(key) for *_, attributes, _ in self.edges]
            if found and all(text is not None and _is_number(text) for text in found):
                return found
        return [None] * len(self.edges)

    def _ends(self, gathering: Gathering, operator: str, attributes, edge: str, place: str):
        """Whether there is an arrow at the head and at the tail."""
        kind = attributes.get("dir", "forward" if operator == "->" else "none")
        if kind not in _TYPES:
            raise gathering.error(f"the edge {edge} has the unknown dir={kind}", place)
        ends = []
        for drawn, key in zip(_TYPES[kind], ("arrowhead", "arrowtail"), strict=True):
            shape = attributes.get(key, "normal")
            if drawn and shape in _CIRCLES:
                raise gathering.error(
                    f"the edge {edge} ends in a circle", place, "Only DAGs and CPDAGs can be read"
                )
            ends.append(drawn and shape != "none")
        if all(ends):
            raise gathering.error(
                f"the edge {edge} has an arrow at both ends", place, "Write dir=none for an undirected edge"
            )
        return ends


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
