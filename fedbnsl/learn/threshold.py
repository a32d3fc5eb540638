"""From real-valued weights to a DAG."""

import numbers

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import dag


def threshold_to_dag(weights: np.ndarray, threshold: float = 0.3) -> np.ndarray:
    """Drop small edges, then the smallest ones left until no directed cycle remains.

    Parameters
    ----------
    weights : ndarray, shape (d, d) or (K, d, d)
        ``W[i, j]`` is the effect i → j; the diagonal is ignored. Each of K matrices is treated alone.
    threshold : float
        Edges with ``|w| <= threshold`` are dropped.

    Returns
    -------
    ndarray, same shape
        A copy with the dropped entries 0: acyclic.

    Raises
    ------
    InputError
        If the threshold is negative or NaN, or a weight is not finite.

    Notes
    -----
    The edges dropped for acyclicity are the globally smallest, on a cycle or not, so the result is W
    cut at one (larger) threshold, as in NOTEARS-ADMM (Ng and Zhang 2022). Ties go in row-major order.
    """
    check_threshold(threshold)
    if not np.isfinite(weights).all():
        raise InputError("edge weights must be finite numbers")
    if weights.ndim == 3:
        return np.stack([threshold_to_dag(one, threshold) for one in weights])
    kept = np.where(np.abs(weights) > threshold, weights, 0.0)
    np.fill_diagonal(kept, 0.0)
    edges = np.flatnonzero(kept)
    order = edges[np.argsort(np.abs(kept).ravel()[edges], kind="stable")]
    low, high = 0, len(order)  # fewest drops that leave a DAG: dropping more never adds a cycle
    while low < high:
        middle = (low + high) // 2
        if _acyclic_without(kept, order[:middle]):
            high = middle
        else:
            low = middle + 1
    kept.ravel()[order[:low]] = 0.0
    return kept


def check_threshold(threshold: float) -> None:
    """Raise InputError unless the threshold is a number of 0 or more."""
    if not isinstance(threshold, numbers.Real) or not threshold >= 0:
        raise InputError(f"the threshold cannot be {threshold!r}", remedy="Give a number, 0 or larger")


def _acyclic_without(weights, dropped) -> bool:
    pattern = (weights != 0).astype(np.int8)
    pattern.ravel()[dropped] = 0
    return dag.is_dag(pattern)
