"""Compiled kernels of the consensus: sets as bit rows, node order, minimal I-maps, cuts, pruning.

Sets of nodes are rows of 64-bit words: node v is bit v % 64 of word v // 64. A DAG is the rows of its
nodes' parents, uint64 (d, w), and of their children.

All in one file on purpose: numba keeps machine code until the file of the function that Python called
changes, and does not look at other files whose functions are built into it.
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


NEVER = 1 << 40  # more than any sum of cut sizes


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
    )


@njit(cache=True)
def min_cut(source, target, removed, inside, parents, children, limit, scratch):
    """Size of a minimum edge cut between two nodes, or ``limit`` if it is no smaller.

    The graph is the moral graph of the ancestral set ``inside`` of a DAG without the nodes
    ``removed``, every edge of capacity 1. Augmenting paths are found breadth first from ``source``.
    When the size is below ``limit`` the reached set in ``scratch`` holds the source's side of the
    minimum cut nearest to it, and the moral rows of its members are filled.
    """
    moral, flow, reached, built, previous, queue = scratch
    words = built.shape[0]
    clear(built)
    clear(flow[target])
    found_size = 0
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


# --- partially directed graphs: state = (parents, children, neighbours, adjacent) rows -----------


@njit(cache=True)
def pdag_state(parents, neighbours):
    """The rows that the pruning works on, from directed parents and undirected neighbours."""
    children = np.empty_like(parents)
    transpose(parents, children)
    adjacent = parents.copy()
    for v in range(parents.shape[0]):
        unite(adjacent[v], children[v])
        unite(adjacent[v], neighbours[v])
    return parents.copy(), children, neighbours.copy(), adjacent


@njit(cache=True)
def complete(state):
    """Turn a PDAG that has a consistent extension into the CPDAG of its class, in place.

    Only arcs of v-structures stay directed; then Meek's (1995) rules 1 to 3 direct what follows.
    """
    parents, children, neighbours, adjacent = state
    d = parents.shape[0]
    nodes = np.empty(d, np.int64)
    spouses = np.empty(parents.shape[1], np.uint64)
    for y in range(d):
        old = parents[y].copy()
        for k in range(members(old, nodes)):
            x = nodes[k]
            minus(old, adjacent[x], spouses)
            drop(spouses, x)
            if not size(spouses):
                drop(parents[y], x)
                drop(children[x], y)
                add(neighbours[x], y)
                add(neighbours[y], x)
    changed = True
    while changed:
        changed = False
        for a in range(d):
            for k in range(members(neighbours[a], nodes)):
                b = nodes[k]
                if _meek(a, b, state, spouses):
                    _direct(a, b, state)
                    changed = True


@njit(cache=True)
def _meek(a, b, state, row):
    """Whether rules 1 to 3 make the undirected a — b the arc a → b; ``row`` is work space."""
    parents, children, neighbours, adjacent = state
    minus(parents[a], adjacent[b], row)
    if size(row) or meet(children[a], parents[b]):
        return True
    for w in range(row.shape[0]):
        word = neighbours[a, w] & parents[b, w]
        while word:
            c = (w << 6) + lowest(word)
            word &= word - ONE
            for k in range(row.shape[0]):
                row[k] = neighbours[a, k] & parents[b, k] & ~adjacent[c, k]
            drop(row, c)
            if size(row):
                return True
    return False


@njit(cache=True)
def _direct(a, b, state):
    parents, children, neighbours, _ = state
    drop(neighbours[a], b)
    drop(neighbours[b], a)
    add(parents[b], a)
    add(children[a], b)


@njit(cache=True)
def delete(x, y, removed, state):
    """Chickering's (2002) Delete(x, y, H) followed by completion, in place."""
    parents, children, neighbours, adjacent = state
    drop(parents[y], x)
    drop(children[x], y)
    drop(neighbours[x], y)
    drop(neighbours[y], x)
    drop(adjacent[x], y)
    drop(adjacent[y], x)
    nodes = np.empty(parents.shape[0], np.int64)
    for k in range(members(removed, nodes)):
        _direct(y, nodes[k], state)
        if has(neighbours[x], nodes[k]):
            _direct(x, nodes[k], state)
    complete(state)


# --- scores of deletions: inputs = (parents, children, ancestors) rows of r DAGs -----------------


@njit(cache=True)
def input_rows(parents, topological):
    """The rows of r DAGs that scores are computed from, as new arrays: parents, children, ancestors."""
    children = np.empty_like(parents)
    ancestors = np.empty_like(parents)
    for i in range(parents.shape[0]):
        transpose(parents[i], children[i])
        ancestor_rows(parents[i], topological[i], ancestors[i])
    return parents.copy(), children, ancestors


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
    _, _, neighbours, adjacent = state
    shared = neighbours[y].copy()
    for w in range(shared.shape[0]):
        shared[w] &= adjacent[x, w]
    nodes = np.empty(neighbours.shape[0], np.int64)
    count = members(shared, nodes)
    k = min(count, k_max)
    apart = np.zeros(k, np.int64)
    forced = 0
    valid = True
    for a in range(count):
        for b in range(a):
            if has(adjacent[nodes[a]], nodes[b]):
                continue
            if a < k:
                apart[a] |= 1 << b
                apart[b] |= 1 << a
            elif b < k:
                forced |= 1 << b
            else:
                valid = False
    return shared, nodes[:k].copy(), apart, forced, valid


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
def joined(x, y, inputs):
    """Number of inputs with an arc between x and y: no deletion of x – y can have a smaller total."""
    parents = inputs[0]
    count = 0
    for i in range(parents.shape[0]):
        count += has(parents[i, x], y) or has(parents[i, y], x)
    return count


