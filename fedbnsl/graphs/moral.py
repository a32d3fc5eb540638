"""Moral graphs and ancestral moral graphs of DAGs, on adjacency matrices."""

from collections.abc import Iterable

import numpy as np

from fedbnsl.graphs import _kernels


def moralize(adjacency) -> np.ndarray:
    """Moral graph: parents of a common child are joined and directions dropped.

    Parameters
    ----------
    adjacency : ndarray of int8, shape (d, d)
        A DAG.

    Returns
    -------
    ndarray of int8, shape (d, d), symmetric
    """
    return _kernels.moralize(np.asarray(adjacency))


def ancestral_moral(adjacency, nodes: Iterable[int]) -> np.ndarray:
    """Moral graph of the subgraph on ``nodes`` and their ancestors; other rows and columns are 0."""
    a = np.asarray(adjacency)
    start = np.zeros(len(a), dtype=bool)
    start[list(nodes)] = True
    keep = _kernels.ancestors(a, start)
    return _kernels.moralize(a * keep[:, None] * keep[None, :])
