import os
import subprocess
import sys

import numpy as np
import pandas
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.path import Path

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.plot import style
from fedbnsl.plot.bars import bars, boxes
from fedbnsl.plot.curves import curves
from fedbnsl.plot.draw import draw_network
from fedbnsl.plot.edges import picture_edges, status_counts, status_texts, with_head
from fedbnsl.plot.save import save_figure
from fedbnsl.plot.scales import Scale, choose_scale, set_scale
from fedbnsl.plot.summary import summarise
from fedbnsl.plot.thresholds import best_points, threshold_choice

NAMES = ["a", "b", "c", "d"]
TRUTH = Graph.from_edges(NAMES, [("a", "b"), ("b", "c"), ("c", "d")])
# a → b is right, c → b is turned round, a → d is not in the truth, c → d is not found
FOUND = Graph.from_edges(NAMES, [("a", "b"), ("c", "b"), ("a", "d")])


def two_seeds():
    """Method u: 1, 3 then 2, 6; method v: 5 then NaN. Means 2, 4 and 5; sd √2, √8 and none."""
    rows = [("u", 0, 1, 1.0), ("u", 1, 1, 3.0), ("u", 0, 2, 2.0), ("u", 1, 2, 6.0)]
    rows += [("v", 0, 1, 5.0), ("v", 0, 2, np.nan)]
    return pandas.DataFrame(rows, columns=["method", "seed", "round", "shd"])


def levels(ax):
    """The horizontal reference lines (they span the axes from 0 to 1)."""
    return [line for line in ax.lines if list(line.get_xdata()) == [0, 1]]


def uprights(ax):
    return [line for line in ax.lines if list(line.get_ydata()) == [0, 1]]


