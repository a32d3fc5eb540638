"""Compiled kernels on bit rows (see _bits): node order and minimal I-maps."""

import numpy as np
from numba import njit

from fedbnsl.consensus._bits import (
    add,
    ancestor_rows,
    clear,
    drop,
    has,
    members,
    minus,
    moral_row,
    size,
    transpose,
    unite,
)


@njit(cache=True)
def sink_cost(x, parents, children, adjacent):
    """Arcs to add and to reverse for turning ``x`` into a sink, counted once for each child."""
    d, words = parents.shape
    nodes = np.empty(d, np.int64)
    row = np.empty(words, np.uint64)
    spouses = np.zeros(words, np.uint64)
    n_children = members(children[x], nodes)
    cost = n_children - 1
    for k in range(n_children):
        c = nodes[k]
        minus(parents[x], adjacent[c], row)
        cost += size(row)
        unite(spouses, parents[c])
    drop(spouses, x)
    minus(spouses, adjacent[x], spouses)
    return cost + size(spouses)


@njit(cache=True)
def turn_into_sink(x, parents, children, adjacent):
    """Reverse the arcs that leave ``x``, covering each first; then take ``x`` out of the graph."""
    d = parents.shape[0]
    nodes = np.empty(d, np.int64)
    others = np.empty(d, np.int64)
    while True:
        n_children = members(children[x], nodes)
        if not n_children:
            break
        for k in range(n_children):
            c = nodes[k]
            if not _reaches(children, x, c):
                break
        for k in range(members(parents[x], others)):
            _add_arc(others[k], c, parents, children, adjacent)
        for k in range(members(parents[c], others)):
            if others[k] != x:
                _add_arc(others[k], x, parents, children, adjacent)
        drop(parents[c], x)
        drop(children[x], c)
        _add_arc(c, x, parents, children, adjacent)
    for k in range(members(parents[x], nodes)):
        drop(children[nodes[k]], x)
        drop(adjacent[nodes[k]], x)
    clear(parents[x])
    clear(adjacent[x])


@njit(cache=True)
def _add_arc(a, b, parents, children, adjacent):
    add(parents[b], a)
    add(children[a], b)
    add(adjacent[a], b)
    add(adjacent[b], a)


@njit(cache=True)
def _reaches(children, x, c):
    """Whether a directed path of two arcs or more leads from ``x`` to its child ``c``."""
    d = children.shape[0]
    stack = np.empty(d, np.int64)
    nodes = np.empty(d, np.int64)
    row = np.empty(children.shape[1], np.uint64)
    seen = children[x].copy()
    drop(seen, c)
    top = members(seen, stack)
    while top:
        top -= 1
        u = stack[top]
        if has(children[u], c):
            return True
        minus(children[u], seen, row)
        for k in range(members(row, nodes)):
            add(seen, nodes[k])
            stack[top] = nodes[k]
            top += 1
    return False


@njit(cache=True)
def node_order(parents):
    """Order of the nodes of r DAGs, built from its last element; see order.node_order."""
    r, d, _ = parents.shape
    parents = parents.copy()
    children = np.empty_like(parents)
    adjacent = parents.copy()
    for i in range(r):
        transpose(parents[i], children[i])
        for v in range(d):
            unite(adjacent[i, v], children[i, v])
    order = np.empty(d, np.int64)
    taken = np.zeros(d, np.bool_)
    for place in range(d - 1, -1, -1):
        best, best_cost = -1, 0
        for x in range(d):
            if taken[x]:
                continue
            cost = 0
            for i in range(r):
                cost += sink_cost(x, parents[i], children[i], adjacent[i])
            if best < 0 or cost < best_cost:
                best, best_cost = x, cost
        for i in range(r):
            turn_into_sink(best, parents[i], children[i], adjacent[i])
        taken[best] = True
        order[place] = best
    return order


@njit(cache=True)
def minimal_imap(parents, topological, order):
    """Parent rows of the minimal I-map of a DAG that respects ``order``; see imap.minimal_imap."""
    d, words = parents.shape
    children = np.empty_like(parents)
    transpose(parents, children)
    ancestors = np.empty_like(parents)
    ancestor_rows(parents, topological, ancestors)
    out = np.zeros_like(parents)
    before = np.zeros(words, np.uint64)
    inside = np.zeros(words, np.uint64)
    seen = np.empty(words, np.uint64)
    row = np.empty(words, np.uint64)
    queue = np.empty(d, np.int64)
    nodes = np.empty(d, np.int64)
    for x in order:
        unite(inside, ancestors[x])
        clear(seen)
        add(seen, x)
        queue[0] = x
        head, tail = 0, 1
        while head < tail:
            moral_row(queue[head], inside, parents, children, row)
            head += 1
            minus(row, seen, row)
            unite(seen, row)
            minus(row, before, row)  # a predecessor ends the path
            for k in range(members(row, nodes)):
                queue[tail] = nodes[k]
                tail += 1
        for w in range(words):
            out[x, w] = seen[w] & before[w]
        add(before, x)
    return out
