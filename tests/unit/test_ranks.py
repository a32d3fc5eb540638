"""Ranks over blocks, Friedman's test and Holm's correction."""

import math

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fedbnsl.errors import InputError
from fedbnsl.evaluate.ranks import block_ranks, friedman, holm_pairwise, mean_ranks

# Four blocks, three methods, one tie of two and one of three.
TABLE = pandas.DataFrame({"a": [1, 1, 5, 2], "b": [2, 1, 5, 1], "c": [3, 4, 5, 7]})


def test_ranks_by_hand():
    lower = block_ranks(TABLE, "lower")
    assert lower.to_numpy().tolist() == [[1, 2, 3], [1.5, 1.5, 3], [2, 2, 2], [2, 1, 3]]
    higher = block_ranks(TABLE, "higher")
    assert higher.to_numpy().tolist() == [[3, 2, 1], [2.5, 2.5, 1], [2, 2, 2], [2, 3, 1]]
    assert mean_ranks(TABLE, "lower").to_dict() == {"a": 1.625, "b": 1.625, "c": 2.75}


def test_friedman_by_hand():
    # 12·4/12 · (2·.375² + .75²) = 3.375; ties 6 + 24 = 30 of 4·3·8 = 96: 3.375 / (66/96)
    statistic, p = friedman(TABLE)
    assert statistic == pytest.approx(3.375 * 96 / 66)
    assert p == pytest.approx(math.exp(-statistic / 2))  # χ² with two degrees of freedom


small = st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=2, max_size=12)


@given(small)
def test_friedman_agrees_with_scipy(rows):
    table = pandas.DataFrame(rows, columns=list("abcd"))
    statistic, p = friedman(table)
    if (table.nunique(axis=1) == 1).all():
        assert (statistic, p) == (0, 1)
        return
    expected = stats.friedmanchisquare(*table.to_numpy().T)
    assert statistic == pytest.approx(expected.statistic)
    assert p == pytest.approx(expected.pvalue)
    assert friedman(table, "higher")[0] == pytest.approx(statistic)


def of_mean_ranks(ranks, blocks):
    """A table of ``blocks`` rows whose mean ranks are nearest to these, from permutations and no ties."""
    counts = np.round(np.array(ranks) * blocks)
    rows = [[1, 2, 3]] * blocks
    # exchanges of neighbouring ranks move the sums one at a time
    for k in range(blocks):
        a, b, _ = np.sum(rows, axis=0)
        if a < counts[0]:
            rows[k] = [2, 1, 3] if b > counts[1] else [3, 2, 1]
        elif b < counts[1]:
            rows[k] = [1, 3, 2]
    return pandas.DataFrame(rows, columns=["mcbnc", "ges", "fusion"])


def test_the_printed_p_values_belong_to_90_blocks_and_a_control():
    """Printed mean ranks and p values of MCBNC: SMHD 1.40, 1.91, 2.69 with 6.95e-4 and 7.68e-18.

    They fit each other, within the rounding of the ranks, for N = 90 (15 networks, 6 numbers of sites)
    and Holm over the two comparisons with the best method; not for N = 60, nor over all three pairs.
    """
    printed = {"ges": 6.95e-4, "fusion": 7.68e-18}

    def fits(blocks, comparisons):
        ranges = {}
        for name, gap, factor in (("ges", 0.51, 1), ("fusion", 1.29, comparisons)):
            z = np.array([gap + 0.01, gap - 0.01]) / math.sqrt(12 / (6 * blocks))
            ranges[name] = factor * 2 * stats.norm.sf(z)
        return {name: low <= printed[name] <= high for name, (low, high) in ranges.items()}

    assert fits(90, comparisons=2) == {"ges": True, "fusion": True}
    assert fits(90, comparisons=3) == {"ges": True, "fusion": False}
    assert fits(60, comparisons=2) == {"ges": False, "fusion": False}

    table = of_mean_ranks([1.40, 1.91, 2.69], 90)
    assert mean_ranks(table, "lower").round(2).tolist() == [1.40, 1.91, 2.69]
    found = holm_pairwise(table, "lower", control="best").set_index("second")["p_holm"]
    assert found["ges"] == pytest.approx(6.95e-4, rel=0.15)
    assert found["fusion"] == pytest.approx(7.68e-18, rel=0.5)


def test_holm_by_hand():
    pairs = holm_pairwise(TABLE, "lower")
    assert pairs[["first", "second"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    z = 1.125 / math.sqrt(12 / 24)
    assert pairs["z"].tolist() == pytest.approx([0, z, z])
    p = 2 * stats.norm.sf(z)
    assert pairs["p"].tolist() == pytest.approx([1, p, p])
    # 3·p and then 2·p, which may not be less than the one before
    assert pairs["p_holm"].tolist() == pytest.approx([1, 3 * p, 3 * p])
    against = holm_pairwise(TABLE, "lower", control="c")
    assert against["difference"].tolist() == [-1.125, -1.125]
    assert against["p_holm"].tolist() == pytest.approx([2 * p, 2 * p])


def test_the_best_is_the_control():
    assert set(holm_pairwise(TABLE, "higher", control="best")["first"]) == {"c"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_ranks(TABLE, "up"), "the direction 'up' is unknown"),
        (lambda: mean_ranks(TABLE[["a"]], "lower"), "ranks need a block and two methods"),
        (lambda: mean_ranks(TABLE.iloc[:0], "lower"), "ranks need a block and two methods"),
        (lambda: friedman(TABLE.assign(b=[1, None, None, 2])), "the method 'b' has no result in 2 blocks"),
        (lambda: holm_pairwise(TABLE, "lower", control="d"), "there is no method 'd'"),
    ],
)
def test_what_cannot_be_ranked_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
