import pandas
import pytest

from fedbnsl.studies.gmcbc import by_nodes, choosing_theta, over_alpha, over_theta


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


def test_seeds_with_other_thetas_are_averaged_as_step_functions():
    rows = [(10, 1, 0.0, 8.0), (10, 1, 0.5, 2.0), (10, 2, 0.0, 4.0), (10, 2, 0.2, 0.0), (30, 1, 0.0, 50.0)]
    table = pandas.DataFrame(rows, columns=["nodes", "seed", "theta", "smhd_inputs"])
    table = table.assign(series="consensus", sites=3, smhd_gold=table["smhd_inputs"] + 1)
    inputs = table.iloc[[0, 2]].assign(series="inputs", theta=None, smhd_inputs=[3.0, 5.0])
    made = by_nodes(pandas.concat([table, inputs]))
    assert len(made.table) == 7
    assert len(made.figure.axes) == 4  # two distances, two numbers of nodes
    above = made.figure.axes[0]
    assert above.get_title() == "10 nodes"
    mean, reference = above.lines
    assert list(mean.get_xdata())[:3] == [0, 0.2, 0.5]
    assert list(mean.get_ydata()) == [6, 4, 1, 1]  # (8+4)/2, (8+0)/2, (2+0)/2, and so on to the right
    assert list(reference.get_ydata()) == [4, 4]
    assert list(made.figure.axes[2].lines[0].get_ydata()) == [7, 5, 2, 2]


def test_unequal_sites():
    rows = [("best", 0.1, 1.0, 3.0), ("inputs", 0.1, 6.0, 7.0), ("fusion", 0.1, 9.0, 8.0)]
    rows += [
        ("best", 5.0, 0.0, 1.0),
        ("inputs", 5.0, 2.0, 2.0),
        ("fusion", 5.0, 4.0, 3.0),
        ("gold", 5.0, 0, 0),
    ]
    table = pandas.DataFrame(rows, columns=["series", "alpha", "smhd_inputs", "smhd_gold"])
    made = over_alpha(table.assign(sites=5, seed=1, theta=0.5))
    assert len(made.table) == 6
    inputs, gold = made.figure.axes
    assert inputs.get_xscale() == "log"
    assert [list(line.get_ydata()) for line in inputs.lines] == [[1, 0], [6, 2], [9, 4]]
    assert [list(line.get_ydata()) for line in gold.lines] == [[3, 1], [7, 2], [8, 3]]


def test_theta_is_chosen_at_the_largest_number_of_sites_of_each_network():
    alone = scores()[lambda table: table["sites"] == 3].assign(network="link")
    both = pandas.concat([scores(), alone]).assign(smhd_inputs=lambda t: -t["bdeu"], smhd_gold=1.0)
    made = choosing_theta(both)
    found = made.table[made.table["curve"] == "smhd_inputs"].set_index("network")["best"]
    assert found.to_dict() == {"asia": 198.0, "link": 103.0}
    assert [ax.get_title() for ax in made.figure.axes if ax.get_title()] == ["asia", "link"]
