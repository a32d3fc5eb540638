"""Checks that compare the values of the sites with each other."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.cohort.encode import Encoded
from fedbnsl.cohort.problems import Problems, setting
from fedbnsl.cohort.raw import RawTable
from fedbnsl.cohort.variables import Variable

_RARE = 0.01  # how often one of these warnings may come up by chance in a whole cohort
_FACTOR = 10
_FEWEST = 10


def check_constants(
    variable: Variable, tables: Sequence[RawTable], encoded: Sequence[Encoded], tests: int, problems
):
    """Columns that hold one value only, at all sites or at one of them.

    At one site alone, a discrete column is reported if chance does not explain it: were the other
    values spread over all rows alike, none of the c of them would be here with probability (1 - n/N)^c.
    """
    values = [_given(one) for one in encoded]
    filled = [v for v in values if len(v)]
    if not filled:
        return
    leave_out = f"Leave it out: {setting('columns', {'ignore': [variable.name]})}"
    if len(np.unique(np.concatenate(filled))) == 1:
        report = problems.error if not variable.is_discrete else problems.warning
        report(
            f"the column holds {_shown(filled[0][0], variable)} in every row of every site",
            leave_out,
            column=variable.name,
        )
        return
    total = sum(map(len, values))
    for k, (table, own) in enumerate(zip(tables, values, strict=True)):
        if len(own) < 2 or (own != own[0]).any():
            continue
        others = np.concatenate([v for j, v in enumerate(values) if j != k])
        different = int((others != own[0]).sum())
        if variable.is_discrete and (1 - len(own) / total) ** different * tests > _RARE:
            continue
        problems.warning(
            f"the column holds {_shown(own[0], variable)} in every row of this site, and varies elsewhere",
            f"Ask the site whether it is recorded there. {leave_out}",
            site=table.site,
            column=encoded[k].column.source,
            row=0,
            count=len(own),
        )


def check_lone_states(
    variable: Variable, tables: Sequence[RawTable], encoded: Sequence[Encoded], tests: int, problems
):
    """States seen at one site only, where chance does not explain it.

    Were the c rows with the state spread over the sites alike, all would be at this one, of n of the N
    rows, with probability (n/N)^c.
    """
    if len(tables) < 2:
        return
    counts = np.array([np.bincount(_given(one), minlength=len(variable.states)) for one in encoded])
    total = counts.sum()
    for state in np.flatnonzero((counts > 0).sum(axis=0) == 1):
        k = int(np.argmax(counts[:, state]))
        seen = int(counts[k, state])
        # where it is all that the site has, the site's constant is reported
        if seen == counts[k].sum() or (counts[k].sum() / total) ** seen * tests > _RARE:
            continue
        problems.warning(
            f"the state {variable.states[state]!r} is seen at this site only",
            "Ask the other sites whether they record it, or call it otherwise; if not, join it with another: "
            + setting(
                "recode", {variable.name: {variable.states[state]: variable.states[0 if state else -1]}}
            ),
            site=tables[k].site,
            column=encoded[k].column.source,
            row=np.flatnonzero(encoded[k].codes == state)[0],
            count=seen,
        )


def check_scales(
    variable: Variable, tables: Sequence[RawTable], encoded: Sequence[Encoded], problems: Problems
):
    """Sites whose values are ten times larger or smaller than those of the others, as in another unit."""
    held = [(table, one, _given(one, numbers=True)) for table, one in zip(tables, encoded, strict=True)]
    held = [(table, one, float(np.median(np.abs(v)))) for table, one, v in held if len(v) >= _FEWEST]
    if len(held) < 2:
        return
    for k, (table, one, size) in enumerate(held):
        if len(held) == 2 and k == 0:
            continue  # of two, the second is compared with the first
        other = float(np.median([s for j, (_, _, s) in enumerate(held) if j != k]))
        if size > 0 and other > 0 and not 1 / _FACTOR < size / other < _FACTOR:
            problems.warning(
                f"the values are around {size:.3g}, at the other sites around {other:.3g}: another unit?",
                "Ask the site for its unit, and convert the values before they are read",
                site=table.site,
                column=one.column.source,
            )


def _given(one: Encoded, numbers: bool = False) -> np.ndarray:
    if one.codes is not None and not numbers:
        return one.codes[one.codes >= 0]
    return one.numbers[np.isfinite(one.numbers)]


def _shown(value, variable: Variable) -> str:
    return repr(variable.states[int(value)]) if variable.is_discrete else f"{value:g}"
