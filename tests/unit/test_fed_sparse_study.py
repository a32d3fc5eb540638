"""Figures and tables of the Fed-Sparse-BNSL study, from small tables of measures."""

import numpy as np
import pandas
import pytest

from fedbnsl.plot.rounds import rounds_table
from fedbnsl.plot.tradeoff import pareto, tradeoff
from fedbnsl.studies.fed_sparse import convergence, sachs
from fedbnsl.studies.fed_sparse_attack import reconstruction
from fedbnsl.studies.fed_sparse_bytes import bytes_against_shd
from fedbnsl.studies.fed_sparse_choice import tuning
from fedbnsl.studies.fed_sparse_scale import standardising
from fedbnsl.studies.fed_sparse_sites import against_local, personalisation

PAPER = "fed-sparse-bnsl@variant=paper"


def verdicts(artefact):
    return {(entry["statement"].split(" (")[0], entry["where"]): entry["held"] for entry in artefact.printed}


def test_the_ends_of_the_curves_are_compared():
    ends = {
        "a": {
            PAPER: (1, 0.90, 0.1),
            "fed-bnsl@l1=0.1": (2, 0.94, 0.1),
            "fed-bnsl@schedule=reference": (0, 1, 0),
        }
    }
    ends["b"] = {PAPER: (3, 0.80, 0.0), "fed-bnsl": (2, 0.94, 0.1), "notears-pooled": (0, 1, 0)}
    rows = [
        (experiment, method, r, *(values if r == 2 else (9, 0, 1)), r == 2)
        for experiment, methods in ends.items()
        for method, values in methods.items()
        for r in ((2,) if method == "notears-pooled" else (1, 2))
    ]
    columns = ["experiment", "method", "round", "shd", "tpr", "fdr", "last"]
    scores = pandas.DataFrame(rows, columns=columns).assign(nodes=5, sites=2, seed=2, bytes=8)
    made = convergence(scores)
    assert [entry["held"] for entry in made.printed] == [[True], [False], [True], [False], [True], [False]]
    assert [entry["where"] for entry in made.printed] == ["a"] * 3 + ["b"] * 3
    assert len(made.figure.axes) == 6
    none = convergence(scores[scores["method"] != PAPER])
    assert [entry["held"] for entry in none.printed] == [[]] * 6


# --- what each site gets --------------------------------------------------------------------------


def site_scores():
    """Two seeds, two sites. Medians: site 1 .5 shared, .1 refitted, .3 alone; site 2 .4, .2, .15."""
    rows = []
    values = {"shared": ([0.4, 0.6], [0.4, 0.4]), "refitted": ([0.1, 0.1], [0.1, 0.3])}
    values["own"] = ([0.2, 0.4], [0.1, 0.2])
    for weights, sites in values.items():
        method = "notears" if weights == "own" else PAPER
        for site, seeds in enumerate(sites, start=1):
            for seed, mse in enumerate(seeds, start=2):
                rows.append((method, weights, site, seed, mse, 4 + site if weights == "own" else 1, 0.9, 0.2))
    columns = ["method", "weights", "site", "seed", "mse", "shd", "tpr", "fdr"]
    return pandas.DataFrame(rows, columns=columns).assign(sites=2, nodes=5, rows=50, edges=5)


def test_weights_are_compared_site_by_site():
    made = personalisation(site_scores())
    assert verdicts(made) == {
        ("refitting to the site's own rows lowers the median error of its weights", "sites"): [True, True],
        ("the refitted shared network has a lower median error than local NOTEARS", "sites"): [True, False],
    }
    (_, entry) = made.printed
    assert entry["measured"] == "site 2: 0.2 against 0.15"
    assert len(made.table) == 12
    (ax,) = made.figure.axes
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "2", "all"]
    assert ax.get_title() == "Fed-Sparse-BNSL (variant=paper)"


def round_scores(shd=(3.0, 2.0), tpr=0.9, fdr=0.1):
    rows = [(PAPER, 2, seed, r, shd[r - 1], tpr, fdr, r == 2) for seed in (2, 3) for r in (1, 2)]
    return pandas.DataFrame(rows, columns=["method", "sites", "seed", "round", "shd", "tpr", "fdr", "last"])


