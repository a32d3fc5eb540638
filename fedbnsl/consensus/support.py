"""How many of the input graphs stand behind an edge of a consensus, and why edges were deleted."""

import itertools
from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus import _inputs
from fedbnsl.graphs._checked import checked_graph
from fedbnsl.graphs.graph import Graph


def joining(graphs: Sequence[Graph], weights: Sequence[int] | None = None) -> np.ndarray:
    """Weight of the graphs that join each two variables, by direction, int64 (3, d, d).

    At i, j: of those with i → j, of those with j → i, of those with an edge without direction. The graphs
    have the same variables in one order; without weights each counts 1.
    """
    there = np.stack([graph.adjacency for graph in graphs]).astype(bool)
    back = there.transpose(0, 2, 1)
    weights = np.ones(len(graphs), np.int64) if weights is None else np.asarray(weights, np.int64)
    kinds = there & ~back, back & ~there, there & back
    return np.stack([np.tensordot(weights, kind.astype(np.int64), 1) for kind in kinds])


def support_matrix(graphs: Sequence[Graph], weights: Sequence[int] | None = None) -> np.ndarray:
    """Share of the graphs, by weight, that join each two variables, float (d, d); see :func:`joining`."""
    return joining(graphs, weights).sum(axis=0) / (len(graphs) if weights is None else sum(weights))


def edge_support(graphs: Sequence[Graph], consensus: Graph, weights: Sequence[float] | None = None):
    """For each edge of a graph, the share of input graphs that have it.

    Parameters
    ----------
    graphs : sequence of Graph
        The inputs: DAGs or CPDAGs.
    consensus : Graph
        Any graph over their variables, whichever method made it.
    weights : sequence of float, optional
        Positive, one for each input. Default: all alike.

    Returns
    -------
    pandas.DataFrame
        One row for each edge, in the order of ``consensus.edges()``, with ``from`` and ``to`` as there, and
        the weighted share of the inputs, from 0 to 1, in which the two variables are joined
        (``support``), joined as from → to (``forward``), as to → from (``backward``), without direction
        (``undirected``). The last three add up to the first. ``inputs`` is the number that join them.

    Raises
    ------
    InputError
        If there is no graph, variables differ, or the weights are not one positive number for each graph.
    """
    import pandas

    consensus = checked_graph(consensus, "the consensus")
    *graphs, consensus = _inputs.same_variables([*_inputs.same_variables(graphs), consensus])
    weights = _inputs.whole_weights(weights, len(graphs))
    shares, counts = joining(graphs, weights) / sum(weights), joining(graphs).sum(axis=0)
    names = consensus.names
    index = {name: v for v, name in enumerate(names)}
    rows = []
    for u, v in consensus.edges():
        i, j = index[u], index[v]
        rows.append((u, v, float(shares[:, i, j].sum()), *shares[:, i, j].tolist(), int(counts[i, j])))
    columns = ["from", "to", "support", "forward", "backward", "undirected", "inputs"]
    return pandas.DataFrame(rows, columns=columns)


def deletion_table(path):
    """The deletions of a pruning path and what they rest on, in a table.

    Parameters
    ----------
    path : PruningPath

    Returns
    -------
    pandas.DataFrame
        One row for each deletion: ``step`` (from 1); ``x``, ``y`` and ``H`` of the deletion; ``support``,
        the weighted share of the inputs, before any pruning, that join x and y; ``psi``, the score Ψ;
        ``theta``, the least θ at which the network lacks the edge: the largest Ψ until then, missing for a
        deletion that is made whatever θ is; ``cut``, the arcs that left inputs, as
        ``2: a → b, c → d; 5: a → b`` with the inputs' places from 1.
    """
    import pandas

    index = {name: v for v, name in enumerate(path.fusion.names)}
    support = support_matrix(path.inputs, path.weights)
    places = [str(place) for place in range(1, len(path.inputs) + 1)]
    rows = []
    for k, (step, theta) in enumerate(zip(path.steps, deletion_thetas(path), strict=True), start=1):
        share = float(support[index[step.x], index[step.y]])
        arcs = cut_text(places, step.cut)
        rows.append((k, step.x, step.y, " ".join(step.H), share, step.psi, theta, arcs))
    columns = ["step", "x", "y", "H", "support", "psi", "theta", "cut"]
    return pandas.DataFrame(rows, columns=columns)


def deletion_thetas(path) -> list[float | None]:
    """For each deletion of a path the least θ at which the network lacks the edge; None: at every θ."""
    made = itertools.accumulate((step.psi for step in path.steps[path.forced :]), max)
    return [None] * path.forced + list(made)


def cut_text(labels: Sequence[str], cut: Sequence[Sequence[tuple[str, str]]]) -> str:
    """The arcs that left each input, such as ``north: a → b, c → d; south: a → b``."""
    told = [
        f"{label}: {', '.join(f'{u} → {v}' for u, v in arcs)}"
        for label, arcs in zip(labels, cut, strict=True)
        if arcs
    ]
    return "; ".join(told)
