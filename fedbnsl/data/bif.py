"""Reader of the Bayesian Interchange Format (BIF), version 0.15 and its usual variants.

The body of a file is scanned by a handful of regular expressions, which is some fifty times faster
than a grammar on the large networks (half a million numbers).
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedbnsl.data.bif_text import SourceText, file_text
from fedbnsl.errors import InputError

#: How far the probabilities of one parent configuration may sum from 1. Files round each number: three
#: states at two decimals miss by .01; the sixteen benchmark networks miss by 3e-7 at most.
SUM_TOLERANCE = 0.01
_MOST_PARENTS = 63  # an array has 64 dimensions at most
_MOST_ENTRIES = 2**26

_BLOCK = re.compile(r"\s*(network|variable|probability)\b([^{}]*)\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*;?")
_TYPE = re.compile(r"\s*type\s+(\w+)\s*\[\s*([0-9]{1,9})\s*\]\s*\{([^{}]*)\}\s*;")
_PROPERTY = re.compile(r"\s*property\b[^;]*;")
_ENTRY = re.compile(r"\s*(?:\(([^()]*)\)|(table|default)\b)([^;()]*);")


@dataclass(frozen=True)
class BifContent:
    """What a BIF file says.

    Attributes
    ----------
    names : tuple of str
        The variables, in the order of the file.
    states : tuple of tuples of str
        The states of each variable, in the order of the file.
    parents : tuple of tuples of int
        The parents of each variable as positions in ``names``, in the order of the file.
    tables : tuple of ndarray of float64
        ``tables[i][s1, …, sk, s]`` is the probability that variable i has state s given that its
        parents, in the order of ``parents[i]``, have the states s1, …, sk. As in the file: a row
        may miss 1 by up to ``SUM_TOLERANCE``.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[np.ndarray, ...]


def read_bif(path) -> BifContent:
    """Read a ``.bif`` or ``.bif.gz`` file (UTF-8); errors as in :func:`parse_bif`."""
    return parse_bif(file_text(Path(path)), str(path))


def parse_bif(text: str, where: str = "BIF text") -> BifContent:
    """Read the text of a BIF file.

    Understood beside the plain form: comments, properties, quoted names and states, numbers and
    states with or without commas, ``default`` entries, parents listed without a bar, and ``table``
    for a variable with parents (the variable's own state varies slowest, the last parent's fastest).

    Parameters
    ----------
    text : str
    where : str
        What to call the text in messages.

    Returns
    -------
    BifContent

    Raises
    ------
    InputError
        With the line, if the text cannot be understood, names an unknown variable or state, repeats
        or lacks a parent configuration, holds probabilities outside [0, 1] or whose sum differs from 1
        by more than ``SUM_TOLERANCE``, or has a table of 64 or more parents or over 2²⁶ entries.
    """
    return _Parser(text, where).content()


