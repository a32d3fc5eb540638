"""Pictures of brain networks: what is drawn, where, and that files repeat byte by byte."""

import numpy as np
import pytest
from matplotlib.patches import FancyArrow

from fedbnsl.data.atlas import load_atlas
from fedbnsl.errors import InputError
from fedbnsl.plot.brain import degree_bars, glass_brain, lobe_matrices
from fedbnsl.plot.save import save_figure

NAMES = ["INS.L", "INS.R", "THA.L", "CAU.R", "PreCG.L"]
EDGES = [("INS.L", "INS.R"), ("THA.L", "CAU.R")]


def test_each_connection_is_an_arrow_between_its_regions_in_every_view():
    figure = glass_brain({"patients": EDGES, "controls": []}, NAMES)
    arrows = [
        [patch for patch in ax.patches if isinstance(patch, FancyArrow)]
        for ax in figure.axes
        if any(isinstance(patch, FancyArrow) for patch in ax.patches)
    ]
    assert [len(own) for own in arrows] == [2, 2, 2]  # three views of the patients
    table = load_atlas()
    ends = {(round(patch._x, 2), round(patch._y, 2)) for own in arrows for patch in own}
    for view in ("xz", "yz", "xy"):
        assert tuple(round(table.loc["INS.L", axis], 2) for axis in view) in ends
    texts = [text.get_text() for text in figure.texts]
    assert texts == ["patients (2)", "controls (0)"]


def test_a_glass_brain_is_saved_alike_twice(tmp_path):
    files = [
        save_figure(glass_brain({"patients": EDGES}, NAMES), tmp_path / name)[1].read_bytes() for name in "ab"
    ]
    assert files[0] == files[1]
    assert files[0][:4] == b"\x89PNG"


def test_regions_that_the_atlas_lacks_are_told():
    for draw in (lambda: glass_brain({"x": []}, ["nose"]), lambda: lobe_matrices({"x": {}}, ["nose"])):
        with pytest.raises(InputError, match="no region 'nose'"):
            draw()


def test_matrices_are_sorted_by_lobe_and_rows_are_where_connections_begin():
    made = lobe_matrices({"one": {("INS.L", "INS.R"): "new", ("PreCG.L", "THA.L"): "old"}, "two": {}}, NAMES)
    one, two = made.axes
    # PreCG.L (frontal), INS.L, INS.R, THA.L, CAU.R (subcortical): columns, then rows
    assert [np.asarray(points.get_offsets()).tolist() for points in one.collections] == [[[2, 1]], [[3, 0]]]
    assert [text.get_text() for text in one.get_yticklabels()] == ["Frontal", "Ins., Cing.", "Subcort."]
    assert one.yaxis_inverted()
    assert all(not len(points.get_offsets()) for points in two.collections)


def test_bars_have_the_length_of_the_degree():
    made = degree_bars({"patients": {"out": {"INS.L": 5, "THA.L": 2}, "in": {"CAU.R": 3}}})
    out, into = made.axes
    assert [bar.get_width() for bar in out.patches] == [5, 2]
    assert [text.get_text() for text in out.get_yticklabels()] == ["INS.L", "THA.L"]
    assert (out.get_title(), into.get_title()) == ("patients: out", "patients: in")
    assert out.patches[0].get_facecolor() != out.patches[1].get_facecolor()
