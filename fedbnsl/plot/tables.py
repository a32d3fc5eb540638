"""Tables twice: TSV for machines with full precision, Markdown for readers with rounded numbers."""

import csv
import io
import math
import numbers
import os
import re
from collections.abc import Iterable
from pathlib import Path

from fedbnsl.files import write_text
from fedbnsl.plot import style

_LONG, _SHOWN = 100, 60  # a Markdown table over the one number of rows shows the other


def mean_sd(values: Iterable[float], decimals: int | None = None) -> str:
    """``mean ± sd`` as text.

    Parameters
    ----------
    values : iterable of float
        Observations; NaN and None are left out.
    decimals : int, optional
        Digits after the point of both. Default: so many that the sd has two significant digits, at
        most 6; whole numbers that are all equal get none.

    Returns
    -------
    str
        The sd has n − 1 in its denominator. One observation: its value alone. None: ``–``.
    """
    kept = [float(v) for v in values if v is not None and not math.isnan(v)]
    if not kept:
        return "–"
    mean = math.fsum(kept) / len(kept)
    if len(kept) == 1:
        return f"{mean:.{decimals}f}" if decimals is not None else f"{mean:.4g}"
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in kept) / (len(kept) - 1))
    if decimals is None:
        if sd > 0 and math.isfinite(sd):
            decimals = min(6, max(0, 1 - math.floor(math.log10(sd))))
        else:
            decimals = 0 if mean == round(mean) else 3
    return f"{mean:.{decimals}f} ± {sd:.{decimals}f}"


def write_table(frame, path: str | os.PathLike, caption: str, *, digits: int = 3) -> tuple[Path, Path]:
    """Write a table as TSV and, beside it, as Markdown.

    Parameters
    ----------
    frame : pandas.DataFrame
        Its index is not written.
    path : path
        Of the TSV; the Markdown file has the suffix ``.md`` instead. The folder is made if need be.
    caption : str
        Printed above the Markdown table.
    digits : int
        Significant digits of numbers that are not whole, in the Markdown only.

    Returns
    -------
    (Path, Path)
        The TSV and the Markdown file. Floats in the TSV read back to the same number; missing values
        are empty there and ``–`` in Markdown. Headers in Markdown are the columns' labels
        (:func:`fedbnsl.plot.style.label`). Over 100 rows, the Markdown has the first 60 and a line that
        says how many more stand in the TSV. Equal frames give equal bytes, and each file is moved into
        place whole.
    """
    final = Path(path)
    markdown = final.with_suffix(".md")
    write_text(final, _tsv(frame))
    write_text(markdown, _markdown(frame, caption, digits, final.name))
    return final, markdown


def _missing(value) -> bool:
    import pandas

    return bool(pandas.isna(value))


def _tsv(frame) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow([str(column) for column in frame.columns])
    for row in frame.itertuples(index=False, name=None):
        writer.writerow([_exact(value) for value in row])
    return text.getvalue()


def _exact(value) -> str:
    if _missing(value):
        return ""
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, numbers.Integral)):
        return repr(float(value))
    return str(value)


def _markdown(frame, caption: str, digits: int, tsv: str) -> str:
    hidden = len(frame) - _SHOWN if len(frame) > _LONG else 0
    columns = [list(frame[column]) for column in frame.columns]
    right = [all(_is_number(v) or _missing(v) for v in values) and bool(values) for values in columns]
    lines = [
        f"**{caption.strip()}**",
        "",
        _line(_cell(style.label(column)) for column in frame.columns),
        _line("---:" if r else "---" for r in right),
    ]
    for row in list(zip(*columns, strict=True))[: len(frame) - hidden]:
        lines.append(_line(_rounded(value, digits) for value in row))
    if hidden:
        lines += ["", f"The first {_SHOWN} of {len(frame)} rows; {hidden} more stand in `{tsv}`."]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_number(value) -> bool:
    # np.bool_ is no numbers.Real; True is, but counts as a word
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _rounded(value, digits: int) -> str:
    if _missing(value):
        return "–"
    if not _is_number(value):
        return _cell(str(value))
    number = float(value)
    if isinstance(value, numbers.Integral) or (number.is_integer() and abs(number) < 1e15):
        return f"{int(value)}".replace("-", "−")
    if 10**digits <= abs(number) < 1e15:
        return f"{number:.0f}".replace("-", "−")
    plain = 1e-4 <= abs(number) < 1e15
    text = f"{number:#.{digits}g}" if plain else f"{number:.{digits}g}"
    return text.rstrip(".").replace("-", "−")


def _cell(text: str) -> str:
    """Text that neither ends its cell nor its line and is shown as it is."""
    text = re.sub(r"([\\|*`<\[\]])", r"\\\1", " ".join(text.split()))
    # an underscore inside a word marks nothing
    return re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", text)