class _Parser:
    def __init__(self, text: str, where: str):
        self.source = SourceText(text, where)
        self.text = self.source.text
        self.names: list[str] = []
        self.states: list[tuple[str, ...]] = []
        self.index: dict[str, int] = {}

    def content(self) -> BifContent:
        conditionals, place = [], 0
        while match := _BLOCK.match(self.text, place):
            if match[1] == "variable":
                self._variable(match)
            elif match[1] == "probability":
                conditionals.append(match)
            place = match.end()
        if self.text[place:].strip():
            raise self.source.unreadable(
                place, "expected a variable or probability block with its braces closed"
            )
        if not self.names:
            raise InputError("no variable is declared", where=self.source.where, remedy="Is this a BIF file?")
        parents: dict[int, tuple[int, ...]] = {}
        tables = {}
        for match in conditionals:
            child, given = self._header(match)
            if child in parents:
                raise self.source.error(
                    match.start(1), f"{self.names[child]!r} has a second probability block"
                )
            parents[child], tables[child] = given, self._table(match, child, given)
        for i, name in enumerate(self.names):
            if i not in parents:
                raise InputError(f"the variable {name!r} has no probability block", where=self.source.where)
        every = range(len(self.names))
        return BifContent(
            tuple(self.names),
            tuple(self.states),
            tuple(parents[i] for i in every),
            tuple(tables[i] for i in every),
        )

    # --- blocks -------------------------------------------------------------------------------

    def _variable(self, match) -> None:
        name = self.source.shown(match[2])
        if not name or name in self.index:
            problem = f"the variable {name!r} is declared twice" if name else "a variable has no name"
            raise self.source.error(match.start(1), problem)
        place, states = match.start(3), None
        while place < match.end(3):
            if found := _TYPE.match(self.text, place, match.end(3)):
                states = self._states(found, name)
            elif not (found := _PROPERTY.match(self.text, place, match.end(3))):
                break
            place = found.end()
        if self.text[place : match.end(3)].strip():
            raise self.source.unreadable(place, "expected: type discrete [ 2 ] { yes, no };")
        if states is None:
            raise self.source.error(match.start(1), f"the variable {name!r} has no type line")
        self.index[name] = len(self.names)
        self.names.append(name)
        self.states.append(states)

    def _states(self, match, name: str) -> tuple[str, ...]:
        if match[1] != "discrete":
            raise self.source.error(
                match.start(1), f"the variable {name!r} is {match[1]}", "Only discrete variables can be read"
            )
        count = int(match[2])
        if "," in match[3]:
            parts = [part for part in match[3].split(",") if part.strip()]
        else:
            parts = [match[3]] if count == 1 else match[3].split()
        states = tuple(self.source.shown(part) for part in parts)
        if len(states) != count:
            raise self.source.error(
                match.start(2), f"{name!r} declares {count} states but lists {len(states)}: {list(states)}"
            )
        if len(set(states)) != count or count == 0:
            raise self.source.error(
                match.start(3), f"the states {list(states)} of {name!r} must be one or more different texts"
            )
        return states

    def _header(self, match) -> tuple[int, tuple[int, ...]]:
        inside = match[2].strip()
        if not (inside.startswith("(") and inside.endswith(")")):
            raise self.source.unreadable(match.start(1), "expected: probability ( child | parent, … )")
        child, bar, given = inside[1:-1].partition("|")
        listed = self._variables(child, match) + (self._variables(given, match) if given.strip() else [])
        if (bar and len(self._variables(child, match)) != 1) or len(set(listed)) != len(listed):
            raise self.source.unreadable(match.start(1), "expected one child and different parents")
        entries = math.prod(len(self.states[i]) for i in listed)
        if len(listed) > 1 + _MOST_PARENTS or entries > _MOST_ENTRIES:
            raise self.source.error(
                match.start(1),
                f"the table of {self.names[listed[0]]!r}, with {len(listed) - 1} parents, is too large",
                f"At most {_MOST_PARENTS} parents and {_MOST_ENTRIES} probabilities can be read",
            )
        return listed[0], tuple(listed[1:])

    def _variables(self, text: str, match) -> list[int]:
        found = []
        for part in text.split(","):
            # A name may hold spaces; where the text is not one name, spaces separate several.
            several = self.source.shown(part) not in self.index and part.split()
            for name in map(self.source.shown, several or [part]):
                if name not in self.index:
                    raise self.source.error(match.start(1), f"the variable {name!r} is not declared")
                found.append(self.index[name])
        return found

    # --- numbers ------------------------------------------------------------------------------

    def _table(self, match, child: int, parents: tuple[int, ...]) -> np.ndarray:
        shape = [len(self.states[p]) for p in parents]
        card, count = len(self.states[child]), int(np.prod(shape))
        codes = [{state: k for k, state in enumerate(self.states[p])} for p in parents]
        rows: dict[int, tuple[list[float], int]] = {}  # configuration → numbers and where they stand
        default = None
        place, stop = match.start(3), match.end(3)
        while place < stop:
            entry = _ENTRY.match(self.text, place, stop)
            if entry is None:
                found = _PROPERTY.match(self.text, place, stop)
                if found is None:
                    break
                place = found.end()
                continue
            place = entry.end()
            numbers = self._numbers(entry, card * count if entry[2] == "table" else card, child)
            if entry[2] == "table":
                new = dict(enumerate(np.array(numbers).reshape(card, count).T.tolist()))
            elif entry[2] == "default":
                default = numbers, entry.start(3)
                continue
            else:
                new = {self._configuration(entry, parents, codes, shape): numbers}
            for key, row in new.items():
                if key in rows:
                    given = self._configuration_text(key, parents, shape)
                    raise self.source.error(entry.start(3), f"{self.names[child]!r} repeats its row {given}")
                rows[key] = row, entry.start(3)
        if self.text[place:stop].strip():
            raise self.source.unreadable(place, "expected: (state, …) number, …; or table number, …;")
        if default is not None:
            for key in range(count):
                rows.setdefault(key, default)
        if len(rows) != count:
            first = next(key for key in range(count) if key not in rows)
            raise self.source.error(
                match.start(1),
                f"{self.names[child]!r} lacks {count - len(rows)} of its {count} rows, "
                f"the first for {self._configuration_text(first, parents, shape)}",
            )
        table = np.array([rows[key][0] for key in range(count)])
        self._check(table, [rows[key][1] for key in range(count)], child, parents, shape)
        return table.reshape(*shape, card)

    def _numbers(self, entry, expected: int, child: int) -> list[float]:
        tokens = entry[3].replace(",", " ").split()
        if len(tokens) != expected:
            raise self.source.error(
                entry.start(3), f"{self.names[child]!r} needs {expected} numbers here, not {len(tokens)}"
            )
        try:
            return list(map(float, tokens))
        except ValueError as error:
            raise self.source.error(
                entry.start(3), f"in the rows of {self.names[child]!r}: {error}"
            ) from None

    def _configuration(self, entry, parents, codes, shape) -> int:
        text = entry[1]
        parts = text.split(",") if "," in text else [text] if len(parents) == 1 else text.split()
        if len(parts) != len(parents):
            raise self.source.error(
                entry.start(1),
                f"the row ({text.strip()}) gives {len(parts)} states to {len(parents)} parents",
            )
        key = 0
        for part, parent, code, size in zip(parts, parents, codes, shape, strict=True):
            state = self.source.shown(part)
            if state not in code:
                raise self.source.error(
                    entry.start(1),
                    f"{state!r} is no state of {self.names[parent]!r}",
                    f"Its states: {', '.join(self.states[parent])}",
                )
            key = key * size + code[state]
        return key

    def _check(self, table, starts, child, parents, shape) -> None:
        name = self.names[child]
        outside = np.argwhere(~((table >= 0) & (table <= 1 + SUM_TOLERANCE)))
        if len(outside):
            key, state = outside[0].tolist()
            raise self.source.error(starts[key], f"{name!r} has the probability {table[key, state]}")
        off = np.flatnonzero(np.abs(table.sum(axis=1) - 1) > SUM_TOLERANCE + 1e-9)
        if len(off):
            key = int(off[0])
            raise self.source.error(
                starts[key],
                f"the probabilities of {name!r} for {self._configuration_text(key, parents, shape)} "
                f"sum to {table[key].sum():.6g}, not 1",
            )

    def _configuration_text(self, key: int, parents, shape) -> str:
        if not parents:
            return "no parents"
        places = np.unravel_index(key, shape)
        return ", ".join(
            f"{self.names[p]} = {self.states[p][k]}" for p, k in zip(parents, places, strict=True)
        )