def test_the_shared_network_stands_beside_the_mean_of_the_sites():
    made = against_local(pandas.concat([round_scores(), site_scores()], ignore_index=True))
    local = made.table[made.table["method"] == "notears-local"]
    assert local["shd"].tolist() == [5.5, 5.5]  # sites with 5 and 6
    assert [entry["held"] for entry in made.printed] == [[True, True]] * 3
    curve, level = made.figure.axes[0].lines
    assert list(curve.get_ydata()) == [3, 2]
    assert list(level.get_ydata()) == [5.5, 5.5]
    worse = against_local(
        pandas.concat([round_scores((9.0, 8.0), 0.84, 0.3), site_scores()], ignore_index=True)
    )
    assert [entry["held"] for entry in worse.printed] == [[False, False]] * 3


# --- scale ------------------------------------------------------------------------------------------


def scale_scores(frank_wolfe=5.0):
    rows = []
    for method, raw, standard in ((PAPER, 2.0, 9.0), ("fed-bnsl-fw", frank_wolfe, 4.0)):
        for flag, final in ((np.nan, raw), (True, standard)):
            for r in (1, 2):
                rows.append((method, flag, 2, r, final + 2 - r, r == 2))
    table = pandas.DataFrame(rows, columns=["method", "standardised", "seed", "round", "shd", "last"])
    return table.assign(nodes=5, sites=2, tpr=0.5, fdr=0.5, edges=5, varsortability=0.9, converged=True)


def test_standardised_data_are_told_from_raw_ones():
    made = standardising(scale_scores())
    assert verdicts(made) == {
        ("standardising the columns raises the SHD", "methods"): [True, False],
        (
            "with Frank–Wolfe at the sites the SHD on raw data is more than twice that of greedy updates",
            "raw data",
        ): [True],
    }
    assert made.table.groupby("data", sort=False).size().to_dict() == {"raw data": 4, "standardised data": 4}
    assert len(made.runs) == 4
    assert [len(ax.lines) for ax in made.figure.axes] == [2] * 6
    assert standardising(scale_scores(frank_wolfe=3.0)).printed[1]["held"] == [False]
    alone = scale_scores()
    alone = pandas.concat([alone, alone[alone["standardised"].isna()].assign(seed=9)])
    assert set(standardising(alone).table["seed"]) == {2}  # the other one has no standardised run
    only_raw = scale_scores()
    only_raw = only_raw[only_raw["standardised"].isna()]
    assert standardising(only_raw).printed[0]["held"] == []


# --- the attack ---------------------------------------------------------------------------------


def test_a_box_for_every_method_and_one_for_the_guess():
    rows = [
        ("fed-bnsl", 1, 1e-15, 1e-17),
        ("fed-bnsl", 2, 0.0, 0.0),
        (PAPER, 1, 0.2, 0.1),
        (PAPER, 2, 0.4, 0.3),
    ]
    table = pandas.DataFrame(rows, columns=["method", "site", "error", "correlation_error"])
    table = table.assign(nodes=5, sites=2, seed=2, error_guess=0.9, correlation_error_guess=0.6)
    made = reconstruction(table)
    assert [entry["held"] for entry in made.printed] == [[True]]
    assert len(made.table) == 4
    lowest = made.figure.axes[-1]
    labels = [text.get_text() for text in lowest.get_xticklabels()]
    assert labels == ["Fed-BNSL", "Fed-Sparse-BNSL, paper", "no message"]
    leaky = reconstruction(table.assign(error=0.5))
    assert [entry["held"] for entry in leaky.printed] == [[False]]


# --- choosing options ---------------------------------------------------------------------------------


def grid_scores():
    """Mean SHD over two seeds: l1 = 0.1 has 3, l1 = 0.2 has 2, and l1 = 0.4 too, with fewer bytes."""
    rows = [(0.1, 1, 2.0, 5e6), (0.1, 2, 4.0, 5e6), (0.2, 1, 3.0, 4e6), (0.2, 2, 1.0, 4e6)]
    rows += [(0.4, 1, 2.0, 3e6), (0.4, 2, 2.0, 3e6)]
    table = pandas.DataFrame(rows, columns=["l1", "seed", "shd", "bytes"])
    table = table.assign(
        method=[f"fed-bnsl@l1={value}" for value in table.pop("l1")], experiment="homogeneous"
    )
    return table.assign(
        tpr=1.0, fdr=0.0, edges=18, edges_true=18, skeleton_correct=5, v_structures=0, converged=True
    )


