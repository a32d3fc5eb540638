"""The offline page of a cohort's network, for readers without Python."""

import math
import os
from collections.abc import Mapping, Sequence

import numpy as np

from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph
from fedbnsl.plot.page import network_page

_MOST_ROWS = 400
_EDGES = {
    "edge": lambda row: f"{row['from']} → {row['to']}",
    "direction": lambda row: row["direction"],
    "coefficient": lambda row: number(row["coefficient"]),
    "strength (nats)": lambda row: number(row["strength"]),
    "sites that join it": lambda row: row["sites"],
    "support": lambda row: number(row["support"]),
    "confidence": lambda row: number(row["confidence"]),
    "of the direction": lambda row: number(row["confidence_direction"]),
    "lost without": lambda row: row["lost_without"],
}
_JOINING = {
    "site": "site",
    "rows learned from": "rows_train",
    "rows judged on": "rows_test",
    "own model": "own",
    "shared graph, own parameters": "shared_graph",
    "shared model": "shared",
    "gain of joining (nats a row)": "gain",
    "standard error": "gain_se",
    "verdict": "verdict",
}


def cohort_page(
    graph: Graph | WeightedGraph,
    title: str,
    facts: Mapping[str, object],
    edges: Sequence[Mapping],
    sections: Mapping[str, object],
    path: str | os.PathLike,
) -> str:
    """One page with the network, its edges and further sections; see :func:`fedbnsl.plot.page.network_page`.

    Parameters
    ----------
    graph : Graph or WeightedGraph
    title : str
    facts : mapping
    edges : sequence of mapping
        From :func:`fedbnsl.cohort.tables.edge_rows`. Columns that are empty in all of them are left out.
    sections : mapping of heading to content
        Put below the table of edges.
    path : path
    """
    shown = {head: [make(row) for row in edges[:_MOST_ROWS]] for head, make in _EDGES.items()}
    shown = {head: cells for head, cells in shown.items() if any(cells) or head == "lost without"}
    table = [list(shown), *map(list, zip(*shown.values(), strict=True))]
    if len(edges) > _MOST_ROWS:
        table.append([f"and {len(edges) - _MOST_ROWS} more: see edges.csv", *[""] * (len(shown) - 1)])
    names = as_graph(graph).names
    place = {name: v for v, name in enumerate(names)}
    support = None
    if any(row["support"] is not None for row in edges):
        support = np.zeros((len(names), len(names)))
        for row in edges:
            i, j = place[row["from"]], place[row["to"]]
            support[i, j] = support[j, i] = row["support"]
    more = {"Edges and what speaks for them": table} if edges else {}
    more |= sections
    return network_page(graph, title, support=support, facts=dict(facts), more=more, path=path)


def joining_table(rows: Sequence[Mapping]) -> list[list[str]]:
    """The rows of :func:`fedbnsl.evaluate.joining.joining` for the page."""
    return [list(_JOINING), *([number(row[key]) for key in _JOINING.values()] for row in rows)]


def number(value) -> str:
    """Three digits; empty for nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
