"""Verdicts on reproduced numbers, above all at their edges."""

import math

import numpy as np
import pytest

from fedbnsl import InputError
from fedbnsl.evaluate import verdict
from fedbnsl.evaluate.verdicts import statement_verdict


def row(printed, measured, better="lower", **options):
    return verdict("sparse-table1", "SHD, d = 20", printed, measured, better=better, **options)


def test_a_row_holds_what_was_compared():
    found = row("2.2", [1, 2, 3], printed_sd=1.81)
    assert found == {
        "artefact": "sparse-table1",
        "quantity": "SHD, d = 20",
        "printed": 2.2,
        "printed_sd": 1.81,
        "measured_mean": 2.0,
        "measured_sd": 1.0,
        "n": 3,
        "verdict": "within",
        "reason": "0.2 below the printed value, tolerance 1.81 (the printed sd)",
    }


@pytest.mark.parametrize(
    ("measured", "expected"),
    [(2.5, "within"), (1.5, "within"), (2.501, "worse"), (1.499, "better")],
)
def test_the_printed_sd_reaches_to_its_edge(measured, expected):
    assert row("2.0", [measured], printed_sd=0.5)["verdict"] == expected


@pytest.mark.parametrize(
    ("shift", "expected"),
    [(0.0, "within"), (1e-6, "worse"), (-1e-6, "within")],
)
def test_two_standard_errors_reach_to_their_edge(shift, expected):
    """Four runs with sd 2: standard error 1, so 12 is the last value that 10 stays within."""
    deviations = np.array([-1, -1, 1, 1]) * math.sqrt(3)
    measured = 12 + shift + deviations
    assert measured.std(ddof=1) == pytest.approx(2)
    assert row("10.000", measured)["verdict"] == expected


@pytest.mark.parametrize(
    ("printed", "measured", "expected"),
    [
        ("0.95", 0.955, "within"),  # could have been printed as 0.95 or 0.96
        ("0.95", 0.9551, "worse"),
        (".93", 0.925, "within"),
        ("20", 20.5, "within"),
        ("20", 20.51, "worse"),
        ("20.0", 20.05, "within"),
        ("20.0", 20.06, "worse"),
        (20, 20.5, "within"),
        (5.12, 5.125, "within"),
        (5.12, 5.126, "worse"),
        ("2e3", 2500, "within"),
        ("-0.3", -0.35, "within"),
    ],
)
def test_a_printed_value_stands_for_all_that_round_to_it(printed, measured, expected):
    assert row(printed, [measured])["verdict"] == expected


def test_the_largest_tolerance_counts():
    wide = [0, 10]  # mean 5, standard error 5
    assert "two standard errors" in row("1.0", wide, printed_sd=0.1)["reason"]
    assert "the printed sd" in row("1.0", wide, printed_sd=11)["reason"]
    assert "rounding" in row("1.0", [1, 1], printed_sd=0.01)["reason"]


@pytest.mark.parametrize(
    ("better", "above", "below"),
    [("lower", "worse", "better"), ("higher", "better", "worse"), ("match", "worse", "worse")],
)
def test_the_direction_says_which_side_is_good(better, above, below):
    assert row("5.0", [6.0], better)["verdict"] == above
    assert row("5.0", [4.0], better)["verdict"] == below
    assert row("5.0", [5.0], better)["verdict"] == "within"


def test_other_settings_are_not_compared_but_shown():
    found = row("2.2", [2.2, 2.2], not_comparable="2 seeds of 10, d = 10 for 20")
    assert found["verdict"] == "not comparable"
    assert found["reason"] == "2 seeds of 10, d = 10 for 20"
    assert (found["measured_mean"], found["n"]) == (2.2, 2)


@pytest.mark.parametrize("measured", [[], [math.nan], [math.nan, math.inf]])
def test_nothing_measured_is_not_comparable(measured):
    found = row("2.2", measured)
    assert found["verdict"] == "not comparable"
    assert "nothing was measured" in found["reason"]
    assert found["n"] == 0
    assert math.isnan(found["measured_mean"])


def test_failed_runs_are_left_out_and_counted():
    found = row("2.0", [2, math.nan, 2, 2])
    assert (found["measured_mean"], found["n"], found["verdict"]) == (2, 3, "within")
    assert found["reason"].endswith("; 1 of 4 runs gave no value")


def test_one_run_has_no_spread():
    found = row("2.0", [7])
    assert math.isnan(found["measured_sd"])
    assert math.isnan(found["printed_sd"])
    assert found["verdict"] == "worse"


@pytest.mark.parametrize("printed", ["", "2.2 ± 1.8", "about 3", math.nan, "inf", None])
def test_a_printed_value_must_be_a_number(printed):
    with pytest.raises(InputError, match=r"sparse-table1, SHD, d = 20: the printed value .* is no number"):
        row(printed, [1])


def test_an_unknown_direction_is_refused():
    with pytest.raises(InputError, match=r"'down' is unknown\. Choose one of: lower, higher, match"):
        row("1", [1], better="down")


@pytest.mark.parametrize(
    ("held", "verdict", "share", "reason"),
    [
        ([True, True], "holds", 1.0, "in 2 of 2 cases: 3 and 4"),
        ([True, False], "fails", 0.5, "holds in 1 of 2 cases: 3 and 4. It rained"),
        ([False], "fails", 0.0, "holds in 0 of 1 cases: 3 and 4. It rained"),
        ([], "not comparable", math.nan, "nothing was measured"),
    ],
)
def test_a_statement_holds_only_if_it_does_in_all_cases(held, verdict, share, reason):
    found = statement_verdict("fig", "a < b", held, "3 and 4", reason="It rained")
    assert (found["quantity"], found["verdict"], found["n"], found["reason"]) == (
        "a < b",
        verdict,
        len(held),
        reason,
    )
    assert found["measured_mean"] == pytest.approx(share, nan_ok=True)
    assert math.isnan(found["printed"])
