"""Checks of one site's values, once they are codes and numbers."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.cohort.cells import is_shortened
from fedbnsl.cohort.encode import Encoded
from fedbnsl.cohort.problems import Problems, setting
from fedbnsl.cohort.raw import NO_CELL, RawTable
from fedbnsl.cohort.section import LARGEST, Section
from fedbnsl.cohort.site_list import SiteFile
from fedbnsl.cohort.variables import Variable

_NEGATIVE = (-8, -9, -77, -88, -99, -888, -999, -9999, -99999)
_LARGE = (88, 99, 777, 888, 999, 7777, 8888, 9999, 99999, 999999)
_FEW_ROWS = 30
_ROUNDING = 1e-10  # of the mean: squares of what is left have no digits of their own
_FEW_OTHERS = 10  # values besides the suspected ones from which their range can be judged


def check_codes(
    variable: Variable, tables: Sequence[RawTable], encoded: Sequence[Encoded], problems: Problems
) -> None:
    """Numbers that stand apart as codes of missing values do, and zeros where no zero can be."""
    given = np.concatenate([one.numbers[np.isfinite(one.numbers)] for one in encoded])
    for code in suspected_codes(given):
        what = (
            "is far from all other values, as if it stood for a missing one"
            if code
            else "is far below all other values: an impossible 0 that stands for a missing one?"
        )
        for table, one in zip(tables, encoded, strict=True):
            rows = np.flatnonzero(one.numbers == code)
            if len(rows):
                problems.warning(
                    f"{code:g} {what}",
                    f"If so, set {setting('missing', {'by_column': {variable.name: [int(code)]}})}",
                    site=table.site,
                    column=one.column.source,
                    row=rows[0],
                    count=len(rows),
                )


def suspected_codes(given: np.ndarray) -> list[float]:
    """The usual codes of missing values among numbers that are too far from the others to be values.

    A negative one is suspected where nothing else is negative, a large one where it lies above the
    others by more than their range, and 0 where the others are positive, of many values, and none is
    below a quarter of their median.
    """
    candidates = [c for c in (*_NEGATIVE, *_LARGE, 0) if (given == c).any()]
    if not candidates:
        return []
    found = []
    rest = given[~np.isin(given, candidates)]
    if len(rest) < _FEW_OTHERS:
        return []
    low, high = float(rest.min()), float(rest.max())
    for code in candidates:
        if code < 0:
            odd = low >= 0
        elif code > 0:
            odd = code > high + (high - low) and high > low
        else:
            middle = np.median(rest)
            spread = np.subtract(*np.quantile(rest, [0.75, 0.25]))
            many = len(np.unique(rest)) >= _FEW_OTHERS
            odd = many and low >= 0.25 * middle > 0 and np.quantile(rest, 0.05) >= spread
        if odd:
            found.append(float(code))
    return found


def check_sizes(
    variable: Variable, tables: Sequence[RawTable], encoded: Sequence[Encoded], problems: Problems
) -> None:
    """Numbers beyond ``LARGEST``, and columns whose numbers differ by less than their squares can show."""
    for table, one in zip(tables, encoded, strict=True):
        rows = np.flatnonzero(np.abs(one.numbers) > LARGEST)
        if len(rows):
            cell = one.column.labels[one.column.positions[rows[0]]]
            shown = cell if len(cell) < 30 else f"{cell[:20]}…"
            problems.error(
                f"{shown} is beyond {LARGEST:g}, which no measurement is",
                "Correct it, or count it as missing: " + setting("missing", {"codes": [cell.strip()]}),
                site=table.site,
                column=one.column.source,
                row=rows[0],
                count=len(rows),
            )
            return
    given = np.concatenate([one.numbers[np.isfinite(one.numbers)] for one in encoded])
    if variable.is_discrete or not len(given) or given.min() == given.max():
        return  # all the same is reported elsewhere
    middle, spread = given.mean(), given.std()
    if spread <= _ROUNDING * abs(middle) or spread < 1 / LARGEST:
        problems.error(
            f"the numbers are around {middle:g}, with a standard deviation of {spread:.2g}: too small to "
            "compute with",
            "Give them in another unit, or from another origin, before they are read, or leave the column "
            "out: " + setting("columns", {"ignore": [variable.name]}),
            column=variable.name,
        )


def check_missing(
    encoded: Encoded, variable: Variable, site: SiteFile, section: Section, problems: Problems
) -> None:
    """Missing values that the policy does not allow for."""
    count = int(encoded.missing.sum())
    if not count:
        return
    row = int(np.flatnonzero(encoded.missing)[0])
    cell = encoded.column.labels[encoded.column.positions[row]]
    where = {"site": site, "column": encoded.column.source, "row": row, "count": count}
    n = len(encoded.missing)
    if count == n:
        problems.error(
            "all values are missing at this site",
            f"Leave the site out, or the column: {setting('columns', {'ignore': [variable.name]})}",
            **where,
        )
    elif section.policy == "reject":
        problems.error(
            f"{count} of {n} values are missing, written as {cell!r}",
            f"Set {setting('missing', {'policy': 'complete-cases'})}, or impute for complete-cases",
            **where,
        )
    elif 2 * count > n:
        problems.warning(
            f"{count} of {n} values are missing",
            f"Consider to leave the column out: {setting('columns', {'ignore': [variable.name]})}",
            **where,
        )


def check_rows(
    n_rows: int, complete: int, n_variables: int, site: SiteFile, section: Section, problems
) -> None:
    """Sites that are too small to learn from."""
    kept = complete if section.policy == "complete-cases" else n_rows
    what = "rows" if kept == n_rows else f"complete rows of {n_rows}"
    if 2 <= kept < section.folds:
        problems.warning(
            f"there are {kept} {what} for {section.folds} folds: no row of this site is held out to judge "
            "methods",
            f"Set {setting('held_out', {'folds': min(kept, 5)})}, or 0 to hold out none",
            site=site,
        )
    if kept < 2:
        problems.error(f"there are {kept} {what}", "Leave the site out, or impute", site=site)
    elif kept < _FEW_ROWS:
        problems.warning(
            f"there are only {kept} {what}: what is learned here will be unstable",
            "Join it with a like site, or leave it out",
            site=site,
        )
    elif kept < n_variables:
        problems.warning(
            f"there are {kept} {what} for {n_variables} variables: what is learned here will be unstable",
            "Leave variables out, or join the site with a like one",
            site=site,
        )
    elif 2 * kept < n_rows:
        problems.warning(
            f"only {kept} of {n_rows} rows are complete",
            f"Consider {setting('missing', {'policy': 'impute'})}, or leave out the column that lacks most",
            site=site,
        )


def check_identifiers(tables: Sequence[RawTable], section: Section, problems: Problems) -> None:
    """Columns of the role identifier: repeated ones, the same at two sites, and mangled ones."""
    for name in section.identifier:
        held = [table for table in tables if name in table.columns]
        owners: dict[str, SiteFile] = {}
        for table in held:
            column = table.columns[name]
            counts = np.bincount(column.positions)
            where = {"site": table.site, "column": column.source}
            short = np.array([is_shortened(label) for label in column.labels])
            if short.any():
                row, count = column.rows(short)
                problems.warning(
                    f"{column.labels[column.positions[row]]!r} is a number that a spreadsheet has shortened",
                    "Take identifiers from the source; the same person at two sites cannot be seen so",
                    row=row,
                    count=count,
                    **where,
                )
                continue
            named = [bool(label.strip()) and label != NO_CELL for label in column.labels]
            twice = np.flatnonzero((counts > 1) & np.array(named))
            if len(twice):
                rows = np.flatnonzero(column.positions == twice[0])
                problems.warning(
                    f"the identifier {column.labels[twice[0]]!r} stands in row {rows[0] + 1} too",
                    "Keep one row a person, unless several are meant",
                    row=rows[1],
                    count=int((counts[twice] - 1).sum()),
                    **where,
                )
            _shared(column, owners, table, where, problems)


def _shared(column, owners, table, where, problems) -> None:
    """Identifiers that another site has too; numbers that count from 1 at each site say nothing."""
    plain = all(label.strip().isdigit() and len(label.strip()) < 6 for label in column.labels)
    known = np.array([label in owners for label in column.labels])
    if known.any() and not plain:
        row, count = column.rows(known)
        label = column.labels[column.positions[row]]
        problems.warning(
            f"the identifier {label!r} is there at {owners[label].name} too",
            "If it is the same person, keep the row at one site",
            row=row,
            count=count,
            **where,
        )
    for label in column.labels:
        if label.strip() and label != NO_CELL:
            owners.setdefault(label, table.site)
