"""A pruning that is cut short: what it did until then is what it does without a limit."""

import json

import pytest
from literal_pruning import random_dags

from fedbnsl.consensus import PruningPath, prune
from fedbnsl.errors import InputError
from fedbnsl.graphs import Graph


class Clock:
    """A clock that goes on by a second each time it is looked at."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 1
        return self.now


@pytest.fixture
def clock(monkeypatch):
    prune([Graph.from_edges("ab", ["ab"])], time_limit=1e6)  # loads the kernels
    clock = Clock()
    for module in ("pruning", "_stepwise", "_guided"):
        monkeypatch.setattr(f"fedbnsl.consensus.{module}.time", clock)
    return clock


def dense():
    """Three graphs whose fusion has ten edges."""
    graphs = ["ab ac bc cd de", "ae ec cb bd", "da dc ea cb be"]
    return [Graph.from_edges("abcde", text.split()) for text in graphs]


@pytest.mark.parametrize("ties", ["first", "random"])
@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
def test_with_time_enough_it_is_the_same_path(variant, ties):
    for case in range(20):
        graphs = random_dags(case)
        weights = range(1, len(graphs) + 1)
        options = {"variant": variant, "ties": ties, "seed": case, "weights": weights}
        assert prune(graphs, **options, time_limit=1e6) == prune(graphs, **options)


def test_cut_short_it_is_the_beginning_of_the_path(clock):
    graphs = dense()
    whole = prune(graphs, ties="first")
    assert len(whole.steps) == 10
    with pytest.warns(UserWarning, match="time limit of 4 s, with 7 of 10 edges left"):
        path = prune(graphs, ties="first", time_limit=4)
    # begun at 1, so up at 5; before the fourth deletion the clock says 5
    assert path.steps == whole.steps[:3]
    assert not path.ended
    known = [theta for theta in whole.thetas() if theta < max(step.psi for step in path.steps)]
    assert [path.at(theta) for theta in known] == [whole.at(theta) for theta in known]
    assert path.at(1e9).n_edges == 7
    assert PruningPath.from_dict(json.loads(json.dumps(path.to_dict()))) == path


@pytest.mark.parametrize(
    ("limit", "words"),
    [({"max_edges": 1}, "The time limit left 9: give more"), ({"max_treewidth": 0}, "cut the path short")],
)
def test_limits_that_are_not_reached_say_why(clock, limit, words):
    with pytest.warns(UserWarning, match="time limit"), pytest.raises(InputError, match=words):
        prune(dense(), **limit, time_limit=2)


def test_no_time_is_the_fusion(clock):
    with pytest.warns(UserWarning, match="10 of 10 edges left"):
        path = prune(dense(), time_limit=0)
    assert path.steps == ()
    assert path.thetas() == (0.0,)
    assert path.best().n_edges == 10


def test_an_empty_fusion_has_ended_before_any_time(clock):
    assert prune([Graph.from_edges("ab", [])], time_limit=0).ended


def test_forbidden_edges_go_whenever_the_deadline_is(clock):
    graphs = [Graph.from_edges("abc", ["ab", "bc"]), Graph.from_edges("abc", ["ab", "ac"])]
    options = {"forbidden": [("a", "b"), ("b", "a")], "ties": "first"}
    with pytest.warns(UserWarning, match="time limit"):
        path = prune(graphs, **options, time_limit=0)
    assert (path.forced, len(path.steps), path.ended) == (1, 1, False)
    assert not {("a", "b"), ("b", "a")} & set(path.best().edges())
    assert prune(graphs, **options, time_limit=1e9) == prune(graphs, **options)
    assert prune(graphs, **options).ended