def legend_texts(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


# --- numbers ------------------------------------------------------------------------------------


def test_summary_has_mean_sample_sd_and_count():
    out = summarise(two_seeds(), "round", "shd", ["method"])
    assert out["method"].tolist() == ["u", "u", "v", "v"]
    np.testing.assert_allclose(out["mean"], [2, 4, 5, np.nan])
    np.testing.assert_allclose(out["sd"], [2**0.5, 8**0.5, np.nan, np.nan])
    assert out["n"].tolist() == [2, 2, 1, 0]


def test_steps_are_carried_forward_to_the_breakpoints_of_the_other_seeds():
    table = pandas.DataFrame(
        {"seed": [0, 0, 1, 1], "theta": [0.0, 0.5, 0.2, 0.7], "smhd": [10.0, 4.0, 20.0, 8.0]}
    )
    out = summarise(table, "theta", "smhd", step=True)
    assert out["theta"].tolist() == [0.0, 0.2, 0.5, 0.7]
    # seed 1 has no value before its first breakpoint at 0.2
    np.testing.assert_allclose(out["mean"], [10, (10 + 20) / 2, (4 + 20) / 2, (4 + 8) / 2])
    assert out["n"].tolist() == [1, 2, 2, 2]


def test_summary_of_nothing_is_empty_and_a_missing_column_is_named():
    assert list(summarise(two_seeds().iloc[:0], "round", "shd", ["method"])) == [
        "method",
        "round",
        "mean",
        "sd",
        "n",
    ]
    with pytest.raises(InputError, match="no column 'tpr'"):
        summarise(two_seeds(), "round", "tpr")


def test_curves_draw_means_and_bands_of_one_sd():
    ax = curves(two_seeds(), "round", "shd", "method").axes[0]
    u, v = ax.lines
    np.testing.assert_array_equal(u.get_xdata(), [1, 2])
    np.testing.assert_allclose(u.get_ydata(), [2, 4])
    np.testing.assert_allclose(v.get_ydata(), [5, np.nan])
    (band,) = ax.collections  # v has one seed: no band
    corners = {tuple(np.round(corner, 6)) for corner in band.get_paths()[0].vertices}
    for x, mean, sd in ((1, 2, 2**0.5), (2, 4, 8**0.5)):
        assert {(x, round(mean - sd, 6)), (x, round(mean + sd, 6))} <= corners
    assert ax.get_xlabel() == "round"
    assert ax.get_ylabel() == "SHD (edges)"


def test_panels_rows_legend_and_empty_panels():
    table = pandas.concat(two_seeds().assign(setting=s, where=w) for s in "pq" for w in ("x", "y"))
    table["where"] = pandas.Categorical(table["where"], ["x", "y", "z"])
    figure = curves(table, "round", "shd", "method", panels="where", rows="setting")
    assert len(figure.axes) == 6
    assert [ax.get_title() for ax in figure.axes] == ["x", "y", "z", "", "", ""]
    assert legend_texts(figure) == ["u", "v", "mean ± sd, n = 2 seeds"]
    silent = [ax for ax in figure.axes if "no data" in [text.get_text() for text in ax.texts]]
    assert len(silent) == 2
    assert all(not ax.lines for ax in silent)
    # only the lower row names x
    assert [ax.get_xlabel() for ax in figure.axes] == [""] * 3 + ["round"] * 3
    assert len({ax.get_xlim() for ax in figure.axes}) == 1


def test_sixteen_panels_stay_apart():
    table = pandas.concat(two_seeds().assign(network=f"network {k}") for k in range(16))
    figure = curves(table, "round", "shd", "method", panels="network", log_y=True)
    figure.draw_without_rendering()
    boxes_ = [ax.get_tightbbox() for ax in figure.axes] + [figure.legends[0].get_window_extent()]
    for k, one in enumerate(boxes_):
        assert min(one.x0, one.y0) >= 0
        assert one.x1 <= figure.bbox.x1 + 1
        assert one.y1 <= figure.bbox.y1 + 1
        assert not any(one.overlaps(other.padded(-0.5)) for other in boxes_[k + 1 :])


def test_legends_of_many_long_names_fit_under_the_panels():
    names = [f"method number {k} with a long name" for k in range(8)]
    table = pandas.concat(two_seeds().iloc[:4].assign(method=name) for name in names)
    figure = curves(table, "round", "shd", "method")
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert legend.x0 >= 0
    assert legend.x1 <= figure.bbox.x1
    assert not legend.overlaps(figure.axes[0].get_tightbbox())
    assert figure.axes[0].get_position().height * figure.get_figheight() > 1.2


def test_reference_lines_go_to_their_panel_in_their_groups_colour():
    table = pandas.concat(two_seeds().assign(network=n, sites=r) for n in ("asia", "alarm") for r in (10, 30))
    across = pandas.DataFrame(
        {
            "network": ["asia", "asia", "asia"],
            "sites": [10, 30, np.nan],
            "label": ["mean of GES inputs", "mean of GES inputs", "gold"],
            "shd": [7.0, 9.0, 1.5],
        }
    )
    upright = pandas.DataFrame({"label": ["chosen", "chosen"], "round": [1.0, 2.0]})
    figure = curves(
        table, "round", "shd", "sites", panels="network", hlines=across, vlines=upright, step=True
    )
    asia, alarm = figure.axes
    colours = style.group_styles([10, 30])
    level = {line.get_ydata()[0]: line.get_color() for line in levels(asia)}
    assert level == {7.0: colours[10]["color"], 9.0: colours[30]["color"], 1.5: style.BLACK}
    assert not levels(alarm)
    # rows of one label are averaged, in every panel, as the frame has no panel column
    for ax in figure.axes:
        assert [line.get_xdata()[0] for line in uprights(ax)] == [1.5]
    lines = ["10 sites", "30 sites", "mean of GES inputs", "gold standard", "chosen"]
    assert legend_texts(figure) == [*lines, "mean ± sd, n = 2 seeds"]
    assert [line.get_linestyle() for line in levels(asia)] == ["--", "--", ":"]
    assert {line.get_drawstyle() for line in asia.lines} == {"steps-post", "default"}


def test_bands_are_cut_at_what_a_measure_can_be_and_the_legend_says_so():
    table = pandas.DataFrame({"seed": [0, 1] * 2, "round": [1, 1, 2, 2], "tpr": [0.0, 0.2, 0.7, 1.0]})
    figure = curves(table, "round", "tpr")
    corners = figure.axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == (0, 1)  # 0.1 − 0.14 and 0.85 + 0.21
    assert legend_texts(figure) == ["mean ± sd, n = 2 seeds, cut to possible range"]
    table["rate"] = table["tpr"]
    free = curves(table, "round", "rate").axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert (free.min(), free.max()) == pytest.approx((0.1 - 0.02**0.5, 0.85 + 0.045**0.5))


def test_panels_of_one_measure_have_the_same_limits_in_all_rows_and_their_own_text():
    table = pandas.concat(
        two_seeds().assign(shd=k * two_seeds()["shd"], setting=s, what=w)
        for k, (s, w) in enumerate([("p", "shd"), ("p", "sid"), ("q", "shd"), ("q", "sid")], start=1)
    )
    texts = {"shd": "SHD (edges)", "sid": "SID (pairs)"}
    axes = curves(table, "round", "shd", "method", panels="what", rows="setting", y_text=texts).axes
    assert [ax.get_ylabel() for ax in axes] == ["SHD (edges)", "SID (pairs)"] * 2
    assert not any(ax.get_title() for ax in axes)
    assert axes[0].get_ylim() == axes[2].get_ylim()
    assert axes[1].get_ylim() == axes[3].get_ylim()
    assert axes[0].get_ylim()[1] >= 15 > axes[0].get_ylim()[0]  # method v: 5 and three times 5


def many_scales():
    """Panels: 0 to 10, 0 only, 300 to 20."""
    values = {"a": [10.0, 1.0, 0.0], "b": [0.0, 0.0, 0.0], "c": [300.0, 20.0, 20.0]}
    parts = [
        pandas.DataFrame({"seed": 0, "theta": [0.0, 0.5, 1.0], "smhd": v, "network": k})
        for k, v in values.items()
    ]
    return pandas.concat(parts)


def test_all_panels_have_the_same_scale_which_the_label_names_and_zero_stays_in_view():
    figure = curves(many_scales(), "theta", "smhd", panels="network", log_y=True, step=True)
    for ax in figure.axes:
        assert ax.get_yscale() == "symlog"
        low, high = ax.get_ylim()
        assert low < 0
        pixels = ax.transData.transform([(0, low), (0, 0), (0, high)])[:, 1]
        assert 0.03 < (pixels[1] - pixels[0]) / (pixels[2] - pixels[0]) < 0.1
        assert 0 in ax.get_yticks()
        assert sum(low <= tick <= high for tick in ax.get_yticks()) >= 3
    said = figure.get_supylabel().replace("\n", " ")
    assert said == "SMHD (edges), symmetric log scale, linear below 1"
    positive = many_scales().assign(smhd=many_scales()["smhd"] + 1)
    figure = curves(positive, "theta", "smhd", panels="network", log_y=True)
    assert {ax.get_yscale() for ax in figure.axes} == {"log"}
    assert figure.get_supylabel() == "SMHD (edges), log scale"


def test_values_of_one_magnitude_have_a_linear_axis_and_counts_whole_ticks():
    table = pandas.DataFrame({"seed": 0, "theta": [0.0, 0.5, 1.0], "smhd": [2.5, 1.0, 0.0]})
    ax = curves(table, "theta", "smhd", log_y=True).axes[0]
    assert (ax.get_yscale(), ax.get_ylabel()) == ("linear", "SMHD (edges)")
    assert ax.get_ylim()[0] < 0
    assert all(float(tick).is_integer() for tick in ax.get_yticks())
    ax = curves(table.rename(columns={"smhd": "mse"}), "theta", "mse").axes[0]
    assert not all(float(tick).is_integer() for tick in ax.get_yticks())


@pytest.mark.parametrize(
    ("values", "below", "scale"),
    [
        ([1, 29.9], None, Scale("linear")),
        ([0, 1, 29.9], None, Scale("linear")),
        ([0, 0], None, Scale("linear")),
        ([1, 30], None, Scale("log")),
        ([0, 0.7, 30], None, Scale("symlog", 0.5)),
        ([0, 1e-9, 20], 1, Scale("linear")),
        ([0, -1e-9, -20000], 1, Scale("symlog", 1)),
    ],
)
def test_scale_for_values(values, below, scale):
    assert choose_scale([*values, np.nan], below) == scale


@pytest.mark.parametrize(
    ("scale", "values", "ticks"),
    [
        (Scale("symlog", 1), [0, -24000], [-10000, -1000, -100, -10, -1, 0]),
        (Scale("symlog", 1), [-3, 30], [-1, 0, 1, 10]),
        (Scale("symlog", 1), [0, 1e10], [0, 1, 100, 1e4, 1e6, 1e8, 1e10]),
        (Scale("log"), [1, 300], [1, 2, 5, 10, 20, 50, 100, 200]),
        (Scale("log"), [61, 68], [62, 64, 66, 68]),
    ],
)
def test_ticks_are_round_and_neither_few_nor_crowded(scale, values, ticks):
    ax = Figure().add_subplot()
    ax.plot(values)
    set_scale(ax, scale, values)
    low, high = ax.get_ylim()
    assert [t for t in ax.get_yticks() if low <= t <= high] == pytest.approx(ticks)


def test_labels_beside_that_of_zero_go_where_they_would_run_into_it():
    def ticks(height):
        ax = Figure(figsize=(3, height)).add_subplot()
        set_scale(ax, Scale("symlog", 1), [3, -24000])
        return list(ax.get_yticks())

    assert ticks(4) == [-10000, -1000, -100, -10, -1, 0, 1]
    assert ticks(1) == [-10000, -1000, -100, -10, 0]


def test_steps_hold_after_the_last_breakpoint_and_panels_may_have_their_own_x():
    table = many_scales()
    table.loc[table["network"] == "b", "theta"] *= 4
    figure = curves(table, "theta", "smhd", panels="network", step=True, own_x=True)
    ends = [ax.get_xlim()[1] for ax in figure.axes]
    assert ends == pytest.approx([1.1, 4.4, 1.1])
    assert [ax.lines[0].get_xdata()[-1] for ax in figure.axes] == ends
    assert [ax.lines[0].get_ydata()[-1] for ax in figure.axes] == [0, 0, 20]
    shared = curves(table, "theta", "smhd", panels="network", step=True)
    assert {ax.get_xlim() for ax in shared.axes} == {figure.axes[1].get_xlim()}


def test_dash_separates_colour_from_linestyle():
    table = pandas.concat(two_seeds().assign(data=d) for d in ("raw", "standardised"))
    figure = curves(table, "round", "shd", "method", dash="data")
    seen = [(line.get_color(), line.is_dashed()) for line in figure.axes[0].lines]
    assert len(set(seen)) == 4
    assert {c for c, _ in seen} == {look["color"] for look in style.group_styles(["u", "v"]).values()}
    assert legend_texts(figure) == ["u", "v", "raw", "standardised", "mean ± sd, n = 2 seeds"]


def test_boxes_show_quartiles_and_skip_missing_values():
    table = pandas.DataFrame({"site": ["s"] * 6, "mse": [1.0, 2.0, 3.0, 4.0, 5.0, np.nan]})
    ax = boxes(table, "site", "mse").axes[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["s"]
    height = ax.patches[0].get_path().vertices[:, 1]
    assert (height.min(), height.max()) == (2, 4)
    assert any((line.get_ydata() == 3).all() for line in ax.lines)


def test_bars_reach_from_zero_to_the_mean():
    figure = bars(two_seeds().dropna(), "method", "shd", "round")
    ax = figure.axes[0]
    assert [bar.get_height() for bar in ax.patches] == [2, 5, 4]  # round 1: u, v; round 2: u
    assert ax.get_ylim()[0] <= 0
    left, right = (sorted(bar.get_x() + bar.get_width() for bar in ax.patches)[k] for k in (0, 1))
    assert left == pytest.approx(right - 0.4)  # the bars of one category stand side by side
    whiskers = [path.vertices[:, 1] for c in ax.collections for path in c.get_paths()]
    np.testing.assert_allclose(whiskers, [[2 - 2**0.5, 2 + 2**0.5], [4 - 8**0.5, 4 + 8**0.5]])
    assert legend_texts(figure) == ["round = 1", "round = 2"]


# --- threshold ----------------------------------------------------------------------------------

BEST = {"smhd_inputs": "min", "smhd_gold": "min", "bdeu": "max"}


def over_theta():
    return pandas.DataFrame(
        {
            "seed": 0,
            "network": "asia",
            "theta": [0.0, 0.25, 0.5, 0.75],
            "smhd_inputs": [9.0, 5.0, 3.0, 3.0],
            "smhd_gold": [8.0, 2.0, 6.0, 7.0],
            "bdeu": [-10.0, -8.0, -9.5, -20.0],
        }
    )


def test_best_points_and_what_the_choice_gives_away():
    out = best_points(over_theta(), "theta", BEST, "smhd_inputs").set_index("curve")
    assert out["theta"].to_dict() == {"smhd_inputs": 0.5, "smhd_gold": 0.25, "bdeu": 0.25}
    assert out["chosen"].to_dict() == {"smhd_inputs": 3.0, "smhd_gold": 6.0, "bdeu": -9.5}
    assert out["gap"].to_dict() == {"smhd_inputs": 0.0, "smhd_gold": 4.0, "bdeu": 1.5}
    with pytest.raises(InputError, match="direction"):
        best_points(over_theta(), "theta", BEST, "edges")


def test_threshold_figure_marks_the_best_points_and_shades_the_gaps():
    figure = threshold_choice(over_theta(), "theta", BEST, "smhd_inputs", panels="network")
    left, right = figure.axes
    assert sorted(line.get_xdata()[0] for line in uprights(left)) == [0.25, 0.25, 0.5]
    for ax, low, high in ((left, 2, 6), (right, -9.5, -8)):
        (gap,) = ax.collections
        corners = gap.get_paths()[0].vertices
        assert (corners[:, 0].min(), corners[:, 0].max()) == (0.25, 0.5)
        assert (corners[:, 1].min(), corners[:, 1].max()) == (low, high)
    assert right.get_ylabel() == "BDeu (nats)"
    given = ["given away in SMHD to the gold standard", "given away in BDeu"]
    assert legend_texts(figure)[-2:] == given


def test_best_points_at_one_place_all_show_and_only_what_is_shaded_is_in_the_legend():
    table = over_theta().assign(smhd_gold=over_theta()["smhd_inputs"])
    figure = threshold_choice(table, "theta", BEST, "smhd_inputs", panels="network")
    left = figure.axes[0]
    both = [line for line in uprights(left) if line.get_xdata()[0] == 0.5]
    # (offset, (on, off)): one's dash is the other's gap
    (first, pattern), (second, other) = (line._unscaled_dash_pattern for line in both)
    assert list(pattern) == list(other) == [4, 4]
    assert abs(first - second) == 4
    tips = [line for line in left.lines if line.get_marker() == "v"]
    places = {tuple(np.round(line.get_transform().transform((line.get_xdata()[0], 1)), 3)) for line in tips}
    assert len(places) == 3
    assert legend_texts(figure)[-1] == "given away in BDeu"
    assert not any("given away in SMHD" in text for text in legend_texts(figure))
    assert figure.axes[0].get_ylabel() == "SMHD (edges), not from 0"  # 3 to 9


# --- style --------------------------------------------------------------------------------------


def test_a_known_method_looks_the_same_in_every_figure_and_others_keep_off_its_colour():
    alone = style.group_styles(["gmcbc"])["gmcbc"]
    among = style.group_styles(["mine", "yours", "gmcbc", "theirs"])
    assert among["gmcbc"] == alone
    assert len({look["color"] for look in among.values()}) == 4
    assert style.group_styles(["mine", "yours"]) == style.group_styles(["mine", "yours"])


def test_a_method_with_options_has_its_look_unless_the_plain_one_is_there():
    text = "fed-bnsl@l1=0.1,rho1=100"
    plain = style.group_styles(["fed-bnsl"])["fed-bnsl"]
    assert style.group_styles([text])[text] == plain
    both = style.group_styles([text, "fed-bnsl"])
    assert both["fed-bnsl"] == plain
    assert both[text]["color"] != plain["color"]
    assert style.label(text) == "Fed-BNSL (l1=0.1, rho1=100)"


def test_many_groups_all_differ():
    looks = style.group_styles([f"m{k}" for k in range(20)]).values()
    assert len({(look["color"], look["linestyle"]) for look in looks}) == 20
    numbers = style.group_styles([100, 10, 30])
    assert list(numbers) == [10, 30, 100]  # whatever the order given
    lightness = [sum(int(look["color"][k : k + 2], 16) for k in (1, 3, 5)) for look in numbers.values()]
    assert lightness == sorted(lightness)


# --- files --------------------------------------------------------------------------------------

_WRITE = """
import sys
import pandas
from fedbnsl import Graph
from fedbnsl.plot import curves, network_page, save_figure
numbers = {"seed": [0, 1] * 2, "round": [1, 1, 2, 2], "shd": [1.0, 2, 3, 5], "method": "fed-bnsl"}
save_figure(curves(pandas.DataFrame(numbers), "round", "shd", "method"), folder + "/f.v1")
g = Graph.from_edges("abc", [("a", "b"), ("b", "c")])
network_page(g, "t", truth=g, facts={"k": 1}, path=folder + "/p.html")
"""


def test_files_are_the_same_bytes_in_every_run_and_carry_no_date(tmp_path):
    here, there = tmp_path / "one", tmp_path / "deep" / "two"
    exec(_WRITE, {"folder": str(here)})
    code = f"folder = {str(there)!r}\n{_WRITE}"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "77"})
    for name in ("f.v1.pdf", "f.v1.png", "p.html"):
        assert (here / name).read_bytes() == (there / name).read_bytes()
    assert len(list(here.iterdir())) == 3
    pdf, png = ((here / f"f.v1.{suffix}").read_bytes() for suffix in ("pdf", "png"))
    for mark in (b"CreationDate", b"ModDate", b"Matplotlib", b"matplotlib", b"/Producer", b"/Creator"):
        assert mark not in pdf
    assert pdf.startswith(b"%PDF")
    assert b"/FontFile2" in pdf  # TrueType, embedded
    for mark in (b"Software", b"tIME", b"atplotlib"):
        assert mark not in png
    # 200 dots an inch: pHYs in dots a metre
    assert int.from_bytes(png[png.index(b"pHYs") + 4 :][:4], "big") == round(200 / 0.0254)


