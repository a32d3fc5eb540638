"""Which columns the sites have in common: renaming, spelling, columns that a site lacks."""

import difflib
import re
from collections.abc import Sequence

from fedbnsl.cohort.cells import loose_name
from fedbnsl.cohort.problems import Problems, setting
from fedbnsl.cohort.raw import RawColumn, RawTable
from fedbnsl.cohort.section import Section
from fedbnsl.data.site_columns import is_number

_ALIKE = 0.8  # of difflib's ratio: one letter in five


def common_columns(tables: Sequence[RawTable], section: Section, problems: Problems) -> list[str]:
    """The columns that the sites should have, after renaming them in place.

    A column is expected if it has a role in the section other than ``ignore`` and ``identifier``, or if
    more than half of the sites have it (of two sites, the first).
    """
    for table in tables:
        _header(table, problems)
        _rename(table, section.rename, problems)
    declared = [*section.discrete, *section.continuous, *section.discretise]
    others = [*section.ignore, *section.identifier]
    if section.loose:
        _write_alike(tables, [*declared, *others], problems)
    _check_settings(tables, section, problems)
    counts: dict[str, int] = {}
    for table in tables:
        for name in table.columns:
            counts[name] = counts.get(name, 0) + 1
    first = tables[0].columns
    usual = {
        name
        for name, count in counts.items()
        if 2 * count > len(tables) or (2 * count == len(tables) and name in first)
    }
    expected = [name for name in counts if (name in usual or name in declared) and name not in others]
    for table in tables:
        _compare(table, len(tables), counts, expected, {*expected, *others}, problems)
    return expected


def _header(table: RawTable, problems: Problems) -> None:
    """Names without blanks or byte-order marks at an end; columns without a name get one."""
    names = list(table.columns)
    if all(map(is_number, names)):
        problems.error(
            "all names in the header line are numbers, as if there were no header",
            "Add a first line with the column names",
            site=table.site,
        )
    columns: dict[str, RawColumn] = {}
    for number, (name, column) in enumerate(table.columns.items(), 1):
        clean = name.strip().strip("\ufeff").strip() or f"(column {number})"
        if not name.strip():
            problems.error(
                f"column {number} has no name in the header line",
                f"Name it, or leave it out: {setting('columns', {'ignore': [clean]})}",
                site=table.site,
                column=clean,
            )
            column.source = clean
        elif name != clean and clean not in table.columns:
            what = "a byte-order mark" if "\ufeff" in name else "blanks"
            problems.warning(
                f"the name in the header line has {what} at an end, not taken as part of it",
                f"Write {clean!r}",
                site=table.site,
                column=clean,
            )
        columns[clean if clean not in columns else name] = column
    table.columns = columns


def _rename(table: RawTable, pairs: dict[str, str], problems: Problems) -> None:
    columns: dict[str, RawColumn] = {}
    for name, column in table.columns.items():
        new = pairs.get(name, pairs.get(column.source, name))
        if new in columns or (new != name and new in table.columns and new not in pairs):
            problems.error(
                f"renamed to {new!r}, of which there is another",
                f"Leave one of the two out, or name it otherwise: {setting('rename', {name: new + '2'})}",
                site=table.site,
                column=name,
            )
            new = name
        columns[new] = column
    table.columns = columns


def _write_alike(tables: Sequence[RawTable], declared: Sequence[str], problems: Problems) -> None:
    """With loose spelling: names with the same letters are one, that of the section or the first file."""
    spelt: dict[str, str] = {}
    for name in [*declared, *(name for table in tables for name in table.columns)]:
        spelt.setdefault(loose_name(name), name)
    for table in tables:
        pairs = {name: spelt[loose_name(name)] for name in table.columns}
        _rename(table, pairs, problems)


def _check_settings(tables: Sequence[RawTable], section: Section, problems: Problems) -> None:
    """Columns that the section speaks of and no file has."""
    known = list(dict.fromkeys(name for table in tables for name in table.columns))
    sources = {column.source for table in tables for column in table.columns.values()}
    sources |= {source.strip() for source in sources}
    wanted = {
        "columns.ignore": section.ignore,
        "columns.identifier": section.identifier,
        "columns.discrete": section.discrete,
        "columns.continuous": section.continuous,
        "columns.discretise": section.discretise,
        "recode": section.recode,
        "missing.by_column": section.by_column,
    }
    for key, names in wanted.items():
        for name in names:
            if name not in known:
                problems.error(
                    f"no file has a column {name!r}, named under {key}", _suggestion(name, known), column=name
                )
    for name in section.rename:
        if name not in sources and name not in known:
            problems.error(
                f"no file has a column {name!r}, named under rename", _suggestion(name, sources), column=name
            )
    used = [name for name in known if name not in (*section.ignore, *section.identifier)]
    for name in section.background.names:
        if name not in used:
            problems.error(
                f"background knowledge speaks of {name!r}, which is no variable",
                _suggestion(name, used),
                column=name,
            )


def _suggestion(name: str, known) -> str:
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    shown = ", ".join(list(known)[:20])
    return f"Did you mean {close[0]!r}?" if close else f"There is {shown}"


def _compare(table, n_sites, counts, expected, known, problems: Problems) -> None:
    missing = [name for name in expected if name not in table.columns]
    extra = [name for name in table.columns if name not in known]
    for name in extra:
        column = table.columns[name].source
        twin = _twin(name, missing)
        if twin:
            missing.remove(twin)
            loose = loose_name(twin) == loose_name(name)
            remedy = f"Set {setting('rename', {name: twin})}" + (", or spelling: loose" if loose else "")
            problems.error(
                f"the column seems to be the one that other sites call {twin!r}",
                remedy,
                site=table.site,
                column=column,
            )
            continue
        if name == column and column.startswith("(column "):
            continue  # said to have no name
        problems.error(
            f"the column is there at {counts[name]} of {n_sites} sites only",
            f"Leave it out: {setting('columns', {'ignore': [name]})}",
            site=table.site,
            column=column,
        )
    for name in missing:
        problems.error(
            f"the column is missing; {counts[name]} of {n_sites} sites have it",
            f"Add it, or leave it out everywhere: {setting('columns', {'ignore': [name]})}",
            site=table.site,
            column=name,
        )


def _twin(name: str, missing: Sequence[str]) -> str | None:
    """The missing column that this one seems to be."""
    for other in missing:
        if loose_name(other) == loose_name(name):
            return other
    # x1 and x2 are two variables: what differs in digits is no slip of the pen
    words = {other: re.sub(r"\d", "", other.casefold()) for other in missing}
    digits = re.findall(r"\d", name)
    near = [other for other in missing if re.findall(r"\d", other) == digits and len(words[other]) > 2]
    bare = name.casefold()
    ratio = {other: difflib.SequenceMatcher(None, bare, other.casefold()).ratio() for other in near}
    best = max(ratio, key=ratio.get, default=None)
    return best if best is not None and ratio[best] >= _ALIKE else None
