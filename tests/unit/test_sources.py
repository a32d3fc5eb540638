"""Sources and partitions as texts."""

import subprocess
import sys

import numpy as np
import pytest

from fedbnsl.data import sources
from fedbnsl.data.networks import NETWORKS, load_network
from fedbnsl.data.sachs import load_sachs
from fedbnsl.data.simulate import LinearSimulation, simulate_linear_gaussian
from fedbnsl.data.sources import (
    check_partition,
    check_source,
    make_sites,
    n_sites,
    source_kind,
    source_size,
    true_graph,
    true_site_weights,
)
from fedbnsl.errors import InputError

CELLS = [
    ("asia@rows=40", "iid"),
    ("asia@rows=40", "equal@sites=4"),
    ("asia@rows=40", "unequal@shares=4+3+2+1,sites=4"),
    ("asia@rows=400", "dirichlet@alpha=0.5,sites=4,variable=lung"),
    ("linear-gaussian@nodes=5,edges=5,rows=30", "iid"),
    ("linear-gaussian@nodes=5,edges=5,rows=30,heterogeneous=true", "iid"),
    ("linear-gaussian@nodes=5,edges=5,rows=30", "unequal@alpha=2.0,minimum=5,sites=4"),
    ("linear-gaussian@nodes=5,edges=5,rows=90", "dirichlet@bins=3,sites=4,variable=x2"),
    ("sachs-cytometry", "equal@sites=4"),
    ("sachs-cytometry", "dirichlet@sites=4,variable=PKA"),
]


@pytest.mark.parametrize(("source", "partition"), CELLS)
def test_a_site_does_not_depend_on_the_others(source, partition):
    all_four = make_sites(source, partition, 3, [1, 2, 3, 4])
    assert [site.label for site in all_four] == ["site_0001", "site_0002", "site_0003", "site_0004"]
    third, first = make_sites(source, partition, 3, [3, 1])
    assert third.label == "site_0003"
    assert third.values.tobytes() == all_four[2].values.tobytes()
    assert first.values.tobytes() == all_four[0].values.tobytes()
    other = make_sites(source, partition, 4, [1])[0]
    assert other.values.tobytes() != first.values.tobytes()
    tables = [site.values.tobytes() for site in all_four]
    assert len(set(tables)) == 4
    assert all((source_kind(source) == "discrete") == site.is_discrete for site in all_four)


@pytest.mark.parametrize(
    ("source", "partition", "sizes"),
    [
        ("asia@rows=40", "iid", [40, 40, 40]),
        ("asia@rows=40", "equal@sites=3", [40, 40, 40]),
        ("asia@rows=40", "unequal@shares=3+2+1,sites=3", [60, 40, 20]),
        ("asia", "iid", [5000, 5000, 5000]),
        ("linear-gaussian@rows=10", "equal@sites=3", [10, 10, 10]),
        ("sachs-cytometry", "equal@sites=3", [2489, 2489, 2488]),
    ],
)
def test_rows(source, partition, sizes):
    assert [site.n_rows for site in make_sites(source, partition, 1, [1, 2, 3])] == sizes


def test_parts_of_a_table_make_the_table():
    whole = load_sachs()[0].values
    parts = make_sites("sachs-cytometry", "unequal@sites=5", 2, range(1, 6))
    together = np.concatenate([part.values for part in parts])
    np.testing.assert_array_equal(together[np.lexsort(together.T)], whole[np.lexsort(whole.T)])


def test_simulated_sites_are_those_of_the_function():
    """Workflow and notebook see the same numbers."""
    ours = make_sites("linear-gaussian@nodes=6,edges=7,rows=25,heterogeneous=true", "iid", 2, [1, 2])
    theirs, truth = simulate_linear_gaussian(6, 7, sites=2, rows=25, seed=2, heterogeneous=True)
    for a, b in zip(ours, theirs, strict=True):
        assert a.values.tobytes() == b.values.tobytes()
    source = "linear-gaussian@nodes=6,edges=7,heterogeneous=true"
    np.testing.assert_array_equal(true_graph(source, 2).weights, truth.weights)
    simulation = LinearSimulation(6, 7, seed=2, heterogeneous=True)
    for number, weights in zip([2, 5], true_site_weights(source, 2, [2, 5]), strict=True):
        np.testing.assert_array_equal(weights.weights, simulation.site_truth(number).weights)


