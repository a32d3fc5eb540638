"""Reading and writing the folder of an fMRI cohort; the layout stands in :mod:`fedbnsl.data.fmri`."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import numpy as np

from fedbnsl.data.fmri import ONCE, FmriCohort, Subject, twice
from fedbnsl.errors import InputError
from fedbnsl.files import replacing, write_text

SUFFIXES = (".csv", ".tsv", ".npy")
_COLUMNS = ("subject", "site", "group")
_LAYOUT = (
    "A cohort is a folder with participants.tsv (columns subject, site, group) and a time series a subject, "
    "SITE/SUBJECT.csv, .tsv or .npy: a line a volume, a column an ROI; .npy needs rois.txt, an ROI a line"
)


def read_cohort(folder: str | os.PathLike) -> FmriCohort:
    """Read a cohort from its folder.

    The first subject, by site and name, says what the ROIs are and in which order; tables with the same
    columns in another order are put in it. Values are taken as they are, on their scale.

    Parameters
    ----------
    folder : path

    Returns
    -------
    FmriCohort
        With :attr:`~fedbnsl.data.fmri.FmriCohort.notes` about what is allowed but should be known.

    Raises
    ------
    InputError
        If the list of participants lacks a column or names a subject twice, a file is missing or belongs to
        nobody, ROI sets differ, or a series cannot be learned from; the message names the file.
    """
    folder = Path(folder)
    participants = _participants(folder)
    files = _files(folder, participants)
    rois = _rois(folder) if any(path.suffix == ".npy" for path in files.values()) else None
    names, source, subjects = None, None, []
    for subject in sorted(participants, key=lambda name: (participants[name][0], name)):
        path = files[subject]
        own, values = (rois, _read_npy(path)) if path.suffix == ".npy" else _read_table(path)
        if names is None:
            names, source = own, path
        if own != names:
            values = values[:, _order(own, names, path, source)]
        subjects.append(Subject(subject, *participants[subject], values))
    return FmriCohort(names, subjects)


def check_folder(folder: str | os.PathLike) -> None:
    """InputError, which tells the layout, unless the folder is there and holds a list of participants."""
    folder = Path(folder)
    if not folder.is_dir():
        problem = "this is a file, not a folder" if folder.exists() else "there is no such folder"
        raise InputError(problem, where=str(folder.absolute()), remedy=_LAYOUT)
    if not any((folder / f"participants{suffix}").is_file() for suffix in (".tsv", ".csv")):
        raise InputError("there is no list of participants", where=str(folder), remedy=_LAYOUT)


def write_cohort(cohort: FmriCohort, folder: str | os.PathLike, suffix: str = ".npy") -> None:
    """Write a cohort in the layout that :func:`read_cohort` reads.

    Parameters
    ----------
    cohort : FmriCohort
    folder : path
    suffix : {".npy", ".csv", ".tsv"}
        Of the series. ``.npy`` keeps every digit.
    """
    if suffix not in SUFFIXES:
        raise InputError(f"there is no format {suffix!r}", remedy=f"Choose one of {', '.join(SUFFIXES)}")
    folder = Path(folder)
    separator = "," if suffix == ".csv" else "\t"
    for one in cohort.subjects:
        with replacing(folder / one.site / f"{one.name}{suffix}") as path:
            if suffix == ".npy":
                np.save(path, one.values)
            else:
                header = separator.join(cohort.names)
                np.savetxt(path, one.values, "%.17g", separator, header=header, comments="")
    lines = ["\t".join(_COLUMNS), *("\t".join((s.name, s.site, s.group)) for s in cohort.subjects)]
    write_text(folder / "rois.txt", "\n".join(cohort.names) + "\n")
    write_text(folder / "participants.tsv", "\n".join(lines) + "\n")


def _participants(folder: Path) -> dict[str, tuple[str, str]]:
    """Site and group of every subject."""
    check_folder(folder)
    found = [path for suffix in (".tsv", ".csv") if (path := folder / f"participants{suffix}").is_file()]
    if len(found) != 1:
        raise InputError(
            "there are two lists of participants",
            where=str(folder),
            remedy="Give one participants.tsv with the columns subject, site and group",
        )
    (path,) = found
    with io.StringIO(_text(path), newline="") as file:
        reader = csv.DictReader(file, delimiter="," if path.suffix == ".csv" else "\t")
        header = reader.fieldnames or []
        missing = [column for column in _COLUMNS if column not in header]
        if missing:
            raise InputError(
                f"the column {missing[0]!r} is missing; there is {', '.join(header) or 'nothing'}",
                where=str(path),
                remedy="Give the columns subject, site and group",
            )
        participants: dict[str, tuple[str, str]] = {}
        for row in reader:
            name, *own = ((row[column] or "").strip() for column in _COLUMNS)
            where = f"{path}, row {reader.line_num}"
            for column, cell in zip(_COLUMNS, (name, *own), strict=True):
                if not cell or "/" in cell or "\\" in cell or cell.startswith("."):
                    raise InputError(
                        f"{cell!r} cannot be a {column}",
                        where=where,
                        remedy="Give names without / and \\ that do not start with a dot: files have them",
                    )
            if name in participants:
                raise InputError(
                    f"subject {name!r} {twice(participants[name], (own[0], own[1]))}",
                    where=where,
                    remedy=ONCE,
                )
            participants[name] = (own[0], own[1])
    if not participants:
        raise InputError("the list of participants is empty", where=str(path))
    return participants


def _files(folder: Path, participants: dict[str, tuple[str, str]]) -> dict[str, Path]:
    """The file of every subject."""
    found, used = {}, set()
    for name, (site, _) in participants.items():
        paths = [path for suffix in SUFFIXES if (path := folder / site / f"{name}{suffix}").is_file()]
        if len(paths) != 1:
            raise InputError(
                f"subject {name!r} has {'two files' if paths else 'no file'}",
                where=str(folder / site),
                remedy=f"Give one of {', '.join(f'{name}{suffix}' for suffix in SUFFIXES)}",
            )
        found[name] = paths[0]
        used.add(paths[0])
    for site in sorted({site for site, _ in participants.values()}):
        for path in sorted((folder / site).iterdir()):
            if path.suffix in SUFFIXES and path not in used:
                raise InputError(
                    "the file belongs to no participant of this site",
                    where=str(path),
                    remedy="Add the subject to the list of participants, or move the file away",
                )
    return found


def _rois(folder: Path) -> tuple[str, ...]:
    path = folder / "rois.txt"
    if not path.is_file():
        raise InputError(
            "there are .npy files, which hold no column names, but no rois.txt",
            where=str(folder),
            remedy="Give rois.txt with the name of a column on each line",
        )
    return _checked_names(_text(path).split("\n"), path)


def _text(path: Path) -> str:
    """The text of a file, line ends as they are."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start + 1} is not UTF-8 text", where=str(path), remedy="Save the file as UTF-8"
        ) from None


