"""Compiled kernels that take a node out of a DAG and put it back with other parents.

Gains come from outside, in rows: a row is one (y, B) with the gain of every x. A kernel that lacks some lists
them as requests, changes nothing else, and returns :data:`MISSING`; it is called again when they are there.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

MISSING = 1
# places in Rows.numbers
N_ROWS, N_REQUESTS = 0, 1
# Sums of gains rounded to 2⁻²⁰ differ between two ways to the same parents; a smaller change is no gain.
LEAST = 2.0**-10


class Rows(NamedTuple):
    """Gains that are known; d nodes, w words of bits, room for m rows."""

    gains: np.ndarray  # (m, d) of adding x to the base of y; nan: unknown
    owner: np.ndarray  # (m,) y
    base: np.ndarray  # (m, w)
    need: np.ndarray  # (m, w) what is requested
    whole: np.ndarray  # (m,) whether all of the row was requested
    requests: np.ndarray  # (m,) rows that something is requested of
    slots: np.ndarray  # hash table of the rows, −1: free; its size is a power of 2
    numbers: np.ndarray  # (2,) see above


class Dag(NamedTuple):
    """A DAG and what it must keep."""

    parents: np.ndarray  # (d, w)
    children: np.ndarray  # (d, w)
    required: np.ndarray  # (d, w) parents that a node must have
    allowed: np.ndarray  # (d, w) parents that it may have
    scored: np.ndarray  # (w,) nodes that the scores know of
    cap: int  # largest number of parents


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
def _copy(row, out):
    for i in range(row.shape[0]):
        out[i] = row[i]


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


# --- gains -----------------------------------------------------------------------------------------


@njit(cache=True)
def _row(rows, y, base):
    """The row of (y, base), a new one without gains if there was none; −1 if there is no room."""
    mask = np.uint64(rows.slots.shape[0] - 1)
    code = np.uint64(y + 1) * np.uint64(0x9E3779B97F4A7C15)
    for i in range(base.shape[0]):
        code = (code ^ base[i]) * np.uint64(0xBF58476D1CE4E5B9)
        code ^= code >> np.uint64(29)
    slot = code & mask
    while rows.slots[slot] >= 0:
        row = rows.slots[slot]
        same = rows.owner[row] == y
        for i in range(base.shape[0]):
            same &= rows.base[row, i] == base[i]
        if same:
            return row
        slot = (slot + np.uint64(1)) & mask
    row = rows.numbers[N_ROWS]
    if row == rows.owner.shape[0]:
        return -1
    rows.numbers[N_ROWS] += 1
    rows.slots[slot] = row
    rows.owner[row], rows.whole[row] = y, 0
    _copy(base, rows.base[row])
    for i in range(base.shape[0]):
        rows.need[row, i] = np.uint64(0)
    for x in range(rows.gains.shape[1]):
        rows.gains[row, x] = np.nan
    return row


@njit(cache=True)
def _request(rows, row):
    rows.requests[rows.numbers[N_REQUESTS]] = row
    rows.numbers[N_REQUESTS] += 1


@njit(cache=True)
def _whole_row(rows, y, base, scored):
    """The row of (y, base) with the gains of all nodes outside; −1 if they are missing."""
    row = _row(rows, y, base)
    if row < 0 or rows.whole[row]:
        return row
    for i in range(base.shape[0]):
        rows.need[row, i] = scored[i] & ~base[i]
    _drop(rows.need[row], y)
    rows.whole[row] = 1
    _request(rows, row)
    return -1


@njit(cache=True)
def _gain(rows, y, base, x):
    """Gain of x alone; nan if it is missing."""
    row = _row(rows, y, base)
    if row < 0:
        return np.nan
    if np.isnan(rows.gains[row, x]):
        for i in range(base.shape[0]):
            rows.need[row, i] = np.uint64(0)
        _put(rows.need[row], x)
        _request(rows, row)
    return rows.gains[row, x]


@njit(cache=True)
def value(rows, y, parents, scored):
    """Score of y with these parents minus that without any; nan if gains are missing."""
    base = np.zeros(parents.shape[0], np.uint64)
    total = 0.0
    for i in range(parents.shape[0]):
        word = parents[i] & scored[i]
        while word:
            x = (i << 6) + np.int64(_lowest(word))
            total += _gain(rows, y, base, x)
            if np.isnan(total) and rows.numbers[N_REQUESTS]:
                return np.nan
            _put(base, x)
            word &= word - np.uint64(1)
    return total


# --- one family ------------------------------------------------------------------------------------


@njit(cache=True)
def _largest(gains, among, base):
    """(gain, x) of the best x of ``among`` that is not in the base; x = −1 if no gain is above LEAST."""
    best, chosen = LEAST, -1
    for i in range(among.shape[0]):
        word = among[i] & ~base[i]
        while word:
            x = (i << 6) + np.int64(_lowest(word))
            if gains[x] > best:
                best, chosen = gains[x], x
            word &= word - np.uint64(1)
    return best, chosen


@njit(cache=True)
def climb(rows, dag, y, among, parents):
    """Improve the parents of y, in place: add the best of ``among``, or else remove or exchange one.

    Additions come first, while one raises the score. Required parents stay. Returns MISSING or 0, and the
    gain.
    """
    words = parents.shape[0]
    members = np.empty(dag.parents.shape[0], np.int64)
    base = np.empty(words, np.uint64)
    total = 0.0
    while True:
        n = _members(parents, members)
        if n < dag.cap:
            row = _whole_row(rows, y, parents, dag.scored)
            if row < 0:
                return MISSING, 0.0
            gain, x = _largest(rows.gains[row], among, parents)
            if x >= 0:
                _put(parents, x)
                total += gain
                continue
        missing = False
        _copy(parents, base)
        for k in range(n):
            if not _has(dag.required[y], members[k]):
                _drop(base, members[k])
                missing |= _whole_row(rows, y, base, dag.scored) < 0
                _put(base, members[k])
        if missing:
            return MISSING, 0.0
        best, out, into = LEAST, -1, -1
        for k in range(n):
            p = members[k]
            if _has(dag.required[y], p):
                continue
            _drop(base, p)
            gains = rows.gains[_row(rows, y, base)]
            if -gains[p] > best:
                best, out, into = -gains[p], p, -1
            gain, x = _largest(gains, among, parents)
            if x >= 0 and gain - gains[p] > best:
                best, out, into = gain - gains[p], p, x
            _put(base, p)
        if out < 0:
            return 0, total
        _drop(parents, out)
        if into >= 0:
            _put(parents, into)
        total += best


# --- the DAG ---------------------------------------------------------------------------------------


@njit(cache=True)
def set_parents(dag, y, parents):
    """Give y these parents."""
    for i in range(parents.shape[0]):
        word = parents[i] ^ dag.parents[y, i]
        while word:
            x = (i << 6) + np.int64(_lowest(word))
            if _has(parents, x):
                _put(dag.children[x], y)
            else:
                _drop(dag.children[x], y)
            word &= word - np.uint64(1)
        dag.parents[y, i] = parents[i]


@njit(cache=True)
def below(dag, y, out):
    """y and its descendants."""
    d, words = dag.parents.shape
    stack = np.empty(d, np.int64)
    stack[0], top = y, 1
    for i in range(words):
        out[i] = np.uint64(0)
    _put(out, y)
    while top:
        top -= 1
        v = stack[top]
        for i in range(words):
            word = dag.children[v, i] & ~out[i]
            out[i] |= word
            while word:
                stack[top] = (i << 6) + np.int64(_lowest(word))
                top += 1
                word &= word - np.uint64(1)


@njit(cache=True)
def _possible_parents(dag, y, out):
    """What y may have as parents: allowed, scored and no descendant."""
    below(dag, y, out)
    for i in range(out.shape[0]):
        out[i] = dag.allowed[y, i] & dag.scored[i] & ~out[i]


@njit(cache=True)
def _replace(rows, dag, y, released, start, members, n):
    """Put y back; see :func:`reinsert`. Leaves the DAG changed."""
    words = start.shape[0]
    among, parents = np.empty((2, words), np.uint64)
    total = 0.0
    for k in range(n):
        c = members[k]
        _copy(dag.parents[c], parents)
        _drop(parents, y)
        total -= _gain(rows, c, parents, y)
        set_parents(dag, c, parents)
    total -= value(rows, y, dag.parents[y], dag.scored)
    _possible_parents(dag, y, among)
    for i in range(words):
        parents[i] = start[i] & among[i] | dag.required[y, i]
    if rows.numbers[N_REQUESTS]:
        return MISSING, 0.0
    if _size(parents) > dag.cap:
        return 0, 0.0
    total += value(rows, y, parents, dag.scored)
    missing, gain = climb(rows, dag, y, among, parents)
    if missing or rows.numbers[N_REQUESTS]:
        return MISSING, 0.0
    total += gain
    set_parents(dag, y, parents)
    for k in range(n):
        c = members[k]
        _possible_parents(dag, c, among)
        _copy(dag.parents[c], parents)
        missing, gain = climb(rows, dag, c, among, parents)
        if missing:
            return MISSING, 0.0
        total += gain
        set_parents(dag, c, parents)
    return 0, total


@njit(cache=True)
def reinsert(rows, dag, y, released, start):
    """Take y out of the DAG and put it back, if that raises the score.

    y lets its children ``released`` go. Its parents are improved from ``start`` (without what is a
    descendant now, and with what is required), then those of every released child, by :func:`climb`.
    Returns MISSING or 0, and the gain: 0 if nothing has changed.
    """
    d, words = dag.parents.shape
    members = np.empty(d, np.int64)
    n = _members(released, members)
    members[n] = y
    before = np.empty((n + 1, words), np.uint64)
    for k in range(n + 1):
        _copy(dag.parents[members[k]], before[k])
    missing, gain = _replace(rows, dag, y, released, start, members, n)
    if not missing and gain > LEAST:
        return 0, gain
    for k in range(n + 1):
        set_parents(dag, members[k], before[k])
    return missing, 0.0
