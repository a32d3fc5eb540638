"""Compiled elimination of an undirected graph by fewest fill-in edges."""

import numpy as np
from numba import njit


@njit(cache=True)
def min_fill(adjacency):
    """Eliminate node after node, joining its neighbours; always the node that adds fewest edges.

    Ties go to the smallest index. ``adjacency`` is symmetric int8 without loops. Returns (order,
    width), width being the most neighbours a node had when its turn came (0 for no nodes).

    The fill-in of every node is kept up to date: adding the edge u — w takes one missing pair from each
    common neighbour, and gives u a missing pair with each of its neighbours that w does not have.
    Hence O(d) an added edge, O(d³) in all.
    """
    d = adjacency.shape[0]
    a = adjacency.copy()
    degree = np.zeros(d, np.int64)
    fill = np.zeros(d, np.int64)  # pairs of neighbours that are not adjacent
    for u in range(d):
        for w in range(d):
            degree[u] += a[u, w]
    for u in range(d):
        fill[u] = degree[u] * (degree[u] - 1)
        for w in range(d):
            if a[u, w]:
                fill[u] -= _common(a[u], a[w])
        fill[u] //= 2
    order = np.empty(d, np.int64)
    alive = np.ones(d, np.bool_)
    around = np.empty(d, np.int64)
    width = 0
    for place in range(d):
        v = -1
        for u in range(d):
            if alive[u] and (v < 0 or fill[u] < fill[v]):
                v = u
        order[place] = v
        width = max(width, degree[v])
        count = 0
        for u in range(d):
            if a[v, u]:
                around[count] = u
                count += 1
        for i in range(count):
            if fill[v] == 0:
                break
            for j in range(i):
                if not a[around[i], around[j]]:
                    _join(a, degree, fill, around[i], around[j])
        # v leaves: each neighbour loses its pairs of v with a node that v does not know
        for i in range(count):
            u = around[i]
            fill[u] -= degree[u] - 1 - _common(a[u], a[v])
            degree[u] -= 1
        for i in range(count):
            a[around[i], v] = 0
            a[v, around[i]] = 0
        alive[v] = False
    return order, width


@njit(cache=True)
def _common(row, other):
    """Number of places where both rows hold 1."""
    total = 0
    for c in range(row.shape[0]):
        total += row[c] & other[c]
    return total


@njit(cache=True)
def _join(a, degree, fill, u, w):
    """Add the edge u — w."""
    common = 0
    for c in range(a.shape[0]):
        both = a[u, c] & a[w, c]
        fill[c] -= both
        common += both
    fill[u] += degree[u] - common
    fill[w] += degree[w] - common
    degree[u] += 1
    degree[w] += 1
    a[u, w] = 1
    a[w, u] = 1
