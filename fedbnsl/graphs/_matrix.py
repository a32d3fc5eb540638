"""What every function on adjacency matrices checks before its kernel runs."""

from collections.abc import Iterable, Sequence

import numpy as np

from fedbnsl.errors import InputError


def as_matrix(adjacency) -> np.ndarray:
    """A fresh int8 copy in C order of a square matrix of 0 and 1.

    One type and one layout, so that each kernel is compiled once.

    Raises
    ------
    InputError
        If the matrix is not square or holds anything but 0 and 1 (weights are not adjacencies).
    """
    given = as_array(adjacency)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise InputError(f"an adjacency matrix is square, but this one has the shape {given.shape}")
    if not ((given == 0) | (given == 1)).all():
        raise InputError("an adjacency matrix holds only 0 and 1", remedy="Of a weight matrix W, give W != 0")
    return np.array(given, dtype=np.int8, order="C")


def as_array(given, dtype=None) -> np.ndarray:
    """``numpy.asarray``; InputError if rows differ in length or entries are no numbers."""
    try:
        return np.asarray(given, dtype=dtype)
    except (TypeError, ValueError):
        raise InputError(
            "the matrix has rows of different lengths or entries that are no numbers",
            remedy="Give d rows of d numbers",
        ) from None


def as_mask(nodes: Iterable[int], d: int) -> np.ndarray:
    """Boolean mask, shape (d,), of the node indices ``nodes``.

    Raises
    ------
    InputError
        If an index is outside 0 … d − 1.
    """
    mask = np.zeros(d, dtype=bool)
    for node in nodes:
        if not 0 <= node < d:
            raise InputError(f"there is no node {node} in a graph of {d} nodes")
        mask[node] = True
    return mask


def directed_part(a: np.ndarray) -> np.ndarray:
    """The matrix ``a`` without its undirected edges; loops stay."""
    part = a & (1 - a.T)
    np.fill_diagonal(part, np.diagonal(a))
    return part


def refuse_undirected(a: np.ndarray, names: Sequence[str] | None = None) -> None:
    """Raise InputError if an edge of the matrix ``a`` is undirected or a loop."""
    both = np.argwhere(a & a.T)
    if len(both):
        i, j = (label(node, names) for node in both[0])
        if i == j:
            raise InputError(f"the edge {i} → {i} is a loop")
        raise InputError(
            f"the edge {i} — {j} is undirected, but this needs a DAG",
            remedy="Extend a CPDAG to one of its DAGs first",
        )


def label(node: int, names: Sequence[str] | None) -> str:
    """How a message calls a node: its name if there are names, else its index."""
    return str(int(node)) if names is None else names[node]
