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


def pack_sparse(
    matrix: np.ndarray, entries: np.ndarray | None = None, values: type = np.float64
) -> dict[str, np.ndarray]:
    """Chosen entries of a (d, d) matrix, 8 (or 4) + :func:`index_bytes` bytes each.

    Parameters
    ----------
    matrix : ndarray, shape (d, d)
    entries : ndarray of bool, shape (d, d), optional
        Which entries; by default those that are not 0.
    values : numpy.float64 or numpy.float32
        How numbers are written.

    Returns
    -------
    dict
        ``positions``: uint8, shape (k, index_bytes(d)), row-major positions, lowest byte first;
        ``values``: shape (k,).
    """
    d = len(matrix)
    flat = np.flatnonzero(matrix if entries is None else entries)
    octets = flat.astype("<u8").view(np.uint8).reshape(len(flat), 8)
    return {
        "positions": octets[:, : index_bytes(d)].copy(),
        "values": np.ravel(matrix)[flat].astype(values),
    }


def unpack_sparse(
    message: Message | Mapping[str, np.ndarray], d: int, base: np.ndarray | None = None
) -> np.ndarray:
    """The (d, d) matrix that :func:`pack_sparse` packed: ``base`` (default: zeros) with these entries."""
    positions = message["positions"]
    octets = np.zeros((len(positions), 8), dtype=np.uint8)
    octets[:, : positions.shape[1]] = positions
    matrix = np.zeros(d * d) if base is None else base.ravel().copy()
    matrix[octets.view("<u8").ravel().astype(np.int64)] = message["values"]
    return matrix.reshape(d, d)


class SparseChannel:
    """One end of a one-way channel for (d, d) matrices with few entries, one matrix a round.

    Parameters
    ----------
    d : int
    send : {"full", "changes"}
        Every message holds all non-zero entries, or those that differ from the matrix before (0 at
        first): the receiver gets the same matrices.
    precision : {"double", "single"}
        Numbers of 8 or of 4 bytes.
    """

    def __init__(self, d: int, send: str = "full", precision: str = "double"):
        self.changes = send == "changes"
        self.values = {"double": np.float64, "single": np.float32}[precision]
        self._last = np.zeros((d, d))

    def rounded(self, matrix: np.ndarray) -> np.ndarray:
        """``matrix`` in the numbers that travel; what is packed must be so rounded."""
        return matrix if self.values is np.float64 else matrix.astype(self.values).astype(np.float64)

    def pack(self, matrix: np.ndarray) -> dict[str, np.ndarray]:
        """The arrays of the message; for the sender's end."""
        packed = pack_sparse(matrix, matrix != self._last if self.changes else None, self.values)
        self._last = matrix.copy()
        return packed

    def unpack(self, message: Message | Mapping[str, np.ndarray]) -> np.ndarray:
        """The matrix of the message; for the receiver's end."""
        self._last = unpack_sparse(message, len(self._last), self._last if self.changes else None)
        return self._last


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
    smallest to its largest term. Entries that are 0 at every site cost next to nothing.
    """
    stack = np.stack(arrays)
    some = (stack != 0).any(axis=0)
    total = np.zeros(stack.shape[1:])
    total[some] = np.sort(stack[:, some], axis=0).sum(axis=0)
    return total
