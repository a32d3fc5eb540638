"""Sets of nodes as rows of 64-bit words: node v is bit v % 64 of word v // 64.

A DAG is the rows of its nodes' parents, uint64 (d, w), and of their children.

The compiled functions are built into those that call them, also in other files, whose cached machine
code does not notice a change here: after editing this file remove the ``__pycache__`` folders.
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
