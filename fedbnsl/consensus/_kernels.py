"""Compiled kernels of the consensus: sets as bit rows, node order, minimal I-maps, cuts, pruning.

Sets of nodes are rows of 64-bit words: node v is bit v % 64 of word v // 64. A DAG is the rows of its
nodes' parents, uint64 (d, w), and of their children.

All in one file on purpose: numba keeps machine code until the file of the function that Python called
changes, and does not look at other files whose functions are built into it.

Numbers that kernels hand to large kernels are typed, as ``np.int64(0)``: for a plain 0 numba compiles the
kernel called twice, once for that literal.
"""

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

ONE = np.uint64(1)


@intrinsic
def lowest(typing_context, word):
    """Place of the lowest set bit of a non-zero uint64, as int64."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


@njit(cache=True)
def has(row, v):
    """Whether node v is a member."""
    return (row[v >> 6] >> np.uint64(v & 63)) & ONE != 0


@njit(cache=True)
def add(row, v):
    """Make node v a member."""
    row[v >> 6] |= ONE << np.uint64(v & 63)


@njit(cache=True)
def drop(row, v):
    """Make node v no member."""
    row[v >> 6] &= ~(ONE << np.uint64(v & 63))


@njit(cache=True)
def members(row, out):
    """Write the members of a set to ``out`` in increasing order; their number."""
    count = 0
    for w in range(row.shape[0]):
        word = row[w]
        while word:
            out[count] = (w << 6) + lowest(word)
            count += 1
            word &= word - ONE
    return count


@njit(cache=True)
def size(row):
    """Number of members."""
    count = 0
    for w in range(row.shape[0]):
        word = row[w]
        while word:
            count += 1
            word &= word - ONE
    return count


@njit(cache=True)
def meet(a, b):
    """Whether two sets have a common member."""
    common = np.uint64(0)
    for w in range(a.shape[0]):
        common |= a[w] & b[w]
    return common != 0


@njit(cache=True)
def clear(row):
    """Make the set empty."""
    for w in range(row.shape[0]):
        row[w] = 0


@njit(cache=True)
def unite(row, other):
    """Add the members of ``other`` to ``row``."""
    for w in range(row.shape[0]):
        row[w] |= other[w]


@njit(cache=True)
def minus(a, b, out):
    """Write a ∖ b to ``out``, which may be one of them."""
    for w in range(out.shape[0]):
        out[w] = a[w] & ~b[w]


@njit(cache=True)
def differ(a, b):
    """Whether two sets are not equal."""
    difference = np.uint64(0)
    for w in range(a.shape[0]):
        difference |= a[w] ^ b[w]
    return difference != 0


@njit(cache=True)
def transpose(rows, out):
    """Child rows from parent rows, or the reverse, into ``out``."""
    inside = np.empty(rows.shape[0], np.int64)
    for v in range(rows.shape[0]):
        clear(out[v])
    for v in range(rows.shape[0]):
        for k in range(members(rows[v], inside)):
            add(out[inside[k]], v)


@njit(cache=True)
def ancestor_rows(parents, order, out):
    """Each node's ancestors and itself, into ``out``; ``order`` puts parents before children."""
    inside = np.empty(parents.shape[0], np.int64)
    for v in order:
        clear(out[v])
        add(out[v], v)
        for k in range(members(parents[v], inside)):
            unite(out[v], out[inside[k]])


@njit(cache=True)
def moral_row(u, inside, parents, children, out):
    """Neighbours of ``u`` in the moral graph of the ancestral set ``inside`` of a DAG, into ``out``."""
    for w in range(out.shape[0]):
        out[w] = parents[u, w]
    for w in range(out.shape[0]):
        word = children[u, w] & inside[w]
        out[w] |= word
        while word:
            unite(out, parents[(w << 6) + lowest(word)])
            word &= word - ONE
    drop(out, u)


