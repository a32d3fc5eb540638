"""Edge lists and adjacency matrices as CSV or TSV.

Written is an edge list with the columns ``from,to[,type][,weight]``: ``type`` (``directed`` or
``undirected``) if the graph has undirected edges, ``weight`` if it is weighted. A row whose ``to`` is
empty names a variable without saying anything of its edges. If the edges alone would not name every
variable in its order, all variables are named first in such rows::

    from,to
    Rain,
    Sprinkler,
    Wind,
    Rain,Sprinkler

Read are (quoted or not, separated by comma, semicolon or tab, in any letter case)

- edge lists with the columns from/to, source/target, parent/child or cause/effect, and optionally
  type and weight; other columns are passed over;
- square matrices whose header and first column are the variable names: the number in row A, column
  B is the edge A → B. Only 0 and 1: a Graph, in which both directions make one undirected edge;
  otherwise a WeightedGraph.

Blanks around names are not part of them.
"""

import csv
import io
import re

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import Gathering, edges_of
from fedbnsl.graphs.formats._text import decoded, refuse_names
from fedbnsl.graphs.graph import Graph, WeightedGraph

_ENDS = (("from", "to"), ("source", "target"), ("parent", "child"), ("cause", "effect"))
_DIRECTED = {"": True, "directed": True, "undirected": False}
_EXPECTED = (
    "Expected is an edge list whose first line is from,to (or source,target), optionally with the "
    "columns type and weight, or a square matrix whose header and first column are the variables"
)


def read(content: bytes, where: str) -> Graph | WeightedGraph:
    """Read the bytes of a .csv or .tsv file."""
    rows = _rows(decoded(content, where), where)
    if not rows:
        raise InputError("the file is empty", where=where, remedy=_EXPECTED)
    header = [cell.lower() for cell in rows[0][1]]
    ends = next((pair for pair in _ENDS if set(pair) <= set(header)), None)
    if _is_matrix([cells for _, cells in rows]) and not (ends and header[0] in ends):
        return _matrix(rows, where)
    if ends is None:
        raise InputError(f"the columns {', '.join(rows[0][1])!r} are unknown", where=where, remedy=_EXPECTED)
    for name in (*ends, "type", "weight"):
        if header.count(name) > 1:
            raise InputError(f"the column {name!r} occurs twice", where=where)
    return _edge_list(rows[1:], header, ends, where)


def write(graph: Graph | WeightedGraph, delimiter: str) -> str:
    """The text of an edge list."""
    refuse_names(
        graph.names, re.compile(r"^\s|\s$|^$|\x00"), "CSV", "it is empty, blank at an end or has a NUL"
    )
    edges = edges_of(graph)
    types = not all(directed for _, _, directed, _ in edges)
    weights = isinstance(graph, WeightedGraph)
    table = [["from", "to", *(["type"] if types else []), *(["weight"] if weights else [])]]
    blank = [""] * (len(table[0]) - 1)
    if tuple(dict.fromkeys(name for a, b, *_ in edges for name in (a, b))) != graph.names:
        table += [[name, *blank] for name in graph.names]
    for a, b, directed, weight in edges:
        kind = ["directed" if directed else "undirected"] if types else []
        table.append([a, b, *kind, *([repr(weight)] if weights else [])])
    return "".join(delimiter.join(_cell(text, delimiter) for text in row) + "\n" for row in table)


def _cell(text: str, delimiter: str) -> str:
    if any(mark in text for mark in (delimiter, '"', "\r", "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _rows(text: str, where: str) -> list[tuple[int, list[str]]]:
    """(line, cells) of every row that is not blank."""
    bare = re.sub(r'"[^"]*"', "", text).lstrip("\r\n")
    header = re.split(r"[\r\n]", bare, maxsplit=1)[0]
    delimiter = next((mark for mark in "\t,;" if mark in header), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"the table cannot be read ({error})", where=f"{where}, line {line}") from None
    return rows


def _is_matrix(rows: list[list[str]]) -> bool:
    return len(rows) > 1 and [cells[0] for cells in rows[1:]] == rows[0][1:]


def _matrix(rows: list[tuple[int, list[str]]], where: str) -> Graph | WeightedGraph:
    names = rows[0][1][1:]
    matrix = np.zeros((len(names), len(names)))
    for i, (line, cells) in enumerate(rows[1:]):
        if len(cells) != len(names) + 1:
            raise InputError(
                f"there are {len(cells) - 1} numbers for {len(names)} variables",
                where=f"{where}, line {line}",
            )
        for j, cell in enumerate(cells[1:]):
            try:
                matrix[i, j] = float(cell)
            except ValueError:
                raise InputError(
                    f"{cell!r} is not a number", where=f"{where}, line {line}, column {names[j]!r}"
                ) from None
    try:
        if ((matrix == 0) | (matrix == 1)).all():
            return Graph(names, matrix)
        return WeightedGraph(names, matrix)
    except InputError as error:
        raise InputError(error.problem, where=where, remedy=error.remedy) from None


def _edge_list(rows, header, ends, where: str) -> Graph | WeightedGraph:
    gathering = Gathering(where, weighted="weight" in header)
    for line, cells in rows:
        place = f"line {line}"
        if len(cells) > len(header):
            raise gathering.error(f"there are {len(cells)} cells for {len(header)} columns", place)
        row = dict(zip(header, cells, strict=False))
        a, b = (row.get(end, "") for end in ends)
        kind, weight = row.get("type", "").lower(), row.get("weight") or None
        if not a:
            raise gathering.error(f"the column {ends[0]!r} is empty", place)
        gathering.mention(a)
        if b:
            if kind not in _DIRECTED:
                raise gathering.error(
                    f"the type {kind!r} is unknown", place, "Types are directed and undirected"
                )
            gathering.mention(b)
            gathering.edge(a, b, place, directed=_DIRECTED[kind], weight=weight)
        elif weight:
            raise gathering.error(f"a weight is given, but the column {ends[1]!r} is empty", place)
    return gathering.graph()
