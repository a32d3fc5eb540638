"""Bytes that a protocol exchanges by the formulas of the Fed-Sparse-BNSL paper (appendix B.2.1).

What a run really sends is counted on its messages (:attr:`fedbnsl.federate.Message.n_bytes`); these
formulas are what to compare that with.
"""

FLOAT_BYTES = 8


def dense_bytes(rounds: int, sites: int, nodes: int) -> int:
    """Bytes of a protocol whose every message is a full matrix: 2 · T · P · d² · 8, both directions.

    Parameters
    ----------
    rounds, sites, nodes : int
        T, P and d.
    """
    return 2 * rounds * sites * nodes**2 * FLOAT_BYTES


def sparse_entry_bytes(nodes: int) -> int:
    """Bytes of one non-zero coefficient with its place in a d × d matrix: 8 + ⌈log2(d²) / 8⌉.

    Parameters
    ----------
    nodes : int
        d, at least 1.
    """
    # The least whole number of bytes that tells d² places apart, in integers: log2 rounds at powers of 2.
    return FLOAT_BYTES + -(-(nodes**2 - 1).bit_length() // 8)
