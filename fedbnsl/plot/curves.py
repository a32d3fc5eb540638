"""Lines of a quantity over another: mean over replicates with a band, in a grid of panels."""

from fedbnsl.plot import style
from fedbnsl.plot.panels import finish, make_grid, say_no_data, set_log_y, share_x
from fedbnsl.plot.summary import check_columns, ordered, summarise

_ACROSS = ("--", "-.", (0, (6, 2, 1, 2, 1, 2)), (0, (8, 3)))
_UPRIGHT = (":", (0, (1, 3)), (0, (3, 3)), (0, (2, 1, 1, 1)))


def curves(
    table,
    x: str,
    y: str,
    group: str | None = None,
    *,
    dash: str | None = None,
    panels: str | None = None,
    rows: str | None = None,
    columns: int | None = None,
    replicate: str = "seed",
    band: bool = True,
    step: bool = False,
    log_x: bool = False,
    log_y: bool = False,
    hlines=None,
    vlines=None,
    x_text: str | None = None,
    y_text: str | None = None,
    width: float | None = None,
    height: float | None = None,
):
    """Mean of ``y`` over replicates against ``x``, one line a group, one panel a value of ``panels``.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy: one row an observation.
    x, y : str
        Columns.
    group : str, optional
        Column that sets colour and marker (:func:`fedbnsl.plot.style.group_styles`).
    dash : str, optional
        Column that sets the linestyle instead of the group.
    panels, rows : str, optional
        Columns that split the table into panels. A categorical column keeps its order, and a
        category without rows keeps its panel, which then says "no data".
    columns : int, optional
        Panels in a line; not used with ``rows``.
    replicate : str
        Column of the replicates (used to align them when ``step``).
    band : bool
        Shade one standard deviation (n − 1) on either side; where there is one replicate there is
        no band.
    step : bool
        ``y`` is constant between breakpoints (:func:`fedbnsl.plot.summary.summarise`).
    log_x, log_y : bool
        Log scales; zeros on y stay visible (linear below the smallest positive power of ten).
    hlines, vlines : pandas.DataFrame, optional
        Reference lines: columns ``label`` and ``y`` (or ``x``), and any of ``group``, ``panels`` and
        ``rows``; a frame without one of them serves all its values. Repeated rows are averaged. With
        the group column the line has the group's colour.
    x_text, y_text : str, optional
        Axis texts instead of the known ones of the columns. ``y_text=""`` suits panels that show
        different quantities and are named by their titles; their y axes are independent anyway.
    width, height : float, optional
        Of the figure and of one panel, inches.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a column is missing.
    """
    check_columns(table, [x, y, group, dash, panels, rows], "curves")
    for frame, value in ((hlines, y), (vlines, x)):
        if frame is not None:
            check_columns(frame, ["label", value], "reference lines of curves")
    groups = ordered(table[group]) if group else [None]
    colours = style.group_styles(groups)
    dashes = dict(zip(ordered(table[dash]), style.LINESTYLES, strict=False)) if dash else {}
    by = [column for column in (rows, panels, group, dash) if column]
    means = summarise(table, x, y, by, replicate=replicate, step=step)
    across, upright = _references(hlines, _ACROSS), _references(vlines, _UPRIGHT)
    with style.context():
        grid = make_grid(table, panels, rows, columns, width, height)
        for key, ax in grid.axes.items():
            part = grid.part(means, key)
            levels = grid.part(hlines, key)
            if not part["mean"].notna().any() and (levels is None or not levels[y].notna().any()):
                say_no_data(ax)
                continue
            shown = _draw_lines(ax, part, x, group, dash, colours, dashes, band, step)
            shown += _draw_references(levels, y, group, colours, across, ax.axhline)
            _draw_references(grid.part(vlines, key), x, group, colours, upright, ax.axvline)
            if log_y:
                set_log_y(ax, shown)
        share_x(grid, [*means[x], *([] if vlines is None else vlines[x])], log_x)
        handles = _handles(group, colours, dash, dashes, step, [*across.items(), *upright.items()])
        finish(
            grid,
            style.label(x) if x_text is None else x_text,
            style.label(y) if y_text is None else y_text,
            handles,
        )
    return grid.figure


def _draw_lines(ax, part, x, group, dash, colours, dashes, band, step) -> list[float]:
    """Draw one panel's lines; return every y that must stay in view."""
    shown = []
    for name in colours:
        of_group = part if name is None else part[part[group] == name]
        for pattern in dashes or [None]:
            line = of_group if pattern is None else of_group[of_group[dash] == pattern]
            if not len(line):
                continue
            look = dict(colours[name])
            if pattern is not None:
                look["linestyle"] = dashes[pattern]
            if step:
                look.update(marker="", drawstyle="steps-post")
            at, mean, sd = (line[c].to_numpy(dtype=float) for c in (x, "mean", "sd"))
            # enough markers to tell lines apart, not so many that they hide them
            ax.plot(at, mean, markevery=max(1, len(at) // 12), **look)
            shown += list(mean)
            if band and (line["n"] > 1).any():
                ax.fill_between(
                    at,
                    mean - sd,
                    mean + sd,
                    step="post" if step else None,
                    color=look["color"],
                    alpha=0.18,
                    linewidth=0,
                )
                # on a log axis a band may reach to 0 or below; it is cut off there, not followed
                shown += [v for m, s in zip(mean, sd, strict=True) for v in (m - s, m + s) if v > 0]
    return shown


def _references(frame, patterns) -> dict:
    """Label → linestyle."""
    labels = ordered(frame["label"]) if frame is not None else []
    return {text: patterns[k % len(patterns)] for k, text in enumerate(labels)}


def _draw_references(frame, value, group, colours, patterns, draw) -> list[float]:
    if frame is None or not len(frame):
        return []
    coloured = group is not None and group in frame.columns
    keys = ["label", group] if coloured else ["label"]
    means = frame.groupby(keys, sort=False, observed=True, dropna=False)[value].mean().dropna()
    for key, at in means.items():
        text, name = key if coloured else (key, None)
        look = colours.get(name)
        draw(
            at,
            color=look["color"] if look and coloured else style.BLACK,
            linestyle=patterns[text],
            linewidth=0.9,
            zorder=1.5,
        )
    return list(means)


def _handles(group, colours, dash, dashes, step, references) -> list:
    from matplotlib.lines import Line2D

    handles = []
    if group:
        for name, look in colours.items():
            look = {**look, **({"linestyle": "-"} if dash else {}), **({"marker": ""} if step else {})}
            handles.append(Line2D([], [], label=style.group_label(group, name), **look))
    for name, pattern in dashes.items():
        handles.append(Line2D([], [], label=style.label(name), color=style.GREY, linestyle=pattern))
    for text, pattern in references:
        handles.append(
            Line2D([], [], label=style.label(text), color=style.BLACK, linestyle=pattern, linewidth=0.9)
        )
    return handles
