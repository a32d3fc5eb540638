"""How to choose a threshold: curves on two scales, their best points, and what a choice costs."""

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.plot import style
from fedbnsl.plot.panels import finish, make_grid, say_no_data, share_x
from fedbnsl.plot.summary import check_columns, summarise

_COLOURS = (style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE)


def best_points(
    table,
    x: str,
    best: dict[str, str],
    reference: str,
    panels: str | None = None,
    *,
    replicate: str = "seed",
    step: bool = True,
):
    """Where each mean curve is best, and its value where the reference curve is best.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for each panel, replicate and ``x``, one column a curve.
    x : str
        The column of thresholds.
    best : dict
        Curve (a column) → ``"min"`` or ``"max"``.
    reference : str
        The curve whose best point is the choice that is judged.
    panels : str, optional
        Column that splits the table.
    replicate, step
        As for :func:`fedbnsl.plot.summary.summarise`.

    Returns
    -------
    pandas.DataFrame
        Columns: ``panels`` (if given), ``curve``, ``x`` of the best mean (the smallest of equals),
        ``best``, ``chosen`` (the curve's mean at the reference's best x) and ``gap`` =
        |chosen − best|.

    Raises
    ------
    InputError
        If a column is missing, or a direction is neither ``min`` nor ``max``.
    """
    import pandas

    _check(table, x, best, reference, panels)
    out = []
    by = [panels] if panels else []
    means = {curve: summarise(table, x, curve, by, replicate=replicate, step=step) for curve in best}
    for panel in dict.fromkeys(table[panels]) if panels else [None]:
        lines = {}
        for curve, frame in means.items():
            part = frame if panel is None else frame[frame[panels] == panel]
            lines[curve] = part.set_index(x)["mean"].dropna()
        if not len(lines[reference]):
            continue
        choice = _best(lines[reference], best[reference])
        for curve, line in lines.items():
            if not len(line):
                continue
            at, chosen = _best(line, best[curve]), float(line.get(choice, np.nan))
            row = {"curve": curve, x: at, "best": float(line[at]), "chosen": chosen}
            out.append({**({panels: panel} if panels else {}), **row, "gap": abs(chosen - row["best"])})
    columns = [*by, "curve", x, "best", "chosen", "gap"]
    return pandas.DataFrame(out, columns=columns)


def threshold_choice(
    table,
    x: str,
    best: dict[str, str],
    reference: str,
    right: str | None = None,
    *,
    panels: str | None = None,
    columns: int | None = None,
    replicate: str = "seed",
    step: bool = True,
    left_text: str = "SMHD (edges)",
    right_text: str | None = None,
    width: float | None = None,
    height: float | None = None,
):
    """Curves over a threshold on two y scales, their best points, and the gaps to the judged choice.

    All curves but ``right`` are drawn against the left scale. A vertical line stands at
    each curve's best point. For each curve but the reference, the shaded rectangle reaches from its
    best point to its value where the reference is best: its height is what choosing by the reference
    gives away, in the curve's own units.

    Parameters
    ----------
    table, x, best, reference, panels, replicate, step
        As for :func:`best_points`.
    right : str, optional
        The curve of the right scale; by default the last of ``best``.
    left_text, right_text : str, optional
        Axis texts; the right one is by default that of the column ``right``.
    columns, width, height
        As for :func:`fedbnsl.plot.curves.curves`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    _check(table, x, best, reference, panels)
    right = right or list(best)[-1]
    if right not in best:
        raise InputError(f"{right!r} is none of the curves {', '.join(best)}", where="threshold choice")
    points = best_points(table, x, best, reference, panels, replicate=replicate, step=step)
    by = [panels] if panels else []
    means = {curve: summarise(table, x, curve, by, replicate=replicate, step=step) for curve in best}
    looks = {
        curve: {"color": _COLOURS[k % len(_COLOURS)], "linestyle": style.LINESTYLES[k % 5]}
        for k, curve in enumerate(best)
    }
    names = {curve: style.label(curve) for curve in best}
    names[right] = right_text or names[right]
    with style.context():
        grid = make_grid(table, panels, None, columns, width, height)
        for key, ax in grid.axes.items():
            marks = grid.part(points, key)
            if not len(marks):
                say_no_data(ax)
                continue
            twin = ax.twinx()
            twin.spines["right"].set_visible(True)
            twin.grid(False)
            _draw_panel(ax, twin, grid, key, means, marks, looks, x, right, reference, step)
            last = ax.get_subplotspec().is_last_col() or len(grid.axes) == 1
            if last:
                twin.set_ylabel(names[right])
        share_x(grid, next(iter(means.values()))[x], False)
        handles = [Line2D([], [], label=names[curve], **look) for curve, look in looks.items()]
        handles.append(Line2D([], [], color=style.GREY, linestyle=":", label="best threshold of each curve"))
        handles += [
            Patch(color=look["color"], alpha=0.35, linewidth=0, label=f"given away in {_short(names[curve])}")
            for curve, look in looks.items()
            if curve != reference
        ]
        finish(grid, style.label(x), left_text, handles)
    return grid.figure


def _draw_panel(ax, twin, grid, key, means, marks, looks, x, right, reference, step):
    choice = marks.loc[marks["curve"] == reference, x].iloc[0]
    for curve, look in looks.items():
        on = twin if curve == right else ax
        line = grid.part(means[curve], key)
        on.plot(line[x], line["mean"], drawstyle="steps-post" if step else "default", **look)
        mark = marks[marks["curve"] == curve]
        if not len(mark):
            continue
        mark = mark.iloc[0]
        ax.axvline(mark[x], color=look["color"], linestyle=":", linewidth=1.0)
        if curve != reference and np.isfinite(mark["gap"]):
            # a gap between two equal thresholds would have no width: keep it visible at 1 % of the axis
            span = max(abs(choice - mark[x]), 0.01 * (line[x].max() - line[x].min()))
            low, bottom = min(choice, mark[x]), min(mark["best"], mark["chosen"])
            on.fill_between(
                [low, low + span], bottom, bottom + mark["gap"], color=look["color"], alpha=0.35, linewidth=0
            )


def _best(line, direction: str) -> float:
    values = line.to_numpy()
    return float(line.index[int(values.argmin() if direction == "min" else values.argmax())])


def _short(text: str) -> str:
    return text.rsplit(" (", 1)[0]


def _check(table, x, best, reference, panels):
    check_columns(table, [x, *best, panels], "threshold choice")
    if reference not in best or any(way not in ("min", "max") for way in best.values()):
        raise InputError(
            f"every curve needs a direction, min or max, the reference {reference!r} too; given: {best}",
            where="threshold choice",
        )
