"""Printed values beside measured ones."""

import pandas

from fedbnsl.studies.artefact import verdict_table

PRINTED = [{"quantity": "shd", "where": {"method": "m"}, "value": "5.0", "better": "lower"}]


def table(runs, printed=PRINTED):
    (row,) = verdict_table("fig", pandas.DataFrame(runs), printed, "paper", "laptop").to_dict("records")
    return row


def test_the_runs_are_those_that_the_entry_names():
    runs = {"method": ["m", "m", "other"], "shd": [2.0, 2.0, 100.0]}
    row = table(runs)
    assert (row["measured_mean"], row["n"], row["verdict"]) == (2.0, 2, "better")
    assert (row["paper"], row["preset"], row["where"]) == ("paper", "laptop", "method m")


def test_an_unconverged_run_is_no_improvement():
    row = table({"method": ["m", "m"], "shd": [2.0, 2.0], "converged": [True, False]})
    assert row["verdict"] == "not comparable"
    assert "1 of 2 runs did not converge" in row["reason"]
    worse = table({"method": ["m"], "shd": [20.0], "converged": [False]})
    assert worse["verdict"] == "worse"


def test_a_note_is_told_where_the_two_disagree():
    noted = [{**PRINTED[0], "note": "the paper rounds"}]
    assert table({"method": ["m"], "shd": [9.0]}, noted)["reason"].endswith("; the paper rounds")
    assert "rounds" not in table({"method": ["m"], "shd": [5.0]}, noted)["reason"].replace("rounding", "")


def test_what_was_not_measured_says_so():
    row = table({"method": ["other"], "shd": [2.0]})
    assert (row["verdict"], row["reason"]) == ("not comparable", "not measured at the laptop preset")
