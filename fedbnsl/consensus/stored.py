"""A pruning path as lists, numbers and strings, and back."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus.steps import deletions
from fedbnsl.graphs.graph import Graph


def path_to_dict(path) -> dict:
    """What :func:`path_fields` reads; variables are given by index, cuts as (step, input, from, to)."""
    index = {name: v for v, name in enumerate(path.fusion.names)}

    def pairs(edges):
        return [[index[u], index[v]] for u, v in edges]

    return {
        "variant": path.variant,
        "report": path.report,
        "variables": list(path.fusion.names),
        "order": [index[name] for name in path.order],
        "weights": list(path.weights),
        "fusion": np.argwhere(path.fusion.adjacency).tolist(),
        "inputs": [np.argwhere(graph.adjacency).tolist() for graph in path.inputs],
        "forced": path.forced,
        "ended": path.ended,
        "required": pairs(path.required),
        "forbidden": pairs(path.forbidden),
        "steps": [
            [index[step.x], index[step.y], [index[name] for name in step.H], step.total]
            for step in path.steps
        ],
        "cuts": [
            [s, i, index[u], index[v]]
            for s, step in enumerate(path.steps)
            for i, arcs in enumerate(step.cut)
            for u, v in arcs
        ],
    }


def path_fields(record: dict) -> dict:
    """The fields of the path that :func:`path_to_dict` was given."""
    names = tuple(record["variables"])
    weights = tuple(record.get("weights", (1,) * len(record["inputs"])))

    def pairs(key):
        return tuple((names[u], names[v]) for u, v in record.get(key, ()))

    return {
        "order": tuple(names[v] for v in record["order"]),
        "fusion": _graph(names, record["fusion"]),
        "inputs": tuple(_graph(names, arcs) for arcs in record["inputs"]),
        "steps": deletions(names, weights, record["steps"], record["cuts"]),
        "variant": record["variant"],
        "report": record.get("report", "g_star"),
        "weights": weights,
        "forced": record.get("forced", 0),
        "ended": record.get("ended", True),
        "required": pairs("required"),
        "forbidden": pairs("forbidden"),
    }


def _graph(names: Sequence[str], arcs: Sequence) -> Graph:
    adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
    for u, v in arcs:
        adjacency[u, v] = 1
    return Graph(names, adjacency)