def pack(members) -> np.ndarray:
    """Bit rows of 0/1 rows: shape (…, d) to uint64 (…, w) with w = ⌈d / 64⌉, at least 1."""
    members = np.asarray(members, dtype=bool)
    words = max(1, -(-members.shape[-1] // 64))
    octets = np.zeros((*members.shape[:-1], 8 * words), dtype=np.uint8)
    packed = np.packbits(members, axis=-1, bitorder="little")
    octets[..., : packed.shape[-1]] = packed
    return octets.view("<u8").astype(np.uint64)


def unpack(rows: np.ndarray, size: int) -> np.ndarray:
    """The inverse: uint64 (…, w) to int8 (…, size)."""
    octets = np.ascontiguousarray(rows.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=size, bitorder="little").astype(np.int8)


# --- node order and minimal I-maps --------------------------------------------------------------


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
def turn_into_sink(x, parents, children, adjacent, changed):
    """Reverse the arcs that leave ``x``, covering each first; then take ``x`` out of the graph.

    ``changed`` receives the nodes whose rows change.
    """
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
            _add_arc(others[k], c, parents, children, adjacent, changed)
        for k in range(members(parents[c], others)):
            if others[k] != x:
                _add_arc(others[k], x, parents, children, adjacent, changed)
        drop(parents[c], x)
        drop(children[x], c)
        _add_arc(c, x, parents, children, adjacent, changed)
    for k in range(members(parents[x], nodes)):
        drop(children[nodes[k]], x)
        drop(adjacent[nodes[k]], x)
        add(changed, nodes[k])
    clear(parents[x])
    clear(adjacent[x])


@njit(cache=True)
def _add_arc(a, b, parents, children, adjacent, changed):
    add(parents[b], a)
    add(children[a], b)
    add(adjacent[a], b)
    add(adjacent[b], a)
    add(changed, a)
    add(changed, b)


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
def node_order(parents, weights, later):
    """Order of the nodes of r DAGs, built from its last element; see order.node_order.

    ``later`` holds for each node a set of nodes that must come after it, uint64 (d, w). Costs are
    computed anew only for nodes whose rows, or a child's, have changed.
    """
    r, d, words = parents.shape
    parents = parents.copy()
    children = np.empty_like(parents)
    adjacent = parents.copy()
    costs = np.zeros((r, d), np.int64)
    total = np.zeros(d, np.int64)
    for i in range(r):
        transpose(parents[i], children[i])
        for v in range(d):
            unite(adjacent[i, v], children[i, v])
    for i in range(r):
        for x in range(d):
            costs[i, x] = sink_cost(x, parents[i], children[i], adjacent[i])
            total[x] += weights[i] * costs[i, x]
    order = np.empty(d, np.int64)
    left = np.zeros(words, np.uint64)
    for v in range(d):
        add(left, v)
    changed = np.empty(words, np.uint64)
    affected = np.empty(words, np.uint64)
    nodes = np.empty(d, np.int64)
    for place in range(d - 1, -1, -1):
        best = np.int64(-1)
        for k in range(members(left, nodes)):
            x = nodes[k]
            if not meet(later[x], left) and (best < 0 or total[x] < total[best]):
                best = x
        drop(left, best)
        order[place] = best
        for i in range(r):
            clear(changed)
            turn_into_sink(best, parents[i], children[i], adjacent[i], changed)
            clear(affected)
            unite(affected, changed)
            for k in range(members(changed, nodes)):
                unite(affected, parents[i, nodes[k]])
            for k in range(members(affected, nodes)):
                x = nodes[k]
                total[x] -= weights[i] * costs[i, x]
                costs[i, x] = sink_cost(x, parents[i], children[i], adjacent[i])
                total[x] += weights[i] * costs[i, x]
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


NEVER = np.int64(1 << 60)  # more than any sum of cut sizes


# --- minimum cuts --------------------------------------------------------------------------------


@njit(cache=True)
def cut_scratch(d, words):
    """Work space of :func:`min_cut`: moral rows, flow rows, reached and built sets, search tree, queue."""
    return (
        np.zeros((d, words), np.uint64),
        np.zeros((d, words), np.uint64),
        np.zeros(words, np.uint64),
        np.zeros(words, np.uint64),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros((3, words), np.uint64),
    )


@njit(cache=True)
def min_cut(source, target, removed, inside, parents, children, limit, scratch):
    """Size of a minimum edge cut between two nodes, or ``limit`` if it is no smaller.

    The graph is the moral graph of the ancestral set ``inside`` of a DAG without the nodes
    ``removed``, every edge of capacity 1. Augmenting paths are found breadth first from ``source``.
    When the size is below ``limit`` the reached set in ``scratch`` holds the source's side of the
    minimum cut nearest to it, and the moral rows of its members are filled.
    """
    _, flow, _, built, _, _, short = scratch
    clear(built)
    clear(flow[target])
    clear(short[2])
    return _augment(source, target, removed, inside, parents, children, np.int64(0), limit, scratch)


@njit(cache=True)
def cut_size(source, target, removed, inside, parents, children, limit, scratch):
    """As :func:`min_cut`, only the size: the neighbourhoods of the two nodes settle most cases.

    The edge between them and their common neighbours make disjoint paths; neither node can have more
    disjoint paths than neighbours.
    """
    moral, flow, _, built, _, _, short = scratch
    moral_row(source, inside, parents, children, short[0])
    minus(short[0], removed, short[0])
    degree = size(short[0])
    if not degree:
        return 0
    moral_row(target, inside, parents, children, short[1])
    minus(short[1], removed, short[1])
    other = size(short[1])
    if not other:
        return 0
    for w in range(built.shape[0]):
        short[2, w] = short[0, w] & short[1, w]
    least = size(short[2])
    direct = has(short[0], target)
    if direct:
        least += 1
    if least >= limit:
        return limit
    if least == min(degree, other):
        return least
    if other < degree:
        source, target = target, source
    clear(built)
    clear(flow[target])
    # the paths of one and two edges are taken already
    for w in range(built.shape[0]):
        moral[source, w] = short[1 if other < degree else 0, w]
        flow[source, w] = short[2, w]
    add(built, source)
    if direct:
        add(flow[source], target)
    return _augment(source, target, removed, inside, parents, children, least, limit, scratch)


@njit(cache=True)
def _augment(source, target, removed, inside, parents, children, found_size, limit, scratch):
    """Augment a flow of ``found_size``, which goes through each node of ``short[2]`` to the target."""
    moral, flow, reached, built, previous, queue, short = scratch
    words = built.shape[0]
    while found_size < limit:
        clear(reached)
        add(reached, source)
        queue[0] = source
        head, tail = 0, 1
        found = False
        while head < tail and not found:
            u = queue[head]
            head += 1
            if not has(built, u):  # rows are built when the search first comes by
                add(built, u)
                moral_row(u, inside, parents, children, moral[u])
                minus(moral[u], removed, moral[u])
                clear(flow[u])
                if has(short[2], u):
                    add(flow[u], target)
            for w in range(words):
                fresh = moral[u, w] & ~flow[u, w] & ~reached[w]
                reached[w] |= fresh
                while fresh:
                    v = (w << 6) + lowest(fresh)
                    fresh &= fresh - ONE
                    previous[v] = u
                    queue[tail] = v
                    tail += 1
            found = has(reached, target)
        if not found:
            break
        v = target
        while v != source:
            u = previous[v]
            if has(flow[v], u):
                drop(flow[v], u)
            else:
                add(flow[u], v)
            v = u
        found_size += 1
    return found_size


# --- partially directed graphs -------------------------------------------------------------------
# state = (parents, children, neighbours, adjacent, changed, old parents, old neighbours, pending):
# rows of the graph; the nodes whose parents or neighbours changed since ``changed`` was last cleared,
# with their rows before; arcs to look at, by head, empty between calls.


@njit(cache=True)
def pdag_state(parents, neighbours):
    """The rows that the pruning works on, from directed parents and undirected neighbours."""
    children = np.empty_like(parents)
    transpose(parents, children)
    adjacent = parents.copy()
    for v in range(parents.shape[0]):
        unite(adjacent[v], children[v])
        unite(adjacent[v], neighbours[v])
    return (
        parents.copy(),
        children,
        neighbours.copy(),
        adjacent,
        np.zeros(parents.shape[1], np.uint64),
        parents.copy(),
        neighbours.copy(),
        np.zeros_like(parents),
    )


@njit(cache=True)
def _remember(v, state):
    """Keep the rows that node v has before its first change."""
    if not has(state[4], v):
        add(state[4], v)
        for w in range(state[4].shape[0]):
            state[5][v, w] = state[0][v, w]
            state[6][v, w] = state[2][v, w]


@njit(cache=True)
def _direct(a, b, state):
    _remember(a, state)
    _remember(b, state)
    parents, children, neighbours = state[0], state[1], state[2]
    drop(neighbours[a], b)
    drop(neighbours[b], a)
    add(parents[b], a)
    add(children[a], b)


@njit(cache=True)
def _undirect(a, b, state):
    _remember(a, state)
    _remember(b, state)
    parents, children, neighbours = state[0], state[1], state[2]
    drop(parents[b], a)
    drop(children[a], b)
    add(neighbours[a], b)
    add(neighbours[b], a)


@njit(cache=True)
def _meek(a, b, state, row):
    """Whether Meek's (1995) rules 1 to 3 make a — b the arc a → b; ``row`` is work space.

    In rule 3 one of the two edges at a may be directed already.
    """
    parents, children, neighbours, adjacent = state[0], state[1], state[2], state[3]
    for w in range(row.shape[0]):
        if parents[a, w] & ~adjacent[b, w] or children[a, w] & parents[b, w]:
            return True
    for w in range(row.shape[0]):
        word = neighbours[a, w] & parents[b, w]
        while word:
            c = (w << 6) + lowest(word)
            word &= word - ONE
            for k in range(row.shape[0]):
                row[k] = adjacent[a, k] & parents[b, k] & ~adjacent[c, k]
            drop(row, c)
            if size(row):
                return True
    return False


@njit(cache=True)
def _in_v_structure(a, b, state):
    """Whether the arc a → b meets another into b from a node not adjacent to a."""
    parents, adjacent = state[0], state[3]
    for w in range(parents.shape[1]):
        word = parents[b, w] & ~adjacent[a, w]
        if w == a >> 6:
            word &= ~(ONE << np.uint64(a & 63))
        if word:
            return True
    return False


@njit(cache=True)
def complete(state):
    """Turn a PDAG that has a consistent extension into the CPDAG of its class, in place.

    Every arc that is compelled must be directed already, as all are in a DAG.
    """
    for v in range(state[0].shape[0]):
        for w in range(state[0].shape[1]):
            state[7][v, w] = state[0][v, w]
    _undirect_reversible(state)


@njit(cache=True)
def _undirect_reversible(state):
    """Undirect the arcs among ``pending``, and what follows, that are not strongly protected.

    An arc is compelled exactly when it is in a v-structure or follows from other compelled ones by
    Meek's rules (Andersson, Madigan and Perlman 1997), each of which lies earlier in the order of the
    DAG: so whatever the sequence, what is left in the end is the same.
    """
    parents, children, adjacent, pending = state[0], state[1], state[3], state[7]
    d, words = parents.shape
    row = np.empty(words, np.uint64)
    nodes = np.empty(d, np.int64)
    tails = np.empty(d, np.int64)
    waiting = np.zeros(words, np.uint64)
    for v in range(d):
        if size(pending[v]):
            add(waiting, v)
    while True:
        count = members(waiting, nodes)
        if not count:
            return
        for j in range(count):
            b = nodes[j]
            drop(waiting, b)
            n_tails = members(pending[b], tails)
            clear(pending[b])
            for k in range(n_tails):
                a = tails[k]
                if not has(parents[b], a) or _in_v_structure(a, b, state) or _meek(a, b, state, row):
                    continue
                _undirect(a, b, state)
                add(waiting, b)
                for w in range(words):
                    pending[b, w] |= parents[a, w] & parents[b, w]
                    word = children[b, w]
                    while word:
                        c = (w << 6) + lowest(word)
                        word &= word - ONE
                        if has(children[a], c):
                            add(pending[c], a)
                            add(waiting, c)
                        if not has(adjacent[a], c):
                            add(pending[c], b)
                            add(waiting, c)


@njit(cache=True)
def _direct_what_follows(state):
    """Apply Meek's rules to the lines at the arcs among ``pending`` until none follows.

    In the end ``pending`` holds all arcs so directed and those that they may have left unprotected.
    """
    parents, children, neighbours, pending = state[0], state[1], state[2], state[7]
    d, words = parents.shape
    row = np.empty(words, np.uint64)
    nodes = np.empty(d, np.int64)
    tails = np.empty(d, np.int64)
    lines = np.empty(d, np.int64)
    done = np.zeros_like(pending)
    progress = True
    while progress:
        progress = False
        for v in range(d):
            minus(pending[v], done[v], row)
            n_tails = members(row, tails)
            unite(done[v], row)
            for k in range(n_tails):
                u = tails[k]
                progress = True
                # v — c after u → v; u — c before v → c; p — v after p → u; a — v beside u → v
                for j in range(members(neighbours[v], nodes)):
                    c = nodes[j]
                    if not has(neighbours[v], c):
                        continue
                    if _meek(v, c, state, row):
                        _direct(v, c, state)
                        add(pending[c], v)
                    elif _meek(c, v, state, row):
                        _direct(c, v, state)
                        add(pending[v], c)
                for j in range(members(neighbours[u], lines)):
                    c = lines[j]
                    if has(neighbours[u], c) and _meek(u, c, state, row):
                        _direct(u, c, state)
                        add(pending[c], u)
    for v in range(d):  # v → b may have followed by rule 3 from u — v
        for k in range(members(pending[v], tails)):
            for w in range(words):
                word = children[v, w] & children[tails[k], w]
                while word:
                    add(pending[(w << 6) + lowest(word)], v)
                    word &= word - ONE


@njit(cache=True)
def delete(x, y, removed, state):
    """Chickering's (2002) Delete(x, y, H) in a CPDAG, and completion, in place.

    Only the surroundings of what changes are looked at. First the lines are directed that Meek's rules
    direct now that x and y are not adjacent: then all compelled arcs are directed. Then arcs that
    nothing compels any more are undirected.
    """
    parents, children, neighbours, adjacent, pending = state[0], state[1], state[2], state[3], state[7]
    d, words = parents.shape
    nodes = np.empty(d, np.int64)
    row = np.empty(words, np.uint64)
    _remember(x, state)
    _remember(y, state)
    drop(parents[y], x)
    drop(children[x], y)
    drop(neighbours[x], y)
    drop(neighbours[y], x)
    drop(adjacent[x], y)
    drop(adjacent[y], x)
    fresh = False
    for k in range(members(removed, nodes)):
        h = nodes[k]
        fresh = True
        _direct(y, h, state)
        add(pending[h], y)
        if has(neighbours[x], h):
            _direct(x, h, state)
            add(pending[h], x)
    for side in range(2):  # x → b — y, now without the edge x – y, and the reverse
        a, c = (x, y) if side == 0 else (y, x)
        for w in range(words):
            row[w] = children[a, w] & neighbours[c, w]
        for k in range(members(row, nodes)):
            fresh = True
            _direct(nodes[k], c, state)
            add(pending[c], nodes[k])
    for w in range(words):  # x → b ← y with a — b
        row[w] = children[x, w] & children[y, w]
    for k in range(members(row, nodes)):
        b = nodes[k]
        for w in range(words):
            word = neighbours[b, w] & adjacent[x, w] & adjacent[y, w]
            while word:
                a = (w << 6) + lowest(word)
                word &= word - ONE
                if not (has(parents[a], x) and has(parents[a], y)):
                    fresh = True
                    _direct(a, b, state)
                    add(pending[b], a)
    if fresh:
        _direct_what_follows(state)
    unite(pending[y], parents[y])
    for k in range(members(children[y], nodes)):
        add(pending[nodes[k]], y)
    _undirect_reversible(state)


# --- scores of deletions -------------------------------------------------------------------------
# inputs = (parents, children, ancestors, component, weights): rows of r DAGs, the label of each node's
# connected component, the weight of each input.


@njit(cache=True)
def input_rows(parents, topological, weights):
    """What scores are computed from, as new arrays: see above."""
    r, d, _ = parents.shape
    children = np.empty_like(parents)
    ancestors = np.empty_like(parents)
    component = np.empty((r, d), np.int64)
    for i in range(r):
        transpose(parents[i], children[i])
        ancestor_rows(parents[i], topological[i], ancestors[i])
        components(parents[i], children[i], component[i])
    return parents.copy(), children, ancestors, component, weights.copy()


@njit(cache=True)
def components(parents, children, out):
    """Label the nodes of each connected component of a DAG alike, into ``out``."""
    d = parents.shape[0]
    stack = np.empty(d, np.int64)
    out[:] = -1
    for v in range(d):
        if out[v] >= 0:
            continue
        out[v] = v
        stack[0] = v
        top = 1
        while top:
            top -= 1
            u = stack[top]
            for w in range(parents.shape[1]):
                word = parents[u, w] | children[u, w]
                while word:
                    c = (w << 6) + lowest(word)
                    word &= word - ONE
                    if out[c] < 0:
                        out[c] = v
                        stack[top] = c
                        top += 1


@njit(cache=True)
def subset_pool(x, y, state, k_max):
    """The sets H from which Delete(x, y, H) may choose.

    Returns
    -------
    shared : row of the undirected neighbours of y that are adjacent to x
    pool : its first ``k_max`` members; bit j of an index of H stands for pool[j]
    apart : for each pool member the mask of pool members not adjacent to it
    forced : mask of the pool members that must be in H because of a shared neighbour outside the pool
    valid : whether the shared neighbours outside the pool are a clique; if not there is no valid H
    """
    neighbours, adjacent = state[2], state[3]
    shared = neighbours[y].copy()
    words = shared.shape[0]
    for w in range(words):
        shared[w] &= adjacent[x, w]
    count = size(shared)
    k = min(count, k_max)
    pool = np.empty(k, np.int64)
    apart = np.zeros(k, np.int64)
    forced = 0
    valid = True
    place = 0
    for w in range(words):
        word = shared[w]
        while word and valid:
            v = (w << 6) + lowest(word)
            word &= word - ONE
            if place < k:
                pool[place] = v
                for j in range(place):
                    if not has(adjacent[v], pool[j]):
                        apart[place] |= 1 << j
                        apart[j] |= 1 << place
            else:
                for j in range(k):
                    if not has(adjacent[v], pool[j]):
                        forced |= 1 << j
                for u in range(w, words):  # the members after it are outside the pool too
                    if (word if u == w else shared[u]) & ~adjacent[v, u]:
                        valid = False
            place += 1
    return shared, pool, apart, forced, valid


@njit(cache=True)
def keeps_clique(index, apart, forced):
    """Chickering's validity test: whether the members outside H are a clique."""
    kept = ((1 << apart.shape[0]) - 1) & ~index
    clashes = kept & forced
    for j in range(apart.shape[0]):
        if (kept >> j) & 1:
            clashes |= apart[j] & kept
    return clashes == 0


@njit(cache=True)
def chosen(index, pool, out):
    """The set H of an index, into ``out``."""
    clear(out)
    for j in range(pool.shape[0]):
        if (index >> j) & 1:
            add(out, pool[j])


@njit(cache=True)
def conditioning_set(x, y, shared, removed, parents, out):
    """S = (NaYX ∖ H) ∪ pa(y) ∖ {x}, into ``out``."""
    minus(shared, removed, out)
    unite(out, parents[y])
    drop(out, x)


@njit(cache=True)
def ancestral(x, y, given, ancestors, out):
    """Ancestors of x, y and a set, all included, into ``out``."""
    for w in range(out.shape[0]):
        out[w] = ancestors[x, w] | ancestors[y, w]
    for w in range(given.shape[0]):
        word = given[w] & ~out[w]
        while word:
            unite(out, ancestors[(w << 6) + lowest(word)])
            word &= ~out[w]


@njit(cache=True)
def total_cut(x, y, given, inputs, scratch):
    """Weighted sum over the inputs of the minimum x–y cuts that score a conditioning set."""
    parents, children, ancestors, component, weights = inputs
    inside = np.empty(given.shape[0], np.uint64)
    total = 0
    for i in range(parents.shape[0]):
        if component[i, x] == component[i, y]:
            ancestral(x, y, given, ancestors[i], inside)
            total += weights[i] * cut_size(y, x, given, inside, parents[i], children[i], NEVER, scratch)
    return total


# --- what is known of the scores -----------------------------------------------------------------
# The root cut of x → y in an input is the one with the nodes S ∪ pool removed and the ancestors of
# {x, y} ∪ S alone, where S is what no H takes out: pa(y) ∖ x and the members of NaYX outside the pool.
# It is the score itself where the pool is empty, and no larger than the score of any H elsewhere:
# a larger ancestral set only adds edges, and so does a smaller removal.
#
# known = (slot, low, high, last, sums, bound, hits, found, rows, closure, fresh, todo, tested, barred,
#     clique):
# slot : int32 (d, d), at y and x, the row of x → y in the next arrays
# low, high : uint16 (m, r), between which the root cut of each input lies
# last : uint16 (m, r), the size it was last seen to have: inputs that were positive are tried first
# sums : int64 (m, 3), weighted sum of low, weight of the inputs with an arc between x and y, number of
#     inputs with a known upper bound
# bound : int64 (d, d), at y and x: no total of x → y is below
# hits : int64 (d, d), how many H have the total bound (of ties="first": 1 if any), −1 if not known
# found : int64 (d, d), index of the last H counted
# rows : int64 (d, 5), for each x: a number not above any bound; the level at which the number of hits
#     was last counted, that number, and whether it still holds; a number that no bound is below but for
# todo : uint64 (d, w), the y whose bound may be
# tested : uint64 (d, w), the x of which more is known of x → y than which inputs have such an arc
# barred : uint64 (d, w), the y for which x → y is no candidate
# clique : bool (d, d), at y and x: whether some H is known to be valid
# closure : uint64 (r, d, w), the ancestors of y and pa(y) in each input, if fresh (r, d) says so

OPEN = np.uint16(65535)  # a root cut of which nothing but the lower bound is known


@njit(cache=True)
def nothing_known(fusion, r):
    """The arrays for the orientations of the edges of a DAG given by its parent rows."""
    d = fusion.shape[0]
    nodes = np.empty(d, np.int64)
    slot = np.full((d, d), -1, np.int32)
    m = 0
    adjacent = pdag_state(fusion, np.zeros_like(fusion))[3]
    for y in range(d):
        for k in range(members(adjacent[y], nodes)):
            slot[y, nodes[k]] = m
            m += 1
    return (
        slot,
        np.zeros((m, r), np.uint16),
        np.zeros((m, r), np.uint16),
        np.zeros((m, r), np.uint16),
        np.zeros((m, 3), np.int64),
        np.zeros((d, d), np.int64),
        np.full((d, d), -1, np.int64),
        np.zeros((d, d), np.int64),
        np.full((d, 5), -1, np.int64),
        np.zeros((r, d, fusion.shape[1]), np.uint64),
        np.zeros((r, d), np.bool_),
        np.zeros_like(fusion),
        np.zeros_like(fusion),
        np.zeros_like(fusion),
        np.zeros((d, d), np.bool_),
    )


@njit(cache=True)
def _reopen(x, y, known):
    """Take the bound of x → y from the root cuts again."""
    slot, sums, bound, hits, rows = known[0], known[4], known[5], known[6], known[8]
    bound[y, x] = sums[slot[y, x], 0]
    hits[y, x] = -1
    rows[x, 0] = min(rows[x, 0], bound[y, x])
    rows[x, 3] = 0
    add(known[11][x], y)


@njit(cache=True)
def forget(x, y, known, inputs):
    """Know nothing of x → y but which inputs have an arc between x and y."""
    parents, weights = inputs[0], inputs[4]
    low, high, sums = known[1], known[2], known[4]
    s = known[0][y, x]
    total = 0
    for i in range(parents.shape[0]):
        direct = has(parents[i, x], y) or has(parents[i, y], x)
        low[s, i] = direct
        high[s, i] = OPEN
        total += weights[i] * direct
    sums[s, 0] = total
    sums[s, 1] = total
    sums[s, 2] = 0
    drop(known[12][y], x)
    known[14][y, x] = False
    _reopen(x, y, known)


@njit(cache=True)
def refresh(i, y, parents, known, ancestors):
    """Bring the closure of y in input i up to date."""
    closure, fresh = known[9], known[10]
    fresh[i, y] = True
    ancestral(y, y, parents[y], ancestors[i], closure[i, y])


@njit(cache=True)
def refuted_at_root(x, y, level, given, sure, state, known, inputs, scratch, inside):
    """Whether the root cuts add up to more than ``level``; if not, each is known in the end.

    Inputs whose cut was positive when last seen come first. A flow is followed only until the sum of
    lower bounds passes the level.
    """
    parents, children, ancestors, component, weights = inputs
    slot, low, high, last, sums, closure, fresh = (
        known[0],
        known[1],
        known[2],
        known[3],
        known[4],
        known[9],
        known[10],
    )
    s = slot[y, x]
    words = inside.shape[0]
    for turn in range(2):
        for i in range(low.shape[1]):
            if low[s, i] == high[s, i] or (turn == 0 and last[s, i] <= low[s, i]):
                continue
            if sums[s, 0] > level:
                return True
            least = np.int64(low[s, i])
            cut = 0
            limit = least + (level - sums[s, 0]) // weights[i] + 1
            if component[i, x] == component[i, y]:
                if not fresh[i, y]:
                    refresh(i, y, state[0], known, ancestors)
                for w in range(words):
                    inside[w] = closure[i, y, w]
                for w in range(words):
                    word = sure[w] & ~inside[w]
                    while word:  # lines of y
                        unite(inside, ancestors[i, (w << 6) + lowest(word)])
                        word &= ~inside[w]
                cut = cut_size(y, x, given, inside, parents[i], children[i], limit, scratch)
            last[s, i] = cut
            low[s, i] = cut
            sums[s, 0] += weights[i] * (cut - least)
            if cut < limit:
                sums[s, 2] += high[s, i] == OPEN
                high[s, i] = cut
        if sums[s, 0] > level:
            return True
    return False


@njit(cache=True)
def root_sets(x, parents, neighbours, adjacent, k_max, sure, given):
    """The sets of the root cut of x → y from y's rows and the nodes adjacent to x, both with x in them.

    ``sure`` receives what no H takes out, ``given`` the pool besides. Returns 0 if NaYX is empty.
    """
    shared = 0
    for w in range(sure.shape[0]):
        word = neighbours[w] & adjacent[w]
        given[w] = parents[w] | word
        while word and shared < k_max:
            shared += 1
            word &= word - ONE
        sure[w] = parents[w] | word
        if word:
            shared = k_max + 1
    add(sure, x)
    add(given, x)
    return shared


@njit(cache=True)
def hits_at(x, y, level, stop, state, k_max, known, inputs, scratch):
    """The valid H of the orientation x → y whose total is at most ``level``, in order of their index.

    Depth first over the pool, its last member decided first and kept before it is put into H; a branch
    is left when its lower bound exceeds the level. The bound of a branch is that of the root with the
    ancestors of the members kept too, and without the members dropped among the nodes removed. Hence it
    only rises on the way down, and not at all in an input where what is kept was an ancestor anyway,
    what is dropped was none, or the nodes that come in lead nowhere.

    Returns
    -------
    count : how many there are; the search ends when it reaches ``stop``
    index : of the last one counted, −1 if none
    bound : if count is 0, a number below which no total of the orientation lies
    """
    parents, children, ancestors, component, weights = inputs
    low, sums, closure = known[1], known[4], known[9]
    s = known[0][y, x]
    r, _, words = parents.shape
    add(known[12][y], x)
    sure, root, inside = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(words, np.uint64)
    some = root_sets(x, state[0][y], state[2][y], state[3][x], k_max, sure, root)
    drop(root, x)
    if some and not known[14][y, x]:
        if not subset_pool(x, y, state, k_max)[4]:
            return 0, -1, NEVER
        known[14][y, x] = True
    if refuted_at_root(x, y, level, root, sure, state, known, inputs, scratch, inside):
        return 0, -1, sums[s, 0]
    if not some:
        return 1, 0, sums[s, 0]
    _, pool, apart, forced, _ = subset_pool(x, y, state, k_max)
    depth = pool.shape[0]
    if not depth:
        return 1, 0, sums[s, 0]
    given = np.empty((depth + 1, words), np.uint64)
    for w in range(words):
        given[0, w] = root[w]
    cut = np.zeros((depth + 1, r), np.int64)  # after so many decisions, of each input
    within = np.zeros((depth + 1, r, words), np.uint64)
    totals = np.zeros(depth + 1, np.int64)
    totals[0] = sums[s, 0]
    for i in range(r):
        cut[0, i] = low[s, i]
        if component[i, x] == component[i, y]:
            if not known[10][i, y]:
                refresh(i, y, state[0], known, ancestors)
            ancestral(x, y, sure, ancestors[i], within[0, i])
            unite(within[0, i], closure[i, y])
    branches = np.zeros((depth + 2, 4), np.int64)  # decisions, last one (1 keep, 0 drop), kept, index
    count, last, top, bound = 0, -1, 0, NEVER
    now, kept, index = 0, 0, 0
    while True:
        if now == depth:
            count += 1
            last = index
            if count == stop:
                break
        else:
            member = depth - 1 - now
            for keep in range(2):
                if keep and (apart[member] & kept or (forced >> member) & 1):
                    continue
                branches[top, 0] = now + 1
                branches[top, 1] = keep
                branches[top, 2] = kept | (keep << member)
                branches[top, 3] = index | ((1 - keep) << member)
                top += 1
        found = False
        while top and not found:
            top -= 1
            now, keep = branches[top, 0], branches[top, 1]
            kept, index = branches[top, 2], branches[top, 3]
            h = pool[depth - now]
            for w in range(words):
                given[now, w] = given[now - 1, w]
            if not keep:
                drop(given[now], h)
            total = totals[now - 1]
            for i in range(r):
                cut[now, i] = cut[now - 1, i]
                if component[i, x] != component[i, y]:
                    continue
                here = within[now, i]
                for w in range(words):
                    here[w] = within[now - 1, i, w]
                if keep:
                    if has(here, h):
                        continue
                    unite(here, ancestors[i, h])
                    for w in range(words):
                        inside[w] = here[w]
                    if _doors(inside, within[now - 1, i], given[now], parents[i]) <= 1:
                        continue
                else:
                    if not has(here, h):
                        continue
                    if _around(given[now - 1], given[now], here, parents[i], children[i], inside) <= 1:
                        continue
                limit = cut[now, i] + (level - total) // weights[i] + 1
                larger = cut_size(y, x, given[now], here, parents[i], children[i], limit, scratch)
                total += weights[i] * (larger - cut[now, i])
                cut[now, i] = larger
                if total > level:
                    break
            totals[now] = total
            found = total <= level
            if not found:
                bound = min(bound, total)
        if not found:
            break
    return count, last, bound


# --- the path of deletions -----------------------------------------------------------------------


@njit(cache=True)
def prune_path(fusion, input_parents, topological, weights, k_max, completed, draws):
    """Delete the edge of least total until none is left; see pruning.prune.

    Parameters
    ----------
    fusion : uint64 (d, w), parent rows of the DAG to start from
    input_parents : uint64 (r, d, w)
    topological : int64 (r, d), an order of each input
    weights : int64 (r,), positive
    k_max : int
    completed : bool, whether to start from the CPDAG of the fusion instead
    draws : float64 (m,) in [0, 1), one for each deletion, to choose among ties; empty: the first

    Returns
    -------
    deletions : int64 (m, 3): x, y, total
    chosen_sets : uint64 (m, w): H
    cuts : int64 (c, 4): deletion, input, from, to of each arc taken out of an input
    """
    r, d, words = input_parents.shape
    inputs = input_rows(input_parents, topological, weights)
    state = pdag_state(fusion, np.zeros_like(fusion))
    n_edges, n_arcs = 0, 0
    for v in range(d):
        n_edges += size(fusion[v])
        for i in range(r):
            n_arcs += size(input_parents[i, v])
    if completed:
        complete(state)
    known = nothing_known(fusion, r)
    nodes = np.empty(d, np.int64)
    for x in range(d):
        for k in range(_heads(x, state[1], state[2], nodes)):
            forget(x, nodes[k], known, inputs)
    deletions = np.zeros((n_edges, 3), np.int64)
    chosen_sets = np.zeros((n_edges, words), np.uint64)
    cuts = np.empty((n_arcs, 4), np.int64)
    n_cut = np.int64(0)
    scratch = cut_scratch(d, words)
    given = np.empty(words, np.uint64)
    touched = np.zeros((r, words), np.uint64)
    for step in range(n_edges):
        x, y, index, level = least(step, draws, state, k_max, known, inputs, scratch)
        shared, pool, _, _, _ = subset_pool(x, y, state, k_max)
        chosen(index, pool, chosen_sets[step])
        deletions[step, 0] = x
        deletions[step, 1] = y
        deletions[step, 2] = level
        conditioning_set(x, y, shared, chosen_sets[step], state[0], given)
        if level:
            before = n_cut
            n_cut = cut_inputs(x, y, given, step, topological, inputs, cuts, n_cut, touched, scratch)
            after_cuts(cuts[before:n_cut], touched, state, known, inputs)
        clear(state[4])
        delete(x, y, chosen_sets[step], state)
        if step == 0 and not completed:
            complete(state)
        after_deletion(x, y, state, k_max, known, inputs)
    return deletions, chosen_sets, cuts[:n_cut]


@njit(cache=True)
def _heads(x, children, neighbours, out):
    """The ends of the orientations x → · of edges, in variable order, into ``out``; their number."""
    count = 0
    for w in range(children.shape[1]):
        word = children[x, w] | neighbours[x, w]
        while word:
            out[count] = (w << 6) + lowest(word)
            count += 1
            word &= word - ONE
    return count


@njit(cache=True)
def least(step, draws, state, k_max, known, inputs, scratch):
    """The next deletion (x, y, index of H, total): the least total; of ties the drawn one, or the first.

    Candidates are ordered by x, then y, then the index of H. The search goes by level: it asks for
    the candidates of total ≤ level, from the smallest bound upwards, so that a flow is followed only
    until it passes the level, and what one step has refuted holds in the next. Rows of x in which
    nothing changed keep their number of hits. Without any candidate x, y and the index are −1.
    """
    children, neighbours = state[1], state[2]
    bound, hits, found, rows = known[5], known[6], known[7], known[8]
    todo, barred = known[11], known[13]
    d, words = children.shape
    first = draws.shape[0] == 0
    level = NEVER
    for x in range(d):
        level = min(level, rows[x, 0])
    while True:
        total_hits, following = 0, NEVER
        for x in range(d):
            if rows[x, 0] > level or (rows[x, 3] == 1 and rows[x, 1] == level):
                following = min(following, rows[x, 0])
                total_hits += rows[x, 2] if rows[x, 0] <= level else 0
                continue
            everything = rows[x, 4] <= level
            count, smallest = 0, NEVER
            rest = NEVER if everything else rows[x, 4]
            for w in range(words):
                word = (children[x, w] | neighbours[x, w]) & ~barred[x, w]
                if not everything:
                    word &= todo[x, w]
                while word:
                    y = (w << 6) + lowest(word)
                    bit = ONE << np.uint64(y & 63)
                    word &= word - ONE
                    if bound[y, x] <= level and hits[y, x] < 0:
                        stop = 1 if first else NEVER
                        n, index, above = hits_at(x, y, level, stop, state, k_max, known, inputs, scratch)
                        if n:
                            bound[y, x] = level
                            hits[y, x] = n
                            found[y, x] = index
                        else:
                            bound[y, x] = above
                    if bound[y, x] <= level:
                        if first:
                            return x, y, found[y, x], level
                        count += hits[y, x]
                    if bound[y, x] <= level or (not everything and bound[y, x] < rest):
                        todo[x, w] |= bit
                        smallest = min(smallest, bound[y, x])
                    else:
                        todo[x, w] &= ~bit
                        rest = min(rest, bound[y, x])
            smallest = min(smallest, rest)
            rows[x, 0] = smallest
            rows[x, 1] = level
            rows[x, 2] = count
            rows[x, 3] = 1
            rows[x, 4] = rest
            following = min(following, smallest)
            total_hits += count
        if total_hits:
            break
        if following == NEVER:
            return -1, -1, -1, NEVER
        level = following
    place = int(draws[step] * total_hits)
    for x in range(d):
        if rows[x, 0] > level:
            continue
        if place >= rows[x, 2]:
            place -= rows[x, 2]
            continue
        for w in range(words):
            word = todo[x, w] & (children[x, w] | neighbours[x, w]) & ~barred[x, w]
            while word:
                y = (w << 6) + lowest(word)
                word &= word - ONE
                if bound[y, x] > level:
                    continue
                if place < hits[y, x]:
                    index = found[y, x]
                    if place < hits[y, x] - 1:
                        stop = place + 1
                        _, index, _ = hits_at(x, y, level, stop, state, k_max, known, inputs, scratch)
                    return x, y, index, level
                place -= hits[y, x]
    return -1, -1, -1, level  # not reached: place < total_hits


@njit(cache=True)
def ties_at(level, state, k_max, known, inputs, scratch):
    """All candidates (x, y, index of H) of the total that :func:`least` has just found, int64 (t, 3)."""
    children, neighbours = state[1], state[2]
    bound, hits, todo, barred = known[5], known[6], known[11], known[13]
    d, words = children.shape
    listed = [(0, 0, 0) for _ in range(0)]
    for x in range(d):
        for w in range(words):
            word = todo[x, w] & (children[x, w] | neighbours[x, w]) & ~barred[x, w]
            while word:
                y = (w << 6) + lowest(word)
                word &= word - ONE
                if bound[y, x] > level:
                    continue
                for k in range(hits[y, x]):
                    _, index, _ = hits_at(x, y, level, k + 1, state, k_max, known, inputs, scratch)
                    listed.append((x, y, index))
    out = np.empty((len(listed), 3), np.int64)
    for k in range(len(listed)):
        out[k, 0], out[k, 1], out[k, 2] = listed[k]
    return out


@njit(cache=True)
def valid_sets(x, y, state, k_max):
    """Every valid H of x → y: its index, int64 (t,), and its set S, uint64 (t, w)."""
    shared, pool, apart, forced, valid = subset_pool(x, y, state, k_max)
    words = shared.shape[0]
    count = 0
    for index in range(1 << pool.shape[0] if valid else 0):
        count += keeps_clique(index, apart, forced)
    found = np.empty(count, np.int64)
    given = np.empty((count, words), np.uint64)
    removed = np.empty(words, np.uint64)
    k = 0
    for index in range(1 << pool.shape[0] if valid else 0):
        if keeps_clique(index, apart, forced):
            chosen(index, pool, removed)
            conditioning_set(x, y, shared, removed, state[0], given[k])
            found[k] = index
            k += 1
    return found, given


@njit(cache=True)
def copied(state):
    """A copy of the rows of a partially directed graph."""
    return (
        state[0].copy(),
        state[1].copy(),
        state[2].copy(),
        state[3].copy(),
        state[4].copy(),
        state[5].copy(),
        state[6].copy(),
        state[7].copy(),
    )


@njit(cache=True)
def cut_inputs(x, y, given, step, topological, inputs, cuts, n_cut, touched, scratch):
    """Take the arcs of every input's minimum cut nearest to y out of it; list them in ``cuts``.

    ``touched`` receives, for each input, the nodes whose set of ancestors held the head of such an arc:
    only cuts that involve one of them can have changed. Returns the new length of ``cuts``.
    """
    parents, children, ancestors, component, _ = inputs
    moral, _, reached, _, _, _, _ = scratch
    d = topological.shape[1]
    side = np.empty(d, np.int64)
    others = np.empty(d, np.int64)
    inside = np.empty(given.shape[0], np.uint64)
    heads = np.empty(given.shape[0], np.uint64)
    for i in range(parents.shape[0]):
        clear(touched[i])
        if component[i, x] != component[i, y]:
            continue
        ancestral(x, y, given, ancestors[i], inside)
        if not min_cut(y, x, given, inside, parents[i], children[i], NEVER, scratch):
            continue
        clear(heads)
        for j in range(members(reached, side)):
            u = side[j]
            minus(moral[u], reached, inside)
            for k in range(members(inside, others)):
                v = others[k]
                if has(parents[i, u], v):
                    u, v = v, u
                elif not has(parents[i, v], u):
                    continue  # only moralisation joined the pair
                drop(parents[i, v], u)
                drop(children[i, u], v)
                add(heads, v)
                cuts[n_cut, 0] = step
                cuts[n_cut, 1] = i
                cuts[n_cut, 2] = u
                cuts[n_cut, 3] = v
                n_cut += 1
                u = side[j]
        for k in range(d):
            v = topological[i, k]
            if meet(ancestors[i, v], heads):
                add(touched[i], v)
                clear(ancestors[i, v])
                add(ancestors[i, v], v)
                for w in range(heads.shape[0]):
                    word = parents[i, v, w]
                    while word:
                        unite(ancestors[i, v], ancestors[i, (w << 6) + lowest(word)])
                        word &= word - ONE
        components(parents[i], children[i], component[i])
    return n_cut


@njit(cache=True)
def after_cuts(cuts, touched, state, known, inputs):
    """Take back what inputs that lost arcs no longer bear out.

    Losing arcs only takes edges from moral graphs: what was an upper bound of a cut remains one. A
    cut of x → y involves the ancestors of {x, y}, pa(y) and NaYX.
    """
    parents, neighbours, adjacent = state[0], state[2], state[3]
    arcs, weights = inputs[0], inputs[4]
    slot, low, sums, bound, hits = known[0], known[1], known[4], known[5], known[6]
    fresh, tested = known[10], known[12]
    r, words = touched.shape
    d = parents.shape[0]
    nodes = np.empty(d, np.int64)
    affected = np.empty(r, np.int64)
    base = np.empty(words, np.uint64)
    more = np.empty(words, np.uint64)
    losing = np.empty(r, np.int64)
    for c in range(cuts.shape[0]):
        i = cuts[c, 1]
        for side in range(2):
            x, y = cuts[c, 2 + side], cuts[c, 3 - side]
            if has(parents[y], x) or has(neighbours[y], x):
                s = slot[y, x]
                sums[s, 0] -= weights[i] * np.int64(low[s, i])
                sums[s, 1] -= weights[i]
                low[s, i] = 0
                if bound[y, x] != NEVER:
                    _reopen(x, y, known)
    n_losing = 0
    for i in range(r):
        if size(touched[i]):
            losing[n_losing] = i
            n_losing += 1
    for y in range(d):
        for w in range(words):
            base[w] = parents[y, w]
        add(base, y)
        count, others = 0, n_losing  # the affected come first, the others from the end
        for j in range(n_losing):
            if meet(touched[losing[j]], base):
                affected[count] = losing[j]
                fresh[losing[j], y] = False
                count += 1
            else:
                others -= 1
                affected[others] = losing[j]
        alone = not size(neighbours[y])
        if alone and not count:
            continue
        for w in range(words):
            more[w] = (parents[y, w] | neighbours[y, w]) & tested[y, w]
        for k in range(members(more, nodes)):
            x = nodes[k]
            s = slot[y, x]
            # whether the bound or the hits rest on more than root cuts; if no H is valid they always hold
            pooled = hits[y, x] >= 0 or bound[y, x] != sums[s, 0]
            valid = bound[y, x] != NEVER
            if sums[s, 0] == sums[s, 1] and not (pooled and valid):
                continue
            if not alone:
                for w in range(words):
                    more[w] = neighbours[y, w] & adjacent[x, w]
                pooled &= valid and size(more) > 0
                add(more, x)
            else:
                pooled = False
            change = False
            for j in range(n_losing):
                i = affected[j]
                if j >= count and (alone or not meet(touched[i], more)):
                    continue
                change |= pooled
                if low[s, i]:
                    direct = has(arcs[i, x], y) or has(arcs[i, y], x)
                    if low[s, i] > direct:
                        sums[s, 0] -= weights[i] * (np.int64(low[s, i]) - direct)
                        low[s, i] = direct
                        change = True
            if change and valid:
                _reopen(x, y, known)


@njit(cache=True)
def after_deletion(x0, y0, state, k_max, known, inputs):
    """Take back what no longer holds of the orientations after the deletion of x0 – y0.

    A score of x → y depends on the parents and neighbours of y, on which neighbours are adjacent to
    x and to each other. Most often y has only lost a parent; then :func:`carry_over` saves what it can.
    """
    parents, neighbours, adjacent = state[0], state[2], state[3]
    changed, old_parents, old_neighbours = state[4], state[5], state[6]
    rows = known[8]
    d, words = parents.shape
    nodes = np.empty(d, np.int64)
    group = np.empty(words, np.uint64)
    look = np.empty(words, np.uint64)
    before = np.empty(words, np.uint64)
    sure_old = np.empty(words, np.uint64)
    given_old = np.empty(words, np.uint64)
    sure = np.empty(words, np.uint64)
    given = np.empty(words, np.uint64)
    for y in range(d):
        clear(group)
        if has(changed, y):
            with_lines = False
            for w in range(words):
                word = (old_parents[y, w] | old_neighbours[y, w]) & ~(parents[y, w] | neighbours[y, w])
                while word:  # orientations that are no more
                    rows[(w << 6) + lowest(word), 3] = 0
                    word &= word - ONE
                look[w] = parents[y, w] | neighbours[y, w]
                with_lines |= (old_neighbours[y, w] | neighbours[y, w]) != 0
            if not with_lines:
                for w in range(words):
                    group[w] = parents[y, w] & old_parents[y, w]
                    look[w] &= ~group[w]
        elif has(neighbours[y], x0) or has(neighbours[y], y0):
            if has(neighbours[y], x0) and has(neighbours[y], y0):
                # for x adjacent to both, fewer H leave a clique; no total becomes smaller
                for w in range(words):
                    look[w] = (parents[y, w] | neighbours[y, w]) & adjacent[x0, w] & adjacent[y0, w]
                for k in range(members(look, nodes)):
                    known[14][y, nodes[k]] = False
                    if known[6][y, nodes[k]] >= 0:
                        _reopen(nodes[k], y, known)
            for w in range(words):
                old_parents[y, w] = parents[y, w]
                old_neighbours[y, w] = neighbours[y, w]
                look[w] = 0
            for v in (x0, y0):
                if has(parents[y], v) or has(neighbours[y], v):
                    add(look, v)
        else:
            continue
        for k in range(members(look, nodes)):
            x = nodes[k]
            was_parent = has(old_parents[y], x)
            if not was_parent and not has(old_neighbours[y], x):
                forget(x, y, known, inputs)
                continue
            known[14][y, x] = False
            if not has(known[12][y], x):
                continue
            for w in range(words):
                before[w] = adjacent[x, w]
            if x == x0:
                add(before, y0)
            elif x == y0:
                add(before, x0)
            shared_old = root_sets(x, old_parents[y], old_neighbours[y], before, k_max, sure_old, given_old)
            shared = root_sets(x, parents[y], neighbours[y], adjacent[x], k_max, sure, given)
            if not shared_old and not shared and was_parent and has(parents[y], x):
                add(group, x)
                continue
            if differ(sure_old, sure) or differ(given_old, given):
                clear(before)
                add(before, x)
                carry_over(y, sure_old, given_old, sure, given, before, np.bool_(False), known, inputs)
                _reopen(x, y, known)
            elif shared or shared_old:
                same = True
                for w in range(words):
                    same &= old_neighbours[y, w] & before[w] == neighbours[y, w] & adjacent[x, w]
                if not same or known[6][y, x] >= 0:
                    _reopen(x, y, known)
        if differ(old_parents[y], parents[y]):
            before_all, now_all = old_parents[y], parents[y]
            carry_over(y, before_all, before_all, now_all, now_all, group, np.bool_(True), known, inputs)


@njit(cache=True)
def carry_over(y, sure_old, given_old, sure, given, group, closing, known, inputs):
    """Keep what remains true of the root cuts of x → y, for x in ``group``, when their sets change.

    From the old ancestral set A to the new one by way of A₁, that of the nodes which are sure in
    both. Nodes of A outside A₁ matter only if paths can pass through them, that is, if they have two
    neighbours or more in A₁ that are not removed: else the cut is the same with and without them. More
    nodes can only raise a cut, more removed ones only lower it. The sets hold x, which is not removed.
    With ``closing`` the sets are pa(y), and the closures of y are replaced as well.
    """
    parents, children, ancestors, weights = inputs[0], inputs[1], inputs[2], inputs[4]
    slot, low, high, sums = known[0], known[1], known[2], known[4]
    closure, fresh = known[9], known[10]
    r, d, words = parents.shape
    both = np.empty(words, np.uint64)
    first = np.empty(words, np.uint64)
    middle = np.empty(words, np.uint64)
    second = np.empty(words, np.uint64)
    blocked = np.empty(words, np.uint64)
    freed = np.empty(words, np.uint64)
    nodes = np.empty(d, np.int64)
    slots = np.empty(d, np.int64)
    worth = np.zeros(r, np.bool_)
    n_members = 0
    for w in range(words):
        both[w] = sure_old[w] & sure[w]
        word = group[w] & known[12][y, w]
        while word:
            x = (w << 6) + lowest(word)
            word &= word - ONE
            s = slot[y, x]
            if sums[s, 0] == sums[s, 1] and not sums[s, 2]:
                continue  # nothing is known that could be kept
            nodes[n_members] = x
            slots[n_members] = s
            n_members += 1
            for i in range(r):
                worth[i] |= low[s, i] != 0 or high[s, i] != OPEN
    if not n_members:
        if closing:
            fresh[:, y] = False
        return
    shrinks, grows = differ(both, sure_old), differ(both, sure)
    for i in range(r):
        if not worth[i]:
            fresh[i, y] &= not closing
            continue
        ancestral(y, y, both, ancestors[i], middle)
        n_first, n_second = 0, 0
        if shrinks:
            if closing and fresh[i, y]:
                for w in range(words):
                    first[w] = closure[i, y, w]
            else:
                ancestral(y, y, sure_old, ancestors[i], first)
            n_first = _doors(first, middle, given_old, parents[i])
        if grows:
            ancestral(y, y, sure, ancestors[i], second)
        if closing:
            fresh[i, y] = True
            for w in range(words):
                closure[i, y, w] = second[w] if grows else middle[w]
        if grows:
            n_second = _doors(second, middle, given, parents[i])
        n_blocked = _around(given, given_old, middle, parents[i], children[i], blocked)
        n_freed = _around(given_old, given, middle, parents[i], children[i], freed)
        for k in range(n_members):
            x, s = nodes[k], slots[k]
            change = False
            if low[s, i] and (n_blocked + has(blocked, x) > 1 or (shrinks and n_first + has(first, x) > 1)):
                direct = has(parents[i, x], y) or has(parents[i, y], x)
                if low[s, i] > direct:
                    sums[s, 0] -= weights[i] * (np.int64(low[s, i]) - direct)
                    low[s, i] = direct
                    change = True
            if high[s, i] != OPEN and (
                n_freed + has(freed, x) > 1 or (grows and n_second + has(second, x) > 1)
            ):
                high[s, i] = OPEN
                sums[s, 2] -= 1
                change = True
            if change:
                _reopen(x, y, known)


@njit(cache=True)
def _doors(larger, smaller, removed, parents):
    """Neighbours in ``smaller``, not removed, of the nodes of an ancestral set that are outside it.

    Their number; ``larger`` becomes the set of all neighbours in ``smaller``, removed ones too.
    """
    words = larger.shape[0]
    count = 0
    for w in range(words):
        larger[w] &= ~smaller[w]
    doors = np.zeros(words, np.uint64)
    for w in range(words):
        word = larger[w]
        while word:
            unite(doors, parents[(w << 6) + lowest(word)])
            word &= word - ONE
    for w in range(words):
        larger[w] = doors[w] & smaller[w]
        word = larger[w] & ~removed[w]
        while word:
            count += 1
            word &= word - ONE
    return count


@njit(cache=True)
def _around(removed, other, inside, parents, children, out):
    """Neighbours in a moral graph of the nodes in ``removed`` but not in ``other``.

    Their number without those that are in both sets; ``out`` becomes the set with them.
    """
    words = out.shape[0]
    clear(out)
    some = False
    row = np.empty(words, np.uint64)
    for w in range(words):
        word = removed[w] & ~other[w] & inside[w]
        while word:
            some = True
            moral_row((w << 6) + lowest(word), inside, parents, children, row)
            unite(out, row)
            word &= word - ONE
    if not some:
        return 0
    count = 0
    for w in range(words):
        out[w] &= ~(removed[w] & ~other[w])
        word = out[w] & ~(removed[w] & other[w])
        while word:
            count += 1
            word &= word - ONE
    return count


@njit(cache=True)
def advance(state, deletions, chosen_sets, start, stop, completed):
    """Carry out the deletions ``start`` to ``stop`` − 1 on a state, in place."""
    for step in range(start, stop):
        delete(deletions[step, 0], deletions[step, 1], chosen_sets[step], state)
        if step == 0 and not completed:
            complete(state)


# --- along the path ------------------------------------------------------------------------------


@njit(cache=True)
def moral_rows(state, out):
    """The moral graph that all DAGs of the state's class share, as rows, into ``out``.

    In a CPDAG two nodes that are not adjacent have a common child in those DAGs only if both arcs are
    directed.
    """
    parents, children, adjacent = state[0], state[1], state[3]
    for v in range(parents.shape[0]):
        for w in range(parents.shape[1]):
            out[v, w] = adjacent[v, w]
        for w in range(parents.shape[1]):
            word = children[v, w]
            while word:
                unite(out[v], parents[(w << 6) + lowest(word)])
                word &= word - ONE
        drop(out[v], v)


@njit(cache=True)
def moral_distance(rows, support, weight):
    """Weighted sum of the edges in which a moral graph differs from those of the inputs.

    ``support`` is int64 (d, d), the weight of the inputs whose moral graphs join two nodes; ``weight``
    the weight of all inputs.
    """
    total = 0
    for u in range(rows.shape[0]):
        for v in range(u):
            total += weight - support[u, v] if has(rows[u], v) else support[u, v]
    return total


@njit(cache=True)
def degeneracy(rows):
    """Largest, over its subgraphs, of the least degree in an undirected graph: no treewidth is smaller."""
    d = rows.shape[0]
    degree = np.empty(d, np.int64)
    for v in range(d):
        degree[v] = size(rows[v])
    left = np.ones(d, np.bool_)
    nodes = np.empty(d, np.int64)
    found = 0
    for _ in range(d):
        v = -1
        for u in range(d):
            if left[u] and (v < 0 or degree[u] < degree[v]):
                v = u
        found = max(found, degree[v])
        left[v] = False
        for k in range(members(rows[v], nodes)):
            degree[nodes[k]] -= 1
    return found
