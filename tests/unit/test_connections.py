"""Overlapping and site-specific connections, on an example by hand."""

from fedbnsl.evaluate.connections import f_score, overlapping, site_specific, undirected

SITES = {
    "north": [("a", "b"), ("b", "c"), ("c", "d")],
    "south": [("a", "b"), ("c", "b"), ("c", "d")],
    "west": [("a", "b"), ("b", "c"), ("d", "a")],
}


def test_all_sites_and_one_site():
    assert overlapping(SITES) == {("a", "b")}
    assert site_specific(SITES) == {"north": set(), "south": {("c", "b")}, "west": {("d", "a")}}
    assert overlapping({}) == set()
    assert site_specific({}) == {}


def test_directions_are_passed_over():
    assert undirected([("b", "a"), ("a", "b"), ("c", "b")]) == {("a", "b"), ("b", "c")}


def test_f_score():
    assert f_score([1, 2, 3], [2, 3, 4, 5]) == 4 / 7
    assert f_score([], [1]) == 0
    assert f_score([], []) == 1
