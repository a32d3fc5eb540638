"""Writing tables of results: one text file each, in one move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fedbnsl.files import replacing

if TYPE_CHECKING:
    import pandas


def write_rows(path: Path | str, table: pandas.DataFrame, separator: str = "\t") -> None:
    """Write a table without its index; equal tables give equal bytes.

    Parameters
    ----------
    path : path
    table : pandas.DataFrame
    separator : str
        Between columns. Default: a tab.
    """
    with replacing(path) as temporary:
        table.to_csv(temporary, sep=separator, index=False, lineterminator="\n")


def write_measures(path: Path | str, tables: Sequence[pandas.DataFrame], **cell: object) -> None:
    """Write the measures of one cell, those of its seeds below each other.

    Parameters
    ----------
    path : path
    tables : sequence of pandas.DataFrame
        With the same columns; at least one.
    **cell
        What all rows have in common, such as the method: the first columns, in this order.
    """
    import pandas

    frame = pandas.concat(tables)
    for place, (name, value) in enumerate(cell.items()):
        frame.insert(place, name, value)
    write_rows(path, frame)
