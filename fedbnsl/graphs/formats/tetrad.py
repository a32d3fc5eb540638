"""Tetrad's text format: ``Graph Nodes:`` and numbered ``Graph Edges:``.

Read are ``-->``, ``<--`` and ``---``; nodes may be separated by ``;`` (Tetrad today), ``,`` or spaces
(older releases). What Tetrad adds after an edge or below the edges is passed over.
"""

import re

from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import Gathering, edges_of
from fedbnsl.graphs.formats._text import decoded, lines, refuse_names
from fedbnsl.graphs.graph import Graph, WeightedGraph

_EDGE = re.compile(r"\d+\.\s+(\S+)\s+(\S+)\s+(\S+)(?:\s.*)?")
_NUMBERED = re.compile(r"\d+\.")
_PAG_MARKS = {"o->", "<-o", "o-o", "<->", "o--", "--o"}


def read(content: bytes, where: str) -> Graph:
    """Read the bytes of a Tetrad .txt file."""
    gathering = Gathering(where)
    section, seen, after_blank = None, set(), False
    for number, raw in enumerate(lines(decoded(content, where)), 1):
        line, place = raw.strip(), f"line {number}"
        if line in ("Graph Nodes:", "Graph Edges:"):
            section = line
            seen.add(line)
        elif section == "Graph Nodes:" and line:
            for name in filter(None, re.split(r"[;,\s]+", line)):
                _node(gathering, name, place)
        elif section == "Graph Edges:" and line:
            if after_blank and not _NUMBERED.match(line):
                section = None  # attributes or triples: no structure
            else:
                _edge(gathering, line, place)
        after_blank = not line
    for heading in ("Graph Nodes:", "Graph Edges:"):
        if heading not in seen:
            raise InputError(
                f"there is no line {heading!r}",
                where=where,
                remedy="A .txt file is read as a graph saved by Tetrad in its text format",
            )
    return gathering.graph()


def write(graph: Graph | WeightedGraph) -> str:
    """The text of a Tetrad .txt file."""
    if isinstance(graph, WeightedGraph):
        raise InputError(
            "Tetrad's text format cannot hold weights",
            remedy="Write its structure, .graph, or use .csv, .graphml or .json",
        )
    refuse_names(
        graph.names, re.compile(r"^$|[\s;,()\[\]]"), "Tetrad", "it has a space or one of ; , ( ) [ ]"
    )
    marks = {True: "-->", False: "---"}
    edges = [f"{k}. {a} {marks[directed]} {b}" for k, (a, b, directed, _) in enumerate(edges_of(graph), 1)]
    return "\n".join(["Graph Nodes:", ";".join(graph.names), "", "Graph Edges:", *edges, ""])


def _node(gathering: Gathering, name: str, place: str) -> None:
    if name[0] + name[-1] in ("()", "[]"):
        kind = "latent" if name[0] == "(" else "selection"
        raise gathering.error(
            f"{name} is a {kind} variable", place, "Only graphs over measured variables can be read"
        )
    gathering.declare(name, place)


def _edge(gathering: Gathering, line: str, place: str) -> None:
    match = _EDGE.fullmatch(line)
    if match is None:
        raise gathering.error(f"cannot read the edge {line!r}", place, "Expected: 1. A --> B")
    a, mark, b = match.groups()
    if mark in _PAG_MARKS:
        raise gathering.error(
            f"the edge {a} {mark} {b} speaks of latent variables",
            place,
            "Only DAGs and CPDAGs can be read: edges --> and ---",
        )
    if mark == "<--":
        gathering.edge(b, a, place)
    elif mark in ("-->", "---"):
        gathering.edge(a, b, place, directed=mark == "-->")
    else:
        raise gathering.error(f"{mark!r} is not an edge", place, "Edges are --> and ---")
