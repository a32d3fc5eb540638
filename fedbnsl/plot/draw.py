"""A network as a static figure."""

import textwrap

from fedbnsl.graphs.graph import as_graph
from fedbnsl.plot import layout, style
from fedbnsl.plot.edges import STATUS, picture_edges, status_counts, status_texts, with_head
from fedbnsl.plot.panels import legend_columns

_LARGEST = 20.0  # inches, longer side
_SMALLEST_LETTERS = 2.0  # points; smaller names are left out
_HEAD = 8.0, 6.0  # length and width of an arrow head, points at full size


def draw_network(graph, truth=None, weights=None, title: str | None = None):
    """A picture of a network: layers of named boxes, arrows, and lines for undirected edges.

    Without a truth and with weights, colour and dashes show the sign and width shows the size of a
    weight. With a truth, colour and dashes show what is correct, reversed, extra and missing, with
    counts in the legend; width still shows the size of a weight. The figure grows with the network;
    from some 20 inches on it shrinks its contents, and names too small to read are left out.

    Parameters
    ----------
    graph : Graph or WeightedGraph
    truth : Graph or WeightedGraph, optional
        On the same variables.
    weights : array_like, shape (d, d), optional
        By default those of a WeightedGraph.
    title : str, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    edges = picture_edges(graph, truth, weights)
    graph = as_graph(graph)
    missing = [(e.i, e.j) for e in edges if e.status == "missing"]
    places = layout.layered(graph, missing)
    width, height = places.size
    scale = min(1.0, _LARGEST * 72 / max(width, height, 1.0))
    handles = _legend(edges, status_texts(graph, truth))
    across = max(width * scale / 72 + 0.3, 2.6)
    columns = legend_columns(handles, across) if handles else 1
    below = 0.17 * -(-len(handles) // columns) + 0.1 if handles else 0.0
    # about 14 characters of 9 points to the inch; names with options have no spaces to break at
    lines = textwrap.wrap(title.replace("@", "@ ").replace(",", ", "), int(14 * across)) if title else []
    above = 0.16 * len(lines) + 0.14 if lines else 0.0
    inches = (across, height * scale / 72 + 0.3 + below + above)
    with style.context():
        figure = Figure(figsize=inches, layout="none")
        ax = figure.add_axes((0, below / inches[1], 1, 1 - (below + above) / inches[1]))
        ax.set_axis_off()
        # one unit of the axes is one point at full size, and the picture stands in the middle
        half = 36 * inches[0] / scale, 36 * (inches[1] - below - above) / scale
        ax.set_xlim(width / 2 - half[0], width / 2 + half[0])
        ax.set_ylim(height / 2 - half[1], height / 2 + half[1])
        _draw_edges(ax, edges, places, scale)
        _draw_nodes(ax, graph.names, places, scale)
        if lines:
            text = "\n".join(lines).replace("@ ", "@").replace(", ", ",")
            figure.text(0.5, 1 - 0.08 / inches[1], text, ha="center", va="top", fontsize=9, parse_math=False)
        if handles:
            figure.legend(
                handles=handles, loc="lower center", ncols=columns, handlelength=3.2, borderaxespad=0.3
            )
    return figure


def _look(edge, largest: float) -> tuple[str, tuple, float]:
    """Colour, dashes and width in points of an edge."""
    width = 0.9
    if edge.weight is not None and largest:
        width = 0.5 + 2.0 * abs(edge.weight) / largest
    if edge.status:
        return STATUS[edge.status][0], STATUS[edge.status][2], width
    if edge.weight is None:
        return style.BLACK, (), width
    return (style.VERMILLION, (5, 2), width) if edge.weight < 0 else (style.BLUE, (), width)


def _largest(edges) -> float:
    return max((abs(edge.weight) for edge in edges if edge.weight is not None), default=0.0)


def _draw_edges(ax, edges, places, scale):
    from matplotlib.collections import PathCollection, PolyCollection
    from matplotlib.path import Path

    largest = _largest(edges)
    kinds = {}  # one collection a colour and dash
    for edge in edges:
        colour, dashes, width = _look(edge, largest)
        curve = places.routes[edge.i, edge.j]
        head = None
        if edge.directed:
            curve, head = with_head(curve, *(part * (0.8 + 0.2 * width) for part in _HEAD))
        path = Path(curve, [Path.MOVETO, *[Path.CURVE4] * (len(curve) - 1)])
        kinds.setdefault((colour, dashes), []).append((path, width * scale, head))
    for (colour, dashes), drawn in kinds.items():
        lines = PathCollection(
            [path for path, _, _ in drawn],
            facecolors="none",
            edgecolors=colour,
            linewidths=[width for _, width, _ in drawn],
            # dashes are counted in line widths here
            linestyles=[
                (0, [d / max(w / scale, 0.6) for d in dashes]) if dashes else "-" for _, w, _ in drawn
            ],
            zorder=1,
        )
        heads = PolyCollection(
            [head for _, _, head in drawn if head is not None], facecolors=colour, linewidths=0, zorder=2
        )
        ax.add_collection(lines, autolim=False)
        ax.add_collection(heads, autolim=False)


def _draw_nodes(ax, names, places, scale):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch

    letters = 8.0 * scale
    boxes = [
        FancyBboxPatch(
            (x - w / 2, y - layout.NODE_HEIGHT / 2), w, layout.NODE_HEIGHT, "round,pad=0,rounding_size=5"
        )
        for (x, y), w in zip(places.centres, places.widths, strict=True)
    ]
    ax.add_collection(
        PatchCollection(boxes, facecolor="#eef3f7", edgecolor="#5b6b78", linewidth=0.7 * scale, zorder=3),
        autolim=False,
    )
    if letters >= _SMALLEST_LETTERS:
        for name, (x, y) in zip(names, places.centres, strict=True):
            ax.text(
                x,
                y,
                layout.shown_name(name),
                ha="center",
                va="center_baseline",
                fontsize=letters,
                zorder=4,
                parse_math=False,  # a name is no formula
            )


def _legend(edges, texts):
    from matplotlib.lines import Line2D

    counts = status_counts(edges)
    largest = _largest(edges)

    def line(colour, dashes, text):
        pattern = (0, tuple(d / 1.4 for d in dashes)) if dashes else "-"
        return Line2D([], [], color=colour, linestyle=pattern, linewidth=1.4, label=text)

    if counts:
        handles = [line(STATUS[s][0], STATUS[s][2], f"{texts[s]} ({n})") for s, n in counts.items()]
    elif largest:
        handles = [line(style.BLUE, (), "positive weight"), line(style.VERMILLION, (5, 2), "negative weight")]
    else:
        handles = []
    if largest:
        handles.append(Line2D([], [], linestyle="", label=f"widest line: |weight| = {largest:.3g}"))
    return handles
