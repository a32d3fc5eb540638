"""GraphML (http://graphml.graphdrawing.org), as networkx, igraph, yEd and Cytoscape use it.

An undirected edge beside directed ones is written as two edges, one each way, because few programs
read the ``directed`` attribute of single edges; a graph without directed edges is written as
undirected. Read are both forms. Where all ids are mere numbers (``n0``, ``17``) and every node has a
``name``, ``label`` or yEd label, those are the variables; otherwise the ids are.
"""

from fedbnsl.errors import InputError
from fedbnsl.graphs.formats._edges import Gathering, arcs_of, edges_of, is_undirected
from fedbnsl.graphs.formats._labels import numbered_names
from fedbnsl.graphs.formats._text import refuse_no_xml, xml_text
from fedbnsl.graphs.formats._xml import Element, parse_xml
from fedbnsl.graphs.graph import Graph, WeightedGraph


def read(content: bytes, where: str) -> Graph | WeightedGraph:
    """Read the bytes of a .graphml file."""
    root = parse_xml(content, where, "graphml", "GraphML")
    graphs = [element for element in root.walk() if element.tag == "graph"]
    if len(graphs) != 1 or graphs[0] not in root.children:
        raise InputError(f"one graph is expected, but the file has {len(graphs)}, nested or not", where=where)
    keys = {key.attributes.get("id"): key for key in root.all("key")}
    weight_key = _weight_key(keys)
    gathering = Gathering(where, reciprocal=True, weighted=weight_key is not None)
    nodes = graphs[0].all("node")
    names = _names(nodes, keys, where)
    for node, name in zip(nodes, names.values(), strict=True):
        gathering.declare(name, node.place)
    default = graphs[0].attributes.get("edgedefault", "directed") != "undirected"
    for child in graphs[0].children:
        if child.tag == "hyperedge":
            raise gathering.error("the graph has hyperedges", child.place)
        if child.tag == "edge":
            ends = [child.attributes.get(end, "") for end in ("source", "target")]
            directed = child.attributes.get("directed", "true" if default else "false") != "false"
            weight = None if weight_key is None else _weight(child, weight_key)
            a, b = (names.get(end, end) for end in ends)
            gathering.edge(a, b, child.place, directed=directed, weight=weight)
    return gathering.graph()


def write(graph: Graph | WeightedGraph) -> str:
    """The text of a .graphml file."""
    refuse_no_xml(graph.names, "GraphML")
    undirected = is_undirected(graph)
    names = [xml_text(name) for name in graph.names]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    if isinstance(graph, WeightedGraph):
        lines.append('  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>')
    lines.append(f'  <graph edgedefault="{"undirected" if undirected else "directed"}">')
    lines += [f'    <node id="{name}"/>' for name in names]
    if undirected:
        index = {name: i for i, name in enumerate(graph.names)}
        arcs = [(index[a], index[b], None) for a, b, *_ in edges_of(graph)]
    else:
        arcs = arcs_of(graph)
    for i, j, weight in arcs:
        inner = "/>" if weight is None else f'><data key="weight">{weight!r}</data></edge>'
        lines.append(f'    <edge source="{names[i]}" target="{names[j]}"{inner}')
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _weight_key(keys: dict[str | None, Element]) -> Element | None:
    for key in keys.values():
        # Older files name the key itself "weight" without an attr.name.
        name = key.attributes.get("attr.name", key.attributes.get("id"))
        if name == "weight" and key.attributes.get("for") in ("edge", "all", None):
            return key
    return None


def _weight(edge: Element, key: Element) -> str | None:
    for data in edge.all("data"):
        if data.attributes.get("key") == key.attributes.get("id"):
            return data.text
    default = key.first("default")
    return None if default is None else default.text


def _names(nodes: list[Element], keys, where: str) -> dict[str, str]:
    """The name of each node by its id, in document order."""
    # igraph keeps the name in an attribute: "name", or "id" for what it read from a GraphML file.
    name_keys = [
        {i for i, key in keys.items() if key.attributes.get("attr.name") == name}
        for name in ("name", "label", "id")
    ]
    labels = {}
    for node in nodes:
        identifier = node.attributes.get("id")
        if identifier is None or identifier in labels:
            problem = "a node has no id" if identifier is None else f"the node {identifier!r} is given twice"
            raise InputError(problem, where=f"{where}, {node.place}")
        data = [d.text for ids in name_keys for d in node.all("data") if d.attributes.get("key") in ids]
        data += [element.text.strip() for element in node.walk() if element.tag == "NodeLabel"]
        labels[identifier] = data[0] if data else None
    return numbered_names(labels)
