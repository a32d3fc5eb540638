"""Markov equivalence classes: DAG to CPDAG and back, on adjacency matrices."""

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import _kernels, dag


def dag_to_cpdag(adjacency) -> np.ndarray:
    """Completed PDAG of a DAG: compelled edges directed, reversible edges undirected.

    Chickering (1995), "A transformational characterization of equivalent Bayesian network
    structures": edges are labelled in the order of their ends.

    Parameters
    ----------
    adjacency : ndarray of int8, shape (d, d)
        A DAG.

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If the graph has a directed cycle.
    """
    a = np.asarray(adjacency)
    fixed = _kernels.compelled(a, dag.topological_order(a))
    reversible = a & (1 - fixed)
    return (a | reversible.T).astype(np.int8)


def pdag_to_dag(adjacency, rank=None) -> np.ndarray:
    """A DAG with the skeleton and v-structures of a PDAG (Dor and Tarsi 1992).

    Parameters
    ----------
    adjacency : ndarray of int8, shape (d, d)
        A PDAG; both entries set is an undirected edge.
    rank : array_like, shape (d,), optional
        Where several nodes could be the next sink, the one of highest rank is taken, ties by
        smallest index. Default: all equal.

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If no consistent extension exists.
    """
    p = np.asarray(adjacency)
    rank = np.zeros(len(p)) if rank is None else np.asarray(rank, dtype=float)
    out, ok = _kernels.extend(p, rank)
    if not ok:
        raise InputError(
            "the partially directed graph has no DAG with the same skeleton and v-structures",
            remedy="Check its directed edges for a cycle and its undirected ones for a missing orientation",
        )
    return out


def is_cpdag(adjacency) -> bool:
    """Whether the matrix is the completed PDAG of some DAG."""
    p = np.asarray(adjacency)
    out, ok = _kernels.extend(p, np.zeros(len(p)))
    return ok and bool((dag_to_cpdag(out) == p).all())