def test_truth():
    assert true_graph("alarm", 1) == load_network("alarm").graph
    assert true_graph("sachs-cytometry", 1) == load_sachs()[1]
    assert true_graph("sachs", 1).n_edges == 17
    same = true_site_weights("linear-gaussian@rows=7", 4, [1, 9])
    np.testing.assert_array_equal(same[0].weights, same[1].weights)
    np.testing.assert_array_equal(same[0].weights, true_graph("linear-gaussian@rows=9", 4).weights)
    with pytest.raises(InputError, match="only simulated sites have known weights"):
        true_site_weights("asia", 1, [1])


def test_equal_settings_are_one_source():
    """Defaults may be written or left out, in any order: texts and rows are the same."""
    short, long = check_source("asia"), check_source("asia@rows=5000")
    assert str(short) == str(long) == "asia@rows=5000"
    a = make_sites("linear-gaussian@rows=20,nodes=9", "iid", 1, [1])[0]
    b = make_sites("linear-gaussian@edges=20,nodes=9,rows=20,variance_low=1", "iid", 1, [1])[0]
    assert a.values.tobytes() == b.values.tobytes()
    for text in ("asia", "linear-gaussian@nodes=50", "sachs-cytometry"):
        full = str(check_source(text))
        assert str(check_source(full)) == full


