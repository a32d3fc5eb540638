"""Mean ranks on a line: who is ahead, and whom the data cannot tell from the first."""

import math

from fedbnsl.plot import style
from fedbnsl.plot.panels import finish, make_grid
from fedbnsl.plot.summary import check_columns, ordered

_LEVEL = 0.05


def rank_axes(
    table,
    value: str,
    group: str,
    panels: str,
    p: str,
    *,
    panel_text: dict | None = None,
    width: float | None = None,
):
    """Mean ranks as points on one line a group, with the p value of the difference from the first.

    The first, with which the others are compared, has no p value and is filled, as are those that differ
    from it at the level of 5 %. The others are hollow, and the shading reaches from the first to them.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a group and panel.
    value : str
        Column of mean ranks; 1 is best.
    group, panels : str
        Columns.
    p : str
        Column of p values; missing for the first.
    panel_text : dict, optional
        Panel value → title.
    width : float, optional
        Inches.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If a column is missing.
    """
    check_columns(table, [value, group, panels, p], "mean ranks")
    groups = ordered(table[group])
    looks = style.group_styles(groups)
    with style.context():
        grid = make_grid(table, panels, None, None, width or style.PAGE_WIDTH, 0.5 + 0.28 * len(groups))
        for (_, panel), ax in grid.axes.items():
            part = grid.part(table, (None, panel)).set_index(group)
            if panel_text:
                ax.set_title(panel_text[panel])
            alike = [name for name in groups if math.isnan(part[p][name]) or part[p][name] >= _LEVEL]
            reach = [part[value][name] for name in alike]
            ax.axvspan(min(reach), max(reach), color="#ececec", linewidth=0, zorder=0.5)
            for place, name in enumerate(groups):
                rank, tested = float(part[value][name]), float(part[p][name])
                colour = looks[name]["color"]
                ax.plot([1, rank], [place, place], color=colour, linewidth=1.0, alpha=0.5)
                filled = math.isnan(tested) or tested < _LEVEL
                ax.plot(
                    [rank],
                    [place],
                    marker=looks[name]["marker"],
                    markersize=5.5,
                    color=colour,
                    markerfacecolor=colour if filled else "white",
                )
                told = "first" if math.isnan(tested) else f"p = {_short(tested)}"
                ax.annotate(
                    f"{rank:.2f}, {told}",
                    (rank, place),
                    xytext=(0, 5),
                    textcoords="offset points",
                    ha="right" if rank > (1 + len(groups)) / 2 else "left",
                    fontsize=style.RC["xtick.labelsize"],
                )
            ax.set_yticks(range(len(groups)), [style.label(name) for name in groups])
            ax.set_ylim(len(groups) - 0.5, -0.7)
            ax.set_xlim(0.9, len(groups) + 0.1)
            ax.set_xticks(range(1, len(groups) + 1))
            ax.grid(False, axis="y")
            ax.tick_params(axis="y", length=0, labelleft=ax.get_subplotspec().is_first_col())
        finish(grid, "mean rank (1 is best)", "", [])
    return grid.figure


def _short(p: float) -> str:
    """Two digits; powers of ten as such."""
    if p >= 0.001:
        return f"{p:.2g}"
    exponent = math.floor(math.log10(p)) if p > 0 else -300
    power = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{p / 10.0**exponent:.1f}·10{power}"
