"""What papers say in words: curves of several seeds, and when a statement holds."""

import pandas
import pytest

from fedbnsl.studies import gmcbc_statements
from fedbnsl.studies.artefact import verdict_table
from fedbnsl.studies.gmcbc_statements import statements
from fedbnsl.studies.statements import Cell, Check, cells, statement_artefact


def path(points, series="consensus", **columns):
    """Rows of measures: (θ, mean SMHD to the inputs, SMHD to the gold standard, BDeu)."""
    table = pandas.DataFrame(points, columns=["theta", "smhd_inputs", "smhd_gold", "bdeu"])
    return table.assign(
        series=series, **{"seed": 1, "sites": 10, "network": "alarm", "method": "gmcbc@ties=first", **columns}
    )


TWO_SEEDS = pandas.concat(
    [
        path([(0, 10, 8, -50), (0.5, 4, 2, -20), (1, 12, 9, -90)], seed=1),
        path([(0, 20, 10, -60), (0.25, 6, 0, -30), (0.75, 2, 4, -25)], seed=2),
    ]
)


def test_the_curve_of_several_seeds_is_the_mean_of_their_step_functions():
    cell = Cell("x", TWO_SEEDS)
    # the first keeps 10 until 0.5; the second has its last value from 0.75 on
    assert cell.curve("smhd_inputs").to_dict() == {0: 15, 0.25: 8, 0.5: 5, 0.75: 3, 1: 7}
    assert cell.at("smhd_inputs", 0.3) == 8
    assert cell.at("smhd_inputs", 0.5) == 5
    assert cell.at("smhd_inputs", 40) == 7


def test_where_a_curve_is_least():
    cell = Cell("x", TWO_SEEDS)
    assert cell.span("smhd_inputs") == (3, 0.75, 1)
    assert cell.span("smhd_gold") == (1, 0.5, 0.75)
    falling = Cell("x", path([(0, 3, 3, 0), (0.1, 1, 1, 0), (0.2, 1, 2, 0), (1, 1, 1, 0)]))
    assert falling.span("smhd_inputs") == (1, 0.1, float("inf"))


def test_a_cell_a_network_and_number_of_sites():
    table = pandas.concat([TWO_SEEDS, path([(0, 1, 1, 0)], sites=30), path([(0, 1, 1, 0)], network="asia")])
    assert [cell.name for cell in cells(table)] == ["alarm, r = 10", "alarm, r = 30", "asia, r = 10"]
    assert cells(table.assign(nodes=30.0), "nodes")[0].name == "30 nodes, r = 10"


def scenario2(empty, network="pigs", least=5.0):
    rows = [path([(0, 30, 40, -90), (0.5, 3, least, -10), (1, 20, empty, -70)], network=network)]
    rows += [path([(None, 3, least, -10)], "best", network=network)]
    rows += [path([(None, 30, 40, -90)], "fusion", network=network)]
    rows += [path([(None, 30, 0, -5)], "gold", network=network)]
    return pandas.concat(rows).assign(experiment="scenario2")


def held(artefact, statement):
    (found,) = artefact.table.loc[artefact.table["statement"] == statement, "holds"]
    return bool(found)


@pytest.mark.parametrize(
    ("network", "empty", "holds"),
    [("alarm", 6.0, True), ("alarm", 7.0, False), ("pigs", 6.0, False), ("pigs", 7.0, True)],
)
def test_pigs_is_the_exception(network, empty, holds):
    made = statements(scenario2(empty, network))
    assert held(made, gmcbc_statements.EMPTY_NEAREST) is holds
    assert held(made, gmcbc_statements.BDEU_SHORT)
    assert held(made, gmcbc_statements.BDEU_BETTER)
    assert held(made, gmcbc_statements.HALF)


