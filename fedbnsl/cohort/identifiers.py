"""Columns that name a row rather than measure something."""

import re
from collections.abc import Sequence

from fedbnsl.cohort.cells import kind_of
from fedbnsl.cohort.raw import NO_CELL, RawTable

_NAME = re.compile(
    r"(.*[\W_])?(id|ids|nr|no|num|number|key|index|idx|mrn|ssn|pid|uid|uuid|guid|case|record|row|patient"
    r"|subject|name|email|phone|unnamed.*|column \d+\)|level 0)|.*[a-z]I[Dd]"
    r"|.*(patient|subject|case|record)(id|nr|no)",
)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_SAMPLE = 200  # labels of a site that show what kind they are
_MOSTLY = 0.8
_FEWEST = 20  # rows below which all values may differ by chance


def looks_like_identifier(name: str, tables: Sequence[RawTable], codes) -> bool:
    """Whether every row has another value at every site, and the values or the name look like an identifier.

    Text that differs in every row is one, whatever its name. Whole numbers are if the name says so, or
    if they count the rows.
    """
    if sum(table.n_rows for table in tables) < _FEWEST:
        return False
    columns = [table.columns[name] for table in tables]
    labels = [
        [label for label in column.labels if label != NO_CELL and label.strip() not in codes]
        for column in columns
    ]
    rows = [int((column.positions >= 0).sum()) for column in columns]
    if any(len(own) < 0.99 * n for own, n in zip(labels, rows, strict=True)):
        return False
    sample = [kind_of(label) for own in labels for label in own[:_SAMPLE]]
    kinds = set(sample)
    if sum(kind in ("text", "unit") for kind in sample) > _MOSTLY * len(sample):
        return "text" in kinds
    if kinds != {"number"} or not all(_is_whole(label) for own in labels for label in own):
        return False
    return _says_so(name) or all(_counts(own) for own in labels)


def _says_so(name: str) -> bool:
    plain = name.strip("_ ")
    return bool(_NAME.fullmatch(plain) or _NAME.fullmatch(plain.lower()))


def _is_whole(label: str) -> bool:
    return _WHOLE.fullmatch(label.strip()) is not None


def _counts(labels: Sequence[str]) -> bool:
    """Whether the labels, in the order of the rows, are consecutive whole numbers."""
    first = int(labels[0])
    return all(int(label) == first + k for k, label in enumerate(labels))
