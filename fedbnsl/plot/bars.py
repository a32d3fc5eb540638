"""Categories side by side: box plots of replicates, and bars of means."""

import numpy as np

from fedbnsl.plot import style
from fedbnsl.plot.panels import finish, make_grid, say_no_data
from fedbnsl.plot.scales import Scale, choose_scale, set_scale
from fedbnsl.plot.summary import check_columns, ordered, summarise

_FILLED = 0.8  # how much of the room of one category its boxes or bars take


def boxes(
    table,
    x: str,
    y: str,
    group: str | None = None,
    *,
    panels: str | None = None,
    rows: str | None = None,
    columns: int | None = None,
    log_y: bool = False,
    x_text: str | None = None,
    y_text: str | None = None,
    width: float | None = None,
    height: float | None = None,
):
    """Box plots of ``y`` for each category ``x``, one box a group.

    Box: quartiles, with a line at the median. Whiskers: the farthest observations within 1.5 box
    lengths of the box. Dots: all observations beyond.

    Parameters
    ----------
    table : pandas.DataFrame
        Tidy: one row an observation; missing ``y`` are passed over.
    x, y, group, panels, rows, columns, log_y, x_text, y_text, width, height
        As for :func:`fedbnsl.plot.curves.curves`, but ``x`` is a category: its values stand side by
        side at equal distances.

    Returns
    -------
    matplotlib.figure.Figure
    """

    def draw(ax, part, categories, groups):
        one = _FILLED / len(groups)
        for k, (name, look) in enumerate(groups.items()):
            of_group = part if name is None else part[part[group] == name]
            for place, category in enumerate(categories):
                values = of_group.loc[of_group[x] == category, y].to_numpy(dtype=float)
                if not len(values):
                    continue
                ax.boxplot(
                    values,
                    positions=[place + (k - (len(groups) - 1) / 2) * one],
                    widths=one * 0.82,
                    manage_ticks=False,
                    patch_artist=True,
                    boxprops={
                        "facecolor": _pale(look["color"]),
                        "edgecolor": look["color"],
                        "linewidth": 0.7,
                    },
                    medianprops={"color": look["color"], "linewidth": 1.4},
                    whiskerprops={"color": look["color"], "linewidth": 0.7},
                    capprops={"color": look["color"], "linewidth": 0.7},
                    flierprops={"marker": ".", "markersize": 2.5, "markeredgecolor": look["color"]},
                )
        set_scale(ax, scale, part[y], style.is_count(y))

    check_columns(table, [x, y, group, panels, rows], "boxes")
    scale = choose_scale(table[y]) if log_y else Scale("linear")
    y_text = ", ".join(filter(None, (style.label(y) if y_text is None else y_text, scale.text)))
    return _categories(
        table[table[y].notna()],
        table,
        draw,
        x,
        y,
        group,
        panels,
        rows,
        columns,
        x_text,
        y_text,
        width,
        height,
    )


def bars(
    table,
    x: str,
    y: str,
    group: str | None = None,
    *,
    panels: str | None = None,
    rows: str | None = None,
    columns: int | None = None,
    x_text: str | None = None,
    y_text: str | None = None,
    width: float | None = None,
    height: float | None = None,
):
    """Bars from zero to the mean of ``y`` for each category ``x``, one bar a group.

    A whisker shows one standard deviation (n − 1) on either side where there is more than one
    observation. Parameters as for :func:`boxes`.

    Returns
    -------
    matplotlib.figure.Figure
    """

    def draw(ax, part, categories, groups):
        one = _FILLED / len(groups)
        for k, (name, look) in enumerate(groups.items()):
            of_group = part if name is None else part[part[group] == name]
            mean, sd = (
                of_group.set_index(x)[c].reindex(categories).to_numpy(dtype=float) for c in ("mean", "sd")
            )
            there = np.isfinite(mean)
            at = np.arange(len(categories)) + (k - (len(groups) - 1) / 2) * one
            ax.bar(at[there], mean[there], one * 0.92, color=look["color"], linewidth=0)
            spread = there & np.isfinite(sd)
            ax.errorbar(
                at[spread],
                mean[spread],
                sd[spread],
                fmt="none",
                ecolor=style.BLACK,
                elinewidth=0.7,
                capsize=1.5,
            )
        ax.axhline(0, color=style.BLACK, linewidth=0.6)
        set_scale(ax, Scale("linear"), [0, *mean], style.is_count(y))

    check_columns(table, [x, y, group, panels, rows], "bars")
    by = [column for column in (rows, panels, group) if column]
    means = summarise(table, x, y, by)
    return _categories(
        means[means["n"] > 0], table, draw, x, y, group, panels, rows, columns, x_text, y_text, width, height
    )


def _categories(shown, table, draw, x, y, group, panels, rows, columns, x_text, y_text, width, height):
    """The panels, the category axis and the legend that boxes and bars share."""
    from matplotlib.patches import Patch

    categories = ordered(table[x])
    groups = style.group_styles(ordered(table[group]) if group else [None])
    with style.context():
        grid = make_grid(table, panels, rows, columns, width, height)
        for key, ax in grid.axes.items():
            part = grid.part(shown, key)
            if len(part):
                draw(ax, part, categories, groups)
            else:
                say_no_data(ax)
            _category_axis(ax, categories, grid)
        handles = []
        if group:
            handles = [
                Patch(color=look["color"], label=style.group_label(group, name))
                for name, look in groups.items()
            ]
        finish(
            grid,
            style.label(x) if x_text is None else x_text,
            style.label(y) if y_text is None else y_text,
            handles,
        )
    return grid.figure


def _category_axis(ax, categories, grid):
    names = [style.label(category) for category in categories]
    across = len({key[1] for key in grid.axes}) if grid.rows else ax.get_subplotspec().get_gridspec().ncols
    room = grid.figure.get_figwidth() / across * 0.85 / max(len(names), 1)
    crowded = max((len(name) for name in names), default=0) * 0.065 > room
    ax.set_xticks(range(len(names)), names)
    if crowded:
        ax.tick_params(axis="x", labelrotation=45)
        for text in ax.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    ax.grid(False, axis="x")
    ax.set_xlim(-0.6, len(names) - 0.4)


def _pale(colour):
    from matplotlib.colors import to_rgb

    return tuple(1 - 0.3 * (1 - part) for part in to_rgb(colour))
