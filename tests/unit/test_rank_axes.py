"""Mean ranks on a line."""

import pandas
import pytest

from fedbnsl.errors import InputError
from fedbnsl.plot.ranks import rank_axes

TABLE = pandas.DataFrame(
    {
        "measure": ["shd"] * 3 + ["bdeu"] * 3,
        "method": ["mcbnc", "majority", "fusion"] * 2,
        "rank": [1.2, 1.9, 2.9, 1.6, 1.4, 3.0],
        "p": [None, 0.2, 1.234e-5, 0.051, None, 0.049],
    }
)


def test_what_is_told_from_the_first_is_filled_and_the_rest_shaded():
    figure = rank_axes(
        TABLE, "rank", "method", "measure", "p", panel_text={"shd": "by SHD", "bdeu": "by BDeu"}
    )
    shd, bdeu = figure.axes
    assert (shd.get_title(), bdeu.get_title()) == ("by SHD", "by BDeu")

    def seen(ax):
        points = [line for line in ax.lines if len(line.get_xdata()) == 1]
        hollow = [point.get_markerfacecolor() == "white" for point in points]
        (shade,) = ax.patches
        return [point.get_xdata()[0] for point in points], hollow, [shade.get_x(), shade.get_width()]

    ranks, hollow, shade = seen(shd)
    assert ranks == [1.2, 1.9, 2.9]
    assert hollow == [False, True, False]
    assert shade == pytest.approx([1.2, 0.7])
    assert [text.get_text() for text in shd.texts] == ["1.20, first", "1.90, p = 0.2", "2.90, p = 1.2·10⁻⁵"]
    _, hollow, shade = seen(bdeu)
    assert hollow == [True, False, False]
    assert shade == pytest.approx([1.4, 0.2])
    # names stand on the left only
    assert [label.get_text() for label in shd.get_yticklabels()] == ["MCBNC", "majority vote", "G⁺"]


def test_a_missing_column_is_named():
    with pytest.raises(InputError, match="no column 'p'"):
        rank_axes(TABLE.drop(columns="p"), "rank", "method", "measure", "p")
