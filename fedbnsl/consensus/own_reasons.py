"""Which inputs support an edge of a consensus, when it is cut along the path, and what measures say."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus.own_inputs import OwnInput, OwnInputs
from fedbnsl.consensus.path import PruningPath
from fedbnsl.consensus.support import cut_text, deletion_thetas, joining
from fedbnsl.graphs import moral
from fedbnsl.graphs.graph import Graph
from fedbnsl.graphs.treewidth import treewidth

#: Columns of :func:`pair_rows`, in the order of the files.
REASONS = (
    *("from", "to", "consensus", "direction", "support", "support_known", "inputs_joining", "inputs_known"),
    *("forward", "backward", "undirected", "inputs", "theta_cut", "psi", "step", "arcs_cut"),
)
EDGES = tuple(
    column for column in REASONS if column not in ("consensus", "psi", "step", "arcs_cut", "inputs_joining")
)


def pair_rows(own: OwnInputs, graph: Graph, path: PruningPath | None) -> list[dict]:
    """One row for every pair that an input, the fusion or the consensus joins.

    Parameters
    ----------
    own : OwnInputs
    graph : Graph
        The consensus, on the same variables.
    path : PruningPath or None
        From which the consensus is taken; None for a method without one.

    Returns
    -------
    list of dict
        The pairs that the consensus joins, in variable order, then the others: those cut last first.

        ``from``, ``to``
            As the consensus directs the edge; else as its deletion was scored; else in variable order.
        ``consensus``
            ``kept`` or ``cut``; ``not joined`` where there is no path.
        ``direction``
            Of a kept edge: ``fixed`` if all DAGs that state the same independences have it, else ``free``.
        ``inputs_joining``, ``support``
            The number and the share of the inputs that join the pair, in whatever direction. Shares are by
            weight where the path has weights.
        ``inputs_known``, ``support_known``
            How many inputs know both variables, and the share of those that join the pair.
        ``forward``, ``backward``, ``undirected``
            How many join it as from → to, as to → from, and without direction.
        ``inputs``
            Which ones, with ``→``, ``←`` or ``—``.
        ``theta_cut``
            The least θ at which the network lacks the edge: the largest Ψ of the deletions until then.
            Missing if it lacks it at every θ, for background knowledge or limits.
        ``psi``, ``step``, ``arcs_cut``
            Of its deletion: Ψ, its place in the path (from 1), and which arcs left which inputs.
    """
    index = {name: v for v, name in enumerate(graph.names)}
    graphs = [one.graph.reordered(graph.names) for one in own.inputs]
    counts, weights = joining(graphs), (1,) * len(graphs) if path is None else path.weights
    support = joining(graphs, weights).sum(axis=0)
    joined = counts.any(axis=0) | graph.skeleton().adjacency
    fixed = graph.cpdag().adjacency
    deletion, thetas = {}, deletion_thetas(path) if path else []
    for k, step in enumerate(path.steps if path else ()):
        pair = index[step.x], index[step.y]
        deletion[min(pair), max(pair)] = k
    labels = [one.label for one in own.inputs]
    rows = []
    for i, j in sorted({*map(tuple, np.argwhere(np.triu(joined, 1)).tolist()), *deletion}):
        k = deletion.get((i, j))
        kept = bool(graph.adjacency[i, j] or graph.adjacency[j, i])
        u, v = i, j
        if graph.adjacency[j, i] and not graph.adjacency[i, j]:
            u, v = j, i
        elif not kept and k is not None:
            u, v = index[path.steps[k].x], index[path.steps[k].y]
        knowing = [{graph.names[u], graph.names[v]} <= one.known for one in own.inputs]
        known = sum(weight for weight, knows in zip(weights, knowing, strict=True) if knows)
        forward, backward, undirected = counts[:, u, v].tolist()
        rows.append(
            {
                "from": graph.names[u],
                "to": graph.names[v],
                "consensus": "kept" if kept else "not joined" if path is None else "cut",
                "direction": ("free" if fixed[v, u] else "fixed") if kept else None,
                "support": int(support[u, v]) / sum(weights),
                "support_known": int(support[u, v]) / known if known else None,
                "inputs_joining": forward + backward + undirected,
                "inputs_known": sum(knowing),
                "forward": forward,
                "backward": backward,
                "undirected": undirected,
                "inputs": "; ".join(_way(own.inputs, graphs, u, v)),
                "theta_cut": None if k is None else thetas[k],
                "psi": None if k is None else path.steps[k].psi,
                "step": None if k is None else k + 1,
                "arcs_cut": "" if k is None else cut_text(labels, path.steps[k].cut),
            }
        )
    return sorted(rows, key=lambda row: _rank(row, index))


def _rank(row: dict, index: dict[str, int]) -> tuple:
    kept = row["consensus"] == "kept"
    return not kept, 0 if kept else -(row["step"] or 0), index[row["from"]], index[row["to"]]


def _way(inputs: Sequence[OwnInput], graphs: Sequence[Graph], u: int, v: int) -> list[str]:
    told = []
    for one, graph in zip(inputs, graphs, strict=True):
        there, back = graph.adjacency[u, v], graph.adjacency[v, u]
        if there or back:
            told.append(f"{one.label} {'—' if there and back else '→' if there else '←'}")
    return told


class Distance:
    """The mean SMHD to some graphs, whose moral graphs are made once.

    SMHD counts the edges in which two moral graphs differ. The mean is by weights, if there are any.
    """

    def __init__(self, graphs: Sequence[Graph], weights: Sequence[int] | None = None):
        self._names = graphs[0].names
        self.weights = (1,) * len(graphs) if weights is None else tuple(weights)
        weighted = zip(self.weights, graphs, strict=True)
        self._joined = sum(
            weight * _moral(graph.reordered(self._names)).astype(np.int64) for weight, graph in weighted
        )

    def __call__(self, graph: Graph) -> float:
        """The mean over the graphs of the SMHD to ``graph``."""
        own = _moral(graph.reordered(self._names)).astype(bool)
        total = sum(self.weights)
        apart = np.where(own, total - self._joined, self._joined)
        return int(np.triu(apart, 1).sum()) / total


def _moral(graph: Graph) -> np.ndarray:
    return moral.moralize(graph.to_dag().adjacency)


def measures(graph: Graph, distance: Distance) -> dict:
    """``edges``, ``smhd_inputs`` and ``treewidth`` (an upper bound by min-fill) of a network."""
    return {"edges": graph.n_edges, "smhd_inputs": distance(graph), "treewidth": treewidth(graph)}


def theta_rows(path: PruningPath, distance: Distance) -> list[dict]:
    """θ and :func:`measures` at each θ at which the network changes."""
    return [{"theta": theta, **measures(dag, distance)} for theta, dag in path.networks()]


def input_rows(own: OwnInputs, distance: Distance) -> list[dict]:
    """What each input is: name, file, variables and edges, :func:`measures`, notes."""
    return [
        {
            "input": one.label,
            "file": one.file,
            "variables": len(one.known),
            **measures(one.graph, distance),
            "notes": "; ".join(one.notes),
        }
        for one in own.inputs
    ]


def comparison_rows(
    consensus: Sequence[dict], inputs: Sequence[dict], weights: Sequence[int] | None = None
) -> list[dict]:
    """The methods' measures, then those of the best single input and the mean over the inputs.

    The best input is the one with the least mean SMHD to all inputs, itself included; of several, the first.
    The mean over the inputs is by weights, if there are any.

    Parameters
    ----------
    consensus : sequence of dict
        ``network``, ``theta`` and measures of each method.
    inputs : sequence of dict
        From :func:`input_rows`.
    weights : sequence of int, optional
        One for each input.
    """
    columns = ("edges", "smhd_inputs", "treewidth")
    best = min(inputs, key=lambda row: row["smhd_inputs"])
    weights = (1,) * len(inputs) if weights is None else weights
    weighted = list(zip(weights, inputs, strict=True))
    mean = {column: sum(w * row[column] for w, row in weighted) / sum(weights) for column in columns}
    return [
        *consensus,
        {"network": f"best input: {best['input']}", "theta": None, **{c: best[c] for c in columns}},
        {"network": f"mean of the {len(inputs)} inputs", "theta": None, **mean},
    ]
