"""Greedy equivalence search and the other learners on numbers and options at the edge of what is possible."""

import numpy as np
import pytest

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.learn import ges, hill_climb_pgmpy
from fedbnsl.registry import method


def columns(rows=200):
    return np.random.default_rng(0).normal(size=(rows, 2))


@pytest.mark.parametrize("size", [1e-300, 1e-162, 1e-20, 1.0, 1e153, 1e300])
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_a_dependence_is_found_at_any_scale(size, shift):
    c = columns()
    a = c[:, 0] + shift
    values = np.c_[a, a + 0.3 * c[:, 1]]
    [edge] = ges(SiteData(("a", "b"), size * values)).edges()
    assert set(edge) == {"a", "b"}


def test_one_huge_value_changes_the_other_columns_nothing():
    c = columns()
    x = c[:, 0].copy()
    x[0] = 1e300
    site = SiteData(("a", "b", "x"), np.c_[c[:, 0], c[:, 0] + 0.3 * c[:, 1], x])
    assert ("a", "b") in {tuple(sorted(edge)) for edge in ges(site).edges()}


def test_columns_that_rounding_cannot_tell_apart_are_named():
    c = columns()
    site = SiteData(("u", "v", "w"), np.c_[c[:, 1], c[:, 0], c[:, 0] + 1e-9 * c[:, 1]])
    with pytest.raises(
        InputError, match="the columns 'v', 'w' are linear functions of each other, but for less"
    ):
        ges(site)
    tens = np.random.default_rng(1).normal(size=(200, 70))
    tens = np.c_[tens, tens[:, 3]]
    with pytest.raises(InputError, match="the columns 'x3', 'x70' are linear functions"):
        ges(SiteData([f"x{i}" for i in range(71)], tens))
    three = SiteData(("u", "v", "w"), np.c_[c, c.sum(axis=1)])
    with pytest.raises(InputError, match="the columns 'u', 'v', 'w' are linear functions"):
        ges(three)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_parents": 1.5}, "max_parents must be a whole number of 0 or more, not 1.5"),
        ({"max_parents": "2"}, "max_parents must be a whole number"),
        ({"max_parents": -1}, "max_parents must be a whole number"),
        ({"reinsertion": 1.5}, "reinsertion must be a whole number"),
        ({"reinsertion": True}, "reinsertion must be a whole number"),
        ({"ess": "1"}, "equivalent sample size must be a number above 0, not '1'"),
        ({"turning": "no"}, "turning must be true or false, not 'no'"),
        ({"time_limit": "5"}, "time_limit must be 0 seconds or more, not '5'"),
        ({"time_limit": float("nan")}, "time_limit must be 0 seconds or more"),
        ({"required": 5}, "edges and tiers are lists of lists of names, or a text, not 5"),
        ({"required": [5]}, "edges and tiers are lists of lists of names"),
        ({"required": [("a", "bb")]}, "Did you mean 'b'"),
    ],
)
def test_options_of_the_wrong_kind(options, message):
    site = SiteData(("a", "b"), np.arange(20).reshape(10, 2) % 3, (tuple("012"),) * 2)
    with pytest.raises(InputError, match=message):
        ges(site, **options)


def test_an_empty_text_is_no_knowledge_and_blanks_do_not_count():
    site = SiteData(("a", "b"), columns())
    assert ges(site, required="", forbidden=" ", tiers="") == ges(site)
    assert ges(site, required=" a .. b ").edges() == [("a", "b")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"required": "smoke"}, "'smoke' is no edge"),
        ({"required": "a..b", "forbidden": "a..b"}, "both required and forbidden"),
        ({"required": "a..b+b..a"}, "cycle"),
        ({"tiers": "a+b..a"}, "stands twice"),
        ({"required": "b..a", "tiers": "a..b"}, "tier"),
    ],
)
def test_knowledge_in_config_is_checked_before_there_is_data(options, message):
    with pytest.raises(InputError, match=message) as raised:
        method("ges").checked(options, where="config.yaml, options.ges")
    assert "config.yaml, options.ges" in str(raised.value)


def test_knowledge_in_config_that_is_in_order_passes():
    method("ges").checked({"required": "a..b", "forbidden": "b..c", "tiers": "a..b+c"})


def test_whole_numbers_that_a_float_cannot_hold_are_refused():
    identifiers = [[2**60 + i, i] for i in range(5)]
    with pytest.raises(InputError, match=r"column 'a': row 1 has the whole number 1152921504606846976"):
        SiteData(("a", "b"), identifiers)
    assert SiteData(("a",), [[2**53], [-(2**53)]]).values.tolist() == [[2.0**53], [-(2.0**53)]]


def test_the_score_of_the_pgmpy_searches_follows_the_data():
    c = columns()
    site = SiteData(("a", "b"), np.c_[c[:, 0], c[:, 0] + 0.3 * c[:, 1]])
    assert hill_climb_pgmpy(site) == hill_climb_pgmpy(site, score="bic") == ges(site)
    with pytest.raises(InputError, match="max_parents must be 0 or more"):
        hill_climb_pgmpy(site, max_parents=-1)
