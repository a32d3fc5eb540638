"""Splitting a table into sites."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fedbnsl.data
import fedbnsl.data.sources  # imports the module that defines partition
from fedbnsl.data.partitions import partition
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError


def _table(rows, seed=0):
    """Column `row` tells rows apart, `colour` is discrete with one state unseen."""
    rng = np.random.default_rng(seed)
    colour = rng.integers(0, 3, rows)
    return SiteData(
        ["row", "colour"],
        np.column_stack([np.arange(rows), colour]),
        [[str(k) for k in range(max(rows, 1))], ["red", "green", "blue", "never"]],
    )


def _numbers(rows, seed=0):
    rng = np.random.default_rng(seed)
    return SiteData(["row", "level"], np.column_stack([np.arange(rows), rng.normal(size=rows)]))


def test_the_package_name_is_the_function():
    assert fedbnsl.data.partition is partition


@settings(max_examples=150, deadline=None)
@given(
    rows=st.integers(30, 300),
    sites=st.integers(1, 6),
    seed=st.integers(0, 10_000),
    discrete=st.booleans(),
    way=st.sampled_from(
        [
            ("equal", {}),
            ("unequal", {}),
            ("unequal", {"alpha": 0.2, "minimum": 4}),
            ("dirichlet", {"alpha": 2.0}),
            ("dirichlet", {"alpha": 20.0, "minimum": 2}),
        ]
    ),
)
def test_every_row_goes_to_exactly_one_site(rows, sites, seed, discrete, way):
    how, options = way
    table = _table(rows) if discrete else _numbers(rows)
    if how == "dirichlet":
        options = {**options, "variable": "colour" if discrete else "level"}
    parts = partition(table, sites, how, seed=seed, **options)
    assert len(parts) == sites
    together = np.concatenate([part.values for part in parts])
    assert len(together) == rows
    np.testing.assert_array_equal(together[np.argsort(together[:, 0])], table.values)
    assert min(part.n_rows for part in parts) >= options.get("minimum", 1)
    assert all(part.states == table.states and part.names == table.names for part in parts)


@pytest.mark.parametrize(
    ("rows", "sites", "sizes"), [(9, 3, [3, 3, 3]), (7466, 3, [2489, 2489, 2488]), (5, 4, [2, 1, 1, 1])]
)
def test_equal_sizes(rows, sites, sizes):
    assert [part.n_rows for part in partition(_numbers(rows), sites)] == sizes


def test_rows_are_shuffled_by_seed():
    table = _numbers(300)
    first, again, other = (partition(table, 3, seed=seed) for seed in (1, 1, 2))
    assert all((a.values == b.values).all() for a, b in zip(first, again, strict=True))
    assert (first[0].values != other[0].values).any()
    # the first site holds rows of the whole table, in no order
    rows = first[0].values[:, 0]
    assert abs(rows.mean() - 149.5) < 30
    assert abs(np.corrcoef(rows, np.arange(100))[0, 1]) < 0.3


def test_labels():
    assert [part.label for part in partition(_numbers(6), 2)] == ["site_0001", "site_0002"]


@pytest.mark.parametrize(
    ("shares", "sizes"),
    [
        ([5, 3, 2], [50, 30, 20]),
        ([0.5, 0.3, 0.2], [50, 30, 20]),
        ([1, 1, 1], [34, 33, 33]),
        ([2, 97, 1], [2, 97, 1]),
    ],
)
def test_unequal_shares(shares, sizes):
    assert [part.n_rows for part in partition(_numbers(100), 3, "unequal", shares=shares)] == sizes


def test_unequal_sizes_spread_with_alpha():
    """Dirichlet(α, …, α) shares over K sites have variance (K−1)/(K²(Kα+1))."""
    table = _numbers(20_000)
    for alpha in (0.5, 1.0, 50.0):
        sizes = np.array(
            [
                [part.n_rows for part in partition(table, 4, "unequal", seed=seed, alpha=alpha)]
                for seed in range(150)
            ]
        )
        assert np.var(sizes / 20_000) == pytest.approx(3 / (16 * (4 * alpha + 1)), rel=0.3)
    by_default = partition(table, 4, "unequal", seed=5)
    assert [p.n_rows for p in by_default] == [
        p.n_rows for p in partition(table, 4, "unequal", seed=5, alpha=1.0)
    ]


def test_dirichlet_makes_sites_differ_in_the_variable():
    """Large α: every site has the pooled frequencies; small α: some state sits mostly at one site."""
    table = _table(9000)

    def spread(alpha):
        parts = partition(table, 5, "dirichlet", seed=3, variable="colour", alpha=alpha)
        counts = np.array([np.bincount(part.values[:, 1], minlength=3) for part in parts])
        return (counts / counts.sum(axis=0)).max()

    assert spread(10_000.0) == pytest.approx(0.2, abs=0.01)
    assert spread(0.1) > 0.7


def test_dirichlet_shares_have_the_right_variance():
    table = _table(4_000)
    shares = []
    for seed in range(150):
        parts = partition(table, 4, "dirichlet", seed=seed, variable="colour", alpha=1.0)
        counts = np.array([np.bincount(part.values[:, 1], minlength=3) for part in parts])
        shares.append(counts / counts.sum(axis=0))
    assert np.var(shares) == pytest.approx(3 / (16 * 5), rel=0.2)
    assert abs(np.corrcoef(np.array(shares)[:, 0, :].T)[0, 1]) < 0.3  # states are spread on their own


def test_dirichlet_on_a_continuous_variable_uses_quantile_bins():
    """With two bins and tiny α, each half of the values goes to one site."""
    table = _numbers(1001)
    parts = partition(table, 2, "dirichlet", seed=12, variable="level", bins=2, alpha=0.001)
    halves = sorted(parts, key=lambda part: part.values[:, 1].mean())
    median = np.median(table.values[:, 1])
    assert halves[0].values[:, 1].max() < median
    assert halves[1].values[:, 1].min() >= median


def test_ties_stay_in_one_bin():
    values = np.column_stack([np.arange(100), np.repeat([0.0, 1.0], [90, 10])])
    table = SiteData(["row", "level"], values)
    for seed in range(5):
        parts = partition(table, 2, "dirichlet", seed=seed, variable="level", alpha=0.001)
        assert all(len(np.unique(part.values[:, 1])) == 1 for part in parts)


def test_within_a_site_rows_are_not_sorted_by_the_variable():
    parts = partition(_table(3000), 2, "dirichlet", seed=1, variable="colour", alpha=50.0)
    colours = parts[0].values[:, 1]
    assert (np.diff(colours) != 0).mean() > 0.5


@pytest.mark.parametrize(
    ("sites", "how", "options", "message"),
    [
        (2, "random", {}, "there is no partition 'random'. Choose one of: equal, unequal, dirichlet"),
        (2, "equal", {"alpha": 1.0}, "the partition 'equal' has no option 'alpha'. Its options: none"),
        (2, "unequal", {"variable": "colour"}, "the partition 'unequal' has no option 'variable'"),
        (0, "equal", {}, "sites must be a whole number from 1 to 1000000, not 0"),
        (11, "equal", {}, "10 rows cannot be split into 11 sites of 1 or more rows"),
        (3, "unequal", {"minimum": 4}, "10 rows cannot be split into 3 sites of 4 or more rows"),
        (2, "unequal", {"shares": [1, 2, 3]}, "shares must be 2 positive numbers, not [1, 2, 3]"),
        (2, "unequal", {"shares": [1, 0]}, "shares must be 2 positive numbers, not [1, 0]"),
        (2, "unequal", {"shares": [1, 2], "alpha": 1.0}, "give either shares or alpha, not both"),
        (2, "unequal", {"shares": [99, 1]}, "the shares leave a site with 0 of 10 rows"),
        (2, "unequal", {"alpha": 0.0}, "alpha must be from 1e-06 to 1e+06, not 0.0"),
        (2, "unequal", {"alpha": 1e308}, "alpha must be from 1e-06 to 1e+06, not 1e+308"),
        (2, "unequal", {"alpha": "x"}, "alpha must be from 1e-06 to 1e+06, not 'x'"),
        (2, "unequal", {"minimum": 0}, "minimum must be a whole number from 1 to"),
        (2, "unequal", {"shares": [1e308, 1e308]}, "shares must be 2 positive numbers"),
        (2.0, "equal", {}, "sites must be a whole number from 1 to 1000000, not 2.0"),
        (2, "dirichlet", {"variable": "row", "bins": 2.5}, "bins must be a whole number from 1 to 100000"),
        (2, "dirichlet", {"variable": "row", "bins": 10**9}, "bins must be a whole number from 1 to 100000"),
        (2, "dirichlet", {}, "the partition 'dirichlet' needs the option variable"),
        (2, "dirichlet", {"variable": "size"}, "there is no variable 'size'. The variables are row, colour"),
        (2, "dirichlet", {"variable": "colour", "bins": 3}, "bins is for continuous variables"),
        (
            2,
            "dirichlet",
            {"variable": "colour", "alpha": 1e-6, "minimum": 5},
            "fewer than 5 row(s). Raise alpha",
        ),
    ],
)
def test_bad_requests(sites, how, options, message):
    with pytest.raises(InputError) as caught:
        partition(_table(10), sites, how, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("alpha", [1e-6, 1e6])
def test_the_ends_of_alpha_give_sites(alpha):
    sizes = [part.n_rows for part in partition(_table(1000), 4, "unequal", alpha=alpha)]
    assert sum(sizes) == 1000
    assert sorted(sizes) == ([1, 1, 1, 997] if alpha < 1 else pytest.approx([250] * 4, abs=2))
