"""Directed connections between brain regions: on a glass brain, and as a matrix by lobe."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from fedbnsl.data.atlas import LOBES, regions
from fedbnsl.plot import style

_LOBE_COLOURS = dict(
    zip(
        LOBES,
        (style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE, style.ORANGE, style.SKY, style.BROWN),
        strict=True,
    )
)
_SHORT = {"Insula and Cingulate Gyri": "Insula, Cingulate", "Subcortical region": "Subcortical"}
_TICKS = {"Insula and Cingulate Gyri": "Ins., Cing.", "Subcortical region": "Subcort."}


def glass_brain(
    networks: Mapping[str, Iterable[tuple[str, str]]], names: Sequence[str], *, width: float | None = None
):
    """Connections as arrows on the outline of a brain, seen from the side, from behind and from above.

    Parameters
    ----------
    networks : mapping of title to (from, to) pairs
        A row of views each. Regions are AAL abbreviations.
    names : sequence of str
        All regions, drawn as dots in the colour of their lobe; those without a connection are pale.
    width : float, optional
        Inches; default: two columns.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the atlas lacks a region.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from nilearn.plotting import plot_connectome

    table = regions(names)
    place = {name: k for k, name in enumerate(names)}
    width = width or style.PAGE_WIDTH
    row = width * 0.36
    foot = 0.5
    height = row * len(networks) + foot
    with style.context(), warnings.catch_warnings():
        # directed connections are meant
        warnings.filterwarnings("ignore", message="'adjacency_matrix' is not symmetric")
        figure = Figure(figsize=(width, height), layout="none")
        for k, (title, pairs) in enumerate(networks.items()):
            weights = np.zeros((len(names), len(names)))
            for source, target in pairs:
                weights[place[source], place[target]] = 1.0
            used = weights.any(axis=0) | weights.any(axis=1)
            colours = [_LOBE_COLOURS[lobe] for lobe in table["lobe"]]
            bottom = (foot + row * (len(networks) - 1 - k)) / height
            plot_connectome(
                weights,
                table[["x", "y", "z"]].to_numpy(),
                node_color=[c if u else "#c9c9c9" for c, u in zip(colours, used, strict=True)],
                node_size=np.where(used, 16, 5),
                edge_cmap=_one_colour(),
                edge_vmin=0,
                edge_vmax=1,
                edge_kwargs={"alpha": 0.8},
                node_kwargs={"linewidths": 0.2, "edgecolors": "white"},
                display_mode="ortho",
                annotate=True,
                figure=figure,
                axes=(0.01, bottom, 0.98, (row - 0.2) / height),
                black_bg=False,
                colorbar=False,
            )
            figure.text(
                *(0.01, bottom + (row - 0.05) / height, f"{title} ({int(weights.sum())})"),
                fontsize=style.RC["axes.titlesize"],
                va="top",
            )
        _thin(figure)
        shown = [lobe for lobe in LOBES if lobe in set(table["lobe"])]
        handles = [
            Line2D([], [], marker="o", linestyle="", color=_LOBE_COLOURS[lobe], label=_SHORT.get(lobe, lobe))
            for lobe in shown
        ]
        figure.legend(handles=handles, loc="lower center", ncols=len(handles), handletextpad=0.1)
    return figure


