"""Does a measured number reproduce the one that a paper prints?"""

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from fedbnsl.errors import InputError

DIRECTIONS = ("lower", "higher", "match")
_SLACK = 1e-9  # relative; so that a mean standing exactly on the edge is within, whatever the rounding


def verdict(
    artefact: str,
    quantity: str,
    printed: str | float,
    measured: Sequence[float],
    *,
    better: str,
    printed_sd: float | None = None,
    not_comparable: str | None = None,
) -> dict:
    """One row of the table of reproduced numbers.

    The verdict is *within* if the measured mean lies no further from the printed value than the
    largest of: the printed standard deviation, two standard errors of the measured mean (2 sd / √n,
    sd with n − 1), and half a unit of the last printed digit. Otherwise it is *better* or *worse*, by
    the side on which the mean lies.

    Parameters
    ----------
    artefact, quantity : str
        Which figure or table, and which of its numbers.
    printed : str or float
        The paper's value. As text it keeps its trailing zeros (``"5.0"``), which say how far it was
        rounded.
    measured : sequence of float
        One value a run. Runs without a finite value are left out and counted in the reason.
    better : {"lower", "higher", "match"}
        Which side is the good one; ``match`` if neither is, so that any departure is worse.
    printed_sd : float, optional
        The paper's standard deviation over its runs.
    not_comparable : str, optional
        Why the settings differ from the paper's too much to compare. The verdict is then *not
        comparable*, as it is when nothing was measured.

    Returns
    -------
    dict
        ``artefact quantity printed printed_sd measured_mean measured_sd n verdict reason``. Numbers
        that do not exist are NaN: the sd of a single run, a printed sd that the paper leaves out.

    Raises
    ------
    InputError
        If the printed value is no number or the direction is unknown.
    """
    value, half_unit = _as_printed(printed, where=f"{artefact}, {quantity}")
    if better not in DIRECTIONS:
        raise InputError(
            f"the better direction {better!r} is unknown",
            where=f"{artefact}, {quantity}",
            remedy=f"Choose one of: {', '.join(DIRECTIONS)}",
        )
    given = np.asarray(measured, dtype=float).ravel()
    runs = given[np.isfinite(given)]
    n = len(runs)
    mean = float(runs.mean()) if n else math.nan
    sd = float(runs.std(ddof=1)) if n > 1 else math.nan

    if not_comparable or not n:
        word, reason = "not comparable", not_comparable or "nothing was measured"
    else:
        word, reason = _judge(mean, value, _tolerances(printed_sd, sd, n, half_unit), better)
    if n and n < len(given):
        reason += f"; {len(given) - n} of {len(given)} runs gave no value"
    return {
        "artefact": artefact,
        "quantity": quantity,
        "printed": value,
        "printed_sd": math.nan if printed_sd is None else float(printed_sd),
        "measured_mean": mean,
        "measured_sd": sd,
        "n": n,
        "verdict": word,
        "reason": reason,
    }


def statement_verdict(
    artefact: str, statement: str, held: Sequence[bool], measured: str, *, reason: str | None = None
) -> dict:
    """One row for something that a paper says without giving a number.

    Parameters
    ----------
    artefact, statement : str
        Which figure or table, and what the paper says.
    held : sequence of bool
        Whether it was so, once for each case in which it was looked at.
    measured : str
        What was measured, in words.
    reason : str, optional
        Why it is not so in all cases; told only then.

    Returns
    -------
    dict
        As :func:`verdict` gives it, with the share of the cases in which it held as the measured mean. The
        verdict is *holds* if that is all of them, *fails* if not, *not comparable* if there is no case.
    """
    held = [bool(one) for one in held]
    n, kept = len(held), sum(held)
    if not n:
        word, text = "not comparable", "nothing was measured"
    elif kept == n:
        word, text = "holds", f"in {n} of {n} cases: {measured}"
    else:
        word, text = "fails", f"holds in {kept} of {n} cases: {measured}"
        if reason:
            text += f". {reason}"
    return {
        "artefact": artefact,
        "quantity": statement,
        "printed": math.nan,
        "printed_sd": math.nan,
        "measured_mean": kept / n if n else math.nan,
        "measured_sd": math.nan,
        "n": n,
        "verdict": word,
        "reason": text,
    }


def _as_printed(printed: str | float, where: str) -> tuple[float, float]:
    """The value, and half a unit of its last digit."""
    try:
        number = Decimal(str(printed))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise InputError(f"the printed value {printed!r} is no number", where=where)
    return float(number), float(Decimal(1).scaleb(number.as_tuple().exponent) / 2)


def _tolerances(printed_sd, sd: float, n: int, half_unit: float) -> dict[str, float]:
    found = {"the rounding of the printed value": half_unit}
    if n > 1:
        found["two standard errors"] = 2 * sd / math.sqrt(n)
    if printed_sd is not None:
        found["the printed sd"] = float(printed_sd)
    return found


def _judge(mean: float, value: float, tolerances: dict[str, float], better: str) -> tuple[str, str]:
    source, tolerance = max(tolerances.items(), key=lambda item: item[1])
    gap = abs(mean - value)
    side = "above" if mean > value else "below"
    reason = f"{gap:.3g} {side} the printed value, tolerance {tolerance:.3g} ({source})"
    if gap <= tolerance + _SLACK * max(abs(value), abs(mean), tolerance):
        return "within", reason
    if better == "match":
        return "worse", reason
    return ("better" if (side == "below") == (better == "lower") else "worse"), reason
