"""Memory asked for beside peaks that were measured."""

import pytest

from fedbnsl.workflow.cost import memory_mb

# (source, sites whose rows are held, graphs, measured peak in MB); 412 is a job that compiles
PEAKS = [
    ("asia@rows=5000", 1, 0, 245),
    ("sachs@rows=5000", 1, 0, 412),
    ("link@rows=5000", 1, 0, 416),
    ("andes@rows=5000", 1, 0, 277),
    ("andes@rows=5000", 0, 30, 184),
    ("andes@rows=5000", 30, 30, 410),
    ("pathfinder@rows=5000", 30, 30, 327),
    ("sachs-cytometry@log=true", 3, 0, 313),
]


@pytest.mark.parametrize(("source", "held", "graphs", "peak"), PEAKS)
def test_what_is_asked_for_is_enough_and_not_four_times_too_much(source, held, graphs, peak):
    assert peak < memory_mb(source, held, graphs) < 4 * peak
