"""Two quantities against each other: what one costs in the other."""

import numpy as np

from fedbnsl.plot import style
from fedbnsl.plot.panels import finish, make_grid, say_no_data
from fedbnsl.plot.scales import plain
from fedbnsl.plot.summary import check_columns, ordered


def pareto(x, y) -> np.ndarray:
    """Which points no other one beats, small being good in both.

    Parameters
    ----------
    x, y : array_like, shape (n,)

    Returns
    -------
    ndarray of bool, shape (n,)
        False where another point is at most as large in both and smaller in one; equal points do not
        beat each other. A NaN is never best.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    beaten = (x <= x[:, None]) & (y <= y[:, None]) & ((x < x[:, None]) | (y < y[:, None]))
    return ~beaten.any(axis=1) & np.isfinite(x) & np.isfinite(y)


def tradeoff(
    table,
    x: str,
    y: str,
    group: str,
    *,
    spread: str | None = None,
    note: str | None = None,
    best: str | None = None,
    panels: str | None = None,
    levels=None,
    x_text: str | None = None,
    y_text: str | None = None,
):
    """Points of ``y`` over a logarithmic ``x``, those of a group joined, with the best of all joined in grey.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a point.
    x, y : str
        Columns; small is good in both.
    group : str
        Column that sets colour and marker; the points of a group are joined in the order of ``x``.
    spread : str, optional
        Column with the half length of an error bar of ``y``.
    note : str, optional
        Column with a short text beside each point.
    best : str, optional
        Column of bool: the points to join in grey; by default those that no other one beats (:func:`pareto`).
    panels : str, optional
        Column that splits the table.
    levels : pandas.DataFrame, optional
        Horizontal lines of what has a ``y`` to compare with but no ``x`` of the same kind: columns
        ``method`` and ``y``, and ``panels``.
    x_text, y_text : str, optional

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a column is missing.
    """
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FixedLocator, NullLocator

    check_columns(table, [x, y, group, spread, note, best, panels], "tradeoff")
    looks = style.group_styles(ordered(table[group]))
    with style.context():
        single = panels is None or len(ordered(table[panels])) < 2
        grid = make_grid(table, panels, None, None, 5.2 if single else None, 3.0 if single else None)
        for key, ax in grid.axes.items():
            part = grid.part(table, key)
            if not len(part):
                say_no_data(ax)
                continue
            front = part[part[best] if best else pareto(part[x], part[y])].sort_values(x)
            ax.plot(front[x], front[y], color=style.GREY, linewidth=4, alpha=0.35, zorder=1, marker="")
            for name, look in looks.items():
                line = part[part[group] == name].sort_values(x)
                bars = line[spread].to_numpy(dtype=float) if spread else None
                pale = (look["color"], 0.35)
                ax.errorbar(line[x], line[y], bars, ecolor=pale, elinewidth=0.7, capsize=1.5, **look)
                for place, (_, point) in enumerate(line.iterrows()) if note else ():
                    ax.annotate(
                        point[note],
                        (point[x], point[y]),
                        xytext=(2.5, -7.5 if place % 2 else 2.5),  # neighbours may be close
                        textcoords="offset points",
                        fontsize=6,
                        color=look["color"],
                    )
            for _, level in () if levels is None else grid.part(levels, key).iterrows():
                ax.axhline(level[y], **_level_look(level["method"]))
            ax.set_xscale("log")
            low, high = part[x].min(), part[x].max()
            ticks = np.outer(10.0 ** np.arange(-4, 7), [1, 2, 5]).ravel()
            ax.set_xlim(low / 1.15, high * 1.25)
            ax.xaxis.set_major_locator(FixedLocator(ticks[(ticks >= low / 1.15) & (ticks <= high * 1.25)]))
            ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(lambda value, _: plain(value))
            ax.set_ylim(bottom=0)
        handles = [Line2D([], [], label=style.label(name), **look) for name, look in looks.items()]
        for name in [] if levels is None else ordered(levels["method"]):
            handles.append(Line2D([], [], label=style.label(name), **_level_look(name)))
        handles.append(Line2D([], [], color=style.GREY, linewidth=4, alpha=0.35, label="beaten by none"))
        finish(
            grid,
            style.label(x) if x_text is None else x_text,
            style.label(y) if y_text is None else y_text,
            handles,
        )
    return grid.figure


def _level_look(name: str) -> dict:
    return {"color": style.group_styles([name])[name]["color"], "linestyle": "--", "linewidth": 0.9}
