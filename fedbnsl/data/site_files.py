"""Files of sites: Parquet that describes itself, and CSV or TSV with a side file of declared states."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fedbnsl.data.declared_states import (
    codes_of,
    declaration_remedy,
    declared_states,
    read_declaration,
    side_file,
    warn_of_codes,
)
from fedbnsl.data.site_columns import ArrowColumn, TextColumn, is_decimal_comma
from fedbnsl.data.site_data import SiteData
from fedbnsl.data.site_header import check_header
from fedbnsl.errors import InputError
from fedbnsl.files import replacing, write_text

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_METADATA = b"fedbnsl"


def write_site(site: SiteData, path) -> None:
    """Write a site, atomically; the same site always gives the same bytes.

    Parameters
    ----------
    site : SiteData
    path : str or path
        ``.parquet``: discrete columns are dictionaries of their labels, the declared states stand in
        the schema's metadata. ``.csv`` or ``.tsv``, each also with ``.gz``: labels as text; the
        declared states go to ``<file name>.states.json`` beside the file.

    Raises
    ------
    InputError
        On another suffix, or if :func:`read_site` would refuse the column names: in CSV and TSV those
        of a continuous site that are empty, have blanks at an end or are all numbers.
    """
    path = Path(path)
    kind = _kind(path)
    check_header(path, site.names, site.names if site.is_discrete else ())
    if kind == ".parquet":
        _write_parquet(site, path)
    else:
        _write_text(site, path, _SEPARATORS[kind])


def read_site(
    path,
    states: Mapping[str, Sequence[str]] | str | Path | None = None,
    columns: Sequence[str] | None = None,
    label: str | None = None,
) -> SiteData:
    """Read a site's table; bad content is reported with file, column and row (the first row is 1).

    Parameters
    ----------
    path : str or path
        ``.parquet``, or ``.csv`` or ``.tsv`` with a header line, each also with ``.gz``.
    states : mapping of column to states, or path of a JSON or YAML file with one, optional
        The declared states. Default: those in the file (Parquet written here) or in
        ``<file name>.states.json`` beside it; without any, the table must be numbers and is continuous.
        States are never guessed from the values, since a site may not see all of them.
    columns : sequence of str, optional
        The variables to take, in this order. Default: all columns of the file, if their names look
        as if they were meant (see :mod:`fedbnsl.data.site_header`).
    label : str, optional
        What to call the site. Default: the file's name without suffix.

    Returns
    -------
    SiteData

    Raises
    ------
    InputError
        On a missing file, unknown suffix, no rows, repeated or missing columns, a pandas index among
        them, no header line, names that are empty or have blanks at an end, missing values, values
        that are no declared state, text without declared states, values that are no numbers.

    Warns
    -----
    UserWarning
        If a table without declared states has columns of whole numbers that look like codes of states.
    """
    path = Path(path)
    kind = _kind(path)
    if not path.is_file():
        raise InputError("there is no such file", where=str(path))
    names, table, described, stored = _read_parquet(path) if kind == ".parquet" else _read_text(path, kind)
    declared, source = _declaration(path, states, stored)
    names, table = _selected(path, names, table, columns)
    if columns is None:
        check_header(path, names, declared or ())
    if len(table[0]) == 0:
        raise InputError("the table has no rows", where=str(path))
    if kind != ".parquet" and (declared is None or names[0] not in declared):
        _check_separator(path, kind, names, table[0].cells[:1])
    label = label or path.name.removesuffix(".gz").removesuffix(kind)
    if declared is None:
        first = next((column for column in table if column.is_text()), None)
        if first is not None:
            seen = {name: column.labels()[0] for name, column in zip(names, table, strict=True)}
            raise InputError(
                f"the column holds {first.kind()}, but no states are declared",
                where=first.where,
                remedy=declaration_remedy(path, seen),
            )
        values = np.column_stack([column.numbers() for column in table])
        if not described:
            warn_of_codes(path, names, values)
        return SiteData(names, values, label=label)
    for name in declared if columns is None else ():
        if name not in names:
            raise _no_column(path, name, names, f", whose states are declared in {source}")
    codes = np.empty((len(table[0]), len(names)), dtype=np.int16)
    for i, (name, column) in enumerate(zip(names, table, strict=True)):
        labels, positions = column.labels()
        if name not in declared:
            raise InputError(
                f"the column has no declared states in {source}",
                where=column.where,
                remedy=declaration_remedy(path, {name: labels}),
            )
        codes[:, i] = codes_of(labels, positions, declared[name], column.where)
    return SiteData(names, codes, [declared[name] for name in names], label)


def _kind(path: Path) -> str:
    suffix = Path(path.name.removesuffix(".gz")).suffix
    if suffix in _SEPARATORS or path.suffix == ".parquet":
        return suffix
    raise InputError(
        f"the suffix {''.join(path.suffixes[-2:])!r} is not known",
        where=str(path),
        remedy="Use .parquet, .csv, .tsv, .csv.gz or .tsv.gz",
    )


def _declaration(path: Path, states, stored) -> tuple[dict[str, tuple[str, ...]] | None, str]:
    if states is not None:
        return read_declaration(states)
    if stored is not None:
        return declared_states(stored, str(path)), str(path)
    if side_file(path).is_file():
        return read_declaration(side_file(path))
    return None, ""


def _selected(path: Path, names: list[str], table: list, columns) -> tuple[list[str], list]:
    if len(set(names)) != len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        places = " and ".join(str(k) for k, name in enumerate(names, 1) if name == twice)
        raise InputError(
            f"the column name {twice!r} occurs more than once",
            where=str(path),
            remedy=f"Rename or drop all but one of the columns {places}",
        )
    chosen = list(names if columns is None else columns)
    if not chosen:
        raise InputError("the table has no columns", where=str(path))
    place = {name: i for i, name in enumerate(names)}
    for name in chosen:
        if name not in place:
            raise _no_column(path, name, names)
    return chosen, [table[place[name]] for name in chosen]


def _no_column(path: Path, name: str, names: Sequence[str], why: str = "") -> InputError:
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return InputError(f"there is no column {name!r}{why}", where=str(path), remedy=f"It has {shown}")


# --- Parquet --------------------------------------------------------------------------------------


def _write_parquet(site: SiteData, path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = [pyarrow.array(np.ascontiguousarray(column)) for column in site.values.T]
    declared = None
    if site.is_discrete:
        columns = [
            pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(labels, pyarrow.string()))
            for codes, labels in zip(columns, site.states, strict=True)
        ]
        declared = dict(zip(site.names, site.states, strict=True))
    fields = [pyarrow.field(name, array.type) for name, array in zip(site.names, columns, strict=True)]
    note = json.dumps({"states": declared}, ensure_ascii=False).encode("utf-8")
    table = pyarrow.Table.from_arrays(columns, schema=pyarrow.schema(fields, metadata={_METADATA: note}))
    with replacing(path) as temporary:
        pyarrow.parquet.write_table(table, temporary, compression="zstd", write_statistics=False)


def _read_parquet(path: Path):
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            table = file.read(use_threads=False).unify_dictionaries().combine_chunks()
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"cannot be read as Parquet ({error})", where=str(path)) from None
    note = (table.schema.metadata or {}).get(_METADATA)
    names = table.column_names
    columns = [
        ArrowColumn(column.combine_chunks(), f"{path}, column {name!r}")
        for name, column in zip(names, table.columns, strict=True)
    ]
    return names, columns, bool(note), json.loads(note)["states"] if note else None


# --- CSV and TSV ----------------------------------------------------------------------------------


def _write_text(site: SiteData, path: Path, separator: str) -> None:
    columns = site.values.T.tolist()
    if site.is_discrete:
        labels = [[_quoted(label, separator) for label in states] for states in site.states]
        cells = [[label[code] for code in column] for label, column in zip(labels, columns, strict=True)]
        declared = dict(zip(site.names, site.states, strict=True))
        write_text(side_file(path), json.dumps(declared, ensure_ascii=False, indent=1) + "\n")
    else:
        cells = [list(map(repr, column)) for column in columns]
        side_file(path).unlink(missing_ok=True)  # left by an earlier discrete site, it would mislead
    header = separator.join(_quoted(name, separator) for name in site.names)
    lines = [header, *map(separator.join, zip(*cells, strict=True))]
    content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    with replacing(path) as temporary:
        if path.suffix == ".gz":
            content = gzip.compress(content, compresslevel=6, mtime=0)
        temporary.write_bytes(content)


def _quoted(text: str, separator: str) -> str:
    special = any(mark in text for mark in (separator, '"', "\n", "\r", "\ufeff"))
    return '"' + text.replace('"', '""') + '"' if special or not text else text


def _read_text(path: Path, kind: str):
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", where=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read ({error})", where=str(path)) from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_SEPARATORS[kind], strict=True)
    try:
        lines = list(reader)
    except csv.Error as error:
        raise InputError(f"cannot be read ({error})", where=f"{path}, line {reader.line_num}") from None
    while lines and not lines[-1]:
        lines.pop()
    if not lines or not lines[0]:
        raise InputError("the header line with the column names is missing", where=str(path))
    names, rows = lines[0], lines[1:]
    _check_shape(path, kind, names, rows)
    cells = map(list, zip(*rows, strict=True)) if rows else [[] for _ in names]
    columns = [
        TextColumn(column, f"{path}, column {name!r}") for name, column in zip(names, cells, strict=True)
    ]
    return names, columns, False, None


def _check_shape(path: Path, kind: str, names: list[str], rows: list[list[str]]) -> None:
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            _check_separator(path, kind, names, row)
            split = any(is_decimal_comma(",".join(row[i : i + 2])) for i in range(len(row) - 1))
            raise InputError(
                f"row {number} has {len(row)} value(s), but there are {len(names)} columns",
                where=str(path),
                remedy="If decimals are written with a comma, use a point" if split else None,
            )


def _check_separator(path: Path, kind: str, names: list[str], row: list[str]) -> None:
    """InputError if a lone column looks like several with another separator."""
    others = [mark for mark in (";", "\t", ",") if mark != _SEPARATORS[kind]]
    for mark in others if len(names) == 1 else ():
        if mark in names[0] and mark in "".join(row):
            raise InputError(
                f"the columns seem to be separated by {mark!r}, not by {_SEPARATORS[kind]!r}",
                where=str(path),
                remedy="Use commas in .csv and tabs in .tsv, and write decimals with a point",
            )
