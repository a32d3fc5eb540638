"""From the cells of a site to its clean rows, and the notes of what was done."""

from collections.abc import Sequence

import numpy as np

from fedbnsl.cohort.encode import Encoded
from fedbnsl.cohort.raw import RawTable
from fedbnsl.cohort.results import Note
from fedbnsl.cohort.section import Section
from fedbnsl.cohort.variables import Variable
from fedbnsl.data.site_data import SiteData


def clean_site(
    table: RawTable, variables: Sequence[Variable], encoded: Sequence[Encoded], section: Section
) -> tuple[SiteData, list[Note]]:
    """The rows of a site without errors, after the policy on missing values.

    ``impute`` fills in, at this site alone, the mode of a discrete variable (of several, the state declared
    first) or the median of a continuous one.
    """
    site = table.site.name
    notes = [Note(site, "", text) for text in _about_columns(table, variables)]
    discrete = variables[0].is_discrete
    values = np.column_stack([one.codes if discrete else one.numbers for one in encoded])
    absent = np.column_stack([one.missing for one in encoded])
    if absent.any() and section.policy == "complete-cases":
        complete = ~absent.any(axis=1)
        values = values[complete]
        dropped = int((~complete).sum())
        notes.append(Note(site, "", f"{dropped} of {table.n_rows} rows dropped: a value is missing"))
    elif absent.any():
        for i, variable in enumerate(variables):
            empty = absent[:, i]
            if not empty.any():
                continue
            given = values[~empty, i]
            if discrete:
                fill = np.bincount(given, minlength=len(variable.states)).argmax()
                text = f"the mode {variable.states[fill]!r}"
            else:
                fill = np.median(given)
                text = f"the median {fill:g}"
            values[empty, i] = fill
            notes.append(
                Note(site, variable.name, f"{int(empty.sum())} missing values imputed by {text} of the site")
            )
    for variable in variables:
        if variable.role == "cut":
            notes.append(
                Note(site, variable.name, f"cut at {', '.join(f'{cut:g}' for cut in variable.cuts)}")
            )
    states = [variable.states for variable in variables] if discrete else None
    return SiteData([variable.name for variable in variables], values, states, site), notes


def _about_columns(table: RawTable, variables: Sequence[Variable]) -> list[str]:
    used = {variable.name for variable in variables}
    left = [column.source for name, column in table.columns.items() if name not in used]
    renamed = [
        f"{column.source!r} to {name!r}"
        for name, column in table.columns.items()
        if name in used and column.source.strip().strip("\ufeff").strip() != name
    ]
    texts = [f"columns not used: {', '.join(left)}"] if left else []
    return texts + ([f"columns renamed: {', '.join(renamed)}"] if renamed else [])