def lobe_matrices(
    networks: Mapping[str, Mapping[tuple[str, str], str]], names: Sequence[str], *, width: float | None = None
):
    """Adjacency matrices with the regions sorted by lobe, one panel a network.

    Parameters
    ----------
    networks : mapping of title to mapping of (from, to) to kind
        Every kind has a colour of its own, in order of appearance; its name stands in the legend.
    names : sequence of str
        All regions: rows are where connections begin, columns where they end.
    width : float, optional
        Inches; default: two columns.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    table = regions(names)
    order = [name for lobe in LOBES for name in names if table.loc[name, "lobe"] == lobe]
    place = {name: k for k, name in enumerate(order)}
    lobes = [(lobe, int((table["lobe"] == lobe).sum())) for lobe in LOBES if (table["lobe"] == lobe).any()]
    ends = np.cumsum([size for _, size in lobes])
    kinds = dict.fromkeys(kind for edges in networks.values() for kind in edges.values())
    colours = dict(
        zip(kinds, ("#b8b8b8", style.BLUE, style.VERMILLION, style.GREEN, style.PURPLE), strict=False)
    )
    width = width or style.PAGE_WIDTH
    columns = min(3, len(networks))
    lines = -(-len(networks) // columns)
    with style.context():
        figure = Figure(figsize=(width, lines * (width / columns + 0.3) + 0.3), layout="compressed")
        axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for ax in axes[len(networks) :]:
            ax.set_axis_off()
        for number, (ax, (title, edges)) in enumerate(zip(axes, networks.items(), strict=False)):
            for kind in kinds:
                pairs = [pair for pair, own in edges.items() if own == kind]
                rows, targets = [place[a] for a, _ in pairs], [place[b] for _, b in pairs]
                ax.scatter(targets, rows, s=7, marker="s", color=colours[kind], linewidths=0)
            for end in ends[:-1]:
                ax.axhline(end - 0.5, color="#b5b5b5", linewidth=0.5)
                ax.axvline(end - 0.5, color="#b5b5b5", linewidth=0.5)
            middles = ends - np.array([size for _, size in lobes]) / 2 - 0.5
            texts = [_TICKS.get(lobe, lobe) for lobe, _ in lobes]
            ax.set_xticks(middles, texts, rotation=90, fontsize=6)
            ax.set_yticks(middles, texts if number % columns == 0 else [], fontsize=6)
            ax.tick_params(length=0)
            ax.set(xlim=(-0.5, len(order) - 0.5), ylim=(len(order) - 0.5, -0.5), aspect="equal", title=title)
            ax.grid(False)
            ax.spines[["top", "right"]].set_visible(True)
            if number % columns == 0:
                ax.set_ylabel("from")
            if number + columns >= len(networks):
                ax.set_xlabel("to")
        handles = [
            Line2D([], [], marker="s", linestyle="", color=colours[kind], label=kind) for kind in kinds
        ]
        if handles:
            figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), handletextpad=0.1)
    return figure


def degree_bars(degrees: Mapping[str, Mapping[str, Mapping[str, int]]], *, width: float | None = None):
    """Horizontal bars of the largest degrees, a panel for each group and direction.

    Parameters
    ----------
    degrees : mapping of group to mapping of direction to mapping of region to degree
        In the order in which they are drawn, the first region on top.
    width : float, optional
        Inches; default: two columns.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    width = width or style.PAGE_WIDTH
    across = max(len(directions) for directions in degrees.values())
    with style.context():
        figure = Figure(figsize=(width, 1.95 * len(degrees) + 0.5), layout="constrained")
        axes = figure.subplots(len(degrees), across, squeeze=False, sharex=True)
        shown = set()
        for line, (group, directions) in zip(axes, degrees.items(), strict=True):
            for ax, (direction, values) in zip(line, directions.items(), strict=True):
                lobes = regions(values)["lobe"]
                shown |= set(lobes)
                at = range(len(values))
                ax.barh(at, list(values.values()), color=[_LOBE_COLOURS[lobe] for lobe in lobes], height=0.75)
                ax.set_yticks(at, list(values))
                ax.set_ylim(len(values) - 0.4, -0.6)
                ax.set_title(f"{group}: {direction}")
                ax.grid(False, axis="y")
        for ax in axes[-1]:
            ax.set_xlabel("connections over all sites")
        handles = [
            Patch(color=_LOBE_COLOURS[lobe], label=_SHORT.get(lobe, lobe)) for lobe in LOBES if lobe in shown
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), handlelength=1)
    return figure


def _thin(figure) -> None:
    """Outlines in the background, slim arrows, and small letters for left and right."""
    from matplotlib.patches import FancyArrow, PathPatch

    for ax in figure.axes:
        for patch in ax.patches:
            if isinstance(patch, FancyArrow):
                patch.set_data(width=0.7, head_width=4, head_length=4.5)  # mm
                patch.set_linewidth(0)
            elif isinstance(patch, PathPatch):
                patch.set(linewidth=0.35 * patch.get_linewidth(), edgecolor="#9a9a9a")
        for text in ax.texts:
            text.set_fontsize(style.RC["axes.labelsize"])


def _one_colour():
    from matplotlib.colors import ListedColormap

    return ListedColormap([style.BLACK])
