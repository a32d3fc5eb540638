"""Mean and standard deviation over replicates: the numbers behind curves and bars."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.errors import InputError


def check_columns(table, columns: Sequence[str | None], where: str) -> None:
    """Raise InputError if ``table`` lacks one of ``columns`` (Nones are passed over)."""
    missing = [c for c in columns if c is not None and c not in table.columns]
    if missing:
        raise InputError(
            f"the table has no column {', '.join(map(repr, missing))}",
            where=where,
            remedy=f"Its columns: {', '.join(map(str, table.columns))}",
        )


def ordered(column) -> list:
    """The different values of a column in the order in which pictures show them.

    Categories in their declared order (those without rows too), numbers ascending, anything else in
    order of appearance. Missing values are left out.
    """
    if hasattr(column, "cat"):
        return list(column.cat.categories)
    values = list(dict.fromkeys(column.dropna().tolist()))
    if values and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return sorted(values)
    return values


def summarise(
    table,
    x: str,
    y: str,
    by: Sequence[str] = (),
    *,
    replicate: str = "seed",
    step: bool = False,
):
    """Mean, standard deviation and count of ``y`` at each ``x``, over the replicates.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy: one row an observation. Missing ``y`` count as not observed.
    x, y : str
        Columns.
    by : sequence of str
        Columns that tell apart what is not averaged over.
    replicate : str
        Column that tells replicates apart; needed with ``step`` only.
    step : bool
        ``y`` stays constant from one ``x`` to the next (a quantity between breakpoints), and
        replicates may have their breakpoints at different places: each replicate is first carried
        forward to all breakpoints of its group. Before its first breakpoint it counts as missing.

    Returns
    -------
    pandas.DataFrame
        Columns ``by``, ``x``, ``mean``, ``sd`` (n − 1 in the denominator; NaN for one observation),
        ``n``, sorted by ``by`` (in order of appearance) and ``x``. An ``x`` where nothing was observed
        has n = 0 and a NaN mean.

    Raises
    ------
    InputError
        If a column is missing.
    """
    import pandas

    by = list(by)
    check_columns(table, [x, y, *by, replicate if step else None], "summarise")
    keep = table[table[x].notna()]
    if step:
        keep = _carried_forward(keep, x, y, by, replicate)
    keys = [*by, x]
    if not len(keep):
        return pandas.DataFrame(columns=[*keys, "mean", "sd", "n"])
    grouped = keep.groupby(keys, sort=False, observed=True, dropna=False)[y]
    out = pandas.DataFrame({"mean": grouped.mean(), "sd": grouped.std(ddof=1), "n": grouped.count()})
    out = out.reset_index()
    appearance = {key: place for place, key in enumerate(dict.fromkeys(_keys(keep, by)))}
    rank = np.array([appearance[key] for key in _keys(out, by)])
    return out.iloc[np.lexsort((out[x].to_numpy(), rank))].reset_index(drop=True)


def _keys(frame, by):
    columns = [frame[column].astype(object).where(frame[column].notna(), None) for column in by]
    return list(zip(*columns, strict=True)) if by else [()] * len(frame)


def _carried_forward(table, x, y, by, replicate):
    import pandas

    pieces = []
    for key, group in _groups(table, by):
        at, values = group[x].to_numpy(dtype=float), group[y].to_numpy(dtype=float)
        grid = np.unique(at)
        names = group[replicate].to_numpy()
        for name in dict.fromkeys(names):
            seen = (names == name) & np.isfinite(values)
            places, inverse = np.unique(at[seen], return_inverse=True)
            means = np.bincount(inverse, values[seen]) / np.bincount(inverse)
            last = np.searchsorted(places, grid, side="right") - 1
            filled = np.append(means, np.nan)[last]  # last = -1, before the first, picks the NaN
            pieces.append(pandas.DataFrame({**dict(zip(by, key, strict=True)), x: grid, y: filled}))
    return pandas.concat(pieces, ignore_index=True) if pieces else table


def _groups(table, by):
    if not by:
        return [((), table)] if len(table) else []
    return table.groupby(by, sort=False, observed=True, dropna=False)