@njit(cache=True)
def ancestral(x, y, given, ancestors, out):
    """Ancestors of x, y and a set, all included, into ``out``."""
    for w in range(out.shape[0]):
        out[w] = ancestors[x, w] | ancestors[y, w]
    for w in range(given.shape[0]):
        word = given[w]
        while word:
            unite(out, ancestors[(w << 6) + lowest(word)])
            word &= word - ONE


@njit(cache=True)
def total_cut(x, y, given, sure, level, arcs, inputs, scratch):
    """Sum over the inputs of minimum x–y cuts; exact if ≤ ``level``, else only known to be above it.

    The cut of an input is taken in the moral graph of the ancestors of {x, y} and ``sure`` without the
    nodes ``given``. With both equal to S that is the score of S; with ``sure`` smaller it is a lower
    bound for every S between the two, because a larger ancestral set only adds edges, and so does a
    smaller removal. ``arcs`` is ``joined(x, y)``, by which the sum is bounded from the start.
    """
    parents, children, ancestors = inputs
    inside = np.empty(given.shape[0], np.uint64)
    total = arcs
    for i in range(parents.shape[0]):
        if total > level:
            break
        direct = int(has(parents[i, x], y) or has(parents[i, y], x))
        ancestral(x, y, sure, ancestors[i], inside)
        limit = level + 1 - total + direct
        total += min_cut(y, x, given, inside, parents[i], children[i], limit, scratch) - direct
    return total


@njit(cache=True)
def hits_at(x, y, level, stop, state, k_max, inputs, scratch):
    """The valid H of the orientation x → y whose total is at most ``level``, in order of their index.

    Depth first over the pool, its last member decided first and kept before it is put into H; a branch
    is left when its lower bound exceeds the level.

    Returns
    -------
    count : how many there are; the search ends when it reaches ``stop``
    index : of the last one counted, −1 if none
    bound : if count is 0, a number below which no total of the orientation lies
    """
    shared, pool, apart, forced, valid = subset_pool(x, y, state, k_max)
    arcs = joined(x, y, inputs)
    removed = np.empty(shared.shape[0], np.uint64)
    given = np.empty(shared.shape[0], np.uint64)
    sure = np.empty(shared.shape[0], np.uint64)
    branches = np.zeros((pool.shape[0] + 2, 3), np.int64)  # members left to decide, kept, index
    branches[0, 0] = pool.shape[0]
    count, last, top = 0, -1, 1
    if not valid:
        return count, last, NEVER
    while top and count < stop:
        top -= 1
        left, kept, index = branches[top, 0], branches[top, 1], branches[top, 2]
        chosen(index, pool, removed)
        conditioning_set(x, y, shared, removed, state[0], given)
        chosen(index | ((1 << left) - 1), pool, removed)
        conditioning_set(x, y, shared, removed, state[0], sure)
        if total_cut(x, y, given, sure, level, arcs, inputs, scratch) > level:
            continue
        if not left:
            count += 1
            last = index
            continue
        member = left - 1
        branches[top, 0], branches[top, 1], branches[top, 2] = member, kept, index | (1 << member)
        top += 1
        if not (apart[member] & kept or (forced >> member) & 1):
            branches[top, 0], branches[top, 1], branches[top, 2] = member, kept | (1 << member), index
            top += 1
    return count, last, level + 1


# --- the path of deletions -----------------------------------------------------------------------


