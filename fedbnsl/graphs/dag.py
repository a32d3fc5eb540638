"""Directed acyclic graphs on adjacency matrices: order, ancestors, d-separation, v-structures."""

from collections.abc import Iterable

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import _kernels, moral


def is_dag(adjacency) -> bool:
    """Whether every edge is directed and no directed cycle exists."""
    a = np.asarray(adjacency)
    return not (a & a.T).any() and bool((_kernels.topological_order(a) >= 0).all())


def topological_order(adjacency) -> np.ndarray:
    """Parents before children; among free nodes the smallest index first.

    Parameters
    ----------
    adjacency : ndarray of int8, shape (d, d)

    Returns
    -------
    ndarray of int64, shape (d,)

    Raises
    ------
    InputError
        If the graph has a directed cycle; the message names one by index.
    """
    order = _kernels.topological_order(np.asarray(adjacency))
    if (order < 0).any():
        cycle = find_cycle(adjacency)
        raise InputError(f"the graph has the directed cycle {' → '.join(map(str, cycle))}")
    return order


def find_cycle(adjacency) -> list[int] | None:
    """One directed cycle as a list of nodes whose last repeats the first, or None."""
    a = np.asarray(adjacency)
    alive = np.ones(len(a), dtype=bool)
    alive[_kernels.topological_order(a)[_kernels.topological_order(a) >= 0]] = False
    if not alive.any():
        return None
    # Kahn stopped, so each node left has a parent that is left: walking parents must repeat.
    node, path = int(np.flatnonzero(alive)[0]), []
    while node not in path:
        path.append(node)
        node = int(np.flatnonzero(a[:, node].astype(bool) & alive)[0])
    cycle = path[path.index(node) :]
    return [node, *reversed(cycle)]


def ancestors(adjacency, nodes: Iterable[int]) -> np.ndarray:
    """Boolean mask, shape (d,), of ``nodes`` and all their ancestors."""
    a = np.asarray(adjacency)
    start = np.zeros(len(a), dtype=bool)
    start[list(nodes)] = True
    return _kernels.ancestors(a, start)


def d_separated(adjacency, x: int, y: int, given: Iterable[int] = ()) -> bool:
    """Whether x and y are d-separated by ``given`` in a DAG.

    Separation in the moral graph of the smallest ancestral set (Lauritzen et al. 1990).
    """
    a = np.asarray(adjacency)
    given = list(given)
    m = moral.ancestral_moral(a, [x, y, *given]).astype(bool)
    m[given, :] = False
    m[:, given] = False
    reached = np.zeros(len(a), dtype=bool)
    reached[x] = True
    frontier = reached
    while frontier.any():
        frontier = m[frontier].any(axis=0) & ~reached
        reached = reached | frontier
    return not reached[y]


def v_structures(adjacency) -> set[tuple[int, int, int]]:
    """All (i, k, j), i < j, with i → k ← j and i, j not adjacent; edges may be undirected elsewhere."""
    a = np.asarray(adjacency)
    directed = (a == 1) & (a.T == 0)
    adjacent = (a == 1) | (a.T == 1)
    found = set()
    for k in range(len(a)):
        parents = np.flatnonzero(directed[:, k])
        for place, i in enumerate(parents):
            found.update((int(i), k, int(j)) for j in parents[place + 1 :] if not adjacent[i, j])
    return found
