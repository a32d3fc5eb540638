"""Compiled random walks over DAGs, on int8 adjacency matrices."""

import numpy as np
from numba import njit


@njit(cache=True)
def _reaches(a, source, target, skeleton):
    """Whether a directed path leads from ``source`` to ``target``; with ``skeleton``, any path."""
    d = a.shape[0]
    seen = np.zeros(d, np.bool_)
    stack = np.empty(d, np.int64)
    stack[0] = source
    seen[source] = True
    top = 1
    while top:
        top -= 1
        node = stack[top]
        for other in range(d):
            if not seen[other] and (a[node, other] or (skeleton and a[other, node])):
                if other == target:
                    return True
                seen[other] = True
                stack[top] = other
                top += 1
    return False


@njit(cache=True)
def walk(adjacency, tails, heads, max_parents, max_children, max_edges, reverse, most):
    """Remove each arc tail → head that is there; add it if not, unless a cap or a cycle forbids.

    ``tails`` and ``heads`` are gone through in order until ``most`` moves have changed the DAG; what is
    forbidden leaves it as it is. With ``reverse``, an arc without which its ends would have no path
    between them is turned round instead of removed, if the caps on parents and children allow it (no
    cycle can come of that). Returns the new DAG and the number of moves that changed it.
    """
    d = adjacency.shape[0]
    a = adjacency.copy()
    parents = np.zeros(d, np.int64)
    children = np.zeros(d, np.int64)
    edges = 0
    for i in range(d):
        for j in range(d):
            if a[i, j]:
                children[i] += 1
                parents[j] += 1
                edges += 1
    changes = 0
    for k in range(tails.shape[0]):
        if changes >= most:
            break
        x = tails[k]
        y = heads[k]
        if a[x, y]:
            a[x, y] = 0
            if reverse and not _reaches(a, x, y, True):
                if parents[x] >= max_parents or children[y] >= max_children:
                    a[x, y] = 1
                    continue
                a[y, x] = 1
                parents[x] += 1
                children[y] += 1
                edges += 1
            change = -1
        else:
            if parents[y] >= max_parents or children[x] >= max_children or edges >= max_edges:
                continue
            if _reaches(a, y, x, False):
                continue
            a[x, y] = 1
            change = 1
        parents[y] += change
        children[x] += change
        edges += change
        changes += 1
    return a, changes
