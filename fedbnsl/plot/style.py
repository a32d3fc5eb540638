"""The one look of all pictures: sizes, fonts, and a fixed colour, marker and line a method."""

from collections.abc import Iterable
from numbers import Number

COLUMN_WIDTH = 3.35
"""Width of a one-column figure, inches."""
PAGE_WIDTH = 6.9
"""Width of a figure over two columns, inches."""

RC = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters on every machine
    "font.size": 8,
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.6,
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,  # whole TrueType fonts: text stays text
    "path.simplify": False,
}

# Okabe and Ito's palette, which the common colour-vision deficiencies keep apart, without its yellow
# (too faint on white) and with a brown and a grey for an eighth and a ninth group.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, BROWN, GREY = "#E69F00", "#56B4E9", "#222222", "#8C6D31", "#8A8A8A"
_COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK, BROWN, GREY)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "h")
LINESTYLES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1.2, 1, 1.2, 1, 1.2)))

# name as in tables → (how to print it, colour, marker, linestyle); private variants keep the marker
# of the method that they are a variant of.
_METHODS = {
    "fed-sparse-bnsl": ("Fed-Sparse-BNSL", BLUE, "o", LINESTYLES[0]),
    "fed-bnsl": ("Fed-BNSL", VERMILLION, "s", LINESTYLES[1]),
    "fed-bnsl-fw": ("Fed-BNSL-FW", GREEN, "^", LINESTYLES[2]),
    "dp-fed-sparse-bnsl": ("DP-Fed-Sparse-BNSL", SKY, "o", LINESTYLES[0]),
    "dp-fed-bnsl": ("DP-Fed-BNSL", ORANGE, "s", LINESTYLES[1]),
    "notears": ("NOTEARS", BLACK, "D", LINESTYLES[3]),
    "notears-pooled": ("NOTEARS (pooled)", BLACK, "D", LINESTYLES[3]),
    "notears-local": ("NOTEARS (local)", PURPLE, "v", LINESTYLES[4]),
    "gmcbc": ("GMCBC", BLUE, "o", LINESTYLES[0]),
    "mcbnc": ("MCBNC", SKY, "P", LINESTYLES[1]),
    "fusion": ("G⁺", VERMILLION, "s", LINESTYLES[1]),
    "majority": ("majority vote", GREEN, "^", LINESTYLES[2]),
    "ges": ("GES", PURPLE, "v", LINESTYLES[3]),
    "ges-pgmpy": ("GES (pgmpy)", ORANGE, "P", LINESTYLES[1]),
    "hill-climb-pgmpy": ("hill climbing (pgmpy)", BROWN, "h", LINESTYLES[4]),
    "gold": ("gold standard", BLACK, "D", LINESTYLES[2]),
    "notears-pfl": ("NOTEARS-PFL", BLUE, "o", LINESTYLES[0]),
    "notears-sig": ("NOTEARS-SIG", VERMILLION, "s", LINESTYLES[1]),
    "notears-avg": ("NOTEARS-AVG", GREEN, "^", LINESTYLES[2]),
    "notears-admm": ("NOTEARS-ADMM", ORANGE, "D", LINESTYLES[3]),
    "empty": ("empty graph", GREY, "X", LINESTYLES[4]),
    "pc": ("PC", GREEN, "P", LINESTYLES[2]),
    "granger": ("Granger", BROWN, "h", LINESTYLES[4]),
}

# column of a table → axis text, with the unit where there is one
_AXES = {
    "theta": "threshold θ",
    "epsilon": "privacy budget ε",
    "round": "round",
    "nodes": "number of variables d",
    "sites": "number of sites",
    "inputs": "number of input networks r",
    "rows": "rows a site",
    "shd": "SHD (edges)",
    "cpdag_shd": "SHD of the CPDAGs (edges)",
    "smhd": "SMHD (edges)",
    "smhd_inputs": "mean SMHD to the inputs (edges)",
    "smhd_gold": "SMHD to the gold standard (edges)",
    "tpr": "TPR",
    "fdr": "FDR",
    "fpr": "FPR",
    "precision": "precision",
    "recall": "recall",
    "f1": "F-score",
    "skeleton_f1": "F-score of the skeleton",
    "sid": "SID (pairs)",
    "bdeu": "BDeu (nats)",
    "bdeu_normalised": "normalised BDeu",
    "bdeu_minus_gold": "BDeu minus that of the gold standard (nats)",
    "treewidth": "treewidth",
    "edges": "number of edges",
    "mse": "normalised MSE",
    "site": "site",
    "megabytes": "megabytes",
    "h": "h (acyclicity)",
    "primal_residual": "primal residual",
    "dual_residual": "dual residual",
    "bytes_up": "sent by the sites (bytes)",
    "bytes_down": "sent by the server (bytes)",
}


