import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph
from fedbnsl.plot import layout
from fedbnsl.plot.layout import NODE_HEIGHT, graph_pairs, layered, shown_name


def random_dag(d: int, share: float, seed: int) -> Graph:
    r = np.random.default_rng(seed)
    order = r.permutation(d)
    upper = np.triu(r.random((d, d)) < share, 1)
    return Graph([f"v{k}" for k in range(d)], upper[np.ix_(order, order)])


def boxes(places):
    x, y = places.centres.T
    half = places.widths / 2
    return np.column_stack([x - half, y - NODE_HEIGHT / 2, x + half, y + NODE_HEIGHT / 2])


def assert_no_overlap(places):
    b = boxes(places)
    apart = (
        (b[:, None, 0] >= b[None, :, 2] - 0.1)
        | (b[None, :, 0] >= b[:, None, 2] - 0.1)
        | (b[:, None, 1] >= b[None, :, 3] - 0.1)
        | (b[None, :, 1] >= b[:, None, 3] - 0.1)
    )
    np.fill_diagonal(apart, True)
    assert apart.all()
    assert b[:, :2].min() >= -0.1
    assert (b[:, 2:].max(axis=0) <= np.array(places.size) + 0.1).all()


def on_border(box, point, slack=1.5):
    x0, y0, x1, y1 = box
    inside = x0 - slack <= point[0] <= x1 + slack and y0 - slack <= point[1] <= y1 + slack
    deep = x0 + slack < point[0] < x1 - slack and y0 + slack < point[1] < y1 - slack
    return inside and not deep


def assert_edges_meet_boxes(graph, places):
    b = boxes(places)
    assert list(places.routes) == graph_pairs(graph)
    for (i, j), curve in places.routes.items():
        assert len(curve) % 3 == 1
        assert on_border(b[i], curve[0])
        assert on_border(b[j], curve[-1])


@settings(max_examples=12, deadline=None)
@given(d=st.integers(2, 14), share=st.floats(0, 0.5), seed=st.integers(0, 10**6))
def test_boxes_stay_apart_edges_join_them_and_children_come_after_parents(d, share, seed):
    graph = random_dag(d, share, seed)
    places = layered(graph)
    assert_no_overlap(places)
    assert_edges_meet_boxes(graph, places)
    for part in layout._components(d, graph_pairs(graph)):
        pairs = [(i, j) for i, j in graph_pairs(graph) if i in part]
        ways = np.array([places.centres[j] - places.centres[i] for i, j in pairs]).reshape(-1, 2)
        assert (ways[:, 1] < 0).all() or (ways[:, 0] > 0).all()  # downward or to the right


def test_the_same_graph_is_laid_out_the_same_way():
    graph = random_dag(30, 0.1, 5)
    one, two = layered(graph), layered(Graph(graph.names, graph.adjacency))
    np.testing.assert_array_equal(one.centres, two.centres)
    assert all((one.routes[pair] == two.routes[pair]).all() for pair in one.routes)


def test_undirected_and_cyclic_graphs():
    cpdag = random_dag(12, 0.2, 3).cpdag()
    assert_edges_meet_boxes(cpdag, layered(cpdag))
    ring = Graph.from_edges("abcde", [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "a")])
    places = layered(ring)
    assert_edges_meet_boxes(ring, places)
    assert_no_overlap(places)
    height = dict(zip(ring.names, places.centres[:, 1], strict=True))
    assert height["e"] > height["a"]  # what leads into the cycle stands above it
    assert height["c"] > height["d"]  # and what leaves it below


def test_further_edges_are_placed_and_routed_too():
    graph = Graph.from_edges("abc", [("a", "b")])
    places = layered(graph, [(2, 1)])
    assert list(places.routes) == [(0, 1), (2, 1)]
    assert on_border(boxes(places)[2], places.routes[2, 1][0])
    assert on_border(boxes(places)[1], places.routes[2, 1][-1])


def test_dense_graphs_get_straight_edges_that_still_follow_the_order():
    graph = random_dag(60, 0.7, 1)
    assert graph.n_edges > 1100
    places = layered(graph)
    assert_no_overlap(places)
    assert_edges_meet_boxes(graph, places)
    for (i, j), curve in places.routes.items():
        assert len(curve) == 4
        assert places.centres[i][1] > places.centres[j][1]


def test_a_star_is_not_drawn_as_one_long_line():
    d = 80
    a = np.zeros((d, d), dtype=int)
    a[0, 1:] = 1
    width, height = layered(Graph([f"leaf number {k}" for k in range(d)], a)).size
    assert max(width, height) / min(width, height) < 8  # one line would be some 90


def test_isolated_nodes_and_components_fill_a_compact_area():
    d = 200
    a = np.zeros((d, d), dtype=int)
    for k in range(0, 60, 3):
        a[k, k + 1] = a[k, k + 2] = 1
    places = layered(Graph([f"v{k}" for k in range(d)], a))
    assert_no_overlap(places)
    assert 0.5 < places.size[0] / places.size[1] < 3
    lowest_joined = places.centres[:60, 1].min()
    assert (places.centres[60:, 1] < lowest_joined).all()


def test_names_that_are_too_long_are_shortened_and_boxes_fit_the_text():
    assert shown_name("a" * 26) == "a" * 26
    assert len(shown_name("x" * 300)) == 26
    places = layered(Graph(["i" * 10, "W" * 10], np.zeros((2, 2))))
    assert places.widths[1] > places.widths[0]


def test_boxes_hold_their_names_in_the_figures_font():
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    names = [
        "INTUBATION",
        "mwMW@@mwMW",
        "iljt.iljt.",
        "HRBP",
        "Größe_der_Probe",
        "X_123456789_y",
        "snake_case_name",
    ]
    widths = layered(Graph(names, np.zeros((7, 7)))).widths
    font = FontProperties(family="DejaVu Sans")
    for name, width in zip(names, widths, strict=True):
        assert TextPath((0, 0), name, size=8, prop=font).get_extents().width <= width - 4


def test_a_missing_layout_program_is_named(monkeypatch):
    monkeypatch.setattr(layout.shutil, "which", lambda name: None)
    with pytest.raises(InputError, match="pip install graphviz-pure"):
        layered(Graph.from_edges("ab", [("a", "b")]))
