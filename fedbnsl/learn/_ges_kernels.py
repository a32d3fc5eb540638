"""Compiled kernels of greedy equivalence search: operators on a CPDAG held as rows of bits.

A *group* is one (y, C) with all the x that Insert(x, y, T) may join to y where T = C minus what is adjacent
to x; in the backward phase a group is one operator. Scores come from outside: :func:`advance` stops with the
groups that need some, and goes on when they are filled in.

With background knowledge an operator counts only if :func:`refine` finds a member of the class after it that
keeps the knowledge. That is tried on the best operator alone, just before it is carried out.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

FORWARD, BACKWARD = 0, 1
DONE, SCORES, APPLIED, MORE_GROUPS, MORE_CLIQUES = 0, 1, 2, 3, 4
# places in State.numbers
FREE, N_FREE, N_REQUESTS, MAX_PARENTS, INFORMED = 0, 1, 2, 3, 4
_BOUND, _BLOCKED, _VALID, _DOUBTFUL = 0, 1, 2, 3  # what a group's value is: see State.status
_FROM, _INTO, _REQUIRED = 0, 1, 2  # places in State.knowledge


class State(NamedTuple):
    """The graph and its groups; d nodes, w words a row, at most g groups."""

    parents: np.ndarray  # (d, w) directed edges by head
    children: np.ndarray  # (d, w) directed edges by tail
    neighbours: np.ndarray  # (d, w) undirected edges
    dirty: np.ndarray  # (d,) 1: the groups must be made anew, 2: they wait for scores
    first: np.ndarray  # (d,) head of a node's list of groups, in order of C
    best: np.ndarray  # (d,) largest value among a node's groups
    best_group: np.ndarray  # (d,)
    numbers: np.ndarray  # (5,) see above; INFORMED: whether there is background knowledge
    knowledge: np.ndarray  # (3, d, w) directed edges not allowed by tail, by head; ends of required ones
    following: np.ndarray  # (g,) next group in the list
    owner: np.ndarray  # (g,) y
    clique: np.ndarray  # (g, w) C
    base: np.ndarray  # (g, w) parents of y without x
    among: np.ndarray  # (g, w) the x of the group
    need: np.ndarray  # (g, w) those whose gain is unknown
    reach: np.ndarray  # (g, w) what semi-directed paths from y that avoid C reach
    gains: np.ndarray  # (g, d) gain of adding x to the base of y, nan if unknown
    value: np.ndarray  # (g,) an upper bound of what the group offers, or just that
    choice: np.ndarray  # (g,) the x of that value
    status: np.ndarray  # (g,) bound only, true value below a blocked one, true and largest, or true as far
    # as refine() goes, whose answer any change of the graph may change
    barred: np.ndarray  # (g, w) the x whose Insert knowledge rules out (informed searches only)
    requests: np.ndarray  # (g,) groups that need scores
    cliques: np.ndarray  # (c, w) scratch


# --- bits ------------------------------------------------------------------------------------------


@intrinsic
def _ones(_context, word):
    return types.uint64(types.uint64), lambda context, builder, signature, given: builder.ctpop(given[0])


@intrinsic
def _lowest(_context, word):
    def generate(context, builder, signature, given):
        return builder.cttz(given[0], context.get_constant(types.boolean, 0))

    return types.uint64(types.uint64), generate


@njit(cache=True)
def _has(row, k):
    return (row[k >> 6] >> np.uint64(k & 63)) & np.uint64(1) != 0


@njit(cache=True)
def _put(row, k):
    row[k >> 6] |= np.uint64(1) << np.uint64(k & 63)


@njit(cache=True)
def _drop(row, k):
    row[k >> 6] &= ~(np.uint64(1) << np.uint64(k & 63))


@njit(cache=True)
def _size(row):
    total = 0
    for i in range(row.shape[0]):
        total += np.int64(_ones(row[i]))
    return total


@njit(cache=True)
def _any(row):
    for i in range(row.shape[0]):  # noqa: SIM110
        if row[i]:
            return True
    return False


@njit(cache=True)
def _meets(a, b):
    for i in range(a.shape[0]):  # noqa: SIM110
        if a[i] & b[i]:
            return True
    return False


@njit(cache=True)
def _within(a, b):
    for i in range(a.shape[0]):  # noqa: SIM110
        if a[i] & ~b[i]:
            return False
    return True


@njit(cache=True)
def _same(a, b):
    for i in range(a.shape[0]):  # noqa: SIM110
        if a[i] != b[i]:
            return False
    return True


@njit(cache=True)
def _copy(row, out):
    for i in range(row.shape[0]):
        out[i] = row[i]


@njit(cache=True)
def _clear(row):
    for i in range(row.shape[0]):
        row[i] = np.uint64(0)


@njit(cache=True)
def _members(row, out):
    """The set bits, ascending, into ``out``; returns how many."""
    count = 0
    for i in range(row.shape[0]):
        word = row[i]
        while word:
            out[count] = (i << 6) + np.int64(_lowest(word))
            count += 1
            word &= word - np.uint64(1)
    return count


@njit(cache=True)
def _adjacent(s, v, out):
    for i in range(out.shape[0]):
        out[i] = s.parents[v, i] | s.children[v, i] | s.neighbours[v, i]


# --- groups ----------------------------------------------------------------------------------------


@njit(cache=True)
def list_cliques(s, within, largest):
    """All cliques of up to ``largest`` nodes of ``within`` into s.cliques, lexicographically, ∅ first.

    Returns how many, or −1 if there is no room for them.
    """
    d, words = s.parents.shape
    if largest < 0:
        return 0
    members = np.empty(d, np.int64)
    n = _members(within, members)
    adjacent = np.empty((n, words), np.uint64)
    for i in range(n):
        _adjacent(s, members[i], adjacent[i])
    current = np.zeros(words, np.uint64)
    place = np.empty(n + 1, np.int64)
    _clear(s.cliques[0])
    count, depth, i = 1, 0, 0
    while True:
        if depth < largest:
            while i < n and not _within(current, adjacent[i]):
                i += 1
        else:
            i = n
        if i < n:
            if count == s.cliques.shape[0]:
                return -1
            _put(current, members[i])
            _copy(current, s.cliques[count])
            count += 1
            place[depth] = i
            depth += 1
        else:
            if depth == 0:
                return count
            depth -= 1
            i = place[depth]
            _drop(current, members[i])
        i += 1


@njit(cache=True)
def _claim(s, old, base, x):
    """Take the group with this base (and this x, unless −1) out of the list ``old``, or a free group.

    Returns (group, new head of the list).
    """
    before, group = -1, old
    while group >= 0:
        if (x < 0 or s.choice[group] == x) and _same(s.base[group], base):
            if before < 0:
                old = s.following[group]
            else:
                s.following[before] = s.following[group]
            return group, old
        before, group = group, s.following[group]
    group = s.numbers[FREE]
    s.numbers[FREE] = s.following[group]
    s.numbers[N_FREE] -= 1
    if x < 0:
        for other in range(s.gains.shape[1]):
            s.gains[group, other] = np.nan
    else:
        s.gains[group, x] = np.nan
    return group, old


@njit(cache=True)
def _release(s, group):
    """Free a list of groups."""
    while group >= 0:
        after = s.following[group]
        s.following[group] = s.numbers[FREE]
        s.numbers[FREE] = group
        s.numbers[N_FREE] += 1
        group = after


@njit(cache=True)
def _link(s, y, group, tail):
    s.owner[group] = y
    s.following[group] = -1
    if tail < 0:
        s.first[y] = group
    else:
        s.following[tail] = group


@njit(cache=True)
def _ask(s, group):
    s.requests[s.numbers[N_REQUESTS]] = group
    s.numbers[N_REQUESTS] += 1


@njit(cache=True)
def _make_inserts(s, y):
    """The groups of Insert operators into y; returns 0 or which room is short."""
    d, words = s.parents.shape
    count = list_cliques(s, s.neighbours[y], s.numbers[MAX_PARENTS] - _size(s.parents[y]) - 1)
    if count < 0:
        return MORE_CLIQUES
    if count > s.numbers[N_FREE]:
        return MORE_GROUPS
    members = np.empty(d, np.int64)
    n = _members(s.neighbours[y], members)
    around = np.empty((n, words), np.uint64)
    for i in range(n):
        _adjacent(s, members[i], around[i])
    apart = np.zeros(words, np.uint64)
    base = np.zeros(words, np.uint64)
    among = np.zeros(words, np.uint64)
    others = np.zeros(words, np.uint64)
    _adjacent(s, y, apart)
    _put(apart, y)
    for i in range(words):  # what knowledge keeps apart from y is no candidate at all
        apart[i] |= s.knowledge[_FROM, y, i] & s.knowledge[_INTO, y, i]
    for x in range(d):
        if not _has(apart, x):
            _put(others, x)
    old, s.first[y], tail = s.first[y], -1, -1
    for k in range(count):
        clique = s.cliques[k]
        _copy(others, among)
        for i in range(n):
            if not _has(clique, members[i]):  # a neighbour of y next to x must be in C
                for j in range(words):
                    among[j] &= ~around[i, j]
        if not _any(among):
            continue
        for i in range(words):
            base[i] = s.parents[y, i] | clique[i]
        group, old = _claim(s, old, base, -1)
        _copy(clique, s.clique[group])
        _copy(base, s.base[group])
        _copy(among, s.among[group])
        _link(s, y, group, tail)
        tail = group
        missing = False
        for i in range(words):
            word, unknown = among[i], np.uint64(0)
            while word:
                bit = _lowest(word)
                if np.isnan(s.gains[group, (i << 6) + np.int64(bit)]):
                    unknown |= np.uint64(1) << bit
                word &= word - np.uint64(1)
            s.need[group, i] = unknown
            missing |= unknown != 0
        if missing:
            _ask(s, group)
    _release(s, old)
    return 0


@njit(cache=True)
def _make_deletes(s, y):
    """The Delete operators at y, by x and then by C = what stays of the common neighbours."""
    d, words = s.parents.shape
    ends = np.empty(words, np.uint64)
    common = np.empty(words, np.uint64)
    adjacent = np.empty(words, np.uint64)
    base = np.empty(words, np.uint64)
    members = np.empty(d, np.int64)
    for i in range(words):
        ends[i] = (s.parents[y, i] | s.neighbours[y, i]) & ~s.knowledge[_REQUIRED, y, i]
    total = 0
    for place in range(_members(ends, members)):
        _adjacent(s, members[place], adjacent)
        for i in range(words):
            common[i] = s.neighbours[y, i] & adjacent[i]
        count = list_cliques(s, common, d)
        if count < 0:
            return MORE_CLIQUES
        total += count
    if total > s.numbers[N_FREE]:
        return MORE_GROUPS
    old, s.first[y], tail = s.first[y], -1, -1
    for place in range(_members(ends, members)):
        x = members[place]
        _adjacent(s, x, adjacent)
        for i in range(words):
            common[i] = s.neighbours[y, i] & adjacent[i]
        for k in range(list_cliques(s, common, d)):
            for i in range(words):
                base[i] = s.parents[y, i] | s.cliques[k, i]
            _drop(base, x)
            group, old = _claim(s, old, base, x)
            s.choice[group] = x
            _copy(s.cliques[k], s.clique[group])
            _copy(base, s.base[group])
            _link(s, y, group, tail)
            tail = group
            _clear(s.need[group])
            if np.isnan(s.gains[group, x]):
                _put(s.need[group], x)
                _ask(s, group)
    _release(s, old)
    return 0


@njit(cache=True)
def _set_bound(s, group):
    """Best gain of an Insert group, whether or not paths block it."""
    best, choice = 0.0, -1
    for i in range(s.among.shape[1]):
        word = s.among[group, i]
        while word:
            x = (i << 6) + np.int64(_lowest(word))
            if s.gains[group, x] > best:
                best, choice = s.gains[group, x], x
            word &= word - np.uint64(1)
    s.value[group], s.choice[group], s.status[group] = best, choice, _BOUND
    if s.numbers[INFORMED]:
        _clear(s.barred[group])


@njit(cache=True)
def semi_directed(s, y, avoided, out):
    """Nodes that paths from y along or between (never against) edges reach without entering ``avoided``."""
    d, words = s.parents.shape
    stack = np.empty(d, np.int64)
    stack[0] = y
    top = 1
    _clear(out)
    _put(out, y)
    while top:
        top -= 1
        v = stack[top]
        for i in range(words):
            word = (s.children[v, i] | s.neighbours[v, i]) & ~out[i] & ~avoided[i]
            out[i] |= word
            while word:
                stack[top] = (i << 6) + np.int64(_lowest(word))
                top += 1
                word &= word - np.uint64(1)


@njit(cache=True)
def _verify(s, group):
    """Replace the bound of an Insert group by its best gain that neither a path nor knowledge blocks."""
    semi_directed(s, s.owner[group], s.clique[group], s.reach[group])
    _offer(s, group)


@njit(cache=True)
def _offer(s, group):
    """The same with the paths known."""
    informed = s.numbers[INFORMED] != 0
    best, choice, status = 0.0, -1, _VALID
    for i in range(s.among.shape[1]):
        word = s.among[group, i]
        while word:
            x = (i << 6) + np.int64(_lowest(word))
            if s.gains[group, x] > 0.0 and _has(s.reach[group], x):
                status = _BLOCKED
            elif s.gains[group, x] > best and not (informed and _ruled_out(s, group, x)):
                best, choice = s.gains[group, x], x
            word &= word - np.uint64(1)
    s.value[group], s.choice[group], s.status[group] = best, choice, status


@njit(cache=True)
def _ruled_out(s, group, x):
    """Whether Insert(x, y) is barred, or the edges at x and y alone show that it must be.

    The class after a valid Insert has a DAG where C and the parents of y point to y, x → y, and the other
    neighbours of y are its children. All its DAGs have the same v-structures.
    """
    if _has(s.barred[group], x):
        return True
    y = s.owner[group]
    collides = barred = False
    for i in range(s.parents.shape[1]):
        near_x = s.parents[x, i] | s.children[x, i] | s.neighbours[x, i]
        apart = (s.parents[y, i] | s.clique[group, i]) & ~near_x  # a v-structure with x at y
        collides |= apart != 0
        barred |= apart & s.knowledge[_INTO, y, i] != 0
    if _has(s.knowledge[_INTO, y], x):
        barred |= collides
        for i in range(s.parents.shape[1]):  # with y → x: a new v-structure at x
            near_y = s.parents[y, i] | s.children[y, i] | s.neighbours[y, i]
            into_x = s.parents[x, i] | s.neighbours[x, i] & s.knowledge[_FROM, x, i]
            barred |= into_x & ~near_y != 0
    if collides or _has(s.knowledge[_FROM, y], x):
        for i in range(s.parents.shape[1]):  # with x → y: a new v-structure at y
            barred |= s.neighbours[y, i] & ~s.clique[group, i] & s.knowledge[_FROM, y, i] != 0
    if barred:
        _put(s.barred[group], x)
    return barred


@njit(cache=True)
def _refresh(s, y):
    """A node's best group: the first of largest value."""
    best, chosen = 0.0, -1
    group = s.first[y]
    while group >= 0:
        if s.value[group] > best:
            best, chosen = s.value[group], group
        group = s.following[group]
    s.best[y], s.best_group[y] = best, chosen


