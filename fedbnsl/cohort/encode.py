"""The cells of one column at one site as codes of states or as numbers."""

import difflib
from dataclasses import dataclass

import numpy as np

from fedbnsl.cohort.cells import MENDED, SAID, USUAL_CODES, kind_of, loose_key
from fedbnsl.cohort.problems import Problems, setting
from fedbnsl.cohort.raw import NO_CELL, RawColumn
from fedbnsl.cohort.section import Section
from fedbnsl.cohort.site_list import SiteFile
from fedbnsl.cohort.variables import Variable, resolved_target
from fedbnsl.data.site_columns import is_decimal_comma, is_missing, is_number

_SHOWN = 8
_MOST_NAMED = 5  # different wrong texts of a column that are named one by one


@dataclass
class Encoded:
    """One column at one site.

    Attributes
    ----------
    column : RawColumn
    numbers : ndarray of float64, shape (n,), or None
        Continuous and cut: the numbers before cutting; nan where there is none.
    codes : ndarray of int64, shape (n,), or None
        Discrete and cut: positions in the states; -1 where there is none.
    missing : ndarray of bool, shape (n,)
        Which cells are empty or stand for a missing value.
    """

    column: RawColumn
    numbers: np.ndarray | None
    codes: np.ndarray | None
    missing: np.ndarray


def encode(
    column: RawColumn, variable: Variable, site: SiteFile, section: Section, problems: Problems
) -> Encoded:
    """Read the cells of a usable variable; what is neither a value nor missing is reported."""
    skipped = {*section.codes, *section.by_column.get(variable.name, ())}
    if variable.role == "discrete":
        return _states(column, variable, site, section, skipped, problems)
    found = _numbers(column, variable, site, section, skipped, problems)
    if variable.role == "cut":
        given = np.isfinite(found.numbers)
        found.codes = np.where(given, np.digitize(np.where(given, found.numbers, 0), variable.cuts), -1)
    return found


# --- states


def _states(column, variable, site, section, skipped, problems) -> Encoded:
    place = {state: k for k, state in enumerate(variable.states)}
    recode = {
        text: resolved_target(to, variable) for text, to in section.recode.get(variable.name, {}).items()
    }
    by_key: dict[str, list[str]] = {}
    for state in variable.states:
        by_key.setdefault(loose_key(state), []).append(state)
    codes = np.full(len(column.labels), -1)
    absent = np.zeros(len(column.labels), dtype=bool)
    unknown = []
    for k, label in enumerate(column.labels):
        text = recode.get(label, recode.get(label.strip(), label))
        alike = by_key.get(loose_key(text), [])
        if text in place:
            codes[k] = place[text]
        elif label.strip() in skipped or is_missing(label):
            absent[k] = True
        elif section.loose and len(alike) == 1:
            codes[k] = place[alike[0]]
        elif label != NO_CELL:
            unknown.append((k, text))
    for k, text in unknown[:_MOST_NAMED]:
        _report_state(column, k, text, by_key, variable, site, problems)
    if len(unknown) > _MOST_NAMED:
        rest = np.zeros(len(column.labels), dtype=bool)
        rest[[k for k, _ in unknown[_MOST_NAMED:]]] = True
        row, count = column.rows(rest)
        problems.error(
            f"{len(unknown) - _MOST_NAMED} more texts are no declared states, as {unknown[_MOST_NAMED][1]!r}",
            "See the messages before this one",
            site=site,
            column=column.source,
            row=row,
            count=count,
        )
    return Encoded(column, None, codes[column.positions], absent[column.positions])


def _report_state(column, k, text, by_key, variable, site, problems) -> None:
    label = column.labels[k]
    row, count = column.rows(np.arange(len(column.labels)) == k)
    where = {"site": site, "column": column.source, "row": row, "count": count}
    shown = ", ".join(map(repr, variable.states[:_SHOWN])) + ", …" * (len(variable.states) > _SHOWN)
    kind = kind_of(text)
    alike = by_key.get(loose_key(text), [])
    begun = [state for state in variable.states if text and loose_key(state).startswith(loose_key(text))]
    close = alike or difflib.get_close_matches(text, variable.states, n=1, cutoff=0.75)
    close = close or (begun if len(begun) == 1 else [])
    if kind in ("error", "mangled"):
        problems.error(f"{label!r} is {SAID[kind]}", _mended(kind, label), **where)
    elif label.strip() in USUAL_CODES or label.strip() in (".", "-"):
        problems.error(
            f"{label!r} is no declared state, and looks like a code of a missing value",
            f"Set {setting('missing', {'codes': [label.strip()]})}, or declare it as a state",
            **where,
        )
    elif close and not (is_number(text) and not alike):
        problems.error(
            f"{label!r} seems to be the declared state {close[0]!r}",
            f"Set {setting('recode', {variable.name: {label: close[0]}})}"
            + (", or spelling: loose" if alike else ""),
            **where,
        )
    else:
        problems.error(
            f"{label!r} is no declared state",
            f"Declared: {shown}. Correct the cell, recode it, or declare it too, under columns.discrete",
            **where,
        )


# --- numbers


def _numbers(column, variable, site, section, skipped, problems) -> Encoded:
    fast = column.numbers()
    if fast is not None and not skipped:
        return Encoded(column, fast[column.positions], None, np.zeros(len(column.positions), dtype=bool))
    values = np.full(len(column.labels), np.nan)
    absent = np.zeros(len(column.labels), dtype=bool)
    wrong: dict[str, list[int]] = {}
    wanted = {float(code) for code in skipped if is_number(code)}
    for k, label in enumerate(column.labels):
        if label == NO_CELL:
            continue
        text = label.strip()
        if is_missing(text) or text in skipped:
            absent[k] = True
            continue
        if site.decimal == "," and is_decimal_comma(text):
            text = text.replace(",", ".")
        kind = kind_of(text)
        if kind == "number":
            values[k] = float(text)
            if values[k] in wanted:
                values[k], absent[k] = np.nan, True
            elif not np.isfinite(values[k]):
                wrong.setdefault("infinite", []).append(k)
        else:
            wrong.setdefault(kind, []).append(k)
    for kind, labels in wrong.items():
        _report_number(column, kind, labels, site, problems)
    values[~np.isfinite(values)] = np.nan
    return Encoded(column, values[column.positions], None, absent[column.positions])


def _report_number(column, kind, labels, site, problems) -> None:
    mask = np.zeros(len(column.labels), dtype=bool)
    mask[labels] = True
    row, count = column.rows(mask)
    cell = column.labels[column.positions[row]]
    where = {"site": site, "column": column.source, "row": row, "count": count}
    if kind == "comma":
        given = {"file": site.file, "separator": site.separator, "decimal": ",", "encoding": site.encoding}
        given = {key: value for key, value in given.items() if value is not None}
        problems.error(
            f"{cell!r} is a number with a decimal comma",
            f"Set {setting('sites', {site.name: given})}, or write decimals with a point",
            **where,
        )
    elif kind == "infinite":
        problems.error(
            f"{cell!r} is infinite", f"Correct it, or count it as missing: {_as_code(cell)}", **where
        )
    else:
        others = count < len(column.positions)
        problems.error(
            f"{cell!r} is {SAID[kind]}" + (", while the column holds numbers" if others else ""),
            _mended(kind, cell),
            **where,
        )


def _mended(kind: str, cell: str) -> str:
    return MENDED[kind].format(codes=_as_code(cell))


def _as_code(cell: str) -> str:
    return setting("missing", {"codes": [cell.strip()]})
