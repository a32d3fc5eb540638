"""For all tests: which of them share a process, and where a run is that need not be made again."""

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--finished",
        metavar="FOLDER",
        help="a checkout after the smoke run; by default tests/browser and tests/cluster make one",
    )


def pytest_collection_modifyitems(items):
    """A file's tests share what they have made, and so do all that look at the one smoke run."""
    for item in items:
        shared = "smoke" if "finished" in item.fixturenames else item.path.stem
        item.add_marker(pytest.mark.xdist_group(shared))
