"""Matrices of zeros and ones as rows of 64-bit words."""

import numpy as np


def to_bits(matrix: np.ndarray) -> np.ndarray:
    """Rows of a boolean matrix (m, k) as uint64 words, lowest bit first, shape (m, ⌈k / 64⌉)."""
    rows, columns = matrix.shape
    padded = np.zeros((rows, -(-columns // 64) * 64), dtype=np.uint8)
    padded[:, :columns] = matrix
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def from_bits(rows: np.ndarray) -> np.ndarray:
    """The square int8 matrix whose rows :func:`to_bits` packed."""
    as_bytes = np.ascontiguousarray(rows, dtype="<u8").view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=len(rows), bitorder="little").astype(np.int8)
