import pandas
import pytest

from fedbnsl.studies.gmcbc import over_theta


def scores():
    """Two numbers of sites, whose data give the gold standard −100 and −200."""
    rows = [("consensus", 3, 0.0, -103.0), ("consensus", 3, 1.0, -5100.0), ("inputs", 3, None, -102.0)]
    rows += [("gold", 3, None, -100.0), ("consensus", 5, 0.0, -198.0), ("consensus", 5, 2.0, -900.0)]
    rows += [("inputs", 5, None, -201.0), ("gold", 5, None, -200.0), ("best", 5, 0.0, -198.0)]
    table = pandas.DataFrame(rows, columns=["series", "sites", "theta", "bdeu"])
    return table.assign(network="asia", seed=1)


def test_bdeu_is_drawn_relative_to_the_gold_standard_on_the_same_data_and_tabled_raw():
    made = over_theta(scores(), "bdeu")
    assert made.table["bdeu"].tolist() == [-103, -5100, -102, -100, -198, -900, -201, -200]
    assert made.table["bdeu_minus_gold"].tolist() == [-3, -5000, -2, 0, 2, -700, -1, 0]
    (ax,) = made.figure.axes
    drawn = [list(line.get_ydata()) for line in ax.lines]
    # each curve goes on at its last value; then the inputs' means and the gold standard
    assert drawn == [[-3, -5000, -5000], [2, -700, -700], [-2, -2], [-1, -1], [0, 0]]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "-", "--", "--", ":"]
    text = "BDeu minus that of the gold standard (nats), symmetric log scale, linear below 1"
    assert ax.get_ylabel().replace("\n", " ") == text


@pytest.mark.parametrize("measure", ["edges", "treewidth"])
def test_other_measures_are_drawn_as_they_are(measure):
    made = over_theta(scores().rename(columns={"bdeu": measure}), measure)
    assert list(made.table) == ["network", "sites", "seed", "series", "theta", measure]
    assert made.figure.axes[0].lines[0].get_ydata()[0] == -103
