"""Directed acyclic graphs on adjacency matrices: order, ancestors, d-separation, v-structures."""

from collections.abc import Iterable, Sequence

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import _kernels, moral
from fedbnsl.graphs._matrix import as_mask, as_matrix, label, refuse_undirected


def is_dag(adjacency) -> bool:
    """Whether every edge is directed and no directed cycle (nor loop) exists."""
    a = as_matrix(adjacency)
    return not (a & a.T).any() and bool((_kernels.topological_order(a) >= 0).all())


def topological_order(adjacency, names: Sequence[str] | None = None) -> np.ndarray:
    """Parents before children; among free nodes the smallest index first.

    Parameters
    ----------
    adjacency : array_like, shape (d, d)
        A DAG.
    names : sequence of str, optional
        What messages call the nodes. Default: their indices.

    Returns
    -------
    ndarray of int64, shape (d,)

    Raises
    ------
    InputError
        If the graph has a directed cycle or an undirected edge; the message names one.
    """
    a = as_matrix(adjacency)
    refuse_undirected(a, names)
    order = _kernels.topological_order(a)
    if (order < 0).any():
        raise InputError(cycle_message(find_cycle(a), names))
    return order


def find_cycle(adjacency) -> list[int] | None:
    """One cycle as a list of nodes whose last repeats the first; None for a DAG.

    Every non-zero entry is followed: an undirected edge i — j is the cycle [i, j, i] and a loop [i, i].
    """
    a = as_matrix(adjacency)
    order = _kernels.topological_order(a)
    alive = np.ones(len(a), dtype=bool)
    alive[order[order >= 0]] = False
    if not alive.any():
        return None
    # Kahn stopped, so each node left has a parent that is left: walking parents must repeat.
    node, path = int(np.flatnonzero(alive)[0]), []
    while node not in path:
        path.append(node)
        node = int(np.flatnonzero(a[:, node].astype(bool) & alive)[0])
    cycle = path[path.index(node) :]
    return [node, *reversed(cycle)]


def cycle_message(cycle: Sequence[int], names: Sequence[str] | None = None) -> str:
    """The words for a cycle that :func:`find_cycle` found."""
    return f"the graph has the directed cycle {' → '.join(label(node, names) for node in cycle)}"


def ancestors(adjacency, nodes: Iterable[int]) -> np.ndarray:
    """Boolean mask, shape (d,), of ``nodes`` and all their ancestors.

    An undirected edge is followed both ways, so that in a PDAG these are the nodes with a path to
    ``nodes`` on which no edge points away from them.
    """
    a = as_matrix(adjacency)
    return _kernels.ancestors(a, as_mask(nodes, len(a)))


def d_separated(adjacency, x: int, y: int, given: Iterable[int] = ()) -> bool:
    """Whether x and y are d-separated by ``given`` in a DAG.

    Separation in the moral graph of the smallest ancestral set (Lauritzen et al. 1990,
    "Independence properties of directed Markov fields").

    Raises
    ------
    InputError
        If the graph is no DAG, or x, y and ``given`` are not different nodes.
    """
    a = as_matrix(adjacency)
    given = list(given)
    if x == y or x in given or y in given:
        raise InputError(f"d-separation of {x} and {y} given {given} needs different nodes")
    topological_order(a)
    m = moral.ancestral_moral(a, [x, y, *given]).astype(bool)
    m[:, given] = False  # a path may not enter what is given
    reached = np.zeros(len(a), dtype=bool)
    reached[x] = True
    frontier = reached
    while frontier.any():
        frontier = m[frontier].any(axis=0) & ~reached
        reached = reached | frontier
    return not reached[y]


def v_structures(adjacency) -> set[tuple[int, int, int]]:
    """All (i, k, j), i < j, with i → k ← j and i, j not adjacent; edges may be undirected elsewhere."""
    a = as_matrix(adjacency)
    directed = (a == 1) & (a.T == 0)
    adjacent = (a == 1) | (a.T == 1)
    found = set()
    for k in range(len(a)):
        parents = np.flatnonzero(directed[:, k])
        for place, i in enumerate(parents):
            found.update((int(i), k, int(j)) for j in parents[place + 1 :] if not adjacent[i, j])
    return found
