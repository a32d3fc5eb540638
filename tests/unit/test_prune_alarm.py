"""The pruning of ten networks learned from ALARM, step by step against the literal procedure."""

import numpy as np
import pytest
from literal_pruning import prune as prune_literally

from fedbnsl.consensus import prune
from fedbnsl.data import load_network
from fedbnsl.learn import ges
from fedbnsl.seeds import generator


@pytest.fixture(scope="module")
def learned():
    net = load_network("alarm")
    return [ges(net.sample(5000, seed=seed)) for seed in range(10)]


@pytest.mark.parametrize("variant", ["gmcbc", "mcbnc"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"k_max": 1},
        {"weights": [5, 1, 2, 1, 1, 3, 1, 1, 40, 1], "ties": "random"},
        {"reuse": "stale", "ties": "random", "weights": [1, 2] * 5},
    ],
    ids=lambda options: "-".join(options) or "usual",
)
def test_every_step_is_the_literal_one(learned, variant, options):
    path = prune(learned, variant, **{"ties": "first", "seed": 4, **options})
    draws = None
    if options.get("ties") == "random":
        draws = generator(4, "ties of the pruning").random(len(path.steps))
    expected = prune_literally(
        [set(graph.edges()) for graph in path.inputs],
        path.fusion.names,
        set(path.fusion.edges()),
        variant == "mcbnc",
        k_max=options.get("k_max", 10),
        draws=draws,
        weights=list(path.weights),
        stale="reuse" in options,
    )
    assert [(s.x, s.y, set(s.H), s.total, [set(arcs) for arcs in s.cut]) for s in path.steps] == expected
    assert len(expected) == path.fusion.n_edges > 70
    assert np.unique([s.total for s in path.steps]).size >= 8
