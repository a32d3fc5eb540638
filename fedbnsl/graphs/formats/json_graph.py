"""fedbnsl's own graph format: one small JSON object.

::

    {"nodes": ["A", "B", "C"],            every variable, in order
     "edges": [["A", "B"]],               from, to
     "undirected": [["B", "C"]],          optional; each pair once
     "weights": [0.5]}                    optional; one number for each of "edges"

An object with ``weights`` is a :class:`WeightedGraph`: its edges may stand in both directions, and it
has no undirected ones. Other keys are errors. Numbers keep every bit.
"""

import json

from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import Gathering, edges_of
from fedbnsl.graphs.formats._text import decoded
from fedbnsl.graphs.graph import Graph, WeightedGraph

_KEYS = ("nodes", "edges", "undirected", "weights")
_EXAMPLE = 'Such a file looks like {"nodes": ["A", "B"], "edges": [["A", "B"]], "undirected": []}'


def graph_to_dict(graph: Graph | WeightedGraph) -> dict:
    """The graph as plain lists and strings, in the layout of this module's description."""
    edges = edges_of(graph)
    content = {
        "nodes": list(graph.names),
        "edges": [[a, b] for a, b, directed, _ in edges if directed],
        "undirected": [[a, b] for a, b, directed, _ in edges if not directed],
    }
    if isinstance(graph, WeightedGraph):
        content["weights"] = [weight for *_, weight in edges]
    return content


def graph_from_dict(content: dict, where: str = "graph") -> Graph | WeightedGraph:
    """The graph that :func:`graph_to_dict` described; ``where`` is what messages call it.

    Raises
    ------
    InputError
        If a key is missing or unknown, a list has something else in it than expected, or the edges
        do not make a graph.
    """
    if not isinstance(content, dict) or "nodes" not in content or "edges" not in content:
        raise InputError(
            'an object with the keys "nodes" and "edges" is expected', where=where, remedy=_EXAMPLE
        )
    unknown = [key for key in content if key not in _KEYS]
    if unknown:
        raise InputError(
            f"the key {unknown[0]!r} is unknown", where=where, remedy=f"The keys are {', '.join(_KEYS)}"
        )
    nodes, edges, undirected = content["nodes"], content["edges"], content.get("undirected", [])
    weights = content.get("weights")
    if not isinstance(nodes, list) or not all(isinstance(name, str) for name in nodes):
        raise InputError('"nodes" must be a list of texts', where=where, remedy=_EXAMPLE)
    for key, pairs in (("edges", edges), ("undirected", undirected)):
        _check_pairs(key, pairs, where)
    if weights is not None:
        _check_weights(weights, edges, undirected, where)
    gathering = Gathering(where, weighted=weights is not None)
    for k, name in enumerate(nodes):
        gathering.declare(name, f"nodes[{k}]")
    for k, (a, b) in enumerate(edges):
        gathering.edge(a, b, f"edges[{k}]", weight=None if weights is None else weights[k])
    for k, (a, b) in enumerate(undirected):
        gathering.edge(a, b, f"undirected[{k}]", directed=False)
    return gathering.graph()


def read(content: bytes, where: str) -> Graph | WeightedGraph:
    """Read the bytes of a .json file."""
    try:
        parsed = json.loads(decoded(content, where))
    except json.JSONDecodeError as error:
        raise InputError(
            f"the file is not JSON ({error.msg})", where=f"{where}, line {error.lineno}"
        ) from None
    except RecursionError:
        raise InputError("the file is not a graph: its lists are nested too deeply", where=where) from None
    return graph_from_dict(parsed, where)


def write(graph: Graph | WeightedGraph) -> str:
    """The text of a .json file, one edge a line; characters beyond ASCII are escaped."""
    parts = []
    for key, items in graph_to_dict(graph).items():
        texts = list(map(json.dumps, items))
        if key in ("edges", "undirected") and texts:
            parts.append(f'"{key}": [\n' + ",\n".join(texts) + "\n]")
        else:
            parts.append(f'"{key}": [{", ".join(texts)}]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _check_pairs(key: str, pairs, where: str) -> None:
    if not isinstance(pairs, list):
        raise InputError(f'"{key}" must be a list of pairs', where=where, remedy=_EXAMPLE)
    for k, pair in enumerate(pairs):
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(x, str) for x in pair)):
            raise InputError(
                f"{pair!r} is not a pair of names", where=f"{where}, {key}[{k}]", remedy=_EXAMPLE
            )


def _check_weights(weights, edges, undirected, where: str) -> None:
    numbers = isinstance(weights, list) and all(
        isinstance(w, int | float) and not isinstance(w, bool) for w in weights
    )
    if not numbers or len(weights) != len(edges):
        raise InputError(
            f'"weights" must be a list of numbers, one for each of the {len(edges)} edges', where=where
        )
    if undirected:
        raise InputError(
            "a graph with weights has no undirected edges",
            where=f"{where}, undirected[0]",
            remedy='Give both directions in "edges", each with its weight',
        )
