"""The proportion test and the two corrections, against statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.errors import InputError
from fedbnsl.evaluate.proportions import benjamini_hochberg, holm, proportion_test


@pytest.mark.parametrize(("first", "second"), [(9, 1), (8, 3), (2, 7), (10, 5), (0, 4)])
def test_p_values_are_those_of_statsmodels(first, second):
    from statsmodels.stats.proportion import proportions_ztest

    wanted = proportions_ztest([first, second], [10, 10], alternative="larger")[1]
    assert proportion_test(first, second, 10) == pytest.approx(wanted, rel=1e-10)


def test_worked_example():
    """9 against 1 of 10: p = 0.5, z = 0.8 / √0.05 = 3.578, and 1 − Φ(3.578) = 0.000173."""
    assert proportion_test(9, 1, 10) == pytest.approx(0.000173, abs=5e-7)


def test_printed_p_values_are_those_of_twenty_runs_of_each_group():
    """The paper tells of 10 data sets, but its table 2 fits 20, and neither 10 nor 50."""
    printed = {
        *(0.0002, 0.0016, 0.0022, 0.0512, 0.0057, 0.0012, 0.0029, 0.0055, 0.0234, 0.0133, 0.0040, 0.0126),
        *(0.1636, 0.0264, 0.0091, 0.0283, 0.0984, 0.0549, 0.0049, 0.2625, 0.0289, 0.0721, 0.0567, 0.1556),
        0.1018,
    }
    for runs, fitting in ((10, 2), (20, 25), (50, 7)):
        possible = {round(proportion_test(a, b, runs), 4) for a in range(runs + 1) for b in range(a)}
        assert len(printed & possible) == fitting


def test_equal_shares_tell_nothing():
    assert proportion_test(0, 0, 10) == proportion_test(10, 10, 10) == proportion_test(4, 4, 10) == 0.5


@pytest.mark.parametrize("counts", [(11, 0, 10), (0, -1, 10), (0, 0, 0)])
def test_counts_beyond_the_runs_are_refused(counts):
    with pytest.raises(InputError, match="must be counts out of"):
        proportion_test(*counts)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_corrections_agree_with_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    for mine, name in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        np.testing.assert_allclose(mine(p_values), multipletests(p_values, method=name)[1], atol=1e-12)
        assert (mine(p_values) >= np.array(p_values)).all()


def test_nothing_to_correct():
    assert len(holm([])) == len(benjamini_hochberg([])) == 0
