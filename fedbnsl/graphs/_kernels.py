"""Compiled graph kernels on int8 adjacency matrices (see graph.Graph for the convention)."""

import functools
import sys

import numpy as np

PLAIN_ENTRIES = 200_000  # matrix entries that a function goes through before numba is loaded: some .2 s


def plain_at_first(plain, compiled):
    """``plain`` until it has gone through so many matrix entries, then what ``compiled()`` returns.

    Loading numba and a compiled function takes a second of CPU time even from the cache, more than most
    jobs spend on all their graphs. Where numba is there already, compiled code is used at once. Both must
    give the same; their first argument is the adjacency matrix.
    """
    seen, fast = 0, None

    @functools.wraps(plain)
    def call(a, *rest):
        nonlocal seen, fast
        if fast is None:
            seen += a.size
            if seen <= PLAIN_ENTRIES and "numba" not in sys.modules:
                return plain(a, *rest)
            fast = compiled()
        return fast(a, *rest)

    return call


def compiled_when_busy(function):
    """The function itself at first, and its compiled form once it has much to do."""

    def compiled():
        from numba import njit

        return njit(cache=True)(function)

    return plain_at_first(function, compiled)


@compiled_when_busy
def topological_order(a):
    """Kahn's algorithm, smallest index first. Fewer than d entries ≥ 0 mean a cycle (rest −1)."""
    d = a.shape[0]
    indegree = np.zeros(d, np.int64)
    for i in range(d):
        for j in range(d):
            indegree[j] += a[i, j]
    order = np.full(d, -1, np.int64)
    done = np.zeros(d, np.bool_)
    for place in range(d):
        node = -1
        for i in range(d):
            if not done[i] and indegree[i] == 0:
                node = i
                break
        if node < 0:
            return order
        done[node] = True
        order[place] = node
        for j in range(d):
            if a[node, j]:
                indegree[j] -= 1
    return order


@compiled_when_busy
def ancestors(a, start):
    """Closure of the boolean mask ``start`` under parents."""
    d = a.shape[0]
    seen = start.copy()
    stack = np.empty(d, np.int64)
    top = 0
    for i in range(d):
        if seen[i]:
            stack[top] = i
            top += 1
    while top:
        top -= 1
        node = stack[top]
        for p in range(d):
            if a[p, node] and not seen[p]:
                seen[p] = True
                stack[top] = p
                top += 1
    return seen


@compiled_when_busy
def moralize(a):
    """Symmetric matrix: adjacencies of a DAG plus pairs of parents of a common child."""
    d = a.shape[0]
    m = np.zeros((d, d), np.int8)
    parents = np.empty(d, np.int64)
    for child in range(d):
        count = 0
        for p in range(d):
            if a[p, child]:
                parents[count] = p
                count += 1
        for i in range(count):
            m[parents[i], child] = 1
            m[child, parents[i]] = 1
            for j in range(i):
                m[parents[i], parents[j]] = 1
                m[parents[j], parents[i]] = 1
    return m


@compiled_when_busy
def compelled(a, order):
    """Compelled arcs of a DAG (Chickering 1995, label-edges): 1 where i → j is in every equivalent DAG."""
    d = a.shape[0]
    label = np.zeros((d, d), np.int8)  # 0 unknown, 1 compelled, 2 reversible
    place = np.empty(d, np.int64)
    for k in range(d):
        place[order[k]] = k
    for k in range(d):
        y = order[k]
        # the arcs into y, from the latest parent in the order to the earliest
        for kx in range(k - 1, -1, -1):
            x = order[kx]
            if not a[x, y] or label[x, y] != 0:
                continue
            settled = False
            for kw in range(kx):
                w = order[kw]
                if label[w, x] == 1:
                    if not a[w, y]:
                        for p in range(d):
                            if a[p, y]:
                                label[p, y] = 1
                        settled = True
                        break
                    label[w, y] = 1
            if settled:
                continue
            outside = False
            for z in range(d):
                if a[z, y] and z != x and not a[z, x]:
                    outside = True
                    break
            mark = 1 if outside else 2
            for p in range(d):
                if a[p, y] and label[p, y] == 0:
                    label[p, y] = mark
    out = np.zeros((d, d), np.int8)
    for i in range(d):
        for j in range(d):
            if label[i, j] == 1:
                out[i, j] = 1
    return out


@compiled_when_busy
def extend(p, rank):
    """Dor–Tarsi: a DAG that extends the PDAG ``p``; among eligible sinks the one of highest rank.

    Returns (dag, ok); ``ok`` is False when no consistent extension exists (or ``p`` has a loop).
    """
    d = p.shape[0]
    work = p.copy()
    out = np.zeros((d, d), np.int8)
    leaving = np.zeros(d, np.int64)  # arcs out of a node, loops included: such a node is no sink
    for i in range(d):
        leaving[i] += p[i, i]
        for j in range(d):
            if p[i, j] and not p[j, i]:
                out[i, j] = 1
                leaving[i] += 1
    by_rank = np.argsort(-rank, kind="mergesort")
    gone = np.zeros(d, np.bool_)
    for _ in range(d):
        chosen = -1
        for k in range(d):
            x = by_rank[k]
            if gone[x] or leaving[x]:
                continue
            good = True
            for y in range(d):
                if work[x, y] and work[y, x]:
                    # an undirected neighbour must be adjacent to all that is adjacent to x
                    for z in range(d):
                        if z != y and (work[z, x] or work[x, z]) and not (work[z, y] or work[y, z]):
                            good = False
                            break
                if not good:
                    break
            if good:
                chosen = x
                break
        if chosen < 0:
            return out, False
        for y in range(d):
            if work[y, chosen]:
                if work[chosen, y]:
                    out[y, chosen] = 1
                else:
                    leaving[y] -= 1
            work[chosen, y] = 0
            work[y, chosen] = 0
        gone[chosen] = True
    return out, True
