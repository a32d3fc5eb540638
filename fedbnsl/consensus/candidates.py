"""One sweep of the pruning: Ψ of every candidate."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedbnsl.consensus import _inputs, _kernels, _options
from fedbnsl.graphs.graph import Graph


class Score(NamedTuple):
    """Ψ of one candidate: the orientation x → y, H, the sum of cut sizes and their mean."""

    x: str
    y: str
    H: tuple[str, ...]
    total: int
    psi: float


def scores(graphs: Sequence[Graph], state: Graph, k_max: int = 10) -> list[Score]:
    """Ψ of every candidate for the next deletion, in the order that settles ties.

    Parameters
    ----------
    graphs : sequence of Graph
        The inputs as they stand, DAGs.
    state : Graph
        The graph P to delete from: a DAG or a CPDAG over the same variables.
    k_max : int
        As in :func:`fedbnsl.consensus.prune`.

    Returns
    -------
    list of Score
    """
    _options.check_k_max(k_max)
    *dags, state = _inputs.same_variables([*_inputs.as_dags(graphs), state])
    names, d = state.names, state.n_nodes
    undirected = state.adjacency & state.adjacency.T
    rows = _kernels.pdag_state(_kernels.pack((state.adjacency - undirected).T), _kernels.pack(undirected))
    inputs = _kernels.input_rows(*_inputs.parent_rows(dags), np.ones(len(dags), np.int64))
    scratch = _kernels.cut_scratch(d, rows[0].shape[1])
    chosen = np.empty(rows[0].shape[1], np.uint64)
    found = []
    for x, y in np.argwhere(state.adjacency).tolist():
        pool = _kernels.subset_pool(x, y, rows, k_max)[1]
        for index, given in zip(*_kernels.valid_sets(x, y, rows, k_max), strict=True):
            _kernels.chosen(int(index), pool, chosen)
            total = _kernels.total_cut(x, y, given, inputs, scratch)
            H = tuple(names[v] for v in np.flatnonzero(_kernels.unpack(chosen, d)))
            found.append(Score(names[x], names[y], H, total, total / len(dags)))
    return found
