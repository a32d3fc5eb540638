"""How much an edge says: the conditional mutual information of its ends, given the child's other parents."""

import math
from collections.abc import Sequence

import numpy as np


def count_strengths(tables: Sequence[np.ndarray], parents: Sequence[Sequence[int]]) -> np.ndarray:
    """Strength of every edge of a discrete network, in nats.

    Parameters
    ----------
    tables : sequence of ndarray
        ``tables[i][s1, …, sk, s]``: the number of rows in which the parents of variable i have the states
        s1, …, sk and it has s.
    parents : sequence of sequences of int
        The parents of each variable, in the order of its table.

    Returns
    -------
    ndarray, shape (d, d)
        At (i, j): Σ p(x_i, x_j, z) ln [p(x_j | x_i, z) / p(x_j | z)], z being the other parents of j, with
        the rows' frequencies; 0 without an edge or without rows. It is what the mean log-likelihood of a
        row loses without the edge.
    """
    strengths = np.zeros((len(tables), len(tables)))
    for j, (own, table) in enumerate(zip(parents, tables, strict=True)):
        rows = table.sum()
        for axis, i in enumerate(own):
            if rows:
                others = table.sum(axis=axis)
                # rounding can make a strength of 0 slightly negative
                strengths[i, j] = max(_log_likelihood(table) - _log_likelihood(others), 0.0) / rows
    return strengths


def moment_strengths(adjacency: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    """Strength of every edge of a linear Gaussian network, in nats.

    Parameters
    ----------
    adjacency : ndarray of int, shape (d, d)
    correlation : ndarray, shape (d, d)
        Of all rows.

    Returns
    -------
    ndarray, shape (d, d)
        At (i, j): ½ ln (variance of x_j given its other parents / variance given all of them).
    """
    strengths = np.zeros(adjacency.shape)
    for j, column in enumerate(adjacency.T):
        own = np.flatnonzero(column)
        full = _unexplained(correlation, j, own)
        for i in own:
            strengths[i, j] = max(0.5 * math.log(_unexplained(correlation, j, own[own != i]) / full), 0.0)
    return strengths


def _log_likelihood(table: np.ndarray) -> float:
    """Σ N_jk ln (N_jk / N_j)."""
    flat = table.reshape(-1, table.shape[-1])
    sums = np.broadcast_to(flat.sum(axis=1, keepdims=True), flat.shape)
    some = flat > 0
    return float((flat[some] * np.log(flat[some] / sums[some])).sum())


def _unexplained(correlation: np.ndarray, j: int, parents: np.ndarray) -> float:
    """Share of the variance of x_j that its regression on the parents leaves."""
    own = np.linalg.lstsq(correlation[np.ix_(parents, parents)], correlation[parents, j], rcond=None)[0]
    return float(1.0 - own @ correlation[parents, j])
