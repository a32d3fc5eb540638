"""The AAL atlas: 116 regions of interest (ROIs) of the brain, their lobes and where they lie."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fedbnsl.data.resources import resource
from fedbnsl.errors import InputError

if TYPE_CHECKING:
    import pandas

#: Lobes in the order in which pictures show them.
LOBES = (
    *("Frontal", "Insula and Cingulate Gyri", "Temporal", "Parietal", "Occipital"),
    *("Subcortical region", "Posterior Fossa"),
)


def load_atlas(selected: bool = False) -> pandas.DataFrame:
    """The regions of the AAL atlas, in its order.

    Source: tables 6 and 7 of the NOTEARS-PFL paper (Liu et al. 2022), slips corrected; the atlas is that of
    Tzourio-Mazoyer et al. (2002), NeuroImage 15.

    Parameters
    ----------
    selected : bool
        Whether to give only the 56 regions that the paper studies. Default: False.

    Returns
    -------
    pandas.DataFrame
        Row label: ``abbreviation`` (``THA.L``; L is left, R right). Columns: ``index`` (1 … 116),
        ``name``, ``lobe``, ``x``, ``y``, ``z`` (MNI coordinates, mm; x < 0 is left), ``selected``,
        ``comment`` (what was printed where it is corrected).
    """
    import pandas

    table = pandas.read_csv(resource("aal116.tsv"), sep="\t", keep_default_na=False)
    table["selected"] = table["selected"] == "yes"
    table = table.set_index("abbreviation")
    return table[table["selected"]] if selected else table


def region_names(selected: bool = False) -> tuple[str, ...]:
    """The abbreviations of the regions, in the order of the atlas; see :func:`load_atlas`."""
    with resource("aal116.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return tuple(row["abbreviation"] for row in rows if row["selected"] == "yes" or not selected)


def regions(names: Iterable[str]) -> pandas.DataFrame:
    """The rows of :func:`load_atlas` for ROIs given by their abbreviations, in that order.

    Raises
    ------
    InputError
        If the atlas lacks one.
    """
    names, table = list(names), load_atlas()
    unknown = [name for name in names if name not in table.index]
    if unknown:
        raise InputError(
            f"the AAL atlas has no region {', '.join(map(repr, unknown[:5]))}",
            where="ROI names",
            remedy="Call the columns by the abbreviations in resources/aal116.tsv, for example THA.L",
        )
    return table.loc[names]
