"""Declared states of discrete columns: where they are kept, how they are read, labels to codes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fedbnsl.errors import InputError

_SHOWN = 12  # columns and states that a message lists at most


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
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"not valid JSON: {error}", where=str(path)) from None
    else:
        import yaml

        try:
            # every scalar stays text: with the usual loader yes and no would become booleans
            content = yaml.load(text, Loader=yaml.BaseLoader)
        except yaml.YAMLError as error:
            raise InputError(f"not valid YAML: {error}", where=str(path)) from None
    return declared_states(content, str(path)), str(path)


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
        raise InputError(
            f"row {unknown[0] + 1} "
            + (f"holds {label!r}, which is no declared state" if label else "is empty"),
            where=where,
            remedy=f"Declared: {', '.join(map(repr, declared[:_SHOWN]))}{', …' * (len(declared) > _SHOWN)}",
        )
    return codes


def declaration_remedy(path: Path, seen: Mapping[str, Sequence[str]]) -> str:
    """What to write so that the columns of ``seen`` (column → labels in this file) have states."""
    example = {name: list(labels)[:_SHOWN] for name, labels in list(seen.items())[:_SHOWN]}
    where = "pass states=" if path.suffix == ".parquet" else f"write {side_file(path).name} beside the file"
    return (
        f"To declare the states, {where}: {json.dumps(example, ensure_ascii=False)}; "
        "list every state that any site may hold, not only those seen here"
    )
