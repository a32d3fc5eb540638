"""Lines of a quantity over another: mean over replicates with a band, in a grid of panels."""

import numpy as np

from fedbnsl.plot import style
from fedbnsl.plot.panels import align_rows, finish, make_grid, say_no_data, set_x
from fedbnsl.plot.scales import Scale, choose_scale, set_scale
from fedbnsl.plot.summary import check_columns, ordered, summarise

_ACROSS = ("--", ":", (0, (6, 2, 1, 2, 1, 2)), (0, (8, 3)))
_UPRIGHT = ("-.", (0, (1, 3)), (0, (3, 3)), (0, (2, 1, 1, 1)))


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
    linear_below: float | None = None,
    own_x: bool = False,
    hlines=None,
    vlines=None,
    x_text: str | None = None,
    y_text: str | dict | None = None,
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
        category without rows keeps its panel, which then says "no data". With ``rows``, the panels
        below one another have the same y limits.
    columns : int, optional
        Panels in a line; not used with ``rows``.
    replicate : str
        Column of the replicates (used to align them when ``step``).
    band : bool
        Shade one standard deviation (n − 1) on either side; where there is one replicate there is
        no band. It is cut off at the values that a known measure cannot pass (a TPR of 1); the legend
        says so if that happens, and gives the number of replicates.
    step : bool
        ``y`` is constant between breakpoints (:func:`fedbnsl.plot.summary.summarise`) and after the
        last one.
    log_x : bool
        Log scale.
    log_y : bool
        Log or symmetric-log scale in all panels, which the y text names, unless all that they show
        differs by less than a factor of 30 (:func:`fedbnsl.plot.scales.choose_scale`).
    linear_below : float, optional
        Where the linear part of a symmetric-log scale ends.
    own_x : bool
        Every panel has its own x limits, instead of all the same.
    hlines, vlines : pandas.DataFrame, optional
        Reference lines: columns ``label`` and ``y`` (or ``x``), and any of ``group``, ``panels`` and
        ``rows``; a frame without one of them serves all its values. Repeated rows are averaged. With
        the group column the line has the group's colour.
    x_text : str, optional
    y_text : str or dict, optional
        Axis texts instead of the known ones of the columns. For panels that show different
        quantities ``y_text`` is a dict: panel value → text of its y axis, which replaces the title.
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
    if step and group:
        # lines that coincide all show: the first are the widest
        for look, wide in zip(colours.values(), np.linspace(1, 0, len(colours)), strict=True):
            look["linewidth"] = 1.2 + wide if len(colours) > 1 else 1.2
    with style.context():
        grid = make_grid(table, panels, rows, columns, width, height)
        parts = {key: grid.part(means, key) for key in grid.axes}
        levels = {key: grid.part(hlines, key) for key in grid.axes}
        uprights = {key: grid.part(vlines, key) for key in grid.axes}
        at = {key: [*parts[key][x], *([] if vlines is None else uprights[key][x])] for key in grid.axes}
        set_x(grid, at, log=log_x, own=own_x, right=0.1 if step else 0.04, count=style.is_count(x))
        shown, cut = {}, False
        for key, ax in grid.axes.items():
            part = parts[key]
            if not part["mean"].notna().any() and (hlines is None or not levels[key][y].notna().any()):
                say_no_data(ax)
                continue
            bounds = _bounds(y, key[1])
            shown[key], outside = _draw_lines(ax, part, x, group, dash, colours, dashes, band, step, bounds)
            cut = cut or outside
            shown[key] += _draw_references(levels[key], y, group, colours, across, ax.axhline)
            _draw_references(uprights[key], x, group, colours, upright, ax.axvline)
        scale = _set_scales(grid, shown, y, log_y, linear_below)
        handles = _handles(group, colours, dash, dashes, step, [*across.items(), *upright.items()])
        if band and (means["n"] > 1).any():
            handles.append(_band_handle(means["n"], replicate, cut))
        y_text = style.label(y) if y_text is None else y_text
        if scale.text:
            texts = y_text if isinstance(y_text, dict) else {None: y_text}
            texts = {name: ", ".join(filter(None, (text, scale.text))) for name, text in texts.items()}
            y_text = texts if isinstance(y_text, dict) else texts[None]
        finish(grid, style.label(x) if x_text is None else x_text, y_text, handles)
    return grid.figure


def _bounds(y, panel) -> tuple[float, float]:
    """Of the quantity of one panel, which the column or the panel is named after."""
    low, high = zip(style.possible_range(y), style.possible_range(panel), strict=True)
    return max(low), min(high)


def _set_scales(grid, shown, y, log_y, linear_below) -> Scale:
    """One kind of scale for all panels; with rows, panels below one another have the same limits."""
    everything = [v for values in shown.values() for v in values]
    scale = choose_scale(everything, linear_below) if log_y else Scale("linear")
    for key in shown:
        alike = [
            v
            for other, values in shown.items()
            if other == key or (grid.rows and other[1] == key[1])
            for v in values
        ]
        set_scale(grid.axes[key], scale, alike, style.is_count(y) or style.is_count(key[1]))
    if scale.kind == "linear":
        align_rows(grid)
    return scale


def _draw_lines(ax, part, x, group, dash, colours, dashes, band, step, bounds) -> tuple[list[float], bool]:
    """Draw one panel's lines; return every y that must stay in view, and whether a band was cut."""
    shown, cut = [], False
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
            if step:  # the last value holds for all that follows
                at = np.append(at, ax.get_xlim()[1])
                mean, sd = np.append(mean, mean[-1]), np.append(sd, sd[-1])
            # enough markers to tell lines apart, not so many that they hide them
            ax.plot(at, mean, markevery=max(1, len(at) // 12), **look)
            shown += list(mean)
            if band and (line["n"] > 1).any():
                low, high = np.maximum(mean - sd, bounds[0]), np.minimum(mean + sd, bounds[1])
                cut = cut or bool((mean - sd < bounds[0]).any() or (mean + sd > bounds[1]).any())
                post = "post" if step else None
                ax.fill_between(at, low, high, step=post, color=look["color"], alpha=0.18, linewidth=0)
                # on a log axis a band may reach to 0 or below; it is cut off there, not followed
                shown += [v for v in (*low, *high) if v > 0]
    return shown, cut


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
    # those without a group last, so that no other line hides them
    for key, at in sorted(means.items(), key=lambda item: coloured and item[0][1] not in colours):
        text, name = key if coloured else (key, None)
        look = colours.get(name)
        draw(
            at,
            color=look["color"] if look and coloured else style.BLACK,
            linestyle=patterns[text],
            linewidth=0.9,
            zorder=2.5,  # over the curves, which it may coincide with
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


def _band_handle(n, replicate, cut):
    from matplotlib.patches import Patch

    least, most = int(n[n > 1].min()), int(n.max())
    number = f"{most}" if least == most else f"{least} to {most}"
    text = f"mean ± sd, n = {number} {replicate}s"
    if cut:
        text += ", cut to possible range"
    return Patch(color=style.GREY, alpha=0.3, linewidth=0, label=text)
