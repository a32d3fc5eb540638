"""XDSL, the format of GeNIe and SMILE.

Nodes are written parents first, as SMILE's reader needs them, and placed on the screen in layers; the
order of the variables is that of the drawing section, from which it is read back. GeNIe's identifiers
begin with a letter and have only letters, digits and _. Variables are held to that; states, which are
often mere numbers, are renamed (``0`` to ``s0``, ``<5`` to ``s_5``), and the file says so.
"""

import re

from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.formats._edges import graph_from_parents
from fedbnsl.graphs.formats._network import UNIFORM, layered_places, parent_names
from fedbnsl.graphs.formats._text import refuse_names
from fedbnsl.graphs.formats._xml import Element, parse_xml
from fedbnsl.graphs.graph import Graph

_BAD = re.compile(r"^(?![A-Za-z])|[^A-Za-z0-9_]")
_WHY = "GeNIe's identifiers begin with a letter and have only letters, digits and _"
_CHANCE = ("cpt", "deterministic", "noisymax", "noisyadder", "equation")


def read(content: bytes, where: str) -> Graph:
    """Read the structure in the bytes of a .xdsl file; the ids are the variables."""
    root = parse_xml(content, where, "smile", "XDSL")
    nodes = root.first("nodes")
    if nodes is None:
        raise InputError("the file has no <nodes>", where=where)
    if dynamic := root.first("dynamic"):
        raise InputError(
            "the network is dynamic", where=f"{where}, {dynamic.place}", remedy="Unroll it in GeNIe first"
        )
    names, parents, places = [], {}, {}
    for node in nodes.children:
        if node.tag not in _CHANCE:
            raise InputError(
                f"a <{node.tag}> node is no chance variable",
                where=f"{where}, {node.place}",
                remedy="Only networks of chance nodes can be read",
            )
        name = node.attributes.get("id")
        if not name:
            raise InputError(f"a <{node.tag}> has no id", where=f"{where}, {node.place}")
        names.append(name)
        listed = node.first("parents")
        parents[name] = listed.text.split() if listed else []
        places[name] = node.place
    return graph_from_parents(_drawn_order(root, names), parents, where, places)


def write(network: DiscreteNetwork, uniform: bool) -> str:
    """The text of a .xdsl file; in a table the variable's own state varies fastest."""
    refuse_names(network.names, _BAD, "XDSL", _WHY)
    states = [_identifiers(*pair) for pair in zip(network.names, network.states, strict=True)]
    renamed = tuple(states) != network.states
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        *([f"<!-- {UNIFORM} -->"] if uniform else []),
        *(["<!-- States are renamed: GeNIe's begin with a letter, then letters, digits, _. -->"] * renamed),
        '<smile version="1.0" id="Network" numsamples="10000" discsamples="10000">',
        "  <nodes>",
    ]
    for i in dag.topological_order(network.graph.adjacency).tolist():
        lines.append(f'    <cpt id="{network.names[i]}">')
        lines += [f'      <state id="{state}" />' for state in states[i]]
        if network.parents[i]:
            lines.append(f"      <parents>{' '.join(parent_names(network, i))}</parents>")
        numbers = " ".join(map(repr, network.tables[i].ravel().tolist()))
        lines += [f"      <probabilities>{numbers}</probabilities>", "    </cpt>"]
    lines += ["  </nodes>", "  <extensions>", '    <genie version="1.0" app="fedbnsl" name="Network">']
    for name, (x, y) in zip(network.names, layered_places(network.graph, 120, 90), strict=True):
        lines += [
            f'      <node id="{name}">',
            f"        <name>{name}</name>",
            '        <interior color="e5f6f7" />',
            '        <outline color="000080" />',
            '        <font color="000000" name="Arial" size="8" />',
            f"        <position>{x} {y} {x + 90} {y + 50}</position>",
            "      </node>",
        ]
    return "\n".join([*lines, "    </genie>", "  </extensions>", "</smile>", ""])


def _identifiers(name: str, states: tuple[str, ...]) -> tuple[str, ...]:
    """The states as GeNIe's identifiers, which must still be different."""
    words = [re.sub("[^A-Za-z0-9_]", "_", state) for state in states]
    words = tuple(word if word[:1].isalpha() else f"s{word}" for word in words)
    if len(set(words)) != len(words):
        raise InputError(
            f"XDSL cannot hold the states {', '.join(states)} of {name!r}: {_WHY}",
            remedy="Rename them, or write another format",
        )
    return words


def _drawn_order(root: Element, names: list[str]) -> list[str]:
    extensions = root.first("extensions")
    drawn = (
        [node.attributes.get("id") for node in extensions.walk() if node.tag == "node"] if extensions else []
    )
    return drawn if len(drawn) == len(names) and set(drawn) == set(names) else names
