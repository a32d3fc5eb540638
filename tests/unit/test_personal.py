"""Every site's own network: its measures, and standardised columns."""

import numpy as np
import pytest

from fedbnsl import Graph, InputError
from fedbnsl.data import SiteData, standardised
from fedbnsl.data.sources import make_sites, true_graph
from fedbnsl.evaluate.personal_table import personal_table
from fedbnsl.graphs.graph import WeightedGraph


def weighted(**edges):
    weights = np.zeros((3, 3))
    for pair, weight in edges.items():
        weights["abc".index(pair[0]), "abc".index(pair[1])] = weight
    return WeightedGraph("abc", weights)


def test_one_row_a_site_by_hand():
    truths = {1: weighted(ab=2.0, bc=1.0), 2: weighted(ab=1.0, bc=1.0), 4: weighted()}
    networks = {1: weighted(ab=1.0, cb=1.0), 4: weighted(ab=1.0), 2: Graph.from_edges("abc", [("a", "b")])}
    table = personal_table(networks, truths).set_index("site")
    assert list(table.index) == [1, 4, 2]  # site 3 has no network
    assert table.loc[1, ["shd", "tpr", "fdr", "edges"]].tolist() == [1, 0.5, 0.5, 2]
    assert table.loc[1, "mse"] == pytest.approx((1 + 1 + 1) / 5)
    assert table.loc[2, ["shd", "tpr", "fdr", "edges"]].tolist() == [1, 0.5, 0, 1]
    assert table.loc[[2, 4], "mse"].isna().all()  # no weights; nothing to be relative to


def test_standardised_columns_have_mean_0_and_variance_1():
    site = SiteData("ab", [[1.0, 100.0], [2.0, 300.0], [6.0, 500.0]], label="north")
    scaled = standardised(site)
    np.testing.assert_allclose(scaled.values.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose((scaled.values**2).mean(axis=0), 1)
    np.testing.assert_allclose(scaled.values[:, 1], [-np.sqrt(1.5), 0, np.sqrt(1.5)])
    assert (scaled.names, scaled.label) == (("a", "b"), "north")
    with pytest.raises(InputError, match=r"north, column 'b': a constant column"):
        standardised(SiteData("ab", [[1.0, 1.0], [2.0, 1.0]], label="north"))
    with pytest.raises(InputError, match="discrete data have no scale"):
        standardised(SiteData("a", [[0], [1]], states=[("x", "y")]))


@pytest.mark.parametrize(
    ("source", "partition"),
    [("linear-gaussian@nodes=4,edges=4,rows=50", "iid"), ("sachs-cytometry@log=true", "equal@sites=3")],
)
def test_a_standardised_source_has_the_same_rows_and_truth(source, partition):
    raw = make_sites(source, partition, 5, [1, 2])
    scaled = make_sites(f"{source},standardised=true", partition, 5, [1, 2])
    for one, other in zip(raw, scaled, strict=True):
        np.testing.assert_array_equal(standardised(one).values, other.values)
        assert one.label == other.label
    assert true_graph(source, 5) == true_graph(f"{source},standardised=true", 5)
