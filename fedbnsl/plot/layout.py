"""Where the nodes and edges of a graph are drawn: layers from parents to children.

The layout itself is graphviz's ``dot`` algorithm (Gansner et al. 1993, "A technique for drawing
directed graphs"), run by the ``graphviz-pure`` program that comes with the package of that name and
gives the same coordinates on every platform.
"""

import contextlib
import shutil
import subprocess
import sysconfig
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, as_graph

NODE_HEIGHT = 22.0
"""Height of a node's box, points."""
LONGEST_NAME = 26
"""Longer names are shown shortened."""
_GAP = 14.0  # between boxes, between components, points
# Beyond this many edges plus layer crossings, curved routes cost minutes and show nothing any more.
_MOST_ROUTED = 3000
_WIDEST = 2.2  # longer side over shorter side, beyond which layers are drawn further apart
_MOST_APART = 220.0  # and by how much at most, points


@dataclass(frozen=True)
class Layout:
    """Positions in points; x grows to the right, y grows upward, (0, 0) is the lower left corner.

    Attributes
    ----------
    centres : ndarray, shape (d, 2)
    widths : ndarray, shape (d,)
        Widths of the boxes; all are ``NODE_HEIGHT`` high.
    routes : dict
        (i, j) → ndarray (3k + 1, 2), the cubic Bézier curve from the edge of box i to that of box j.
    size : (float, float)
        Width and height of the whole.
    """

    centres: np.ndarray
    widths: np.ndarray
    routes: dict
    size: tuple[float, float]


def shown_name(name: str) -> str:
    """The name as it fits into a box."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}…{name[-8:]}"


def _text_width(text: str) -> float:
    """Room for a text in points, in 8-point DejaVu Sans or a browser's 9-pixel sans-serif."""
    em = 0.0
    for letter in text:
        if unicodedata.east_asian_width(letter) in "WF":
            em += 1.05
        elif letter in "mwMW@%—…":
            em += 1.0
        elif letter in "ijlftrI.,:;'|()[]! ":
            em += 0.42
        else:
            em += 0.72 if letter.isupper() else 0.64
    return 8 * em


