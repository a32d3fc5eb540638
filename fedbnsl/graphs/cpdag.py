"""Markov equivalence classes: DAG to CPDAG and back, on adjacency matrices."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import _kernels, dag
from fedbnsl.graphs._matrix import as_matrix, directed_part


def dag_to_cpdag(adjacency, names: Sequence[str] | None = None) -> np.ndarray:
    """Completed PDAG of a DAG: compelled edges directed, reversible edges undirected.

    Chickering (1995), "A transformational characterization of equivalent Bayesian network
    structures": edges are labelled in the order of their ends.

    Parameters
    ----------
    adjacency : array_like, shape (d, d)
        A DAG.
    names : sequence of str, optional
        What messages call the nodes. Default: their indices.

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If the graph has a directed cycle or an undirected edge.
    """
    a = as_matrix(adjacency)
    fixed = _kernels.compelled(a, dag.topological_order(a, names))
    reversible = a & (1 - fixed)
    return a | reversible.T


def pdag_to_dag(adjacency, rank=None, names: Sequence[str] | None = None) -> np.ndarray:
    """A DAG with the skeleton and v-structures of a PDAG (Dor and Tarsi 1992).

    Sinks are taken one by one. When ``rank`` is a node's place in a topological order of one of the
    DAGs that the PDAG stands for, that very DAG is returned.

    Parameters
    ----------
    adjacency : array_like, shape (d, d)
        A PDAG; both entries set is an undirected edge.
    rank : array_like, shape (d,), optional
        Where several nodes could be the next sink, the one of highest rank is taken, ties by
        smallest index. Default: all equal.
    names : sequence of str, optional
        What messages call the nodes. Default: their indices.

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If no consistent extension exists, or ``rank`` is not d finite numbers.
    """
    p = as_matrix(adjacency)
    rank = np.zeros(len(p)) if rank is None else np.array(rank, dtype=np.float64)
    if rank.shape != (len(p),) or not np.isfinite(rank).all():
        raise InputError(f"rank must be one finite number for each of the {len(p)} nodes")
    out, ok = _kernels.extend(p, rank)
    if not ok:
        cycle = dag.find_cycle(directed_part(p))
        if cycle is not None:
            raise InputError(dag.cycle_message(cycle, names))
        raise InputError(
            "the partially directed graph has no DAG with the same skeleton and v-structures",
            remedy="Check its undirected edges: some cannot be directed without a cycle or a new v-structure",
        )
    return out


def is_cpdag(adjacency) -> bool:
    """Whether the matrix is the completed PDAG of some DAG."""
    p = as_matrix(adjacency)
    out, ok = _kernels.extend(p, np.zeros(len(p)))
    return ok and bool((dag_to_cpdag(out) == p).all())
