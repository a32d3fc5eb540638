"""One column of a site's file before its meaning is known: cells of text, or an Arrow array."""

import re

import numpy as np

from fedbnsl.errors import InputError

_MISSING = {"", "na", "n/a", "nan", "null", "none", "?"}
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*")


class TextColumn:
    """Cells of a CSV or TSV file.

    Parameters
    ----------
    cells : list of str
    where : str
        File and column, for messages.
    """

    def __init__(self, cells: list[str], where: str):
        self.cells, self.where = cells, where

    def __len__(self) -> int:
        return len(self.cells)

    def is_text(self) -> bool:
        """Whether no cell is a number and some are words."""
        words = False
        for cell in self.cells:
            if _number(cell) is not None or is_decimal_comma(cell):
                return False
            words = words or not is_missing(cell)
        return words

    def kind(self) -> str:
        """What the cells of a column that is text are."""
        return "text"

    def labels(self) -> tuple[list[str], np.ndarray]:
        """The different labels, sorted, and the position of every cell among them."""
        different = sorted(set(self.cells))
        place = {label: k for k, label in enumerate(different)}
        return different, np.array([place[cell] for cell in self.cells], dtype=np.int64)

    def numbers(self) -> np.ndarray:
        """The cells as float64; InputError at the first that is no finite number."""
        numbers = [_number(cell) for cell in self.cells]
        for row, number in enumerate(numbers):
            if number is None or not np.isfinite(number):
                raise self._no_number(row)
        return np.array(numbers, dtype=np.float64)

    def _no_number(self, row: int) -> InputError:
        cell = self.cells[row]
        if is_decimal_comma(cell):
            return InputError(
                f"row {row + 1} holds {cell!r}",
                where=self.where,
                remedy="Write decimals with a point, not a comma",
            )
        if is_missing(cell) or _number(cell) is not None:
            return missing(self.where, row, cell)
        other = next((k for k, text in enumerate(self.cells) if _number(text) is not None), None)
        also = "" if other is None else f", but row {other + 1} holds {self.cells[other]!r}"
        return InputError(
            f"row {row + 1} holds {cell!r}, which is no number{also}",
            where=self.where,
            remedy="Correct the cell, or declare the states of every column if the table is discrete",
        )


class ArrowColumn:
    """A column of a Parquet file.

    Parameters
    ----------
    array : pyarrow.Array
    where : str
        File and column, for messages.
    """

    def __init__(self, array, where: str):
        self.array, self.where = array, where

    def __len__(self) -> int:
        return len(self.array)

    def is_text(self) -> bool:
        """Whether the type is not one of numbers."""
        from pyarrow import types

        kind = self.array.type
        numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
        return not any(is_kind(kind) for is_kind in numbers)

    def kind(self) -> str:
        """What the cells of a column that is text are."""
        from pyarrow import types

        return "true and false" if types.is_boolean(self.array.type) else "text"

    def labels(self) -> tuple[list[str], np.ndarray]:
        """The labels (as stored) and the position of every cell among them.

        Raises
        ------
        InputError
            If a cell is missing, or the type is neither text nor number nor true and false.
        """
        import pyarrow

        self._check_nulls()
        array = self.array
        refused = InputError(
            f"the column is of the type {array.type}, which is neither a category nor a number",
            where=self.where,
            remedy="Turn it into text or numbers, or leave it out: name the others in columns=",
        )
        if pyarrow.types.is_temporal(array.type):
            raise refused
        try:
            if not pyarrow.types.is_dictionary(array.type):
                array = array.cast(pyarrow.string()).dictionary_encode()
            labels = array.dictionary.cast(pyarrow.string()).to_pylist()
        # what pyarrow says of types that have no text form, such as lists and binary that is no UTF-8
        except (pyarrow.ArrowNotImplementedError, pyarrow.ArrowInvalid):
            raise refused from None
        return labels, array.indices.to_numpy(zero_copy_only=False)

    def numbers(self) -> np.ndarray:
        """The cells as float64; InputError at the first that is missing or infinite."""
        self._check_nulls()
        numbers = self.array.to_numpy(zero_copy_only=False).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(numbers))
        if len(bad):
            raise missing(self.where, int(bad[0]), str(numbers[bad[0]]))
        return numbers

    def _check_nulls(self) -> None:
        if self.array.null_count:
            empty = self.array.is_null().to_numpy(zero_copy_only=False)
            raise missing(self.where, int(np.flatnonzero(empty)[0]), "")


def is_decimal_comma(cell: str) -> bool:
    """Whether the cell is a number written with a decimal comma."""
    return _DECIMAL_COMMA.fullmatch(cell) is not None


def is_missing(cell: str) -> bool:
    """Whether the cell is empty or one of the words for a missing value."""
    return cell.strip().lower() in _MISSING


def is_number(cell: str) -> bool:
    """Whether the cell is a number, written with a decimal point."""
    return _number(cell) is not None


def missing(where: str, row: int, cell: str) -> InputError:
    """The error for row ``row`` (from 0) without a usable value."""
    what = f"holds {cell!r}, a missing or infinite value" if cell.strip() else "is empty"
    return InputError(f"row {row + 1} {what}", where=where, remedy="Drop or fill such rows first")


def _number(cell: str) -> float | None:
    if "_" in cell or is_missing(cell):  # Python would read 1_000 and nan
        return None
    try:
        return float(cell)
    except ValueError:
        return None
