"""A network as one self-contained interactive HTML page."""

import base64
import json
import os
import re
from html import escape
from importlib.resources import files

import numpy as np

from fedbnsl.files import write_text
from fedbnsl.graphs.graph import as_graph
from fedbnsl.plot import layout
from fedbnsl.plot.edges import STATUS, picture_edges, status_counts, status_texts, with_head

_MARGIN = 20.0
_HEAD = 8.0, 6.0


def network_page(
    graph,
    title: str,
    truth=None,
    weights=None,
    support=None,
    facts: dict | None = None,
    more: dict | None = None,
    path: str | os.PathLike | None = None,
) -> str:
    """One HTML file that shows a network and needs nothing else: no network access, no framework.

    The reader can move, zoom, find a variable, see its parents, children and Markov blanket, hide
    weak edges, switch the comparison with the truth on and off, and sort the table of edges. It works
    by mouse, touch and keyboard, in light and dark. Names and facts are escaped. The same arguments
    give the same bytes.

    Parameters
    ----------
    graph : Graph or WeightedGraph
    title : str
    truth : Graph or WeightedGraph, optional
        On the same variables.
    weights : array_like, shape (d, d), optional
        Signed edge weights; by default those of a WeightedGraph.
    support : array_like, shape (d, d), optional
        For instance the share of sites that have the edge, 0 to 1.
    facts : dict, optional
        What to tell about the network (method, sites, seeds …): label → value, in this order.
    more : dict, optional
        Further sections that the reader can open: heading → a list of rows of cells, the first the
        header; the bytes of a PNG picture; or a text, whose paragraphs are parted by empty lines.
    path : path, optional
        Where to write the page as well.

    Returns
    -------
    str
        The HTML.
    """
    edges = picture_edges(graph, truth, weights, support)
    texts = status_texts(graph, truth)
    graph = as_graph(graph)
    places = layout.layered(graph, [(e.i, e.j) for e in edges if e.status == "missing"])
    fields = [f for f in ("weight", "support") if any(getattr(e, f) is not None for e in edges)]
    parts = {
        "title": escape(title),
        "light": _status_colours(0),
        "dark": _status_colours(1),
        "statuses": _status_rules(),
        "options": "".join(f'<option value="{escape(name)}">' for name in graph.names),
        "controls": _controls(edges, fields),
        "svg": _svg(graph, edges, places, fields),
        "legend": _legend(edges, texts, fields),
        "facts": _facts(facts),
        "more": _more(more),
        "table": _edge_table(graph.names, edges, texts, fields),
        "data": _json({"names": graph.names, "edges": [vars(e) for e in edges]}),
    }
    template = files("fedbnsl.plot").joinpath("page.html").read_text(encoding="utf-8")
    # one pass: what is put in is not looked at again
    html = re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], template)
    if path is not None:
        write_text(path, html)
    return html


def _json(data) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}".replace("-", "−")