@njit(cache=True)
def prune_path(fusion, input_parents, topological, k_max, completed, draws):
    """Delete the edge of least total until none is left; see prune.prune.

    Parameters
    ----------
    fusion : uint64 (d, w), parent rows of the DAG to start from
    input_parents : uint64 (r, d, w)
    topological : int64 (r, d), an order of each input
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
    inputs = input_rows(input_parents, topological)
    state = pdag_state(fusion, np.zeros_like(fusion))
    n_edges, n_arcs = 0, 0
    for v in range(d):
        n_edges += size(fusion[v])
        for i in range(r):
            n_arcs += size(input_parents[i, v])
    if completed:
        complete(state)
    deletions = np.zeros((n_edges, 3), np.int64)
    chosen_sets = np.zeros((n_edges, words), np.uint64)
    cuts = np.empty((n_arcs, 4), np.int64)
    n_cut = 0
    scratch = cut_scratch(d, words)
    bounds = np.zeros((d, d), np.int64)  # no total of x → y is below bounds[x, y]
    hits = np.empty((d, d), np.int64)  # how many equal it, −1: not known
    found = np.empty((d, d), np.int64)  # index of the last H counted
    given = np.empty(words, np.uint64)
    touched = np.zeros(words, np.uint64)
    changed = np.zeros(words, np.uint64)
    for v in range(d):
        add(changed, v)
    forget(bounds, hits, changed, touched, 0, 0, state, inputs)
    for step in range(n_edges):
        x, y, index, level = least(bounds, hits, found, step, draws, state, k_max, inputs, scratch)
        shared, pool, _, _, _ = subset_pool(x, y, state, k_max)
        chosen(index, pool, chosen_sets[step])
        deletions[step, 0] = x
        deletions[step, 1] = y
        deletions[step, 2] = level
        conditioning_set(x, y, shared, chosen_sets[step], state[0], given)
        clear(touched)
        if level:
            n_cut = cut_inputs(x, y, given, step, topological, inputs, cuts, n_cut, touched, scratch)
        old_parents, old_neighbours = state[0].copy(), state[2].copy()
        delete(x, y, chosen_sets[step], state)
        clear(changed)
        for v in range(d):
            if differ(old_parents[v], state[0][v]) or differ(old_neighbours[v], state[2][v]):
                add(changed, v)
        forget(bounds, hits, changed, touched, x, y, state, inputs)
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
def least(bounds, hits, found, step, draws, state, k_max, inputs, scratch):
    """The next deletion (x, y, index of H, total): the least total; of ties the drawn one, or the first.

    Candidates are ordered by x, then y, then the index of H. The search goes by level: it asks for
    the candidates of total ≤ level, from the smallest bound upwards, so that a flow is followed only
    until it passes the level, and what one step has refuted holds in the next.
    """
    _, children, neighbours, _ = state
    d = children.shape[0]
    nodes = np.empty(d, np.int64)
    first = draws.shape[0] == 0
    level = 0
    while True:
        total_hits, following = 0, NEVER
        for x in range(d):
            for k in range(_heads(x, children, neighbours, nodes)):
                y = nodes[k]
                if bounds[x, y] <= level and hits[x, y] < 0:
                    stop = 1 if first else NEVER
                    count, index, bound = hits_at(x, y, level, stop, state, k_max, inputs, scratch)
                    if count:
                        hits[x, y] = count
                        found[x, y] = index
                    else:
                        bounds[x, y] = bound
                if bounds[x, y] > level:
                    following = min(following, bounds[x, y])
                    continue
                total_hits += hits[x, y]
                if first:
                    return x, y, found[x, y], level
        if total_hits:
            break
        level = following
    place = int(draws[step] * total_hits)
    for x in range(d):
        for k in range(_heads(x, children, neighbours, nodes)):
            y = nodes[k]
            if bounds[x, y] > level:
                continue
            if place < hits[x, y]:
                _, index, _ = hits_at(x, y, level, place + 1, state, k_max, inputs, scratch)
                return x, y, index, level
            place -= hits[x, y]
    return -1, -1, -1, level  # not reached: place < total_hits


@njit(cache=True)
def cut_inputs(x, y, given, step, topological, inputs, cuts, n_cut, touched, scratch):
    """Take the arcs of every input's minimum cut nearest to y out of it; list them in ``cuts``.

    ``touched`` receives the nodes whose set of ancestors held the head of such an arc: only scores
    that involve one of them can have changed. Returns the new length of ``cuts``.
    """
    parents, children, ancestors = inputs
    moral, _, reached, _, _, _ = scratch
    d = topological.shape[1]
    side = np.empty(d, np.int64)
    others = np.empty(d, np.int64)
    inside = np.empty(given.shape[0], np.uint64)
    heads = np.empty(given.shape[0], np.uint64)
    for i in range(parents.shape[0]):
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
        for v in range(d):
            if meet(ancestors[i, v], heads):
                add(touched, v)
        ancestor_rows(parents[i], topological[i], ancestors[i])
    return n_cut


@njit(cache=True)
def forget(bounds, hits, changed, touched, x0, y0, state, inputs):
    """Bring back the bound of every orientation whose score the deletion of x0 – y0 can have changed.

    A score of x → y depends on the parents and neighbours of y, on which neighbours are adjacent to
    x and to each other, and in every input on the ancestors of {x, y} and of those sets.
    """
    parents, _, neighbours, _ = state
    d = parents.shape[0]
    nodes = np.empty(d, np.int64)
    for y in range(d):
        whole = has(changed, y) or has(touched, y) or has(neighbours[y], x0) or has(neighbours[y], y0)
        whole = whole or meet(touched, parents[y]) or meet(touched, neighbours[y])
        if not whole:
            continue
        for k in range(_heads(y, parents, neighbours, nodes)):
            bounds[nodes[k], y] = joined(nodes[k], y, inputs)
            hits[nodes[k], y] = -1


@njit(cache=True)
def advance(state, deletions, chosen_sets, start, stop):
    """Carry out the deletions ``start`` to ``stop`` − 1 on a state, in place."""
    for step in range(start, stop):
        delete(deletions[step, 0], deletions[step, 1], chosen_sets[step], state)
