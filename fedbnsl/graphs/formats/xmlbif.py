"""XMLBIF 0.3, the XML form of the Bayesian Interchange Format."""

import re

from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import graph_from_parents
from fedbnsl.graphs.formats._network import UNIFORM, parent_names
from fedbnsl.graphs.formats._text import refuse_names, refuse_no_xml, xml_text
from fedbnsl.graphs.formats._xml import Element, parse_xml
from fedbnsl.graphs.graph import Graph

_BLANK = re.compile(r"^$|^\s|\s$")


def read(content: bytes, where: str) -> Graph:
    """Read the structure in the bytes of a .xmlbif or .xml file."""
    network = parse_xml(content, where, "BIF", "XMLBIF").first("NETWORK")
    if network is None:
        raise InputError("the file has no <NETWORK>", where=where)
    names, parents, places = [], {}, {}
    for variable in network.all("VARIABLE"):
        names.append(_name(variable, "NAME", where))
        places.setdefault(names[-1], variable.place)
    for definition in network.all("DEFINITION"):
        child = _name(definition, "FOR", where)
        if child not in places or child in parents:
            problem = "is not a variable" if child not in places else "has two definitions"
            raise InputError(f"{child!r} {problem}", where=f"{where}, {definition.place}")
        parents[child] = [given.text.strip() for given in definition.all("GIVEN")]
        places[child] = definition.place
    for name in names:
        if name not in parents:
            raise InputError(f"{name!r} has no <DEFINITION>", where=f"{where}, {places[name]}")
    return graph_from_parents(names, parents, where, places)


def write(network: DiscreteNetwork, uniform: bool) -> str:
    """The text of a .xmlbif file; in a table the variable's own state varies fastest."""
    for texts, what in [(network.names, "variable name"), *((s, "state") for s in network.states)]:
        refuse_names(texts, _BLANK, "XMLBIF", "it is empty or blank at an end", what)
        refuse_no_xml(texts, "XMLBIF", what)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<BIF VERSION="0.3">',
        "<NETWORK>",
        "  <NAME>unknown</NAME>",
    ]
    if uniform:
        lines.insert(1, f"<!-- {UNIFORM} -->")
    for name, states in zip(network.names, network.states, strict=True):
        lines += ['  <VARIABLE TYPE="nature">', f"    <NAME>{xml_text(name)}</NAME>"]
        lines += [f"    <OUTCOME>{xml_text(state)}</OUTCOME>" for state in states]
        lines.append("  </VARIABLE>")
    for i, name in enumerate(network.names):
        lines += ["  <DEFINITION>", f"    <FOR>{xml_text(name)}</FOR>"]
        lines += [f"    <GIVEN>{xml_text(parent)}</GIVEN>" for parent in parent_names(network, i)]
        numbers = " ".join(map(repr, network.tables[i].ravel().tolist()))
        lines += [f"    <TABLE>{numbers}</TABLE>", "  </DEFINITION>"]
    return "\n".join([*lines, "</NETWORK>", "</BIF>", ""])


def _name(element: Element, tag: str, where: str) -> str:
    child = element.first(tag)
    if child is None or not child.text.strip():
        raise InputError(f"<{element.tag}> has no <{tag}>", where=f"{where}, {element.place}")
    return child.text.strip()
