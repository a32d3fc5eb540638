"""Moral graphs and ancestral moral graphs of DAGs, on adjacency matrices."""

from collections.abc import Iterable

import numpy as np

from fedbnsl.graphs import _kernels
from fedbnsl.graphs._matrix import as_mask, as_matrix, refuse_undirected


def moralize(adjacency) -> np.ndarray:
    """Moral graph: parents of a common child are joined and directions dropped.

    Parameters
    ----------
    adjacency : array_like, shape (d, d)
        A DAG. Cycles do no harm here and are not looked for.

    Returns
    -------
    ndarray of int8, shape (d, d), symmetric

    Raises
    ------
    InputError
        If an edge is undirected: its ends would count as each other's parents.
    """
    a = as_matrix(adjacency)
    refuse_undirected(a)
    return _kernels.moralize(a)


def ancestral_moral(adjacency, nodes: Iterable[int]) -> np.ndarray:
    """Moral graph of the subgraph on ``nodes`` and their ancestors; other rows and columns are 0.

    Parameters
    ----------
    adjacency : array_like, shape (d, d)
        A DAG.
    nodes : iterable of int
        Indices; none give the empty graph.

    Returns
    -------
    ndarray of int8, shape (d, d), symmetric

    Raises
    ------
    InputError
        If an edge is undirected or an index is not a node.
    """
    a = as_matrix(adjacency)
    refuse_undirected(a)
    keep = _kernels.ancestors(a, as_mask(nodes, len(a)))
    return _kernels.moralize(a * keep[:, None] * keep[None, :])
