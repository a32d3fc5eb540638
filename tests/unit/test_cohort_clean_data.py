"""No false alarms: samples of the shipped networks, simulated and measured data have no problem."""

import numpy as np
import pytest

from fedbnsl.cohort import check, read
from fedbnsl.data.networks import NETWORKS, load_network
from fedbnsl.data.sachs import load_sachs
from fedbnsl.data.simulate import simulate_linear_gaussian
from fedbnsl.data.site_files import write_site


def written(sites, folder, suffix=".csv"):
    files = {}
    for number, site in enumerate(sites, 1):
        files[f"s{number}"] = str(folder / f"s{number}{suffix}")
        write_site(site, files[f"s{number}"])
    return files


@pytest.mark.parametrize("name", NETWORKS)
def test_samples_of_networks(name, tmp_path):
    network = load_network(name)
    rows = (150, 200, 300) if len(network.names) > 200 else (300, 500, 800)
    sites = [network.sample(n, seed=number) for number, n in enumerate(rows)]
    files = written(sites, tmp_path, ".parquet")
    found = check(files)
    together = np.concatenate([site.values for site in sites])
    constant = [n for n, column in zip(network.names, together.T, strict=True) if len(np.unique(column)) == 1]
    few = [f"s{k}" for k, n in enumerate(rows, 1) if n < len(network.names)]
    # constant columns and sites with fewer rows than variables are told, and nothing else
    assert [(p.severity, p.site, p.column) for p in found.problems] == [
        *(("warning", "", n) for n in constant),
        *(("warning", site, "") for site in few),
    ]
    assert len(constant) < 0.25 * len(network.names)  # some of water are all but certain
    if len(network.names) > 100:
        return  # reading them is no other than reading the smaller ones, and takes long
    for before, after in zip(sites, read(files).sites, strict=True):
        assert (after.names, after.states) == (before.names, before.states)
        np.testing.assert_array_equal(after.values, before.values)


@pytest.mark.parametrize("log", [False, True])
def test_the_measurements_of_sachs(log, tmp_path):
    site, _ = load_sachs(log=log)
    # unequal stretches of a shuffled table; a site of its own for each condition would differ in scale
    order = np.random.default_rng(1).permutation(site.n_rows)
    sites = [site.rows(part) for part in np.split(order, [400, 1500, 3000])]
    assert check(written(sites, tmp_path)).problems == ()


@pytest.mark.parametrize("heterogeneous", [False, True])
def test_simulated_sites(heterogeneous, tmp_path):
    sites, _ = simulate_linear_gaussian(
        nodes=15, edges=20, sites=6, rows=400, seed=3, heterogeneous=heterogeneous
    )
    files = written(sites, tmp_path)
    assert check(files).problems == ()
    for before, after in zip(sites, read(files).sites, strict=True):
        np.testing.assert_array_equal(after.values, before.values)
        assert after.label in files


def test_counts_ages_and_skewed_measures_are_no_codes(tmp_path):
    rng = np.random.default_rng(5)
    files = {}
    for site in ("a", "b"):
        columns = [
            rng.poisson(8, 300),
            rng.integers(0, 100, 300),
            rng.exponential(50, 300).round(),
            rng.normal(0, 9, 300).round(),
            np.exp(rng.normal(5, 2, 300)).round(),
            1000000 + rng.integers(0, 10**6, 300),
        ]
        lines = [",".join(f"{v:.0f}" for v in row) for row in zip(*columns, strict=True)]
        files[site] = str(tmp_path / f"{site}.csv")
        (tmp_path / f"{site}.csv").write_text("visits,age,wait,change,dose,income\n" + "\n".join(lines))
    assert check(files).problems == ()