def _checked_names(cells: list[str], path: Path) -> tuple[str, ...]:
    names = tuple(name for cell in cells if (name := cell.strip()))
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        problem = f"the ROI {twice[0]} appears twice" if twice else "there are no ROI names"
        raise InputError(problem, where=str(path))
    return names


def _read_npy(path: Path) -> np.ndarray:
    try:
        values = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"this is no NumPy file of numbers ({error})", where=str(path)) from None
    if values.dtype.kind not in "iuf":
        raise InputError(f"the values are {values.dtype}, not numbers", where=str(path))
    return values.astype(np.float64)


def _read_table(path: Path) -> tuple[tuple[str, ...], np.ndarray]:
    with io.StringIO(_text(path), newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="," if path.suffix == ".csv" else "\t") if row]
    names = _checked_names(rows[0] if rows else [], path)
    values = np.empty((len(rows) - 1, len(names)))
    for k, row in enumerate(rows[1:]):
        if len(row) != len(names):
            raise InputError(f"row {k + 1} has {len(row)} values for {len(names)} ROIs", where=str(path))
        for i, cell in enumerate(row):
            try:
                # Python would read 1_000
                values[k, i] = float(cell.replace("_", "?")) if cell.strip() else np.nan
            except ValueError:
                raise InputError(
                    f"row {k + 1} has {cell!r}, which is no number", where=f"{path}, ROI {names[i]}"
                ) from None
    return names, values


def _order(own: tuple[str, ...], names: tuple[str, ...], path: Path, source: Path) -> list[int]:
    """Where the ROIs stand in a table that has them in another order."""
    missing = [name for name in names if name not in own]
    extra = [name for name in own if name not in names]
    if missing or extra:
        told = [
            f"{what}: {', '.join(some[:5])}"
            for what, some in (("missing", missing), ("extra", extra))
            if some
        ]
        raise InputError(
            f"the ROIs differ from those of {source} ({'; '.join(told)})",
            where=str(path),
            remedy="Give every subject the same ROIs",
        )
    return [own.index(name) for name in names]