def test_saving_twice_gives_the_same_files(tmp_path):
    figure = curves(two_seeds(), "round", "shd", "method")
    first = [path.read_bytes() for path in save_figure(figure, tmp_path / "f")]
    assert [path.read_bytes() for path in save_figure(figure, tmp_path / "f")] == first


# --- networks -----------------------------------------------------------------------------------


def test_edges_are_compared_with_the_truth():
    edges = picture_edges(FOUND, TRUTH.reordered("dcba"))
    status = {(NAMES[e.i], NAMES[e.j]): e.status for e in edges}
    assert status == {
        ("a", "b"): "correct",
        ("c", "b"): "reversed",
        ("a", "d"): "extra",
        ("c", "d"): "missing",
    }
    assert status_counts(edges) == {"correct": 1, "reversed": 1, "extra": 1, "missing": 1}
    assert status_counts(picture_edges(FOUND)) == {}
    assert status_texts(FOUND, TRUTH)["reversed"] == "reversed"


def test_an_undirected_edge_is_correct_only_where_the_truth_has_none_either():
    chain = TRUTH.cpdag()  # all undirected
    assert {e.status for e in picture_edges(chain, TRUTH)} == {"reversed"}
    assert {e.status for e in picture_edges(chain, chain)} == {"correct"}
    assert not any(e.directed for e in picture_edges(chain))
    assert status_texts(chain, TRUTH)["reversed"] == "reversed or unoriented"