# --- background knowledge --------------------------------------------------------------------------


@njit(cache=True)
def _direct(parents, children, neighbours, avoid_from, x, y, arcs, n):
    """Make x — y the arc x → y; returns the number of arcs listed, or −1 if it is not allowed."""
    if not _has(neighbours[x], y):
        return n
    if _has(avoid_from[x], y):
        return -1
    _drop(neighbours[x], y)
    _drop(neighbours[y], x)
    _put(children[x], y)
    _put(parents[y], x)
    arcs[n, 0], arcs[n, 1] = x, y
    return n + 1


@njit(cache=True)
def _conclude(parents, children, neighbours, avoid_from, x, y, arcs, n):
    """Apply Meek's rules (1995) with the new arc x → y in them; returns as :func:`_direct` does.

    Rule 3 is about v-structures, whose consequences a CPDAG has from the start, and there are no new ones.
    In rule 4, y → b cannot be the newer arc of the two, for x → y gives it by rule 1.
    In the comments, nodes that are not shown as joined are not.
    """
    d, words = parents.shape
    near_x = np.empty(words, np.uint64)
    some = np.empty(words, np.uint64)
    outer, inner = np.empty((2, d), np.int64)
    for i in range(words):
        near_x[i] = parents[x, i] | children[x, i] | neighbours[x, i]
    # rule 1: x → y — c gives y → c
    for i in range(words):
        some[i] = neighbours[y, i] & ~near_x[i]
    for k in range(_members(some, inner)):
        n = _direct(parents, children, neighbours, avoid_from, y, inner[k], arcs, n)
        if n < 0:
            return n
    # rule 2: x → y → c and x — c give x → c; w → x → y and w — y give w → y
    for i in range(words):
        some[i] = neighbours[x, i] & children[y, i]
    for k in range(_members(some, inner)):
        n = _direct(parents, children, neighbours, avoid_from, x, inner[k], arcs, n)
        if n < 0:
            return n
    for i in range(words):
        some[i] = parents[x, i] & neighbours[y, i]
    for k in range(_members(some, inner)):
        n = _direct(parents, children, neighbours, avoid_from, inner[k], y, arcs, n)
        if n < 0:
            return n
    # rule 4: x → y → b, a — x and a — b give a → b (a is next to y: a circle of four has a chord)
    for i in range(words):
        some[i] = children[y, i] & ~near_x[i]
    for j in range(_members(some, outer)):
        b = outer[j]
        for i in range(words):
            some[i] = neighbours[x, i] & neighbours[b, i]
        for k in range(_members(some, inner)):
            n = _direct(parents, children, neighbours, avoid_from, inner[k], b, arcs, n)
            if n < 0:
                return n
    return n


