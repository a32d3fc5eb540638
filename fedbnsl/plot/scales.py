"""Scales of y axes: one kind for all panels of a figure, and ticks that can be read."""

from dataclasses import dataclass

import numpy as np

_WORTH_A_LOG = 30  # a linear axis still shows values that differ by less than this factor
_MARGIN = 0.05  # of the axis, free on either side
_MOST_TICKS = 8
_LABEL = 0.12  # inches that the label of a tick takes


@dataclass(frozen=True)
class Scale:
    """How the y axes of a figure run.

    Attributes
    ----------
    kind : str
        ``linear``, ``log``, or ``symlog``: logarithmic on both sides of a linear part around 0.
    linear_below : float
        Where the linear part of ``symlog`` ends.
    """

    kind: str
    linear_below: float = 1.0

    @property
    def text(self) -> str:
        """What an axis text says of the scale; empty for a linear one."""
        if self.kind == "symlog":
            return f"symmetric log scale, linear below {self.linear_below:g}"
        return {"log": "log scale"}.get(self.kind, "")


def choose_scale(values, linear_below: float | None = None) -> Scale:
    """The scale for all that a figure shows.

    Linear if the absolute values other than 0 differ by less than a factor of 30; else symmetric-log if
    there is a zero or a negative value, else log.

    Parameters
    ----------
    values : array of float
        Of all panels; what is not finite is passed over.
    linear_below : float, optional
        Smaller differences from 0 do not matter: they fall into the linear part. Default: the largest
        of 1, 2, 5 times a power of ten that no absolute value other than 0 is below.
    """
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    sizes = np.abs(values[values != 0])
    if not sizes.size:
        return Scale("linear")
    smallest = max(sizes.min(), linear_below or 0)
    if sizes.max() < _WORTH_A_LOG * smallest:
        return Scale("linear")
    if values.min() > 0:
        return Scale("log")
    if linear_below is None:
        decade = 10 ** np.floor(np.log10(smallest))
        linear_below = float(max(step * decade for step in (1, 2, 5) if step * decade <= smallest))
    return Scale("symlog", linear_below)


def set_scale(ax, scale: Scale, values, count: bool = False) -> None:
    """Give one panel its y scale, limits with a margin (a line at 0 stays in view), and ticks.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Already drawn: the limits of a linear axis are those of what it shows.
    scale : Scale
    values : array of float
        All that the axis must show.
    count : bool
        The quantity is counted: no fractions at the ticks of a linear axis, unless it spans less
        than 2.
    """
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter

    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if scale.kind == "linear":
        whole = bool(count and values.size and np.ptp(values) >= 2)
        steps = [1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10]
        ax.yaxis.set_major_locator(MaxNLocator("auto", steps=steps, integer=whole, min_n_ticks=3))
        return
    low, high = _set_limits(ax, scale, values)
    ax.yaxis.set_major_locator(FixedLocator(_apart_from_zero(ax, _ticks(scale, low, high))))
    ax.yaxis.set_major_formatter(lambda value, _: plain(value))
    minor = _in_view(scale, low, high, range(1, 10))
    ax.yaxis.set_minor_locator(FixedLocator(minor))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _set_limits(ax, scale, values) -> tuple[float, float]:
    if scale.kind == "log":
        values = values[values > 0]
        ax.set_yscale("log")
        low, high = (values.min(), values.max()) if values.size else (1.0, 10.0)
        if low == high:
            low, high = low / 2, high * 2
    else:
        ax.set_yscale("symlog", linthresh=scale.linear_below, linscale=0.4)
        low, high = min(0, values.min(initial=0)), max(0, values.max(initial=0))
        if low == high:
            high = scale.linear_below
    transform = ax.yaxis.get_transform()
    bottom, top = transform.transform(np.array([low, high], dtype=float))
    pad = _MARGIN * (top - bottom)
    below, above = transform.inverted().transform(np.array([bottom - pad, top + pad]))
    if scale.kind == "symlog":  # no further on the empty side of 0 than needed to see a line there
        below = max(below, -scale.linear_below / 2) if low == 0 else below
        above = min(above, scale.linear_below / 2) if high == 0 else above
    low, high = below, above
    ax.set_ylim(low, high)
    return float(low), float(high)


def _ticks(scale, low, high):
    """Powers of ten; with 2 and 5 in between where these are few; every second or third where many."""
    from matplotlib.ticker import MaxNLocator

    ticks = _in_view(scale, low, high, [1])
    if len(ticks) < 4:
        denser = _in_view(scale, low, high, [1, 2, 5])
        if len(denser) >= 3:
            return denser
        ticks = MaxNLocator(4, min_n_ticks=3).tick_values(low, high)  # between two round numbers
        return ticks[(ticks >= low) & (ticks <= high)]
    every = -(-len(ticks) // _MOST_TICKS)
    if every == 1:
        return ticks
    powers = np.round(np.log10(np.abs(np.where(ticks == 0, 1, ticks))))
    first = np.round(np.log10(scale.linear_below)) if scale.kind == "symlog" else powers.min()
    return ticks[(ticks == 0) | ((powers - first) % every == 0)]


def _apart_from_zero(ax, ticks):
    """Without those whose labels would run into that of 0, where the axis covers many decades."""
    if 0 not in ticks:
        return ticks
    bottom, top, zero = ax.yaxis.get_transform().transform(np.array([*ax.get_ylim(), 0.0]))
    inches = ax.get_position().height * ax.figure.get_figheight()
    away = np.abs(ax.yaxis.get_transform().transform(ticks) - zero) / (top - bottom) * inches
    return ticks[(ticks == 0) | (away >= _LABEL)]


def _in_view(scale, low, high, factors):
    """The powers of ten times ``factors`` between the limits, and 0 on a symmetric-log scale."""
    if scale.kind == "symlog":
        smallest, largest = scale.linear_below, max(-low, high)
    else:
        smallest, largest = low, high
    decades = 10.0 ** np.arange(np.floor(np.log10(smallest)), np.floor(np.log10(largest)) + 1)
    ticks = np.outer(decades, list(factors)).ravel()
    ticks = ticks[ticks >= smallest * (1 - 1e-9)]
    if scale.kind == "symlog":
        ticks = np.concatenate([-ticks[::-1], [0.0], ticks])
    return ticks[(ticks >= low) & (ticks <= high)]


def plain(value: float) -> str:
    """``100``, ``0.02``; from a hundred thousand on and below a thousandth ``2·10⁵``."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:g}".replace("-", "−")
    exponent = int(np.floor(np.log10(abs(value))))
    factor = value / 10.0**exponent
    power = "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    if abs(abs(factor) - 1) < 1e-9:
        return power if value > 0 else "−" + power
    return f"{factor:g}·{power}".replace("-", "−")