def test_a_random_network_has_a_truth_for_each_seed_and_no_rows():
    first, again, other = (true_graph("random-dag@nodes=12", seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert first.n_nodes == 12
    assert source_kind("random-dag") == "none"
    assert source_size("random-dag@nodes=12") == (12, 0)
    assert str(check_source("random-dag")) == "random-dag@edges=2.5,max_children=4,max_parents=3,nodes=30"
    with pytest.raises(InputError, match="source 'random-dag': this source has no rows"):
        make_sites("random-dag", "iid", 1, [1])


def test_number_of_sites():
    assert n_sites("iid") is None
    assert n_sites("dirichlet@sites=5,variable=a") == 5
    assert n_sites("unequal@shares=5+3+2,sites=3") == 3


def test_sizes(monkeypatch):
    monkeypatch.setattr(sources, "load_network", None)
    monkeypatch.setattr(sources, "load_sachs", None)
    assert source_size("link@rows=100") == (724, 100)
    assert source_size("asia") == (8, 5000)
    assert source_size("linear-gaussian@nodes=50,rows=10") == (50, 10)
    assert source_size("sachs-cytometry") == (11, 7466)


def test_sizes_are_true():
    assert load_sachs()[0].values.shape == source_size("sachs-cytometry")[::-1]
    for name in NETWORKS:
        if name not in ("mildew", "barley", "pathfinder", "diabetes"):  # slow to load; see test_networks
            assert source_size(name)[0] == len(load_network(name).names)


def test_sizes_need_no_data_packages():
    code = (
        "import sys; from fedbnsl.data.sources import source_size; source_size('link');"
        "print([name for name in ('pgmpy', 'pandas', 'pyarrow', 'scipy.stats') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("asja", "there is no data source 'asja'. Choose one of: asia, sachs, child"),
        ("asia@row=5", "source 'asia@row=5': there is no option 'row'. Options: rows"),
        ("asia@rows=0", "rows must be from 1 to 1000000000, not 0"),
        ("asia@rows=many", "the option 'rows' must be a whole number, not 'many'"),
        ("asia@rows=2.5", "the option 'rows' must be a whole number, not 2.5"),
        ("asia@rows=true", "the option 'rows' must be a whole number, not True"),
        ("sachs-cytometry@rows=5", "there is no option 'rows'. Options: log"),
        ("sachs-cytometry@log=1", "the option 'log' must be true or false, not 1"),
        ("asia@rows=1000000001", "source 'asia@rows=1000000001': rows must be from 1 to 1000000000"),
        ("linear-gaussian@graph=2", "graph: there is no '2'. Choose one of: erdos-renyi, scale-free"),
        ("linear-gaussian@weight_variance=nan", "the option 'weight_variance' must be a number, not 'nan'"),
        ("linear-gaussian@weight_variance=inf", "weight_variance must be a finite number, not inf"),
        ("linear-gaussian@noise=cauchy", "noise: there is no 'cauchy'"),
        ("linear-gaussian@nodes=3,edges=4", "a DAG on 3 nodes cannot have 4 edges"),
        ("linear-gaussian@graph=scale-free,edges=3,nodes=20", "scale-free graph of 20 nodes and 3 edges"),
        ("linear-gaussian@heterogeneous=1", "the option 'heterogeneous' must be true or false, not 1"),
        ("linear-gaussian@seed=1", "there is no option 'seed'"),
        ("random-dag@rows=5", "there is no option 'rows'. Options: nodes, max_parents, max_children, edges"),
        ("random-dag@nodes=0", "a network has 1 node or more, not 0"),
        ("random-dag@edges=0.5", "starts from a chain"),
        ("linear-gaussian@weight_variance=x", "the option 'weight_variance' must be a number, not 'x'"),
    ],
)
def test_bad_sources(text, message):
    with pytest.raises(InputError) as caught:
        check_source(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("random@sites=3", "there is no partition 'random'. Choose one of: iid, equal, unequal, dirichlet"),
        ("iid@sites=3", "partition 'iid@sites=3': there is no option 'sites'. Options: none"),
        ("equal", "partition 'equal': the option 'sites' is missing. Write equal@sites=3"),
        ("equal@sites=0", "sites must be a whole number from 1 to 1000000, not 0"),
        ("unequal@alpha=0,sites=2", "partition 'unequal@alpha=0,sites=2': alpha must be from 1e-06 to 1e+06"),
        ("unequal@alpha=inf,sites=2", "alpha must be from 1e-06 to 1e+06, not inf"),
        ("unequal@alpha=1e308,sites=2", "alpha must be from 1e-06 to 1e+06, not 1e+308"),
        ("unequal@minimum=0,sites=2", "minimum must be a whole number from 1 to 1000000000, not 0"),
        ("unequal@shares=1+2,sites=3", "shares must be 3 positive numbers, not [1.0, 2.0]"),
        ("unequal@shares=1+nan,sites=2", "shares must be 2 positive numbers, not [1.0, nan]"),
        ("unequal@alpha=1,shares=1+2,sites=2", "give either shares or alpha, not both"),
        ("dirichlet@bins=1000000000,sites=2,variable=x", "bins must be a whole number from 1 to 100000"),
        ("dirichlet@bins=2.5,sites=2,variable=x", "the option 'bins' must be a whole number, not 2.5"),
        ("equal@sites=3,alpha=1", "there is no option 'alpha'. Options: sites"),
        ("dirichlet@sites=3", "the option 'variable' is missing. Write dirichlet@sites=3,variable=NAME"),
        ("unequal@sites=2,shares=1+x", "cannot read the shares '1+x'. Write, for example, shares=5+3+2"),
    ],
)
def test_bad_partitions(text, message):
    with pytest.raises(InputError) as caught:
        check_partition(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("source", "partition", "number", "message"),
    [
        ("asia", "equal@sites=3", 4, "partition 'equal@sites=3': there is no site 4"),
        ("asia", "iid", 0, "there is no site 0"),
        ("sachs-cytometry", "iid", 1, "does not go with the partition 'iid'"),
        ("linear-gaussian@heterogeneous=true", "equal@sites=2", 1, "no common table to split"),
        (
            "asia@rows=9",
            "dirichlet@sites=2,variable=x",
            1,
            "there is no variable 'x'. The variables are asia",
        ),
        ("sachs-cytometry", "equal@sites=9999", 1, "7466 rows cannot be split into 9999 sites"),
        ("asia", "unequal@shares=1+2,sites=3", 1, "shares must be 3 positive numbers, not [1.0, 2.0]"),
    ],
)
def test_what_does_not_go_together(source, partition, number, message):
    with pytest.raises(InputError) as caught:
        make_sites(source, partition, 1, [number])
    assert message in str(caught.value)


def test_sachs_on_the_log_scale():
    raw = make_sites("sachs-cytometry", "equal@sites=3", 1, [2])[0]
    log = make_sites("sachs-cytometry@log=true", "equal@sites=3", 1, [2])[0]
    np.testing.assert_array_equal(log.values, np.log(raw.values))  # the same rows go to the same site
    assert true_graph("sachs-cytometry@log=true", 1) == true_graph("sachs-cytometry", 1)
    assert source_size("sachs-cytometry@log=true") == (11, 7466)
