"""What each common column is: discrete with which states, continuous, cut into states, or unusable."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedbnsl.cohort.cells import USUAL_CODES, kind_of, loose_key
from fedbnsl.cohort.identifiers import looks_like_identifier
from fedbnsl.cohort.problems import Problems, setting
from fedbnsl.cohort.raw import NO_CELL, RawTable
from fedbnsl.cohort.section import Section, State
from fedbnsl.data.site_columns import is_number

_WORDS = {True: ("yes", "true", "on"), False: ("no", "false", "off")}
_MOST_STATES = 50  # of a text column that may be declared; more is free text
_MOST_CODES = 10  # whole numbers that may stand for states
_MOSTLY = 0.8


@dataclass(frozen=True)
class Variable:
    """One variable of the cohort.

    Attributes
    ----------
    name : str
    role : str
        ``discrete``, ``continuous``, ``cut`` (continuous in the files, discrete after cutting), or
        ``unusable``: the problems say why.
    states : tuple of str
        Declared states; empty if continuous or unusable.
    cuts : tuple of float
    """

    name: str
    role: str
    states: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()

    @property
    def is_discrete(self) -> bool:
        """Whether its values are states."""
        return self.role in ("discrete", "cut")


def find_variables(names: Sequence[str], tables: Sequence[RawTable], section: Section, problems: Problems):
    """The variables, and for columns of text without declared states the states seen, by name."""
    variables, undeclared = [], {}
    for name in names:
        held = [table for table in tables if name in table.columns]
        if name in section.discrete:
            found = Variable(name, "discrete", _resolved(section.discrete[name], name, held))
        elif name in section.discretise:
            cuts = section.discretise[name]
            found = Variable(name, "cut", cut_states(cuts), cuts)
        elif name in section.continuous:
            found = Variable(name, "continuous")
        elif any(name in table.declared for table in held):
            found = _stored(name, held, problems)
        else:
            found = _by_default(name, held, section, problems, undeclared)
        variables.append(found)
    _check_mixture(variables, tables, section, problems, undeclared)
    return variables, undeclared


def cut_states(cuts: Sequence[float]) -> tuple[str, ...]:
    """``below_40``, ``40_to_60``, ``from_60`` for the cut points 40 and 60."""
    texts = [f"{cut:g}" for cut in cuts]
    between = [f"{a}_to_{b}" for a, b in itertools.pairwise(texts)]
    return (f"below_{texts[0]}", *between, f"from_{texts[-1]}")


def _resolved(states: Sequence[State], name: str, tables: Sequence[RawTable]) -> tuple[str, ...]:
    """The states as texts: what YAML read as true or false is the word for it that the files use most."""
    rows: dict[str, int] = {}
    for table in tables:
        column = table.columns[name]
        counts = np.bincount(column.positions, minlength=len(column.labels))
        for label, count in zip(column.labels, counts, strict=True):
            rows[label] = rows.get(label, 0) + int(count)
    texts = []
    for state in states:
        if isinstance(state, bool):
            used = sorted(
                (label for label in rows if label.lower() in _WORDS[state]), key=lambda k: (-rows[k], k)
            )
            state = used[0] if used else _WORDS[state][0]
        texts.append(state)
    return tuple(texts)


def resolved_target(state: State, variable: Variable) -> str:
    """A state of ``recode`` as text: true or false is the declared state that means it."""
    if isinstance(state, bool):
        return next((s for s in variable.states if s.lower() in _WORDS[state]), _WORDS[state][0])
    return state


def _stored(name: str, tables: Sequence[RawTable], problems: Problems) -> Variable:
    declared = {table.site: table.declared[name] for table in tables if name in table.declared}
    first = next(iter(declared))
    for site, states in declared.items():
        if states != declared[first]:
            problems.error(
                f"the states declared with the file, {', '.join(states)}, are not those at {first.name}: "
                f"{', '.join(declared[first])}",
                f"Declare them for all: {setting('columns', {'discrete': {name: list(declared[first])}})}",
                site=site,
                column=name,
            )
    return Variable(name, "discrete", declared[first])


def _by_default(name, tables, section, problems, undeclared) -> Variable:
    """Numbers are continuous; text needs declared states."""
    kinds: dict[str, int] = {}
    codes = {*section.codes, *section.by_column.get(name, ())}
    seen: dict[str, int] = {}
    plain = not codes and all(table.columns[name].numbers() is not None for table in tables)
    for table in tables:
        column = table.columns[name]
        if plain:
            kinds["number"] = kinds.get("number", 0) + table.n_rows
            continue
        for label, count in zip(column.labels, np.bincount(column.positions), strict=True):
            kind = "missing" if label == NO_CELL or label.strip() in codes else kind_of(label)
            kinds[kind] = kinds.get(kind, 0) + int(count)
            if kind != "missing":
                seen[label] = seen.get(label, 0) + int(count)
    filled = sum(count for kind, count in kinds.items() if kind != "missing")
    if not filled:
        problems.error(
            "the column is empty at all sites",
            f"Leave it out: {setting('columns', {'ignore': [name]})}",
            column=name,
        )
        return Variable(name, "unusable")
    if looks_like_identifier(name, tables, codes):
        problems.error(
            "the column has another value in every row, as an identifier has",
            f"Set {setting('columns', {'identifier': [name]})}, or, if it is a measurement, "
            + setting("columns", {"continuous": [name]}),
            column=name,
            **_first(name, tables, tables[0].columns[name].labels[0]),
            count=sum(table.n_rows for table in tables),
        )
        return Variable(name, "unusable")
    dates = kinds.get("date", 0) + kinds.get("mangled", 0)
    if dates >= _MOSTLY * filled and kinds.get("date", 0):
        problems.error(
            f"the column holds dates, such as {min(seen)!r}",
            "Turn them into numbers, such as days since admission, or leave the column out: "
            + setting("columns", {"ignore": [name]}),
            column=name,
            **_first(name, tables, min(seen)),
            count=kinds["date"],
        )
        return Variable(name, "unusable")
    numbers = sum(kinds.get(kind, 0) for kind in ("number", "comma", "limit", "grouped", "unit"))
    if 2 * numbers >= filled:
        return Variable(name, "continuous")
    _undeclared(name, tables, seen, problems, undeclared)
    return Variable(name, "unusable")


def _undeclared(name, tables, seen, problems, undeclared) -> None:
    words = [state for state in seen if not is_number(state)]
    for code in sorted(set(seen) & USUAL_CODES if 2 * len(words) > len(seen) else ()):
        _report(
            name,
            tables,
            code,
            f"{code!r} looks like a code of a missing value",
            f"Set {setting('missing', {'codes': [int(code)]})}, or declare it as a state",
            problems,
        )
        del seen[code]
    states = sorted(seen)
    where = {"column": name, "count": sum(seen.values()), **_first(name, tables, states[0])}
    if len(states) > _MOST_STATES:
        problems.error(
            f"the column holds text with {len(states)} different values, too many for states",
            f"Leave it out: {setting('columns', {'ignore': [name]})}",
            **where,
        )
        return
    spellings: dict[str, list[str]] = {}
    for state in states:
        spellings.setdefault(loose_key(state), []).append(state)
    usual = {key: max(group, key=lambda s: (seen[s], s)) for key, group in spellings.items()}
    for key, group in spellings.items():
        for state in group:
            if state != usual[key]:
                _report(
                    name,
                    tables,
                    state,
                    f"{state!r} seems to be the state {usual[key]!r}",
                    f"Set {setting('recode', {name: {state: usual[key]}})}, or spelling: loose",
                    problems,
                )
    undeclared[name] = list(usual.values())
    problems.error(
        f"the column holds text, such as {states[0]!r}, and its states are not declared",
        f"Set {setting('columns', {'discrete': {name: undeclared[name]}})}, with all states of any site",
        **where,
    )


def _first(name: str, tables: Sequence[RawTable], label: str) -> dict:
    """The file and the row that have a text of a column first."""
    table = next(table for table in tables if label in table.columns[name].labels)
    column = table.columns[name]
    row, _ = column.rows(np.array([other == label for other in column.labels]))
    return {"file": table.site.file, "row": row}


def _report(name, tables, label, problem, remedy, problems) -> None:
    """An error about a text of a column, for every site that has it."""
    for table in tables:
        column = table.columns[name]
        if label in column.labels:
            row, count = column.rows(np.array([other == label for other in column.labels]))
            problems.error(problem, remedy, site=table.site, column=column.source, row=row, count=count)


def _check_mixture(variables, tables, section, problems, undeclared) -> None:
    """A run is all discrete or all continuous; whole numbers that look like codes are asked about."""
    numbers = [v.name for v in variables if v.role == "continuous"]
    states = [v.name for v in variables if v.is_discrete] + list(undeclared)
    coded = {name: codes for name in numbers if (codes := _codes(name, tables, section))}
    if numbers and states:
        for name in numbers:
            remedy = (
                f"Declare its states: {setting('columns', {'discrete': {name: coded[name]}})}"
                if name in coded
                else "Cut it at points that are known without the data, for example "
                + setting("columns", {"discretise": {name: _cut_example(name, tables)}})
            )
            problems.error(
                f"the column is continuous, but {', '.join(states[:3])}{' …' * (len(states) > 3)} is not; "
                "one run takes variables of one kind",
                f"{remedy}; or leave it out: {setting('columns', {'ignore': [name]})}",
                column=name,
            )
    elif len(numbers) > 1:
        for name, codes in coded.items():
            problems.warning(
                f"taken as continuous, though it only holds {', '.join(codes)}, as codes of states would be",
                f"If it is continuous, say so: {setting('columns', {'continuous': [name]})}; if not, declare "
                f"or cut all columns, or leave it out: {setting('columns', {'ignore': [name]})}",
                column=name,
            )
    elif numbers and coded:
        name, codes = next(iter(coded.items()))
        problems.warning(
            f"taken as continuous, though it only holds the numbers {', '.join(codes)}",
            f"Set {setting('columns', {'discrete': {name: codes}})}, or "
            + setting("columns", {"continuous": [name]}),
            column=name,
        )


def _codes(name: str, tables: Sequence[RawTable], section: Section) -> list[str]:
    """The codes 0 … k or 1 … k, ten at most, if these and no others are what the column holds."""
    if name in section.continuous:
        return []
    skipped = {*section.codes, *section.by_column.get(name, ())}
    found: set[float] = set()
    for table in tables:
        for label in table.columns[name].labels if name in table.columns else ():
            if label == NO_CELL or label.strip() in skipped or kind_of(label) == "missing":
                continue
            if kind_of(label) != "number" or len(found) > _MOST_CODES:
                return []
            found.add(float(label))
    values = sorted(found)
    if not 2 <= len(values) <= _MOST_CODES or values[0] not in (0, 1):
        return []
    return [str(int(v)) for v in values] if values == [values[0] + k for k in range(len(values))] else []


def _cut_example(name: str, tables: Sequence[RawTable]) -> list[float]:
    """Two round numbers within the range of the first site."""
    labels = next(table.columns[name].labels for table in tables if name in table.columns)
    values = [float(label) for label in labels if kind_of(label) == "number"]
    values = [value for value in values if math.isfinite(value)]
    low, high = np.quantile(values, [1 / 3, 2 / 3]) if values else (0, 1)
    first, second = (float(f"{value:.2g}") for value in (low, high))
    return [first, second] if first < second else [first]
