"""How to choose a threshold: curves on two scales, their best points, and what a choice costs."""

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.plot import style
from fedbnsl.plot.panels import finish, make_grid, say_no_data, set_x
from fedbnsl.plot.scales import Scale, set_scale
from fedbnsl.plot.summary import check_columns, summarise

_COLOURS = (style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE)
# none dotted, as the best points' lines look so; the first is the widest, so that equal curves all show
_LINES = (("-", 2.4), ((0, (4, 2)), 1.4), (style.LINESTYLES[3], 1.4), (style.LINESTYLES[4], 1.4))


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

    All curves but ``right`` are drawn against the left scale. A vertical line and, above it, a triangle
    stand at each curve's best point; where several are best at the same place, the line's dashes take
    turns and the triangles stand side by side. For each curve but the reference, the shaded rectangle
    reaches from its best point to its value where the reference is best: its height is what choosing by
    the reference gives away, in the curve's own units. The left scale need not begin at 0; its text then
    says so.

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
    _check(table, x, best, reference, panels)
    right = right or list(best)[-1]
    if right not in best:
        raise InputError(f"{right!r} is none of the curves {', '.join(best)}", where="threshold choice")
    points = best_points(table, x, best, reference, panels, replicate=replicate, step=step)
    by = [panels] if panels else []
    means = {curve: summarise(table, x, curve, by, replicate=replicate, step=step) for curve in best}
    looks = {
        curve: {"color": _COLOURS[k % 4], "linestyle": _LINES[k % 4][0], "linewidth": _LINES[k % 4][1]}
        for k, curve in enumerate(best)
    }
    names = {curve: style.label(curve) for curve in best}
    names[right] = right_text or names[right]
    with style.context():
        grid = make_grid(table, panels, None, columns, width, height)
        parts = {curve: {key: grid.part(frame, key) for key in grid.axes} for curve, frame in means.items()}
        at = {key: [v for of in parts.values() for v in of[key][x]] for key in grid.axes}
        set_x(grid, at, own=True, right=0.1 if step else 0.04)
        given_away, starts = set(), []
        for key, ax in grid.axes.items():
            marks = grid.part(points, key)
            if not len(marks):
                say_no_data(ax)
                continue
            ax.set_title(ax.get_title(), pad=9)  # leaves room for the triangles
            twin = ax.twinx()
            twin.spines["right"].set_visible(True)
            twin.grid(False)
            lines = {curve: of[key] for curve, of in parts.items()}
            _draw_curves(ax, twin, lines, looks, x, right, step)
            _draw_best(ax, marks, looks, x)
            given_away |= _shade_gaps(ax, twin, lines, marks, looks, x, right, reference)
            left = [v for curve, line in lines.items() if curve != right for v in line["mean"]]
            set_scale(ax, Scale("linear"), left, any(style.is_count(c) for c in best if c != right))
            starts.append(ax.get_ylim()[0])
            if ax.get_subplotspec().is_last_col() or len(grid.axes) == 1:
                twin.set_ylabel(names[right])
        handles = _handles(looks, names, [curve for curve in looks if curve in given_away])
        cut = [start > 0 for start in starts]
        if any(cut):
            left_text += ", not from 0" if all(cut) else ", some not from 0"
        finish(grid, style.label(x), left_text, handles)
    return grid.figure


def _draw_curves(ax, twin, lines, looks, x, right, step):
    for curve, line in lines.items():
        at, mean = line[x].to_numpy(dtype=float), line["mean"].to_numpy(dtype=float)
        if step and len(at):  # the last value holds for all that follows
            at, mean = np.append(at, ax.get_xlim()[1]), np.append(mean, mean[-1])
        on = twin if curve == right else ax
        on.plot(at, mean, drawstyle="steps-post" if step else "default", **looks[curve])


def _draw_best(ax, marks, looks, x):
    """Lines and triangles at the best points, so that those at one place can all be seen."""
    from matplotlib.transforms import ScaledTranslation

    for place, alike in marks.groupby(x, sort=False):
        for k, curve in enumerate(alike["curve"]):
            colour, several = looks[curve]["color"], len(alike)
            # of equal lengths, each curve's dash in the gaps of the others
            dashes = (4 * (several - k), (4, 4 * max(several - 1, 1)))
            ax.axvline(place, color=colour, linestyle=dashes, linewidth=1.0, zorder=1.6)
            shift = ScaledTranslation(5 * (k - (several - 1) / 2) / 72, 2.5 / 72, ax.figure.dpi_scale_trans)
            ax.plot(
                [place],
                [1],
                marker="v",
                markersize=4.5,
                markeredgewidth=0,
                color=colour,
                transform=ax.get_xaxis_transform() + shift,
                clip_on=False,
            )


def _shade_gaps(ax, twin, lines, marks, looks, x, right, reference) -> set:
    """Shade what the choice gives away; return the curves for which it gives away something."""
    choice = marks.loc[marks["curve"] == reference, x].iloc[0]
    shaded = set()
    for curve, place, best, chosen, gap in marks[["curve", x, "best", "chosen", "gap"]].itertuples(
        index=False
    ):
        if curve == reference or not gap > 0:
            continue
        # a gap between two equal thresholds would have no width: keep it visible at 1 % of the axis
        span = max(abs(choice - place), 0.01 * np.ptp(lines[curve][x]))
        low, bottom = min(choice, place), min(best, chosen)
        look = {"color": looks[curve]["color"], "alpha": 0.35, "linewidth": 0}
        (twin if curve == right else ax).fill_between([low, low + span], bottom, bottom + gap, **look)
        shaded.add(curve)
    return shaded


def _handles(looks, names, shaded) -> list:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [Line2D([], [], label=names[curve], **look) for curve, look in looks.items()]
    best = {"color": style.GREY, "linestyle": (0, (3, 3)), "linewidth": 1.0, "marker": "v", "markersize": 4.5}
    handles.append(Line2D([], [], label="best threshold of the curve of that colour", **best))
    for curve in shaded:
        text = f"given away in {_short(names[curve])}"
        handles.append(Patch(color=looks[curve]["color"], alpha=0.35, linewidth=0, label=text))
    return handles


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
