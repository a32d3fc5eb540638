"""What a consensus is compared with: the best of its inputs, and a fusion of limited treewidth."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus import _inputs
from fedbnsl.consensus._options import check_limit
from fedbnsl.consensus.imap import imap_of_dag
from fedbnsl.consensus.order import order_of_dags
from fedbnsl.graphs import moral
from fedbnsl.graphs.graph import Graph
from fedbnsl.graphs.treewidth import treewidth
from fedbnsl.seeds import checked_seed


def best_of_inputs(graphs: Sequence[Graph]) -> Graph:
    """The input with the least mean SMHD to all inputs, the first of several.

    SMHD counts the edges in which two moral graphs differ.

    Parameters
    ----------
    graphs : sequence of Graph
        DAGs over the same variables, whose order is that of the first. CPDAGs are extended to a DAG.

    Returns
    -------
    Graph
        A DAG.

    Raises
    ------
    InputError
        If there is no graph, variables differ, or a graph has a directed cycle.
    """
    dags = _inputs.as_dags(graphs)
    joined = np.stack([moral.moralize(graph.adjacency).astype(np.int64) for graph in dags])
    support = joined.sum(axis=0)
    # Against all inputs a joined pair costs those that do not join it, and a pair apart those that do.
    distances = np.where(joined == 1, len(dags) - support, support).sum(axis=(1, 2))
    return dags[int(distances.argmin())]


def fuse_within_treewidth(graphs: Sequence[Graph], limit: int | None = None) -> Graph:
    """The most frequent arcs of the fusion that keep the treewidth within a limit.

    Every input is brought to its minimal I-map under the node order of the fusion. The arcs of all are
    taken by falling number of I-maps that have them (of equal ones by the place in the order of the
    target, then of the origin), each unless the treewidth of the moral graph would exceed the limit.

    This is the greedy way to limit the treewidth of a fusion by edge frequency that the paper on GMCBC
    compares its idea with (Torrijos, Puerta, Gámez, Aledo 2025, section 1); it gives no algorithm, so the
    order of ties is ours.

    Parameters
    ----------
    graphs : sequence of Graph
        As in :func:`best_of_inputs`.
    limit : int, optional
        0 or more; treewidth is the upper bound by min-fill (:func:`fedbnsl.graphs.treewidth`), so the
        treewidth itself is within the limit too. Default: the largest of the inputs.

    Returns
    -------
    Graph
        A DAG whose arcs point forwards in the node order.

    Raises
    ------
    InputError
        As :func:`best_of_inputs`; or if the limit is no whole number of 0 or more.
    """
    if limit is not None:
        check_limit("treewidth", limit)
    dags = _inputs.as_dags(graphs)
    if limit is None:
        limit = max(treewidth(graph) for graph in dags)
    order = order_of_dags(dags)
    names = dags[0].names
    frequency = sum(imap_of_dag(graph, order).adjacency.astype(np.int64) for graph in dags)
    place = np.argsort([names.index(name) for name in order])
    present = np.argwhere(frequency).tolist()
    arcs = sorted(present, key=lambda arc: (-frequency[tuple(arc)], place[arc[1]], place[arc[0]]))
    return Graph(names, _largest_within(arcs, limit, len(names)))


def _largest_within(arcs: list[list[int]], limit: int, d: int) -> np.ndarray:
    """Arcs added one by one where the treewidth allows.

    Runs of arcs are tried together and halved where they do not fit. Min-fill is no monotone bound, so
    what a run that fits would have done arc by arc may differ; it fits, and that is what is asked for.
    """
    found = np.zeros((d, d), dtype=np.int8)

    def add(first: int, last: int) -> None:
        trial = found.copy()
        trial[tuple(np.transpose(arcs[first:last]))] = 1
        if treewidth(moral.moralize(trial)) <= limit:
            found[:] = trial
        elif last - first > 1:
            middle = (first + last) // 2
            add(first, middle)
            add(middle, last)

    if arcs:
        add(0, len(arcs))
    return found


def best_input(graphs: Sequence[Graph], *, seed: int) -> Graph:
    """:func:`best_of_inputs` as an entry of the register of methods; ``seed`` is not used."""
    checked_seed(seed)
    return best_of_inputs(graphs)


def fusion_treewidth(graphs: Sequence[Graph], *, seed: int, limit: int | None) -> Graph:
    """:func:`fuse_within_treewidth` as an entry of the register of methods; ``seed`` is not used."""
    checked_seed(seed)
    return fuse_within_treewidth(graphs, limit)
