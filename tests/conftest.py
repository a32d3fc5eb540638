"""For all tests: where a run of the workflow is that need not be made again."""


def pytest_addoption(parser):
    parser.addoption(
        "--finished",
        metavar="FOLDER",
        help="a checkout after the smoke run; by default tests/browser and tests/cluster make one",
    )
