"""Counting the rows of a discrete site by family, and the families of a graph."""

from collections.abc import Iterator

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph
from fedbnsl.scores import _kernels


def families(graph: Graph | WeightedGraph, names) -> Iterator[tuple[int, np.ndarray]]:
    """(child, parents) of every variable, as positions in ``names``.

    A PDAG stands for a DAG that extends it.

    Raises
    ------
    InputError
        If the variables differ from ``names``, or the graph has no DAG.
    """
    adjacency = as_graph(graph).reordered(names).to_dag().adjacency
    for child in range(len(adjacency)):
        yield child, np.flatnonzero(adjacency[:, child])


def discrete_columns(site: SiteData) -> np.ndarray:
    """The site's codes by column, shape (d, n), each column contiguous.

    Raises
    ------
    InputError
        If the site is continuous.
    """
    if not site.is_discrete:
        raise InputError(
            "this score needs discrete data, but the site is continuous",
            where=site.label,
            remedy="Use a Gaussian score, or declare the states of its columns",
        )
    return np.ascontiguousarray(site.values.T)


def group_rows(columns, cardinalities, child: int, parents) -> tuple[np.ndarray, np.ndarray]:
    """Number the parent configurations, and the parent-and-child configurations, that rows have.

    Parameters
    ----------
    columns : ndarray of int16, shape (d, n)
    cardinalities : ndarray of int64, shape (d,)
    child : int
    parents : sequence of int

    Returns
    -------
    of_parents, of_family : ndarray of int64, shape (n,)
        Each row's configuration, numbered from 0 by first occurrence. Nothing is stored for
        configurations that do not occur, so any number of parents is fine.
    """
    of_parents = np.zeros(columns.shape[1], dtype=np.int64)
    found = 1
    for parent in parents:
        found = _kernels.split(of_parents, found, columns[parent], cardinalities[parent])
    of_family = of_parents.copy()
    _kernels.split(of_family, found, columns[child], cardinalities[child])
    return of_parents, of_family


def family_counts(columns, cardinalities, child: int, parents) -> tuple[np.ndarray, np.ndarray]:
    """N_ij and N_ijk of the configurations that occur (see :func:`group_rows`), int64."""
    of_parents, of_family = group_rows(columns, cardinalities, child, parents)
    return np.bincount(of_parents), np.bincount(of_family)
