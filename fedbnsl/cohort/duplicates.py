"""Rows that are there twice: within a site, or at two sites.

Rows of few states repeat by chance, so what is looked for is runs of rows: L rows in a row that equal L
other rows in a row. L is chosen so that chance gives one in a million cohorts such a pair of runs, from
the share of equal pairs of rows and, where that is larger, the square root of what independent columns
would give. Where a column of measurements makes nearly every row different, and independent columns would
give next to no equal rows, single rows count.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from fedbnsl.cohort.encode import Encoded
from fedbnsl.cohort.problems import Problems
from fedbnsl.cohort.raw import RawTable

_RARE = 1e-6
_LONGEST = 200
_DIFFERENT = 0.9  # share of different rows above which a repeated row is no chance
_FEW_PAIRS = 0.01  # equal pairs of rows that independent columns would give
_MEASURED = 0.5  # share of different values above which a column is one of measurements


def check_duplicates(
    tables: Sequence[RawTable], encoded: Sequence[Sequence[Encoded]], problems: Problems
) -> None:
    """Report repeated rows; ``encoded[k]`` are the columns of ``tables[k]``, the same at all sites."""
    sizes = [table.n_rows for table in tables]
    encoded = _comparable(encoded)
    if not encoded[0]:
        return
    rows = _row_numbers(encoded)
    length = run_length(rows, encoded)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    if length is None or len(rows) < 2:
        return
    repeated = _repeated(rows, starts, length)
    for k, table in enumerate(tables):
        own = repeated[starts[k] : starts[k + 1]]
        for other in range(k + 1):
            low, high = starts[other], starts[other + 1]
            hit = np.flatnonzero((own >= low) & (own < high))
            if not len(hit):
                continue
            twin = int(own[hit[0]] - low) + 1
            if other == k:
                problems.warning(
                    f"the row is the same as row {twin}" + _in_a_run(length),
                    "Drop the copies, unless they are other persons",
                    site=table.site,
                    row=hit[0],
                    count=len(hit),
                )
            else:
                problems.warning(
                    f"the row is the same as row {twin} at {tables[other].site.name}" + _in_a_run(length),
                    "If they are the same persons, keep the rows at one site",
                    site=table.site,
                    row=hit[0],
                    count=len(hit),
                )


def _comparable(encoded: Sequence[Sequence[Encoded]]) -> list[list[Encoded]]:
    """The columns that have values in at least half of the rows of every site."""
    shares = [
        min(np.mean(one.codes >= 0 if one.numbers is None else np.isfinite(one.numbers)) for one in column)
        for column in zip(*encoded, strict=True)
    ]
    return [[one for one, share in zip(own, shares, strict=True) if share >= 0.5] for own in encoded]


def _in_a_run(length: int) -> str:
    return f", and so are the next {length - 1}" if length > 1 else ""


def _row_numbers(encoded: Sequence[Sequence[Encoded]]) -> np.ndarray:
    """A number for every row of all sites, equal for equal rows; no row without any value equals another."""
    numbers, blank = None, True
    for column in zip(*encoded, strict=True):
        parts = [one.codes if one.numbers is None else one.numbers for one in column]
        values = np.concatenate(parts)
        blank = blank & (values < 0 if column[0].numbers is None else np.isnan(values))
        _, own = np.unique(values, return_inverse=True)
        if numbers is None:
            numbers = own
        else:
            _, numbers = np.unique(numbers * (own.max() + 1) + own, return_inverse=True)
    numbers[blank] = len(numbers) + np.arange(blank.sum())
    return np.unique(numbers, return_inverse=True)[1]


def run_length(rows: np.ndarray, encoded: Sequence[Sequence[Encoded]]) -> int | None:
    """How many rows in a row must be alike to be no chance; None if no reasonable number is enough."""
    n = len(rows)
    if n < 2:
        return None
    _, counts = np.unique(rows, return_counts=True)
    independent, measured = 0.0, False
    for column in zip(*encoded, strict=True):
        parts = [one.codes if one.numbers is None else one.numbers for one in column]
        _, own = np.unique(np.concatenate(parts), return_counts=True)
        equal = float((own.astype(float) * (own - 1)).sum())
        independent += math.log((equal + 1) / (n * (n - 1) + 1))  # one more: no column is sure to differ
        measured = measured or len(own) > _MEASURED * n
    by_chance = math.exp(independent) * n**2 / 2
    if measured and len(counts) > _DIFFERENT * n and by_chance < _FEW_PAIRS:
        return 1
    pairs = float((counts.astype(float) * (counts - 1)).sum()) / (n * (n - 1))
    chance = max(math.log(pairs) if pairs else -math.inf, independent / 2)
    if chance > -1e-6:
        return None
    length = max(1, math.ceil((math.log(_RARE) - 2 * math.log(n)) / chance))
    return length if length <= _LONGEST else None


def _repeated(rows: np.ndarray, starts: np.ndarray, length: int) -> np.ndarray:
    """For every row that repeats an earlier one within such a run, the earlier row; else -1."""
    earlier = np.full(len(rows), -1)
    windows = np.concatenate(
        [np.arange(a, b - length + 1) for a, b in itertools.pairwise(starts) if b - a >= length]
        or [np.empty(0, dtype=np.int64)]
    )
    if not len(windows):
        return earlier
    runs = np.lib.stride_tricks.sliding_window_view(rows, length)[windows]
    key = np.zeros(len(windows), dtype=np.int64)
    for column in runs.T:
        _, key = np.unique(key * (len(rows) + 1) + column, return_inverse=True)
    _, first = np.unique(key, return_index=True)
    twin = windows[first[key]]
    for start, other in zip(windows.tolist(), twin.tolist(), strict=True):
        if other < start:
            for step in range(length):
                if earlier[start + step] < 0:
                    earlier[start + step] = other + step
    return earlier