def test_weights_of_a_weighted_graph_and_of_undirected_edges():
    weights = np.zeros((4, 4))
    weights[1, 0] = -2.5
    assert [(e.i, e.j, e.weight) for e in picture_edges(WeightedGraph(NAMES, weights))] == [(1, 0, -2.5)]
    both = Graph.from_edges(NAMES, [], undirected=[("a", "b")])
    assert picture_edges(both, weights=weights)[0].weight == -2.5
    with pytest.raises(InputError, match="shape"):
        picture_edges(FOUND, weights=np.zeros((3, 3)))


def test_arrow_heads_end_at_the_tip_and_fit_short_curves():
    straight = np.array([[0.0, 0], [10, 0], [20, 0], [30, 0]])
    curve, head = with_head(straight, 8, 6)
    np.testing.assert_allclose(head, [[30, 0], [22, 3], [22, -3]])
    assert 22 <= curve[-1][0] < 30
    np.testing.assert_array_equal(curve[0], [0, 0])
    _, small = with_head(straight / 10, 8, 6)
    np.testing.assert_allclose(small[:, 0], [3, 1.5, 1.5])


def test_picture_of_a_network_has_all_names_heads_and_counts():
    figure = draw_network(FOUND, truth=TRUTH, title="cost $ of a_b")
    (ax,) = figure.axes
    assert [text.get_text() for text in ax.texts] == NAMES
    assert legend_texts(figure) == ["correct (1)", "reversed (1)", "extra (1)", "missing (1)"]
    wires, heads = ax.collections[0:-1:2], ax.collections[1:-1:2]
    assert [len(c.get_paths()) for c in wires] == [1] * 4
    assert [len(c.get_paths()) for c in heads] == [1] * 4
    for wire in wires:
        assert set(wire.get_paths()[0].codes) == {Path.MOVETO, Path.CURVE4}
    assert len({to_hex(c.get_edgecolor()[0]) for c in wires}) == 4
    assert len({str(c.get_linestyle()) for c in wires}) == 4
    figure.draw_without_rendering()  # the title's dollar sign is no formula


