"""Declared states of discrete columns: where they are kept, how they are read, labels to codes."""

import functools
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fedbnsl.data.site_columns import is_missing, is_number
from fedbnsl.errors import InputError

_SHOWN = 12  # columns and states that a message lists at most
_MOST_CODES = 10  # whole numbers that may stand for states


def side_file(path: Path) -> Path:
    """``q.csv.states.json`` beside ``q.csv``: the whole name, so that no two tables share one."""
    return path.with_name(f"{path.name}.states.json")


def read_declaration(states) -> tuple[dict[str, tuple[str, ...]], str]:
    """Checked states and what to call their source, from a mapping or a JSON or YAML file."""
    if isinstance(states, Mapping):
        return declared_states(states, "the argument states"), "the argument states"
    path = Path(states)
    if not path.is_file():
        raise InputError("there is no such file of declared states", where=str(path))
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        try:
            content = json.loads(text, object_pairs_hook=functools.partial(_each_once, where=str(path)))
        except json.JSONDecodeError as error:
            raise InputError(f"not valid JSON: {error}", where=str(path)) from None
    else:
        import yaml

        try:
            # every scalar stays text: with the usual loader yes and no would become booleans
            content = yaml.load(text, Loader=yaml.BaseLoader)
            root = yaml.compose(text, Loader=yaml.BaseLoader)
        except yaml.YAMLError as error:
            raise InputError(f"not valid YAML: {error}", where=str(path)) from None
        if isinstance(root, yaml.MappingNode):
            _each_once([(key.value, value) for key, value in root.value], where=str(path))
    return declared_states(content, str(path)), str(path)


def _each_once(pairs: list[tuple[str, object]], where: str) -> dict[str, object]:
    """A mapping of a file's pairs; InputError if a column is declared twice, of which one would win."""
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            "the column is declared more than once",
            where=f"{where}, column {twice!r}",
            remedy="Keep one declaration, with all its states",
        )
    return content


def declared_states(content, where: str) -> dict[str, tuple[str, ...]]:
    """Check a mapping of column to states.

    Raises
    ------
    InputError
        If it is no mapping, or a column has no list of one or more different texts (whole numbers
        are taken as text).
    """
    if not isinstance(content, Mapping):
        raise InputError(
            "the declared states must be a mapping of column to list of states",
            where=where,
            remedy='For example {"smoke": ["no", "yes"]}',
        )
    checked = {}
    for name, states in content.items():
        place = f"{where}, column {name!r}"
        if isinstance(states, str) or not isinstance(states, Sequence) or not states:
            raise InputError(f"the declared states must be a list, not {states!r}", where=place)
        for state in states:
            if isinstance(state, bool) or not isinstance(state, str | int):
                raise InputError(
                    f"the state {state!r} is not text",
                    where=place,
                    remedy="Put quotes around it; YAML reads yes, no, on, off, true and false as "
                    "booleans otherwise",
                )
        texts = tuple(str(state) for state in states)
        if len(set(texts)) != len(texts):
            raise InputError(f"the declared states {list(texts)} must differ", where=place)
        checked[str(name)] = texts
    return checked


def codes_of(labels: Sequence[str], positions: np.ndarray, declared: Sequence[str], where: str) -> np.ndarray:
    """Positions among the declared states of the cells ``labels[positions]``.

    Raises
    ------
    InputError
        Naming the first row whose label is not declared.
    """
    code = {state: k for k, state in enumerate(declared)}
    codes = np.array([code.get(label, -1) for label in labels], dtype=np.int64)[positions]
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        label = labels[positions[unknown[0]]]
        shown = f"Declared: {', '.join(map(repr, declared[:_SHOWN]))}{', …' * (len(declared) > _SHOWN)}"
        if is_missing(label):
            shown += f". Drop or fill such rows, or declare {label!r} as a state of its own"
        else:
            shown += ". Correct the cell, or declare its state too, at every site"
        raise InputError(
            f"row {unknown[0] + 1} "
            + (f"holds {label!r}, which is no declared state" if label else "is empty"),
            where=where,
            remedy=shown,
        )
    return codes


def declaration_remedy(path: Path, seen: Mapping[str, Sequence[str]]) -> str:
    """What to write so that the columns of ``seen`` (column → labels in this file) have states."""
    measured = [name for name, labels in seen.items() if _are_measurements(labels)]
    if measured:
        shown = ", ".join(map(repr, measured[:_SHOWN])) + ", …" * (len(measured) > _SHOWN)
        return (
            f"A table is all discrete or all continuous, and {shown} holds measurements: cut them into "
            "intervals and declare those as states, or leave the column out: name the others in columns="
        )
    example = {name: list(labels)[:_SHOWN] for name, labels in list(seen.items())[:_SHOWN]}
    where = "pass states=" if path.suffix == ".parquet" else f"write {side_file(path).name} beside the file"
    return (
        f"To declare the states, {where}: {json.dumps(example, ensure_ascii=False)}; "
        "list every state that any site may hold, not only those seen here"
    )


def warn_of_codes(path: Path, names: Sequence[str], values: np.ndarray) -> None:
    """Warn of columns that are read as continuous and look like codes of states.

    That is: they hold the whole numbers 0 … k or 1 … k, all of them, ten at most and fewer than rows.

    Parameters
    ----------
    path : Path
    names : sequence of str
    values : ndarray, shape (n, d)
    """
    coded = {}
    for name, column in zip(names, values.T, strict=True):
        found = np.unique(column)
        codes = found[0] + np.arange(len(found))
        few = 2 <= len(found) <= min(_MOST_CODES, len(column) - 1)
        if few and found[0] in (0, 1) and (found == codes).all():
            coded[name] = [str(int(code)) for code in found]
    if coded:
        shown = ", ".join(map(repr, list(coded)[:_SHOWN])) + ", …" * (len(coded) > _SHOWN)
        remedy = (
            declaration_remedy(path, coded)
            if len(coded) == len(names)
            else "A table is all discrete or all continuous; to use these as categories, make the other "
            "columns categories too, and declare the states of all"
        )
        warnings.warn(
            f"{path}: read as continuous, though these columns look like codes of states: {shown}. {remedy}",
            stacklevel=3,
        )


def _are_measurements(labels: Sequence[str]) -> bool:
    """Whether labels are numbers and not all of them whole, or too many to be states."""
    numbers = all(map(is_number, labels))
    return numbers and (
        len(labels) > 10 * _MOST_CODES or not all(float(label).is_integer() for label in labels)
    )
