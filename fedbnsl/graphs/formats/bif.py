"""The Bayesian Interchange Format, laid out as the bnlearn repository does."""

import itertools
import re

import numpy as np

from fedbnsl.data.bif import parse_bif
from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.graphs.formats._edges import refuse_cycles
from fedbnsl.graphs.formats._network import UNIFORM, parent_names
from fedbnsl.graphs.formats._text import decoded, refuse_names
from fedbnsl.graphs.graph import Graph

_BAD = re.compile(r'^$|^\s|\s$|["\[\]{}()|,;\x00-\x1f]')
_WHY = 'it is empty, blank at an end, or has one of " , ; | ( ) [ ] { } or a control character'
_NEEDS_QUOTES = re.compile(r"\s|//|/\*")


def read(content: bytes, where: str) -> Graph:
    """Read the structure in the bytes of a .bif file."""
    found = parse_bif(decoded(content, where), where)
    adjacency = np.zeros((len(found.names), len(found.names)), dtype=np.int8)
    for child, parents in enumerate(found.parents):
        adjacency[list(parents), child] = 1
    graph = Graph(found.names, adjacency)
    refuse_cycles(graph, where)
    return graph


def write(network: DiscreteNetwork, uniform: bool) -> str:
    """The text of a .bif file."""
    refuse_names(network.names, _BAD, "BIF", _WHY)
    for states in network.states:
        refuse_names(states, _BAD, "BIF", _WHY, "state")
    names = [_word(name) for name in network.names]
    states = [[_word(state) for state in column] for column in network.states]
    lines = ["network unknown {", *([f'  property "{UNIFORM}" ;'] if uniform else []), "}"]
    for name, column in zip(names, states, strict=True):
        lines += [
            f"variable {name} {{",
            f"  type discrete [ {len(column)} ] {{ {', '.join(column)} }};",
            "}",
        ]
    for i, name in enumerate(names):
        rows = network.tables[i].reshape(-1, len(states[i])).tolist()
        if not network.parents[i]:
            lines += [f"probability ( {name} ) {{", f"  table {_numbers(rows[0])};", "}"]
            continue
        given = ", ".join(_word(parent) for parent in parent_names(network, i))
        lines.append(f"probability ( {name} | {given} ) {{")
        configurations = itertools.product(*(states[p] for p in network.parents[i]))
        for configuration, row in zip(configurations, rows, strict=True):
            lines.append(f"  ({', '.join(configuration)}) {_numbers(row)};")
        lines.append("}")
    return "\n".join([*lines, ""])


def _word(text: str) -> str:
    return f'"{text}"' if _NEEDS_QUOTES.search(text) else text


def _numbers(row: list[float]) -> str:
    return ", ".join(map(repr, row))