def _at(point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _svg(graph, edges, places, fields) -> str:
    width, height = places.size
    flip = np.array([1.0, -1.0])

    def down(points):  # SVG's y grows downward
        return np.asarray(points) * flip + np.array([0.0, height])

    largest = max((abs(e.weight) for e in edges if e.weight is not None), default=0.0)
    out = [
        f'<svg id="net" xmlns="http://www.w3.org/2000/svg" tabindex="0" role="group" '
        f'aria-label="Network of {graph.n_nodes} variables and {graph.n_edges} edges" '
        f'viewBox="{-_MARGIN:g} {-_MARGIN:g} {width + 2 * _MARGIN:.1f} {height + 2 * _MARGIN:.1f}">'
    ]
    for k, edge in enumerate(edges):
        curve = down(places.routes[edge.i, edge.j])
        out.append(_svg_edge(graph.names, k, edge, curve, largest, fields))
    for name, centre, box in zip(graph.names, down(places.centres), places.widths, strict=True):
        x, y = centre
        out.append(
            f'<g class="node" tabindex="0" role="button" aria-pressed="false" aria-label="{escape(name)}" '
            f'data-x="{x:.1f}" data-y="{y:.1f}"><title>{escape(name)}</title>'
            f'<rect x="{x - box / 2:.1f}" y="{y - layout.NODE_HEIGHT / 2:.1f}" width="{box:.1f}" '
            f'height="{layout.NODE_HEIGHT:g}" rx="5"/>'
            f'<text x="{x:.1f}" y="{y:.1f}">{escape(layout.shown_name(name))}</text></g>'
        )
    return "\n".join([*out, "</svg>"])


def _svg_edge(names, k, edge, curve, largest, fields) -> str:
    width = 1.0
    if edge.weight is not None and largest:
        width = 0.6 + 2.2 * abs(edge.weight) / largest
    middle = (
        curve[len(curve) // 2] if len(curve) > 4 else (curve[0] + 3 * curve[1] + 3 * curve[2] + curve[3]) / 8
    )
    head = ""
    hit = _path(curve)
    if edge.directed:
        curve, corners = with_head(curve, *(part * (0.8 + 0.2 * width) for part in _HEAD))
        head = f'<path class="head" d="M{_at(corners[0])}L{_at(corners[1])}L{_at(corners[2])}Z"/>'
    sign = "" if edge.weight is None else " neg" if edge.weight < 0 else " pos"
    number = _short(getattr(edge, fields[0])) if fields else ""
    label = f'<text x="{middle[0]:.1f}" y="{middle[1]:.1f}">{number}</text>' if number else ""
    words = [f"{names[edge.i]} {'→' if edge.directed else '—'} {names[edge.j]}"]
    words += [
        f"{field} {_short(getattr(edge, field))}" for field in fields if getattr(edge, field) is not None
    ]
    return (
        f'<g class="edge{sign}{" " + edge.status if edge.status else ""}" data-x="{middle[0]:.1f}" '
        f'data-y="{middle[1]:.1f}"><title>{escape(", ".join(words))}</title>'
        f'<path class="hit" d="{hit}"/><path class="wire" stroke-width="{width:.2f}" d="{_path(curve)}"/>'
        f"{head}{label}</g>"
    )


def _path(curve) -> str:
    return f"M{_at(curve[0])}C" + " ".join(_at(point) for point in curve[1:])


def _controls(edges, fields) -> str:
    out = []
    for field in fields:
        top = max(abs(getattr(e, field)) for e in edges if getattr(e, field) is not None)
        # a little past the largest value would hide all; the last step keeps the strongest edge
        out.append(
            f'<label>hide {"|weight|" if field == "weight" else field} under <input type="range" '
            f'data-field="{field}" min="0" max="{top!r}" step="any" value="0"><output></output></label>'
        )
    if fields:
        out.append(
            f'<label><input type="checkbox" id="numbers"> {fields[0]}s</label>'.replace("supports", "support")
        )
    if status_counts(edges):
        out.append('<label><input type="checkbox" id="compare" checked> compare with the truth</label>')
    return "\n".join(out)


def _legend(edges, texts, fields) -> str:
    def line(kind, colour, dashes, text):
        dashes = f' stroke-dasharray="{" ".join(map(str, dashes))}"' if dashes else ""
        return (
            f'<li class="{kind}"><svg width="34" height="8" aria-hidden="true"><path d="M1 4H33" '
            f'stroke-width="2" style="stroke:var(--{colour})"{dashes}/></svg>{escape(text)}</li>'
        )

    out = [
        line("status", f"s-{status}", STATUS[status][2], f"{texts[status]} ({n})")
        for status, n in status_counts(edges).items()
    ]
    if "weight" in fields:
        out.append(line("sign", "positive", (), "positive weight"))
        out.append(line("sign", "negative", (5, 2), "negative weight"))
    swatches = [("parent", "solid", "parent of the chosen variable"), ("child", "dashed", "child")]
    if any(not edge.directed for edge in edges):
        swatches.append(("near", "solid", "neighbour by an undirected edge"))
    for kind, rim, text in [*swatches, ("spouse", "dotted", "other parent of a child")]:
        look = f"background:var(--{kind});border-style:{rim}"
        out.append(f'<li><span class="swatch" style="{look}"></span>{text}</li>')
    return "".join(out)


def _status_colours(which: int) -> str:
    return " ".join(f"--s-{status}: {look[which]};" for status, look in STATUS.items())


def _status_rules() -> str:
    rules = [
        ".compare .edge.missing { display: inline; }",
        ".compare .edge.correct .wire { stroke-dasharray: none; }",
    ]
    for status, (_, _, dashes) in STATUS.items():
        rules.append(f".compare .edge.{status} {{ --hue: var(--s-{status}); }}")
        if dashes:
            rules.append(
                f".compare .edge.{status} .wire {{ stroke-dasharray: {' '.join(map(str, dashes))}; }}"
            )
    return "\n".join(rules)


def _facts(facts: dict | None) -> str:
    if not facts:
        return ""

    def text(value):
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    rows = "".join(
        f'<tr><th scope="row">{escape(str(key))}</th><td>{escape(text(value))}</td></tr>'
        for key, value in facts.items()
    )
    return f"<h2>Facts</h2>\n<table>{rows}</table>"


def _more(sections: dict | None) -> str:
    out = []
    for heading, content in (sections or {}).items():
        if isinstance(content, bytes):
            data = base64.b64encode(content).decode("ascii")
            inner = f'<img alt="{escape(heading)}" src="data:image/png;base64,{data}">'
        elif isinstance(content, str):
            inner = "".join(f"<p>{escape(part)}</p>" for part in content.split("\n\n"))
        else:
            head, *rows = ([escape(str(cell)) for cell in row] for row in content)
            body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
            header = "".join(f'<th scope="col">{cell}</th>' for cell in head)
            inner = f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"
            inner = f'<div class="wide">{inner}</div>'
        out.append(f'<details class="more"><summary>{escape(heading)}</summary>{inner}</details>')
    return "\n".join(out)


def _edge_table(names, edges, texts, fields) -> str:
    compared = bool(status_counts(edges))
    heads = ["from", "", "to", *fields, *(["status"] if compared else [])]

    def name(v):
        return f'<td><button type="button" class="name" data-v="{v}">{escape(names[v])}</button></td>'

    def number(value):
        return f'<td class="n" data-n="{"" if value is None else repr(value)}">{_short(value)}</td>'

    rows = []
    for k, edge in enumerate(edges):
        cells = [name(edge.i), f"<td>{'→' if edge.directed else '—'}</td>", name(edge.j)]
        cells += [number(getattr(edge, field)) for field in fields]
        if compared:
            cells.append(f"<td>{texts[edge.status]}</td>")
        rows.append(f'<tr data-e="{k}"{f" class={edge.status}" if edge.status else ""}>{"".join(cells)}</tr>')
    header = "".join(
        f'<th scope="col"{" class=n" if head in fields else ""}>'
        f'<button type="button"{"" if head else " aria-label=direction"}>{head}</button></th>'
        for head in heads
    )
    return f'<table id="edges"><thead><tr>{header}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
