"""The pictures of a consensus of a user's own networks: θ against what it costs, and the page."""

import os
from collections.abc import Sequence

import numpy as np

from fedbnsl.plot.curves import curves
from fedbnsl.plot.page import network_page

# the curves' columns and the texts of their axes
_QUANTITIES = {"smhd_inputs": "mean SMHD to inputs", "edges": "edges", "treewidth": "treewidth"}
_MOST_ROWS = 400  # of the page's table of pairs
_PAIRS = {
    "pair": lambda row: f"{row['from']} {'→' if row['consensus'] == 'kept' else '–'} {row['to']}",
    "consensus": lambda row: row["consensus"],
    "direction": lambda row: row["direction"] or "",
    "inputs that join it, of those that know both": lambda row: (
        f"{row['inputs_joining']} of {row['inputs_known']}"
    ),
    "which": lambda row: row["inputs"],
    "cut at θ": lambda row: _number(row["theta_cut"]),
    "Ψ": lambda row: _number(row["psi"]),
    "step": lambda row: row["step"] or "",
    "arcs that left the inputs then": lambda row: row["arcs_cut"],
}


def theta_figure(rows: Sequence[dict], chosen: float | None, mean: dict):
    """Mean SMHD to the inputs, edges and treewidth over θ, one panel below another.

    Parameters
    ----------
    rows : sequence of dict
        ``theta``, ``smhd_inputs``, ``edges``, ``treewidth`` at each breakpoint; one row with θ None for
        a method without θ, whose values are drawn as levels.
    chosen : float or None
        The θ to mark.
    mean : dict
        The three quantities as means over the inputs, drawn as reference.

    Returns
    -------
    matplotlib.figure.Figure
    """
    import pandas

    from fedbnsl.plot import style

    has_theta = rows[0]["theta"] is not None
    at = [(row["theta"], row) for row in rows] if has_theta else [(end, rows[0]) for end in (0.0, 1.0)]
    long = [
        {"seed": 0, "theta": theta, "quantity": quantity, "value": row[quantity]}
        for theta, row in at
        for quantity in _QUANTITIES
    ]
    table = pandas.DataFrame(long)
    table["quantity"] = pandas.Categorical(table["quantity"], list(_QUANTITIES))
    levels = pandas.DataFrame(
        [{"label": "mean of the inputs", "quantity": q, "value": mean[q]} for q in _QUANTITIES]
    )
    marks = None if chosen is None else pandas.DataFrame([{"label": "chosen θ", "theta": chosen}])
    figure = curves(
        table,
        "theta",
        "value",
        panels="quantity",
        columns=1,
        step=True,
        band=False,
        hlines=levels,
        vlines=marks,
        x_text=style.label("theta") if has_theta else "this method has no θ",
        y_text=_QUANTITIES,
        width=3.4,
        height=1.35,
    )
    if not has_theta:
        for ax in figure.axes:
            ax.set_xticks([])
    return figure


def own_page(
    graph,
    title: str,
    facts: dict,
    pairs: Sequence[dict],
    inputs: Sequence[dict],
    figure: bytes,
    path: str | os.PathLike,
) -> str:
    """The offline page of a consensus; see :func:`fedbnsl.plot.page.network_page`.

    Parameters
    ----------
    graph : Graph
    title : str
    facts : dict
    pairs : sequence of dict
        From :func:`fedbnsl.consensus.own_reasons.pair_rows`.
    inputs : sequence of dict
        From :func:`fedbnsl.consensus.own_reasons.input_rows`.
    figure : bytes
        The PNG of :func:`theta_figure`.
    path : path
    """
    index = {name: v for v, name in enumerate(graph.names)}
    support = np.zeros((len(index), len(index)))
    for row in pairs:
        u, v = index[row["from"]], index[row["to"]]
        support[u, v] = support[v, u] = row["support"]
    shown = [[make(row) for make in _PAIRS.values()] for row in pairs[:_MOST_ROWS]]
    if len(pairs) > _MOST_ROWS:
        told = f"and {len(pairs) - _MOST_ROWS} more pairs: see reasons.tsv"
        shown.append([told, *[""] * (len(_PAIRS) - 1)])
    heads = ["input", "file", "variables", "edges", "mean SMHD to the inputs", "notes"]
    keys = ["input", "file", "variables", "edges", "smhd_inputs", "notes"]
    more = {
        "What a larger or smaller θ would give": figure,
        "The inputs": [heads, *([_number(row[key]) for key in keys] for row in inputs)],
        "Why: every pair that an input, the fusion or the consensus joins": [list(_PAIRS), *shown],
    }
    return network_page(graph, title=title, support=support, facts=facts, more=more, path=path)


def _number(value) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
