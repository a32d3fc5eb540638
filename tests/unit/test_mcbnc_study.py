"""Ranks, treewidth and baselines of MCBNC from tables of measures."""

import pandas
import pytest

from fedbnsl.data.networks import load_network
from fedbnsl.graphs.treewidth import treewidth
from fedbnsl.studies import mcbnc
from fedbnsl.studies.artefact import verdict_table


def scores(rows, method="mcbnc"):
    """One problem a row: network, sites, and SMHD, BDeu and treewidth of best, inputs, fusion and gold."""
    long = [
        {"network": network, "sites": sites, "series": series, "smhd_gold": s, "bdeu": b, "treewidth": t}
        for network, sites, *values in rows
        for series, (s, b, t) in zip(("best", "inputs", "fusion", "gold"), values, strict=True)
    ]
    return pandas.DataFrame(long).assign(seed=1, method=method, edges=9, smhd_inputs=1.0)


ROWS = [
    ("asia", 10, (0, -10, 2), (1, -9, 2), (5, -20, 6), (0, -9, 2)),
    ("asia", 30, (0, -10, 2), (1, -9, 2), (5, -20, 8), (0, -9, 2)),
    ("sachs", 10, (0, -5, 3), (0, -5, 3), (0, -5, 3), (0, -5, 3)),
    ("barley", 100, (7, -30, 5), (9, -30.0000000001, 6), (90, -70, 20), (0, -28, 4)),
]


@pytest.fixture(scope="module")
def ranked():
    return mcbnc.ranks(scores(ROWS))


def test_ranks_count_ties_and_rounding_as_equal(ranked):
    made = ranked
    found = made.table.set_index(["measure", "method"])["mean_rank"]
    assert found["smhd_gold"].tolist() == [(1 + 1 + 2 + 1) / 4, (2 + 2 + 2 + 2) / 4, (3 + 3 + 2 + 3) / 4]
    assert found["bdeu"].tolist() == [(2 + 2 + 2 + 1.5) / 4, (1 + 1 + 2 + 1.5) / 4, (3 + 3 + 2 + 3) / 4]
    assert set(made.table["control"]) == {mcbnc.OURS, mcbnc.INPUTS}
    assert len(made.runs) == 2 * 3 * 4


def test_ranks_are_compared_with_the_printed_ones(monkeypatch):
    monkeypatch.setattr("fedbnsl.plot.ranks.rank_axes", lambda *_, **__: None)  # drawn above
    many = [(f"n{k}", 10, *values) for k in range(30) for _, _, *values in ROWS[:1]]
    made = mcbnc.ranks(scores(many))
    table = verdict_table("mcbnc-ranks", made.runs, made.printed, "mcbnc", "laptop")
    ranks = table[table["quantity"] == "rank"].set_index("where")
    assert ranks["measured_mean"]["measure smhd_gold, method MCBNC"] == 1
    assert ranks["printed"].tolist() == [1.40, 1.91, 2.69, 1.70, 1.58, 2.72]
    assert ranks["n"].tolist() == [30] * 6
    said = table[table["quantity"] != "rank"]["verdict"].tolist()
    # as printed, but that here the inputs have the higher BDeu each time
    assert said == ["holds", "holds", "fails", "holds", "holds"]


def test_few_problems_tell_nothing_apart(ranked):
    held = [entry["held"] for entry in ranked.printed if "statement" in entry]
    assert held == [[False], [False], [True], [False], [False]]


def test_reductions_of_treewidth_in_per_cent():
    made = mcbnc.treewidth(scores(ROWS))
    barley = made.table.set_index("network").loc["barley"]
    assert barley["reduction_vs_gold"] == pytest.approx(-25)
    assert barley["reduction_vs_inputs"] == pytest.approx(100 / 6)
    assert barley["reduction_vs_fusion"] == pytest.approx(75)
    table = verdict_table("mcbnc-treewidth", made.runs, made.printed, "mcbnc", "laptop")
    assert table["measured_mean"].tolist() == pytest.approx([-25, 100 / 6, 75, 1])
    assert table["verdict"].tolist() == ["worse", "worse", "worse", "holds"]
    assert [ax.get_title() for ax in made.figure.axes] == ["asia", "sachs", "barley"]


def test_the_printed_reduction_cannot_be_from_the_gold_standard():
    """58.7 % needs a treewidth of 46 or more to start from; BARLEY's is 7 at most."""
    fits = [d for d in range(1, 60) for n in range(d) if round(100 * (1 - n / d), 1) == 58.7]
    assert min(fits) == 46
    assert treewidth(load_network("barley").graph) <= 7


def test_a_treewidth_of_zero_saves_nothing():
    made = mcbnc.treewidth(scores([("asia", 3, (0, -1, 0), (0, -1, 0), (0, -1, 0), (0, -1, 0))]))
    assert made.table["reduction_vs_gold"].isna().all()


def test_baselines_are_ranked_where_all_of_them_ran():
    ours = scores(ROWS[:2])
    others = scores([("asia", 10, (3, -12, 2), (1, -9, 2), (5, -20, 6), (0, -9, 2))], method="majority")
    made = mcbnc.baselines(pandas.concat([ours, others]))
    table = made.table.set_index(["sites", "method"])
    assert set(table["blocks"]) == {1}
    ranks = {"mcbnc": 1, "majority": 3, mcbnc.INPUTS: 2, mcbnc.FUSION: 4}
    assert table["mean_rank_smhd_gold"][10].to_dict() == ranks
    ranks = {"mcbnc": 2, "majority": 3, mcbnc.INPUTS: 1, mcbnc.FUSION: 4}
    assert table["mean_rank_bdeu"][10].to_dict() == ranks
    assert len(made.table) == 2 + 1 + 2 + 2
