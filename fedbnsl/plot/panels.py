"""A grid of panels that share x, labels and one legend outside the axes."""

from dataclasses import dataclass

import numpy as np

from fedbnsl.plot import style
from fedbnsl.plot.summary import ordered


@dataclass
class Grid:
    """A figure of panels.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
    axes : dict
        (row value, panel value) → Axes; a value is None where the table is not split by it.
    panels, rows : str or None
        The columns that split the table.
    """

    figure: object
    axes: dict
    panels: str | None
    rows: str | None

    def part(self, frame, key):
        """The rows of ``frame`` for one panel; a frame without the splitting column serves all."""
        if frame is None:
            return None
        row, panel = key
        for column, value in ((self.rows, row), (self.panels, panel)):
            if column is not None and column in frame.columns:
                frame = frame[frame[column] == value]
        return frame


def make_grid(
    table,
    panels: str | None,
    rows: str | None,
    columns: int | None,
    width: float | None,
    height: float | None,
) -> Grid:
    """Figure and axes for the panels of a table.

    Without ``rows``, panels fill the grid row by row, ``columns`` wide (default: up to 4 in a line, 9
    in three columns, more in four). With ``rows``, panels are the columns of the grid. ``width`` (of
    the figure) and ``height`` (of one panel) are in inches.
    """
    from matplotlib.figure import Figure

    across = ordered(table[panels]) if panels else []
    down = ordered(table[rows]) if rows else []
    across, down = across or [None], down or [None]
    if rows:
        keys = [[(row, panel) for panel in across] for row in down]
        columns = len(across)
    else:
        columns = columns or _columns(len(across))
        columns = min(columns, len(across))
        keys = [[(None, panel) for panel in across[k : k + columns]] for k in range(0, len(across), columns)]
    width = width or (style.COLUMN_WIDTH if columns == 1 else style.PAGE_WIDTH)
    height = height or max(1.25, min(0.78 * width / columns, 2.4))
    figure = Figure(figsize=(width, height * len(keys) + 0.4), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)
    grid = figure.add_gridspec(len(keys), columns)
    axes = {}
    for r, line in enumerate(keys):
        for c, key in enumerate(line):
            ax = axes[key] = figure.add_subplot(grid[r, c])
            title = key[1] if not rows or r == 0 else None
            if title is not None:
                ax.set_title(style.label(title))
            if rows and c == len(line) - 1:
                ax.annotate(
                    style.label(key[0]),
                    (1, 0.5),
                    xytext=(4, 0),
                    xycoords="axes fraction",
                    textcoords="offset points",
                    rotation=270,
                    va="center",
                    ha="left",
                )
            below = r + 1 < len(keys) and c < len(keys[r + 1])
            ax.tick_params(labelbottom=not below, which="both")
    return Grid(figure, axes, panels, rows)


def say_no_data(ax) -> None:
    """Mark a panel that has nothing to show."""
    ax.text(0.5, 0.5, "no data", transform=ax.transAxes, ha="center", va="center", color=style.GREY)
    ax.set_yticks([])
    ax.grid(False)


def finish(grid: Grid, x_text: str, y_text: str, handles: list) -> None:
    """Axis texts (x under the lowest panel of each column, y once) and the legend under the panels."""
    figure = grid.figure
    for ax in grid.axes.values():
        if ax.xaxis.get_tick_params()["labelbottom"]:
            ax.set_xlabel(x_text)
    if len(grid.axes) == 1:
        ax.set_ylabel(y_text)
    elif y_text:
        figure.supylabel(y_text, fontsize=style.RC["axes.labelsize"])
    if handles:
        across = legend_columns(handles, figure.get_figwidth())
        figure.set_figheight(figure.get_figheight() + 0.16 * -(-len(handles) // across) + 0.05)
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=across,
            handlelength=2.6,
            columnspacing=1.4,
        )


def set_log_y(ax, values) -> None:
    """Log scale on y that keeps zeros in the picture.

    ``values`` are all that the axis shows. With zeros among them the scale is linear from 0 to the
    power of ten at or under the smallest positive value; else it is a plain log scale.
    """
    from matplotlib.ticker import FixedLocator, NullFormatter

    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    positive = values[values > 0]
    if not positive.size:
        return
    low, high = positive.min(), positive.max()
    zeros = positive.size < values.size
    if zeros:
        ax.set_yscale("symlog", linthresh=10 ** np.floor(np.log10(low)), linscale=0.4)
    else:
        ax.set_yscale("log")
    bottom = min(0, values.min()) if zeros else low / 1.3
    ax.set_ylim(bottom, high * 1.3)
    # 1, 10, 100 … and, where that leaves fewer than three ticks, 2 and 5 in between
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    ticks = decades if ((decades >= low / 1.3) & (decades <= high * 1.3)).sum() >= 3 else None
    if ticks is None:
        ticks = np.outer(decades, [1, 2, 5]).ravel()
    ticks = ticks[(ticks >= low / 1.3) & (ticks <= high * 1.3)]
    if not ticks.size:  # a narrow range between round numbers
        ticks = np.unique([low, high])
    ax.yaxis.set_major_locator(FixedLocator([0, *ticks] if zeros else ticks))
    ax.yaxis.set_major_formatter(lambda value, _: _plain(value))
    minor = np.outer(decades, np.arange(1, 10)).ravel()
    ax.yaxis.set_minor_locator(FixedLocator(minor[(minor >= low / 1.3) & (minor <= high * 1.3)]))
    ax.yaxis.set_minor_formatter(NullFormatter())


def share_x(grid: Grid, values, log: bool) -> None:
    """The same x scale and limits on all panels; on a log scale ticks at the values if they are few."""
    from matplotlib.ticker import FixedLocator, NullLocator

    values = np.unique(np.asarray(values, dtype=float))
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    if not values.size:
        return
    low, high = values[0], values[-1]
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
    margin = (high / low) ** 0.04 if log else 0.04 * (high - low)
    for ax in grid.axes.values():
        if log:
            ax.set_xscale("log")
            ax.set_xlim(low / margin, high * margin)
            if 1 < len(values) <= 8:
                ax.xaxis.set_major_locator(FixedLocator(values))
                ax.xaxis.set_minor_locator(NullLocator())
            ax.xaxis.set_major_formatter(lambda value, _: _plain(value))
        else:
            ax.set_xlim(low - margin, high + margin)


def _columns(n: int) -> int:
    if n <= 4:
        return n
    return 3 if n <= 9 else 4


def _plain(value: float) -> str:
    """``100``, ``0.02``; from a hundred thousand on and below a thousandth ``2·10⁵``."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:g}"
    exponent = int(np.floor(np.log10(abs(value))))
    factor = value / 10.0**exponent
    power = "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return power if abs(factor - 1) < 1e-9 else f"{factor:g}·{power}"


def legend_columns(handles, width: float) -> int:
    """As many columns as fit, then as few as keep that number of lines."""
    # 0.062 inch a letter at the legend's size, and 0.6 for the sample and the space after the text
    entry = max(0.062 * len(handle.get_label()) for handle in handles) + 0.6
    most = max(1, min(len(handles), int(width / entry)))
    lines = -(-len(handles) // most)
    return -(-len(handles) // lines)
