"""Same configuration, same bytes, whatever the number of cores; another seed, other numbers.

A small study that uses every kind of job; what a cluster makes of the whole smoke preset is compared in
tests/cluster.
"""

import pytest
from checkout import Checkout
from tiny_study import make_tiny, result_digests


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Digests of the files that a fresh copy makes."""

    def made(cores, seed):
        checkout = make_tiny(Checkout(tmp_path_factory.mktemp("copy")), seed)
        checkout.snakemake("all", "learned", cores=cores)
        return result_digests(checkout)

    return made


def test_the_number_of_cores_changes_no_byte_and_the_seed_does(results):
    one, two, other = results(1, seed=1), results(2, seed=1), results(2, seed=2)
    assert len(one) > 60
    assert one == two
    assert set(one) == set(other)  # no name of a file depends on what was drawn
    data = [name for name in one if name.endswith(".parquet")]
    graphs = [name for name in one if name.startswith("generated/") and name.endswith(".json")]
    learned = [name for name in one if name.startswith("federated/") and name.endswith("graphs.json")]
    drawn = [*data, *graphs, *learned, "figures/tiny-figure.png"]
    assert min(len(data), len(graphs), len(learned)) >= 1
    assert [name for name in drawn if one[name] == other[name]] == []
