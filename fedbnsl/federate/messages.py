"""What travels between sites and server: named arrays, and the packings that make them small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Message:
    """Named arrays as they would travel.

    Attributes
    ----------
    arrays : mapping of str to ndarray
        What the receiver gets. A sparse matrix is sent packed (:func:`pack_sparse`).
    """

    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """Bytes of the payload: the sum of the arrays' own sizes (names and framing not counted)."""
        return sum(array.nbytes for array in self.arrays.values())

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]


def index_bytes(d: int) -> int:
    """Bytes of one position in a d × d matrix: ⌈log₂(d²) / 8⌉ (Fed-Sparse-BNSL, B.2.1)."""
    return -(-((d * d - 1).bit_length()) // 8)


def pack_sparse(matrix: np.ndarray) -> dict[str, np.ndarray]:
    """The non-zero entries of a (d, d) matrix, 8 + :func:`index_bytes` bytes each.

    Returns
    -------
    dict
        ``positions``: uint8, shape (k, index_bytes(d)), row-major positions, lowest byte first;
        ``values``: float64, shape (k,).
    """
    d = len(matrix)
    flat = np.flatnonzero(matrix)
    octets = flat.astype("<u8").view(np.uint8).reshape(len(flat), 8)
    return {
        "positions": octets[:, : index_bytes(d)].copy(),
        "values": np.ravel(matrix)[flat].astype(np.float64),
    }


def unpack_sparse(message: Message | Mapping[str, np.ndarray], d: int) -> np.ndarray:
    """The (d, d) matrix that :func:`pack_sparse` packed."""
    positions = message["positions"]
    octets = np.zeros((len(positions), 8), dtype=np.uint8)
    octets[:, : positions.shape[1]] = positions
    matrix = np.zeros(d * d)
    matrix[octets.view("<u8").ravel().astype(np.int64)] = message["values"]
    return matrix.reshape(d, d)


def pack_symmetric(matrix: np.ndarray) -> np.ndarray:
    """The upper triangle with the diagonal of a symmetric (d, d) matrix, row by row: d(d+1)/2 numbers."""
    return matrix[np.triu_indices(len(matrix))]


def unpack_symmetric(packed: np.ndarray) -> np.ndarray:
    """The symmetric (d, d) matrix that :func:`pack_symmetric` packed."""
    d = (int(np.sqrt(8 * len(packed) + 1)) - 1) // 2
    matrix = np.zeros((d, d))
    rows, columns = np.triu_indices(d)
    matrix[rows, columns] = packed
    matrix[columns, rows] = packed
    return matrix


def sum_over_sites(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Sum of equally shaped arrays, one a site, with the same bits for any order of the sites.

    Floating-point addition depends on the order of its terms; here every entry is summed from its
    smallest to its largest term.
    """
    return np.sort(np.stack(arrays), axis=0).sum(axis=0)