def test_undirected_edges_have_no_heads_and_weights_show_as_width_and_colour():
    undirected = draw_network(TRUTH.cpdag()).axes[0]
    assert [len(c.get_paths()) for c in undirected.collections[:2]] == [3, 0]
    weights = np.zeros((4, 4))
    weights[0, 1], weights[0, 2], weights[0, 3] = 2, 1, -2
    figure = draw_network(WeightedGraph(NAMES, weights))
    positive, _, negative, _ = figure.axes[0].collections[:4]
    wide, narrow = positive.get_linewidths()
    assert wide > 1.5 * narrow
    assert negative.get_linewidths()[0] == wide
    assert to_hex(positive.get_edgecolor()[0]) != to_hex(negative.get_edgecolor()[0])
    assert "widest line: |weight| = 2" in legend_texts(figure)


def test_large_networks_drop_names_they_cannot_show_and_stay_printable():
    d = 400
    chain = np.diag(np.ones(d - 1, dtype=int), 1)
    figure = draw_network(Graph([f"variable {k}" for k in range(d)], chain))
    assert max(figure.get_size_inches()) <= 21
    assert not figure.axes[0].texts


@pytest.mark.parametrize("names", [[], ["only"], ["one", "two"]])
def test_networks_without_edges_can_be_drawn(names):
    figure = draw_network(Graph(names, np.zeros((len(names), len(names)))), title="empty")
    assert [text.get_text() for text in figure.axes[0].texts] == names
    figure.draw_without_rendering()


def test_a_long_title_is_broken_to_the_width_of_the_picture():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from fedbnsl.graphs.graph import Graph
    from fedbnsl.plot.draw import draw_network

    title = "fed-bnsl@l1=0.1,rho1=100000,rho2=10,threshold=0.1 on linear-gaussian@edges=20,nodes=20,rows=5000"
    figure = draw_network(Graph.from_edges("ab", [("a", "b")]), title=title)
    (text,) = (t for t in figure.texts if "fed-bnsl" in t.get_text())
    assert text.get_text().replace("\n", "").replace(" ", "") == title.replace(" ", "")
    renderer = FigureCanvasAgg(figure).get_renderer()
    box = text.get_window_extent(renderer)
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