def layered(graph: Graph, also: Sequence[tuple[int, int]] = ()) -> Layout:
    """Layered layout of a DAG, CPDAG or undirected graph.

    Parents stand before children, downward or to the right, whichever makes the more compact
    picture; undirected edges are laid out as in one of the DAGs that extend the graph. Components
    are laid out one by one and packed; isolated nodes stand in a block of their own. Deterministic.

    Large dense graphs (where edges plus the layers that they pass are more than 3000) are placed by
    their transitive reduction, which implies the direction of every edge, and get straight edges.

    Parameters
    ----------
    graph : Graph or WeightedGraph
    also : sequence of (int, int)
        Further edges to place and route, as indices: those of another graph that this one lacks.

    Returns
    -------
    Layout
        Its routes are keyed by :func:`graph_pairs` of the graph, and ``also``.

    Raises
    ------
    InputError
        If the program ``graphviz-pure`` is missing or fails.
    """
    graph = as_graph(graph)
    widths = np.array([max(30.0, _text_width(shown_name(name)) + 12) for name in graph.names])
    pairs = [*graph_pairs(graph), *also]
    arrows = _arrows(graph, pairs)
    parts = _components(graph.n_nodes, arrows)
    blocks = [_block(part, arrows, widths) for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    centres, routes, size = _packed(blocks, alone, widths)
    for i, j in pairs:
        if (i, j) not in routes:
            curve = routes.get((j, i))
            routes[i, j] = _straight(centres, widths, i, j) if curve is None else curve[::-1]
    return Layout(centres, widths, {pair: routes[pair] for pair in pairs}, size)


def graph_pairs(graph: Graph) -> list[tuple[int, int]]:
    """Every edge once as indices: directed ones as (from, to), undirected ones smaller first."""
    a = graph.adjacency
    once = (a == 1) & ((a.T == 0) | np.triu(np.ones_like(a, dtype=bool)))
    return [(int(i), int(j)) for i, j in np.argwhere(once)]


def _arrows(graph: Graph, pairs) -> list[tuple[int, int]]:
    """The pairs as arrows that follow the graph's own order, so without a directed cycle."""
    import networkx

    a = graph.adjacency
    if not graph.is_dag():
        with contextlib.suppress(InputError):  # no DAG extends it: its directed edges must do
            a = graph.to_dag().adjacency
    directed = networkx.DiGraph()
    directed.add_nodes_from(range(len(a)))
    directed.add_edges_from((int(i), int(j)) for i, j in np.argwhere((a == 1) & (a.T == 0)))
    # the nodes of one cycle come side by side, by index; without a cycle each stands for itself
    whole = networkx.condensation(directed)
    smallest = {part: min(whole.nodes[part]["members"]) for part in whole}
    order = networkx.lexicographical_topological_sort(whole, key=smallest.get)
    found = [node for part in order for node in sorted(whole.nodes[part]["members"])]
    place = {node: k for k, node in enumerate(found)}
    return sorted({(i, j) if place[i] < place[j] else (j, i) for i, j in pairs})


def _components(d: int, arrows) -> list[list[int]]:
    """Connected components, largest first, equals by smallest node."""
    import networkx

    plain = networkx.Graph()
    plain.add_nodes_from(range(d))
    plain.add_edges_from(arrows)
    return sorted(
        (sorted(part) for part in networkx.connected_components(plain)), key=lambda p: (-len(p), p[0])
    )


# A block is (nodes → (d, 2) centres as a dict, routes, (width, height)), its lower left corner at 0.


def _block(part, arrows, widths):
    """Lay out one connected component, in the direction that can be shown larger on a landscape page."""
    members = set(part)
    own = [arrow for arrow in arrows if arrow[0] in members]
    kept, effort = _within_reach(part, own)
    block = _run_dot(part, kept, widths, "TB", effort)
    width, height = block[2]
    if width <= _WIDEST * height:
        return block
    # What the other direction would measure: nodes stack by their height, layers by their width.
    layers = len({round(centre[1], 3) for centre in block[0].values()})
    wide = float(np.mean(widths[part]))
    across = width * (NODE_HEIGHT + _GAP) / (wide + _GAP)
    along = height + layers * (wide - NODE_HEIGHT)
    direction = "LR" if max(along / 4, across / 3) < max(width / 4, height / 3) else "TB"
    longer, shorter = (across, along) if direction == "LR" else (width, height)
    # Many nodes in few layers: draw the layers further apart, so that the edges between can slope.
    extra = max(0.0, longer / _WIDEST - shorter) / max(layers - 1, 1)
    return _run_dot(part, kept, widths, direction, effort, min(extra, _MOST_APART))


def _within_reach(part, arrows):
    """The edges that the layout is made from, and the effort that is worth its time."""
    import networkx

    dag = networkx.DiGraph()
    dag.add_nodes_from(part)
    dag.add_edges_from(arrows)
    layer = {}
    for node in networkx.topological_sort(dag):
        layer[node] = max((layer[p] + 1 for p in dag.predecessors(node)), default=0)
    passed = sum(layer[j] - layer[i] for i, j in arrows)
    if passed > _MOST_ROUTED:
        return sorted(networkx.transitive_reduction(dag).edges), "straight"
    return arrows, "short" if passed > _MOST_ROUTED / 2 else "full"


_EFFORT = {
    "full": "splines=true;",
    "short": "splines=true; nslimit=2; nslimit1=2; mclimit=0.3;",
    "straight": "splines=false; nslimit=1; nslimit1=1; mclimit=0.1;",
}


def _run_dot(part, arrows, widths, direction, effort, extra=0.0):
    curved = effort != "straight"
    apart = (36.0 if curved else 65.0) + extra
    lines = [
        f"digraph {{ rankdir={direction}; nodesep={_GAP / 72:.4f}; ranksep={apart / 72:.4f};",
        _EFFORT[effort],
        f'node [shape=box, fixedsize=true, label="", height={NODE_HEIGHT / 72:.4f}]; edge [dir=none];',
        *(f"{node} [width={widths[node] / 72:.4f}];" for node in part),
        *(f"{i} -> {j};" for i, j in arrows),
        "}",
    ]
    answer = subprocess.run(
        [_program(), "-Tplain"], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    if answer.returncode != 0 or not answer.stdout.startswith("graph "):
        raise InputError(f"the layout program failed: {answer.stderr.strip()[:300]}", where="graphviz-pure")
    centres, routes, size = {}, {}, (0.0, 0.0)
    for line in answer.stdout.splitlines():
        words = line.split()
        if words[0] == "graph":
            size = (72 * float(words[2]), 72 * float(words[3]))
        elif words[0] == "node":
            centres[int(words[1])] = 72 * np.array([float(words[2]), float(words[3])])
        elif words[0] == "edge" and curved:
            n = int(words[3])
            if n >= 4 and n % 3 == 1:
                points = np.array([float(w) for w in words[4 : 4 + 2 * n]]).reshape(n, 2)
                routes[int(words[1]), int(words[2])] = 72 * points
    return centres, routes, size


def _program() -> str:
    beside = Path(sysconfig.get_path("scripts")) / "graphviz-pure"
    found = shutil.which(str(beside)) or shutil.which("graphviz-pure")
    if found is None:
        raise InputError(
            "the layout program graphviz-pure is missing", remedy="Install it: pip install graphviz-pure"
        )
    return found


def _alone(nodes, widths, room: float):
    """Isolated nodes in lines, in variable order, about as wide as the rest of the picture."""
    area = sum(widths[node] + _GAP for node in nodes) * (NODE_HEIGHT + _GAP)
    room = max(room, (1.6 * area) ** 0.5, max(widths[node] for node in nodes))
    x, line, places = 0.0, 0, {}
    for node in nodes:
        if x and x + widths[node] > room:
            x, line = 0.0, line + 1
        places[node] = (x + widths[node] / 2, line)
        x += widths[node] + _GAP
    step = NODE_HEIGHT + _GAP
    width = max(places[node][0] + widths[node] / 2 for node in nodes)
    centres = {
        node: np.array([at, (line - row) * step + NODE_HEIGHT / 2]) for node, (at, row) in places.items()
    }
    return centres, {}, (width, line * step + NODE_HEIGHT)


def _packed(blocks, alone, widths):
    """Blocks on shelves from the top, each shelf filled from the left; isolated nodes at the foot."""
    area = sum((w + 2 * _GAP) * (h + 2 * _GAP) for _, _, (w, h) in blocks)
    room = max([(1.33 * area) ** 0.5, *(w for _, _, (w, _) in blocks)])
    corners = []
    x, top, shelf, right = 0.0, 0.0, 0.0, 0.0
    for _, _, (width, height) in blocks:
        if x and x + width > room:
            x, top, shelf = 0.0, top + shelf + 2 * _GAP, 0.0
        corners.append((x, top + height))
        x, shelf, right = x + width + 2 * _GAP, max(shelf, height), max(right, x + width)
    depth = top + shelf
    if alone:
        blocks = [*blocks, _alone(alone, widths, right)]
        width, height = blocks[-1][2]
        depth += height + (2 * _GAP if corners else 0.0)
        corners.append((0.0, depth))
        right = max(right, width)
    centres, routes = np.zeros((len(widths), 2)), {}
    for (places, curves, _), (left, foot) in zip(blocks, corners, strict=True):
        corner = np.array([left, depth - foot])
        for node, centre in places.items():
            centres[node] = centre + corner
        routes.update({pair: curve + corner for pair, curve in curves.items()})
    return centres, routes, (right, depth)


def _straight(centres, widths, i: int, j: int) -> np.ndarray:
    """The straight line between two boxes as a Bézier curve."""
    way = centres[j] - centres[i]
    start = centres[i] + way * _leave(way, widths[i])
    end = centres[j] - way * _leave(way, widths[j])
    return np.array([start, start + (end - start) / 3, end - (end - start) / 3, end])


def _leave(way, width: float) -> float:
    """The fraction of the way from a box's centre at which its border is crossed."""
    half = np.array([width / 2, NODE_HEIGHT / 2])
    moving = np.abs(way) > 1e-9
    return min(0.5, float((half[moving] / np.abs(way[moving])).min()))