_COUNTS = frozenset(
    ("shd", "cpdag_shd", "smhd", "smhd_inputs", "smhd_gold", "sid", "treewidth", "edges", "round", "sites")
)
_PARTS = frozenset(
    ("tpr", "fdr", "fpr", "precision", "recall", "f1", "skeleton_f1", "arrowhead_error", "bdeu_normalised")
)


def is_count(name: object) -> bool:
    """Whether a known column counts something (its mean over replicates need not be whole)."""
    return str(name) in _COUNTS


def possible_range(name: object) -> tuple[float, float]:
    """Smallest and largest value that a known column can have; ±∞ where there is no bound."""
    if str(name) in _PARTS:
        return 0.0, 1.0
    return (0.0 if is_count(name) else float("-inf")), float("inf")


def context():
    """Context manager under which figures are made and saved in the project's style."""
    import matplotlib

    return matplotlib.rc_context(RC)


# column of numbers that tell lines apart → what a legend says of one of them
_COUNTED = {
    "sites": "{} sites",
    "inputs": "r = {}",
    "nodes": "d = {}",
    "rows": "{} rows a site",
    "epsilon": "ε = {}",
    "theta": "θ = {}",
}


def label(name: object) -> str:
    """How a column, a method or a value is printed in a picture.

    Known columns get their axis text with unit (``"shd"`` → ``"SHD (edges)"``), known methods their
    usual spelling with their options (``"ges@ess=2"`` → ``"GES (ess=2)"``), whole floats lose their
    ``.0``, anything else is printed as it is.
    """
    if isinstance(name, Number) and not isinstance(name, bool):
        return f"{name:g}"
    text = str(name)
    method, _, options = text.partition("@")
    if method in _METHODS:
        spelling = _METHODS[method][0]
        return f"{spelling} ({options.replace(',', ', ')})" if options else spelling
    return _AXES.get(text, text)


def group_label(column: str, value: object) -> str:
    """What a legend says of one group: a number comes with what it counts."""
    if isinstance(value, Number) and not isinstance(value, bool):
        return _COUNTED.get(column, column + " = {}").format(label(value))
    return label(value)


def group_styles(groups: Iterable[object]) -> dict:
    """Colour, marker and linestyle of each group of one figure.

    A known method always looks the same. So does it with options, unless its colour is taken in this
    figure: then the plain name, or else the first, keeps the look. All other names take, in the order
    given, what these leave over. Numbers get one ordered colour scale, dark to light, in their order.

    Parameters
    ----------
    groups : iterable
        The values of the grouping column, each once.

    Returns
    -------
    dict
        group → ``{"color": …, "marker": …, "linestyle": …}``.
    """
    groups = list(groups)
    if groups and all(isinstance(g, Number) and not isinstance(g, bool) for g in groups):
        return _ordered_styles(sorted(groups))
    known = {}
    for group in sorted(groups, key=lambda g: "@" in str(g)):  # plain names first
        look = _METHODS.get(str(group).partition("@")[0], (None,))[1:]
        if look and look[0] not in {other[0] for other in known.values()}:
            known[group] = look
    taken = {look[0] for look in known.values()}
    free = [k for k, colour in enumerate(_COLOURS) if colour not in taken] or list(range(len(_COLOURS)))
    styles, place = {}, 0
    for group in groups:
        if group in known:
            colour, marker, line = known[group]
        else:
            # past the last colour the same ones come again with another line
            k = free[place % len(free)]
            line = LINESTYLES[(k + place // len(free)) % len(LINESTYLES)]
            colour, marker = _COLOURS[k], _MARKERS[k]
            place += 1
        styles[group] = {"color": colour, "marker": marker, "linestyle": line}
    return styles


def _ordered_styles(numbers: list) -> dict:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    scale = colormaps["viridis"]
    steps = max(len(numbers) - 1, 1)
    return {
        number: {
            "color": to_hex(scale(0.82 * k / steps)),  # the last fifth of the scale is too faint on white
            "marker": _MARKERS[k % len(_MARKERS)],
            "linestyle": "-",
        }
        for k, number in enumerate(numbers)
    }
