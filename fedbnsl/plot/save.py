"""Writing figures: the same bytes for the same figure, and never half a file."""

import os
from pathlib import Path

from fedbnsl.files import replacing
from fedbnsl.plot import style


def save_figure(figure, path: str | os.PathLike) -> tuple[Path, Path]:
    """Write a figure as vector PDF (fonts embedded) and as PNG (200 dots an inch).

    Neither file holds a date or a software version, so the same figure gives the same bytes. Each is
    written under a temporary name in the same folder and then moved into place.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path
        Without suffix: ``results/figures/sparse-fig1`` gives ``sparse-fig1.pdf`` and ``sparse-fig1.png``.
        The folder is made if need be.

    Returns
    -------
    (Path, Path)
        The PDF and the PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    base = Path(path)
    written = []
    with style.context():
        # Lay the axes out once, not again for every file: that is most of the time.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        # The canvases are asked directly because savefig draws everything twice to lay it out again.
        for suffix in ("pdf", "png"):
            final = base.with_name(f"{base.name}.{suffix}")
            with replacing(final) as temporary:
                if suffix == "pdf":
                    nothing = {"CreationDate": None, "Creator": None, "Producer": None}
                    FigureCanvasPdf(figure).print_pdf(temporary, metadata=nothing)
                else:
                    figure.dpi = style.RC["savefig.dpi"]
                    FigureCanvasAgg(figure).print_png(temporary, metadata={"Software": None})
            written.append(final)
    return written[0], written[1]
