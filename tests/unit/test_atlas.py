"""The AAL-116 table: complete, on the right side of the brain, slips corrected and told."""

import numpy as np
import pytest

from fedbnsl.data.atlas import LOBES, load_atlas, region_names, regions
from fedbnsl.errors import InputError


def test_116_regions_each_once():
    table = load_atlas()
    assert table["index"].tolist() == list(range(1, 117))
    assert table.index.is_unique
    assert set(table["lobe"]) == set(LOBES)
    counts = {"Frontal": 30, "Temporal": 20, "Parietal": 12, "Occipital": 12, "Posterior Fossa": 26}
    counts |= {"Insula and Cingulate Gyri": 8, "Subcortical region": 8}
    assert table["lobe"].value_counts().to_dict() == counts


def test_left_is_left():
    table = load_atlas()
    assert (table["x"][table.index.str.endswith(".L")] < 0).all()
    assert (table["x"][table.index.str.endswith(".R")] > 0).all()
    middle = table[~table.index.str.match(r".*\.[LR]$")]
    assert middle.index.str.startswith("Vermis").all()
    assert (middle["x"].abs() < 2).all()


def test_both_halves_of_a_region_are_alike():
    table = load_atlas()
    left = table[table.index.str.endswith(".L")]
    right = table.loc[left.index.str.replace(".L", ".R", regex=False)]
    assert len(left) == 54
    assert left["name"].tolist() == right["name"].tolist()
    assert left["lobe"].tolist() == right["lobe"].tolist()
    mirrored = right[["x", "y", "z"]].to_numpy() * [-1, 1, 1]
    assert np.abs(mirrored - left[["x", "y", "z"]].to_numpy()).max() < 15


def test_worked_rows_and_what_was_printed():
    table = load_atlas()
    assert table.loc["PreCG.L", ["x", "y", "z"]].tolist() == [-38.65, -5.68, 50.94]
    assert table.loc["CRBL45.R", ["index", "x", "y", "z"]].tolist() == [98, 17.2, -42.86, -18.15]
    assert table.loc["THA.R", ["lobe", "comment"]].tolist() == [
        "Subcortical region",
        "printed lobe: Temporal",
    ]
    assert table.loc["IPL.L", "comment"] == (
        "printed name: Inferior pariental gyrus; printed lobe: Pariental"
    )
    text = " ".join([*table["name"], *table["lobe"]])
    assert not any(slip in text for slip in ("arient", "ortial", "gyurs"))


def test_56_regions_in_pairs():
    table = load_atlas(selected=True)
    assert len(table) == 56
    assert region_names(selected=True) == tuple(table.index)
    assert region_names() == tuple(load_atlas().index)
    halves = {side: {n[:-2] for n in table.index if n.endswith(side)} for side in (".L", ".R")}
    assert halves[".L"] == halves[".R"]


def test_rows_come_in_the_order_asked_for_and_unknown_names_are_told():
    assert regions(["THA.R", "INS.L"])["index"].tolist() == [78, 29]
    with pytest.raises(InputError, match=r"no region 'THA'.*abbreviations"):
        regions(["INS.L", "THA"])
