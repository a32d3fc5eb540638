"""Reading a site's file as it is: all cells as text, and the problems of the file itself."""

import csv
import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedbnsl.cohort.decoding import SEPARATORS, decoded, file_setting, with_separator
from fedbnsl.cohort.problems import Problems
from fedbnsl.cohort.site_list import SiteFile
from fedbnsl.data.declared_states import read_declaration
from fedbnsl.errors import InputError

# In place of the cells of a row that has too many or too few: half a surrogate pair, which is in no text.
NO_CELL = "\udfff"


class RawColumn:
    """One column of a file: its different texts, and which row has which.

    Attributes
    ----------
    source : str
        The name in the file.
    labels : list of str
        The different cells in the order of their first row.
    positions : ndarray of int64, shape (n,)
        The position of every cell in ``labels``.
    """

    __slots__ = ("_numbers", "labels", "positions", "source")

    def __init__(self, source: str, cells: list[str]):
        place: dict[str, int] = {}
        positions = [place.setdefault(cell, len(place)) for cell in cells]
        self.source, self.labels = source, list(place)
        self.positions = np.array(positions, dtype=np.int64)
        self._numbers: np.ndarray | bool = False  # not asked for yet

    def numbers(self) -> np.ndarray | None:
        """The labels as float64, if they are nothing but finite numbers; else None."""
        if self._numbers is False:
            self._numbers = None
            if not any("_" in label for label in self.labels):  # Python would read 1_000
                try:
                    values = np.array(list(map(float, self.labels)))
                    self._numbers = values if np.isfinite(values).all() else None
                except ValueError:
                    pass  # some label is no number
        return self._numbers

    def rows(self, label_mask: np.ndarray) -> tuple[int | None, int]:
        """The first row (from 0) whose label is marked, and how many rows there are."""
        hit = np.flatnonzero(label_mask[self.positions]) if len(self.labels) else np.empty(0, np.int64)
        return (int(hit[0]) if len(hit) else None), len(hit)


@dataclass
class RawTable:
    """A site's file.

    Attributes
    ----------
    site : SiteFile
        With the separator and the encoding that were found, where they are not those of the section, so
        that all remedies about this file can be pasted as one.
    columns : dict of name to RawColumn
        In the order of the file, by the name of the variable.
    n_rows : int
    declared : dict of name to states
        Declared in the file (Parquet written by ``write_site``) or beside it.
    """

    site: SiteFile
    columns: dict[str, RawColumn]
    n_rows: int
    declared: dict[str, tuple[str, ...]]


def read_raw(site: SiteFile, problems: Problems) -> RawTable | None:
    """The table, or None if nothing of it can be read."""
    path = Path(site.path)
    if not path.is_file():
        what = "this is a folder, not a file" if path.is_dir() else "there is no such file"
        problems.error(what, f"It is looked for at {path.resolve()}", site=site)
        return None
    try:
        if site.suffix == ".parquet":
            names, columns, declared = _read_parquet(site)
        else:
            found = _read_text(site, problems)
            if found is None:
                return None
            site, names, columns = found
            declared = read_declaration(site.side_file)[0] if site.side_file.is_file() else {}
    except InputError as error:
        problems.error(error.problem, error.remedy or "Write the file again", site=site)
        return None
    except OSError as error:
        problems.error(
            f"the file cannot be read ({error.strerror})", "Ask for the right to read it", site=site
        )
        return None
    if not columns or not len(columns[0].positions):
        problems.error(
            "the file has a header line and no rows" if columns else "the file is empty",
            "Give a file with rows, or leave the site out",
            site=site,
        )
        return None
    return RawTable(site, _by_name(site, names, columns, problems), len(columns[0].positions), declared)


def _by_name(site, names, columns, problems) -> dict[str, RawColumn]:
    kept: dict[str, RawColumn] = {}
    for number, (name, column) in enumerate(zip(names, columns, strict=True), 1):
        if name in kept:
            problems.error(
                f"the column name {name!r} occurs more than once",
                f"Rename or drop column {number}",
                site=site,
                column=name,
            )
        else:
            kept[name] = column
    return kept


# --- Parquet


def _read_parquet(site: SiteFile):
    import json

    import pyarrow
    import pyarrow.parquet

    from fedbnsl.data.declared_states import declared_states

    try:
        with pyarrow.parquet.ParquetFile(site.path) as file:
            table = file.read(use_threads=False)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"cannot be read as Parquet ({error})") from None
    note = (table.schema.metadata or {}).get(b"fedbnsl")
    stored = json.loads(note)["states"] if note else None
    columns = [
        RawColumn(name, [_as_text(value) for value in column.to_pylist()])
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return table.column_names, columns, declared_states(stored, site.file) if stored else {}


def _as_text(value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    return value if isinstance(value, str) else str(value)


# --- CSV and TSV


def _read_text(site: SiteFile, problems: Problems):
    raw = Path(site.path).read_bytes()
    if site.path.lower().endswith(".gz"):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"cannot be unpacked ({error})", remedy="Pack it again with gzip") from None
    if raw[:4] == b"PK\x03\x04":
        raise InputError("this is a spreadsheet or archive, not text", remedy="Save it as CSV UTF-8")
    site, text = decoded(site, raw, problems)
    if not text.strip():
        problems.error("the file is empty", "Give a file with rows, or leave the site out", site=site)
        return None
    site = with_separator(site, text.splitlines()[0], problems)
    separator = site.separator or SEPARATORS[site.suffix]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        lines = list(reader)
    except csv.Error as error:
        raise InputError(f"cannot be read ({error}), line {reader.line_num}") from None
    names, rows = lines[0], lines[1:]
    while rows and not rows[-1]:
        rows.pop()
    # one column: a line without anything is a cell without anything
    rows = [row or [""] for row in rows] if len(names) == 1 else rows
    if _is_above_the_header(names, rows):
        raise InputError(
            f"the first line has {len(names)} name(s) of columns, and the rows have {len(rows[0])} values",
            remedy="The first line must hold the names: drop what stands above them, such as a title or an "
            "empty line",
        )
    wrong = [k for k, row in enumerate(rows) if len(row) != len(names)]
    if wrong:
        problems.error(
            f"the row has {len(rows[wrong[0]])} value(s), but there are {len(names)} columns",
            _about_width(site, rows[wrong[0]], len(names)),
            site=site,
            row=wrong[0],
            count=len(wrong),
        )
        # kept at their place, so that the numbers of the rows after them stay right
        rows = [row if len(row) == len(names) else [NO_CELL] * len(names) for row in rows]
    cells = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in names]
    return site, names, [RawColumn(name, column) for name, column in zip(names, cells, strict=True)]


def _is_above_the_header(names: list[str], rows: list[list[str]]) -> bool:
    """Whether the first line is none of names: empty or one text, above a table of one width."""
    widths = {len(row) for row in rows if row}
    return sum(map(bool, names)) <= 1 and len(widths) == 1 and widths.pop() > max(len(names), 1)


def _about_width(site: SiteFile, row: list[str], width: int) -> str:
    if not row:
        return "Drop the empty line"
    if len(row) > width and site.separator in (None, ","):
        return (
            "If decimals are written with a comma, save the file with semicolons between columns and set "
            + file_setting(site, separator=";", decimal=",")
        )
    return "Complete the row, and put text that has the separator in it in quotes"