def test_the_lowest_shd_is_chosen_and_put_beside_the_printed_options():
    printed = {"homogeneous": ["fed-bnsl@l1=0.1,rho1=null", "fed-sparse-bnsl"]}
    made = tuning(grid_scores(), printed)
    best, as_printed = made.table.to_dict("records")
    assert (best["rule"], best["chosen"], best["equal"], best["tried"]) == ("SHD", "fed-bnsl@l1=0.4", 2, 3)
    assert (best["shd"], best["megabytes"], best["seeds"]) == (2.0, 3.0, "1+2")
    assert (as_printed["rule"], as_printed["chosen"], as_printed["shd"]) == (
        "as printed",
        "fed-bnsl@l1=0.1",
        3.0,
    )
    ((entry),) = made.printed
    assert (entry["where"], entry["held"]) == ("homogeneous, Fed-BNSL", [False])
    assert tuning(grid_scores(), {"homogeneous": ["fed-bnsl@l1=0.2"]}).printed[0]["held"] == [True]
    assert tuning(grid_scores(), {"homogeneous": ["fed-bnsl@l1=0.3"]}).printed[0]["held"] == []  # not tried


def test_experiments_can_share_a_name_and_their_seeds():
    one, two = grid_scores(), grid_scores()
    one, two = one[one["seed"] == 1].assign(experiment="a"), two[two["seed"] == 2].assign(experiment="b")
    made = tuning(pandas.concat([one, two]), {}, {"a": "large", "b": "large"})
    assert made.table["chosen"].tolist() == ["fed-bnsl@l1=0.4"]
    assert made.table["experiment"].tolist() == ["large"]


def test_with_kept_out_rows_there_are_two_rules_one_of_which_looks_at_the_truth():
    table = grid_scores()
    table = table[table["seed"] == 1].assign(
        edges=[30, 17, 20], skeleton_correct=[16, 9, 11], log_likelihood=[-1.0, -3.0, -2.0]
    )
    made = tuning(table, {"homogeneous": ["fed-bnsl@l1=0.2"]})
    rules = dict(zip(made.table["rule"], made.table["chosen"], strict=True))
    # 30 edges are far from 18; of 17 and 20 the one with more of the skeleton
    assert rules == {
        "truth": "fed-bnsl@l1=0.4",
        "likelihood": "fed-bnsl@l1=0.1",
        "as printed": "fed-bnsl@l1=0.2",
    }
    assert made.printed == ()
    far = tuning(table.assign(edges=[30, 26, 40]), {})
    assert dict(zip(far.table["rule"], far.table["chosen"], strict=True))["truth"] == "fed-bnsl@l1=0.2"


def test_the_sachs_table_puts_the_choices_below_the_given_options():
    given = pandas.DataFrame({"method": ["fed-bnsl"] * 3, "seed": [1, 2, 2], "last": [True, True, False]})
    given = given.assign(log=True, sites=3, shd=[10.0, 14.0, 99.0], edges=4, converged=True, bytes=8)
    given = given.assign(skeleton_correct=2, v_structures=0)
    tried = grid_scores()
    tried = tried[tried["seed"] == 1].assign(log=True, sites=3, log_likelihood=[-3.0, -1.0, -2.0])
    made = sachs(pandas.concat([given, tried], ignore_index=True))
    assert made.table[["options", "method", "seeds", "shd"]].to_numpy().tolist() == [
        ["given", "fed-bnsl", 2, 12.0],
        ["truth", "fed-bnsl@l1=0.4", 1, 2.0],
        ["likelihood", "fed-bnsl@l1=0.2", 1, 3.0],
    ]
    assert made.runs["shd"].tolist() == [10, 14]  # what printed values are compared with
    assert sachs(given).table["options"].tolist() == ["given"]


# --- bytes against SHD --------------------------------------------------------------------------------


def test_what_no_other_point_beats():
    x = [1.0, 2.0, 3.0, 2.0, 3.0, np.nan, 3.0]
    y = [5.0, 4.0, 4.0, 4.0, 1.0, 0.0, np.nan]
    assert pareto(x, y).tolist() == [True, True, False, True, True, False, False]
    assert pareto([], []).tolist() == []