@njit(cache=True)
def refine(parents, children, neighbours, avoid_from):
    """Direct the edges of a CPDAG that the knowledge decides, in place; whether the class can keep it.

    The arcs that the knowledge gives are added one by one, each followed by all that Meek's rules
    conclude. Then every edge that is still undirected has both directions among the DAGs left, so the
    knowledge can be kept until an arc meets its own opposite, and only until then.
    """
    d = parents.shape[0]
    edges = 0
    for v in range(d):
        if _meets(children[v], avoid_from[v]):
            return False
        edges += _size(neighbours[v])
    arcs = np.empty((edges // 2, 2), np.int64)
    members = np.empty(d, np.int64)
    n = done = 0
    for v in range(d):
        for k in range(_members(neighbours[v], members)):
            u = members[k]
            if not _has(avoid_from[v], u):
                continue
            n = _direct(parents, children, neighbours, avoid_from, u, v, arcs, n)
            if n < 0:
                return False
            while done < n:
                x, y = arcs[done, 0], arcs[done, 1]
                done += 1
                n = _conclude(parents, children, neighbours, avoid_from, x, y, arcs, n)
                if n < 0:
                    return False
    return True


# --- changing the graph ----------------------------------------------------------------------------


@njit(cache=True)
def _search_ranks(s, start, n_start):
    """Maximum cardinality search on the undirected edges, visiting the clique ``start`` first.

    Directing every undirected edge from the lower to the higher rank gives a DAG of the class.
    """
    d = s.parents.shape[0]
    rank = np.full(d, -1, np.int64)
    members = np.empty(d, np.int64)
    entries = d
    for v in range(d):
        entries += _size(s.neighbours[v])
    # Stacks by number of visited neighbours; an entry whose number is out of date is skipped.
    head = np.full(d + 1, -1, np.int64)
    below = np.empty(entries, np.int64)
    node = np.empty(entries, np.int64)
    visited = np.zeros(d, np.int64)
    used, top, time = 0, 0, 0
    for v in range(d - 1, -1, -1):
        if _any(s.neighbours[v]):
            node[used], below[used], head[0] = v, head[0], used
            used += 1
    turn = 0
    while True:
        if turn < n_start:
            v = start[turn]
            turn += 1
        else:
            while top >= 0 and head[top] < 0:
                top -= 1
            if top < 0:
                return rank
            entry = head[top]
            head[top] = below[entry]
            v = node[entry]
            if rank[v] >= 0 or visited[v] != top:
                continue
        rank[v] = time
        time += 1
        for k in range(_members(s.neighbours[v], members)):
            u = members[k]
            if rank[u] < 0:
                visited[u] += 1
                node[used], below[used], head[visited[u]] = u, head[visited[u]], used
                used += 1
                top = max(top, visited[u])


@njit(cache=True)
def complete(dag, parents, children, neighbours):
    """CPDAG of a DAG given by parent rows.

    Chickering (1995): of the edges into y the one from the last parent x in topological order decides.
    If an edge into x is compelled and its tail is no parent of y, or y has a parent that x has not, all
    edges into y are compelled; else those whose tails are compelled parents of x.
    """
    d, words = dag.shape
    members = np.empty(d, np.int64)
    order = np.empty(d, np.int64)
    place = np.empty(d, np.int64)
    waiting = np.empty(d, np.int64)
    below = np.zeros((d, words), np.uint64)
    for y in range(d):
        waiting[y] = _members(dag[y], members)
        for k in range(waiting[y]):
            _put(below[members[k]], y)
    end = 0
    for y in range(d):
        if waiting[y] == 0:
            order[end] = y
            end += 1
    for y in range(d):
        _clear(parents[y])
        _clear(children[y])
        _clear(neighbours[y])
    for k in range(d):
        y = order[k]
        place[y] = k
        for i in range(_members(below[y], members)):
            v = members[i]
            waiting[v] -= 1
            if waiting[v] == 0:
                order[end] = v
                end += 1
        n = _members(dag[y], members)
        if n == 0:
            continue
        x = members[0]
        for i in range(1, n):
            if place[members[i]] > place[x]:
                x = members[i]
        compelled = not _within(parents[x], dag[y])
        for i in range(n):
            compelled |= members[i] != x and not _has(dag[x], members[i])
        for i in range(n):
            p = members[i]
            if compelled or _has(parents[x], p):
                _put(parents[y], p)
                _put(children[p], y)
            else:
                _put(neighbours[y], p)
                _put(neighbours[p], y)


@njit(cache=True)
def _class_after(s, group, phase, parents, children, neighbours):
    """The CPDAG that the group's operator leads to."""
    d, words = s.parents.shape
    x, y = s.choice[group], s.owner[group]
    start = np.empty(d, np.int64)
    n_start = _members(s.clique[group], start)
    if phase == BACKWARD and _has(s.neighbours[y], x):
        start[n_start] = x
        n_start += 1
    start[n_start] = y
    rank = _search_ranks(s, start, n_start + 1)
    members = np.empty(d, np.int64)
    dag = np.empty((d, words), np.uint64)
    for v in range(d):
        _copy(s.parents[v], dag[v])
        for k in range(_members(s.neighbours[v], members)):
            if rank[members[k]] < rank[v]:
                _put(dag[v], members[k])
    if phase == BACKWARD:
        _drop(dag[y], x)
    else:
        _put(dag[y], x)
    complete(dag, parents, children, neighbours)


@njit(cache=True)
def _apply(s, group, phase):
    """Carry out the group's operator and mark what it makes out of date; False if knowledge bars it."""
    d, words = s.parents.shape
    x, y = s.choice[group], s.owner[group]
    informed = s.numbers[INFORMED] != 0
    parents = np.empty((d, words), np.uint64)
    children = np.empty((d, words), np.uint64)
    neighbours = np.empty((d, words), np.uint64)
    _class_after(s, group, phase, parents, children, neighbours)
    if informed and not refine(parents.copy(), children.copy(), neighbours.copy(), s.knowledge[_FROM]):
        return False
    members = np.empty(d, np.int64)
    grown, shrunk, changed = np.zeros((3, words), np.uint64)  # nodes that gained or lost a way out, or any
    for v in range(d):
        for i in range(words):
            old, new = s.children[v, i] | s.neighbours[v, i], children[v, i] | neighbours[v, i]
            if new & ~old:
                _put(grown, v)
            if old & ~new:
                _put(shrunk, v)
            if s.parents[v, i] != parents[v, i] or s.neighbours[v, i] != neighbours[v, i]:
                s.dirty[v] = 1
        if s.dirty[v] or not _same(s.children[v], children[v]):
            _put(changed, v)
    for v in range(d):
        _copy(parents[v], s.parents[v])
        _copy(children[v], s.children[v])
        _copy(neighbours[v], s.neighbours[v])
    for end in (x, y):
        s.dirty[end] = 1
        for k in range(_members(neighbours[end], members)):
            s.dirty[members[k]] = 1
    for v in range(d):
        if s.dirty[v] == 0:
            if phase == FORWARD:
                _loosen(s, v, grown, shrunk, changed)
            elif informed:
                _restore(s, v)
    return True


@njit(cache=True)
def _loosen(s, y, grown, shrunk, changed):
    """Values of Insert groups of y become bounds where what they rest on may have changed."""
    informed = s.numbers[INFORMED] != 0
    larger = False
    group = s.first[y]
    while group >= 0:
        if (s.status[group] == _BLOCKED and _meets(s.reach[group], shrunk)) or (
            informed and (s.status[group] == _DOUBTFUL or _meets(s.barred[group], changed))
        ):
            _set_bound(s, group)
            larger = True
        elif s.status[group] != _BOUND and _meets(s.reach[group], grown):
            s.status[group] = _BOUND
        group = s.following[group]
    if larger:
        _refresh(s, y)


@njit(cache=True)
def _restore(s, y):
    """Delete operators of y that knowledge barred get their values back: it may not any more."""
    found = False
    group = s.first[y]
    while group >= 0:
        if s.status[group] == _DOUBTFUL:
            s.value[group], s.status[group] = -s.gains[group, s.choice[group]], _VALID
            found = True
        group = s.following[group]
    if found:
        _refresh(s, y)


@njit(cache=True)
def _bar(s, group, phase):
    """Take the group's best operator out until the graph has changed."""
    if phase == FORWARD:
        _put(s.barred[group], s.choice[group])
        _offer(s, group)
    else:
        s.value[group] = 0.0
    s.status[group] = _DOUBTFUL


@njit(cache=True)
def advance(s, phase):
    """One step of a phase: returns APPLIED, DONE, or what it needs before it can be called again."""
    d = s.parents.shape[0]
    for y in range(d):
        if s.dirty[y] == 1:
            short = _make_inserts(s, y) if phase == FORWARD else _make_deletes(s, y)
            if short:
                return short
            s.dirty[y] = 2
    if s.numbers[N_REQUESTS]:
        return SCORES
    for y in range(d):
        if s.dirty[y] == 2:
            group = s.first[y]
            while group >= 0:
                if phase == FORWARD:
                    _set_bound(s, group)
                else:
                    s.value[group], s.status[group] = -s.gains[group, s.choice[group]], _VALID
                group = s.following[group]
            _refresh(s, y)
            s.dirty[y] = 0
    while True:
        y = 0
        for v in range(d):
            if s.best[v] > s.best[y]:
                y = v
        if not s.best[y] > 0.0:
            return DONE
        group = s.best_group[y]
        if s.status[group] == _BOUND:
            _verify(s, group)
        elif _apply(s, group, phase):
            return APPLIED
        else:
            _bar(s, group, phase)
        _refresh(s, y)
