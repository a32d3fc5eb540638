"""What a figure or table of a paper consists of here, and its comparison with the printed numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas

from fedbnsl.evaluate.verdicts import statement_verdict, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = (
    *("paper", "artefact", "preset", "quantity", "where", "printed", "printed_sd"),
    *("measured_mean", "measured_sd", "n", "verdict", "reason"),
)


@dataclass(frozen=True)
class Artefact:
    """A figure or table.

    Attributes
    ----------
    table : pandas.DataFrame
        The numbers that the artefact shows.
    runs : pandas.DataFrame
        One row a run, from which printed values are compared.
    figure : matplotlib.figure.Figure, optional
    printed : tuple of dict
        Printed values that come with the artefact itself, in the form of :func:`verdict_table`.
    """

    table: pandas.DataFrame
    runs: pandas.DataFrame
    figure: Figure | None = None
    printed: tuple[dict, ...] = ()


def verdict_table(
    artefact: str, runs: pandas.DataFrame, printed: Iterable[dict], paper: str, preset: str
) -> pandas.DataFrame:
    """Every printed value of an artefact beside the measured ones.

    Parameters
    ----------
    artefact, paper, preset : str
        Which artefact, of which study, at which preset; they become columns.
    runs : pandas.DataFrame
        One row a run.
    printed : iterable of dict
        From the study file: ``quantity`` (a column of ``runs``), ``where`` (column: value pairs that
        select rows), ``value``, ``sd``, ``better``, ``differs``, and, from an artefact, ``note``: what to
        add to the reason where the two disagree. What a paper says without a number comes
        from the artefact itself: ``statement``, ``where`` (a text), ``held`` (a bool a case), ``measured``
        (a text) and ``reason``; see :func:`fedbnsl.evaluate.verdicts.statement_verdict`.

    Returns
    -------
    pandas.DataFrame
        One row a printed value, see :func:`fedbnsl.evaluate.verdicts.verdict`.
    """
    rows = []
    for entry in printed:
        if "statement" in entry:
            row = statement_verdict(
                artefact, entry["statement"], entry["held"], entry["measured"], reason=entry["reason"]
            )
            if not entry["held"]:
                row["reason"] = f"not measured at the {preset} preset"
            rows.append({"paper": paper, "preset": preset, "where": entry["where"], **row})
            continue
        chosen = runs
        for column, value in entry["where"].items():
            chosen = chosen[chosen[column] == value] if column in chosen else chosen.iloc[:0]
        measured = chosen.get(entry["quantity"], [])
        row = verdict(
            artefact,
            entry["quantity"],
            entry["value"],
            measured,
            better=entry["better"],
            printed_sd=entry.get("sd"),
            not_comparable=entry.get("differs"),
        )
        missed = int((chosen["converged"] == False).sum()) if "converged" in chosen else 0  # noqa: E712
        if missed:
            row["reason"] += f"; {missed} of {len(chosen)} runs did not converge"
            if row["verdict"] == "better":  # an unfinished run is no improvement
                row["verdict"] = "not comparable"
        if entry.get("note") and row["verdict"] in ("better", "worse"):
            row["reason"] += f"; {entry['note']}"
        where = ", ".join(f"{key} {value}" for key, value in entry["where"].items())
        if not len(measured) and not entry.get("differs"):
            row["reason"] = f"not measured at the {preset} preset"
        rows.append({"paper": paper, "preset": preset, "where": where, **row})
    return pandas.DataFrame(rows, columns=COLUMNS)