def test_every_setting_is_put_beside_the_paper_s():
    methods = {
        "fed-sparse-bnsl@variant=paper": (2e6, 2.0),
        "fed-sparse-bnsl@updates=50": (1e6, 3.0),
        "fed-sparse-bnsl@precision=single": (1e6, 1.0),
        "fed-sparse-bnsl@stop=0.01,updates=50": (5e5, 4.0),
    }
    rows = [(m, seed, b, shd + seed - 2.5) for m, (b, shd) in methods.items() for seed in (2, 3)]
    tried = pandas.DataFrame(rows, columns=["method", "seed", "bytes", "shd"]).assign(grid="g")
    more = [
        ("fed-bnsl", 2, 4e6, 3.0, True),
        ("fed-bnsl", 2, 1e6, 9.0, False),
        ("fed-bnsl", 9, 4e6, 0.0, True),
    ]
    more += [("notears-pooled", 2, 1e4, 0.0, True), ("fed-sparse-bnsl", 2, 1.0, 0.0, True)]
    others = pandas.DataFrame(more, columns=["method", "seed", "bytes", "shd", "last"])
    scores = pandas.concat([tried, others]).assign(nodes=20, sites=8, tpr=1.0, fdr=0.0, converged=True)
    made = bytes_against_shd(scores)
    table = made.table.set_index("method")
    assert set(table.index) == {*methods, "fed-bnsl", "notears-pooled"}  # what the grid has counts once
    assert table.loc["fed-sparse-bnsl@updates=50", ["megabytes", "shd", "seeds"]].tolist() == [1.0, 3.0, 2]
    assert table["bytes_ratio"].loc[[PAPER, "fed-sparse-bnsl@precision=single", "fed-bnsl"]].tolist() == [
        1,
        0.5,
        2,
    ]
    assert table["shd_difference"].loc[[PAPER, "fed-sparse-bnsl@precision=single"]].tolist() == [0, -1]
    assert table.index[table["best"]].tolist() == [
        "fed-sparse-bnsl@precision=single",
        "fed-sparse-bnsl@stop=0.01,updates=50",
    ]
    assert table.loc[PAPER, ["variant", "updates", "send", "precision"]].tolist() == [
        "paper",
        150,
        "full",
        "double",
    ]
    assert table.loc["fed-sparse-bnsl@updates=50", "send"] == "changes"
    names = [text.get_text() for text in made.figure.legends[0].get_texts()]
    assert names == ["paper", "growing", "growing, 4 bytes", "growing, stop 0.01", "Fed-BNSL",
                     "NOTEARS (pooled)", "beaten by none"]  # fmt: skip


def test_points_of_a_group_are_joined_by_cost():
    table = pandas.DataFrame({"g": ["u", "u", "v"], "cost": [10.0, 1.0, 5.0], "shd": [1.0, 3.0, 2.0]})
    figure = tradeoff(table, x="cost", y="shd", group="g")
    (ax,) = figure.axes
    front, first, second = (line for line in ax.lines)
    assert list(front.get_xdata()) == [1, 5, 10]
    assert list(first.get_xdata()) == [1, 10]
    assert list(second.get_ydata()) == [2]
    assert ax.get_xscale() == "log"


# --- the page -----------------------------------------------------------------------------------------


def test_the_table_of_rounds_has_the_known_columns_in_words():
    rounds = pandas.DataFrame({"seed": [1], "round": [1], "bytes_up": [16], "h": [0.123456], "edges": [3]})
    assert rounds_table(rounds) == [
        ["round", "h (acyclicity)", "number of edges", "sent by the sites (bytes)"],
        ["1", "0.123", "3", "16"],
    ]


@pytest.mark.parametrize("artefact", ["personalisation", "reconstruction"])
def test_figures_are_the_same_every_time(artefact, tmp_path):
    from fedbnsl.plot.save import save_figure

    def once(name):
        if artefact == "personalisation":
            figure = personalisation(site_scores()).figure
        else:
            table = pandas.DataFrame(
                {"method": ["fed-bnsl"], "site": [1], "error": [0.1], "correlation_error": [0.1]}
            )
            table = table.assign(nodes=5, sites=2, seed=2, error_guess=0.9, correlation_error_guess=0.6)
            figure = reconstruction(table).figure
        return [path.read_bytes() for path in save_figure(figure, tmp_path / name)]

    assert once("a") == once("b")
