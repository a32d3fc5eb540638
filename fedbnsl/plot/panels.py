"""A grid of panels with common labels and one legend outside the axes."""

import textwrap
from dataclasses import dataclass

import numpy as np

from fedbnsl.plot import style
from fedbnsl.plot.scales import plain
from fedbnsl.plot.summary import ordered


@dataclass
class Grid:
    """A figure of panels.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
    axes : dict
        (row value, panel value) → Axes; a value is None where the table is not split by it.
    lowest : list
        The axes that have no panel under them.
    panels, rows : str or None
        The columns that split the table.
    """

    figure: object
    axes: dict
    lowest: list
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
    axes, lowest = {}, []
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
            if not below:
                lowest.append(ax)
    return Grid(figure, axes, lowest, panels, rows)


def say_no_data(ax) -> None:
    """Mark a panel that has nothing to show."""
    ax.text(0.5, 0.5, "no data", transform=ax.transAxes, ha="center", va="center", color=style.GREY)
    ax.set_yticks([])
    ax.grid(False)


def finish(grid: Grid, x_text: str, y_text: str | dict, handles: list) -> None:
    """Axis texts (x under the lowest panel of each column, y once) and the legend under the panels.

    A dict as ``y_text`` gives, for each panel value, the text of its own y axis; it stands for the title.
    """
    figure = grid.figure
    for ax in grid.lowest:
        ax.set_xlabel(x_text)
    if isinstance(y_text, dict):
        for (_, panel), ax in grid.axes.items():
            ax.set_title("")
            ax.set_ylabel(y_text[panel])
    elif len(grid.axes) == 1:
        ax.set_ylabel(_wrapped(y_text, figure.get_figheight() - 0.4))
    elif y_text:
        text = _wrapped(y_text, figure.get_figheight() - 0.2)
        figure.supylabel(text, fontsize=style.RC["axes.labelsize"])
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


def set_x(grid: Grid, values: dict, *, log=False, own=False, right=0.04, count=False) -> None:
    """X scale and limits of all panels; on a log scale ticks at the values if they are few.

    ``values`` holds, for each key of the grid, what the panel shows. All panels get the same limits, or
    with ``own`` each its own and then its own tick labels; panels without values get those of all.
    ``right`` is the margin there, as a part of the range. A ``count`` has no fractions at its ticks.
    """
    everything = [v for part in values.values() for v in part]
    for key, ax in grid.axes.items():
        _set_x(ax, _shown(values[key], log) if own else (), _shown(everything, log), log, right, count)
        if own:
            ax.tick_params(labelbottom=True, which="both")


def _shown(values, log):
    values = np.unique(np.asarray(values, dtype=float))
    return values[np.isfinite(values) & ((values > 0) | (not log))]


def _set_x(ax, mine, everything, log, right, count):
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    values = mine if len(mine) else everything
    if not len(values):
        return
    low, high = values[0], values[-1]
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
    if log:
        ax.set_xscale("log")
        ax.set_xlim(low / (high / low) ** 0.04, high * (high / low) ** right)
        if 1 < len(values) <= 8:
            ax.xaxis.set_major_locator(FixedLocator(values))
            ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(lambda value, _: plain(value))
    else:
        ax.set_xlim(low - 0.04 * (high - low), high + right * (high - low))
        steps = [1, 2, 5, 10] if count else [1, 2, 2.5, 5, 10]
        ax.xaxis.set_major_locator(MaxNLocator("auto", steps=steps, integer=count, min_n_ticks=3))


def align_rows(grid: Grid) -> None:
    """With rows: the same y limits for all panels of one column of the grid that show something."""
    if grid.rows is None:
        return
    for panel in dict.fromkeys(panel for _, panel in grid.axes):
        alike = [ax for (_, name), ax in grid.axes.items() if name == panel and ax.lines]
        limits = [ax.get_ylim() for ax in alike]
        for ax in alike:
            ax.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _columns(n: int) -> int:
    if n <= 4:
        return n
    return 3 if n <= 9 else 4


def _wrapped(text: str, room: float) -> str:
    """Lines of text no longer than ``room`` inches, at 0.065 inch a letter of an axis text."""
    return "\n".join(textwrap.wrap(text, max(12, int(room / 0.065)))) if text else text


def legend_columns(handles, width: float) -> int:
    """As many columns as fit, then as few as keep that number of lines."""
    # 0.062 inch a letter at the legend's size, and 0.6 for the sample and the space after the text
    entry = max(0.062 * len(handle.get_label()) for handle in handles) + 0.6
    most = max(1, min(len(handles), int(width / entry)))
    lines = -(-len(handles) // most)
    return -(-len(handles) // lines)
