"""Hugin's NET format. (Pajek's files of the same suffix are another thing and refused.)"""

import re

import numpy as np

from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import graph_from_parents
from fedbnsl.graphs.formats._network import UNIFORM, layered_places, parent_names
from fedbnsl.graphs.formats._text import decoded, refuse_names
from fedbnsl.graphs.graph import Graph

_BAD = re.compile(r"^(?![A-Za-z_])|[^A-Za-z0-9_]")
_WHY = "Hugin's names begin with a letter or _ and have only letters, digits and _"
_BAD_STATE = re.compile(r'["\\\x00-\x1f]')
_TEXT_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|%[^\n]*', re.DOTALL)
_BLOCK = re.compile(r"\s*([^{}]*?)\s*\{([^{}]*)\}")
_NODE = re.compile(r"(?:(discrete|continuous)\s+)?node\s+(\S+)")
_POTENTIAL = re.compile(r"potential\s*\(([^|()]*)(?:\|([^|()]*))?\)")


def read(content: bytes, where: str) -> Graph:
    """Read the structure in the bytes of a Hugin .net file."""
    text = decoded(content, where)
    if text.lstrip().startswith("*"):
        raise InputError(
            "this is a Pajek file; .net is read as Hugin's format",
            where=where,
            remedy="Save the graph as .graphml, .gml or an edge list .csv",
        )
    # Comments and quoted texts may hold braces; only their line ends are kept.
    bare = _TEXT_OR_COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    names, parents, places = [], {}, {}
    position, line, seen_net = 0, 1, False
    while block := _BLOCK.match(bare, position):
        place = f"line {line + bare.count(chr(10), position, block.start(1))}"
        position, line = block.end(), line + block[0].count("\n")
        head = block[1]
        if head == "net":
            seen_net = True
        elif match := _NODE.fullmatch(head):
            names.append(match[2])
            places.setdefault(match[2], place)
        elif match := _POTENTIAL.fullmatch(head):
            children, given = match[1].split(), (match[2] or "").split()
            if len(children) != 1 or children[0] not in places or children[0] in parents:
                raise InputError(
                    f"the potential of {' '.join(children) or 'nothing'!r} must be the only one of one node",
                    where=f"{where}, {place}",
                )
            parents[children[0]] = given
            places[children[0]] = place
        else:
            raise InputError(
                f"{head!r} is no chance node",
                where=f"{where}, {place}",
                remedy="Only networks of discrete or continuous chance nodes can be read",
            )
    if bare[position:].strip() or not seen_net:
        gap = re.match(r"\s*", bare[position:])[0].count("\n")
        raise InputError(
            "expected: net { … }, node X { … } and potential (X | Y) { … }, each brace closed",
            where=f"{where}, line {line + gap}",
        )
    return graph_from_parents(names, parents, where, places)


def write(network: DiscreteNetwork, uniform: bool) -> str:
    """The text of a .net file; in a table the variable's own state varies fastest."""
    refuse_names(network.names, _BAD, "NET", _WHY)
    for states in network.states:
        refuse_names(states, _BAD_STATE, "NET", "it has a quote, a backslash or a control character", "state")
    lines = [*([f"% {UNIFORM}"] if uniform else []), "net", "{", "  node_size = (90 50);", "}"]
    places = layered_places(network.graph, 120, -90)  # Hugin's y axis points up
    for name, states, (x, y) in zip(network.names, network.states, places, strict=True):
        quoted = " ".join(f'"{state}"' for state in states)
        lines += [f"node {name}", "{", f"  states = ({quoted});", f"  position = ({x} {y});", "}"]
    for i, name in enumerate(network.names):
        given = " ".join(["|", *parent_names(network, i)]) if network.parents[i] else ""
        lines += [f"potential ( {name} {given}{' ' if given else ''})", "{"]
        lines += [f"  data = {_nested(network.tables[i])};", "}"]
    return "\n".join([*lines, ""])


def _nested(table: np.ndarray) -> str:
    """The table in brackets, one pair a parent, so that the order of its numbers is plain."""
    if table.ndim == 1:
        return f"({' '.join(map(repr, table.tolist()))})"
    return f"({' '.join(_nested(part) for part in table)})"
