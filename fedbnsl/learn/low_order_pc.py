"""PC with conditioning sets of at most one variable, cut at a wanted number of edges."""

from __future__ import annotations

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.learn.pgmpy_pc import some_dag


def low_order_pc(correlation: np.ndarray, edges: int, label: str = "site") -> tuple[np.ndarray, np.ndarray]:
    """PC on a correlation matrix, with tests given nothing and given each single other variable.

    Two variables are as close as their weakest dependence: the least |partial correlation| over all those
    conditioning sets. Cutting at a number of edges is to choose the significance level that leaves so many;
    ordinary PC at a fixed level keeps hundreds where rows depend on each other, and takes seconds for every
    site. An unshielded triple i – k – j is a collider at k unless k makes i and j least dependent. Colliders
    are directed from the farthest ends on; one that would turn an edge back is passed over.

    Source: Spirtes and Glymour (1991), An algorithm for fast recovery of sparse causal graphs; low-order
    conditioning: Wille and Bühlmann (2006), Statistical Applications in Genetics and Molecular Biology 5.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
    edges : int
        Most edges to keep.
    label : str
        Of the site, for warnings.

    Returns
    -------
    adjacency : ndarray of int8, shape (d, d)
        A DAG; edges that the colliders leave undirected have a direction that adds none.
    strengths : ndarray, shape (d, d)
        Symmetric; the weakest dependence of every pair.

    Raises
    ------
    InputError
        If the number of edges is negative.

    Warns
    -----
    UserWarning
        If directions were reversed or v-structures added to get a DAG.
    """
    if edges < 0:
        raise InputError(f"the number of edges must be 0 or more, not {edges}")
    d = len(correlation)
    strengths, separating = np.abs(correlation), np.full((d, d), -1)
    for k in range(d):
        rest = np.sqrt(np.maximum(1 - correlation[k] ** 2, 1e-12))
        partial = np.abs(correlation - np.outer(correlation[k], correlation[k])) / np.outer(rest, rest)
        partial[k] = partial[:, k] = np.inf
        closer = partial < strengths
        strengths, separating = np.where(closer, partial, strengths), np.where(closer, k, separating)
    np.fill_diagonal(strengths, 0.0)
    first, second = np.triu_indices(d, 1)
    order = np.argsort(-strengths[first, second], kind="stable")[:edges]
    order = order[strengths[first, second][order] > 0]
    skeleton = np.zeros((d, d), dtype=bool)
    skeleton[first[order], second[order]] = skeleton[second[order], first[order]] = True
    mixed = skeleton.copy()
    for i, k, j in _colliders(skeleton, strengths, separating):
        if mixed[i, k] and mixed[j, k]:
            mixed[k, i] = mixed[k, j] = False
    return some_dag(mixed.astype(np.int8), label), strengths


def _colliders(skeleton, strengths, separating) -> list[tuple[int, int, int]]:
    """(i, k, j) with i – k – j, i and j apart and not separated by k; least dependent i and j first."""
    found = []
    for k, row in enumerate(skeleton):
        around = np.flatnonzero(row)
        for place, i in enumerate(around):
            for j in around[place + 1 :]:
                if not skeleton[i, j] and separating[i, j] != k:
                    found.append((strengths[i, j], int(i), k, int(j)))
    return [(i, k, j) for _, i, k, j in sorted(found)]