def scenario3(network, **best):
    base = {"edges": 100.0, "treewidth": 8.0}
    curve = path([(0, 30, 40, -90), (0.5, 3, 5, -10), (1, 20, 60, -70)], network=network).assign(
        edges=[200.0, 100.0, 3.0], treewidth=[20.0, 8.0, 1.0]
    )
    one = [("best", 5.0, -10), ("inputs", 12.0, -10.005), ("fusion", 40.0, -90), ("gold", 0.0, -12)]
    rows = [path([(0.5, 3, smhd, bdeu)], series, network=network) for series, smhd, bdeu in one]
    table = pandas.concat([r.assign(**base) for r in rows])
    table.loc[table["series"] == "inputs", "treewidth"] = 16.0
    table.loc[table["series"] == "fusion", "edges"] = 200.0
    for key, value in best.items():
        table.loc[table["series"] == "best", key] = value
    return pandas.concat([curve, table]).assign(experiment="scenario3")


def test_scenario_3():
    made = statements(scenario3("win95pts"))
    said = dict(zip(made.table["statement"], made.table["holds"], strict=True))
    assert said == dict.fromkeys(
        [
            gmcbc_statements.BEATS_GES,
            gmcbc_statements.WORSE_AFTER_ONE,
            gmcbc_statements.GOOD_CHOICE,
            gmcbc_statements.BDEU_LIKE_GES,
            gmcbc_statements.BDEU_ABOVE_GOLD,
            gmcbc_statements.ALIKE_IN_SIZE,
            gmcbc_statements.WIN95PTS,
        ],
        True,
    )
    assert not held(statements(scenario3("win95pts", treewidth=12.0)), gmcbc_statements.WIN95PTS)
    assert not held(statements(scenario3("alarm", edges=121.0)), gmcbc_statements.ALIKE_IN_SIZE)
    assert not held(statements(scenario3("alarm", smhd_gold=6.6)), gmcbc_statements.GOOD_CHOICE)
    assert held(statements(scenario3("alarm", bdeu=-10.1)), gmcbc_statements.BDEU_LIKE_GES)
    assert not held(statements(scenario3("alarm", bdeu=-10.2)), gmcbc_statements.BDEU_LIKE_GES)


def test_other_methods_are_passed_over():
    other = scenario3("alarm", edges=500.0).assign(method="unanimity")
    made = statements(pandas.concat([scenario3("alarm"), other]))
    assert held(made, gmcbc_statements.ALIKE_IN_SIZE)


def test_sachs_and_pigs_are_already_optimal_or_not():
    made = statements(scenario3("sachs"))
    assert not held(made, gmcbc_statements.ALREADY_OPTIMAL)
    assert not held(made, gmcbc_statements.NOTHING_REMOVED)  # 100 edges go at θ = 0.5
    optimal = scenario3("pigs")
    optimal = optimal[(optimal["series"] != "consensus") | (optimal["theta"] != 0.5)]
    optimal.loc[optimal["series"] == "fusion", ["smhd_gold", "edges"]] = [0, 200]
    made = statements(optimal)
    assert held(made, gmcbc_statements.ALREADY_OPTIMAL)
    assert held(made, gmcbc_statements.NOTHING_REMOVED)
    assert len(made.table) == 2


def test_pathfinder_is_best_when_almost_empty():
    table = scenario3("pathfinder")
    assert not held(statements(table), gmcbc_statements.PATHFINDER)
    table.loc[table["theta"] == 1, "smhd_gold"] = 1.0
    assert held(statements(table), gmcbc_statements.PATHFINDER)


def test_each_statement_has_one_verdict():
    checks = [
        Check("it rains", "here", "monday", "3 mm", True),
        Check("it rains", "here", "tuesday", "none", False),
        Check("it shines", "here", "monday", "1 h", True),
    ]
    expected = [("it rains", "here"), ("it shines", "here"), ("it snows", "there")]
    made = statement_artefact(checks, expected, {("it rains", "here"): "A dry week"})
    table = verdict_table("weather", made.runs, made.printed, "almanac", "smoke")
    assert table["verdict"].tolist() == ["fails", "holds", "not comparable"]
    assert table["where"].tolist() == ["here", "here", "there"]
    assert table["measured_mean"].tolist()[:2] == [0.5, 1.0]
    assert table["reason"].tolist() == [
        "holds in 1 of 2 cases: tuesday: none. A dry week",
        "in 1 of 1 cases: monday: 1 h",
        "not measured at the smoke preset",
    ]


def test_without_any_measure_nothing_is_said():
    made = statements(scenario2(4.0).iloc[:0])
    assert not len(made.table)
    assert {entry["measured"] for entry in made.printed} == {""}
