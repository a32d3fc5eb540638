"""The artefacts of the fMRI study, from connections written by hand."""

import pandas
import pytest

from fedbnsl.errors import InputError
from fedbnsl.evaluate.proportions import proportion_test
from fedbnsl.studies import fmri
from fedbnsl.studies.artefact import verdict_table
from fedbnsl.workflow.fmri_cells import FmriCell, fmri_cells, simulation_of

A, B, C, D = ("INS.L", "INS.R"), ("INS.R", "THA.L"), ("THA.L", "CAU.R"), ("HIP.L", "PCG.L")


def rows(method, found, seed=1, experiment="discovery", setting="easy"):
    """``found``: group → site → connections, the strongest first."""
    return [
        {
            **{"experiment": experiment, "setting": setting, "method": method, "seed": seed, "edges": 3},
            **{"group": group, "site": site, "from": edge[0], "to": edge[1], "strength": -1 / rank},
            **{"rank": rank, "own": rank <= 2},
        }
        for group, sites in found.items()
        for site, edges in sites.items()
        for rank, edge in enumerate(edges, start=1)
    ]


TRUTH = {"MDD": {"s1": [A, B], "s2": [A, B, D]}, "HC": {"s1": [A], "s2": [A, D]}}
FOUND = {"MDD": {"s1": [A, B, C], "s2": [A, B, D]}, "HC": {"s1": [A, C], "s2": [A, D]}}
OTHER = {"MDD": {"s1": [A, C], "s2": [A, D]}, "HC": {"s1": [C], "s2": [A]}}


@pytest.fixture
def scores():
    table = rows("planted", TRUTH) + rows("notears-pfl", FOUND) + rows("ges", OTHER)
    with_b = {"MDD": {"s1": [B], "s2": [B]}, "HC": {"s1": [B], "s2": [C]}}
    without = {"MDD": {"s1": [C], "s2": [B]}, "HC": {"s1": [C], "s2": [C]}}
    for seed in range(1, 5):
        table += rows("notears-pfl", with_b if seed < 4 else without, seed, "validation")
        table += rows("ges", without, seed, "validation")
    return pandas.DataFrame(table)


def verdicts(made, artefact="x"):
    table = verdict_table(artefact, made.runs, made.printed, "fmri", "smoke")
    return table.set_index("quantity")["verdict"].to_dict()


def test_recovery_cuts_at_the_planted_number(scores):
    made = fmri.recovery(scores).table.set_index("method")
    assert list(made.index) == ["notears-pfl", "ges"]
    pfl, ges = made.loc["notears-pfl"], made.loc["ges"]
    # at s1 two are planted, so the third, C, is cut; HC keeps one at s1
    assert pfl[["overlap", "site", "disease", "network"]].tolist() == [1, 1, 1, 1]
    assert ges["overlap"] == pytest.approx(2 / 3)  # A of A, B
    assert ges["site"] == pytest.approx(2 / 3)  # C and D, of D
    assert ges["disease"] == 0  # A seems a matter of disease: HC lacks it at s1
    assert ges["network"] == pytest.approx(2 * 4 / (6 + 8))


def test_directions_are_passed_over_where_it_says_so(scores):
    turned = scores[scores["method"] == "planted"].assign(method="ges")
    turned = turned.rename(columns={"from": "to", "to": "from"})
    table = pandas.concat([scores[scores["method"] != "ges"], turned])
    ges = fmri.recovery(table).table.set_index("method").loc["ges"]
    assert (ges["overlap"], ges["overlap_undirected"]) == (0, 1)
    assert (ges["network"], ges["network_undirected"]) == (0, 1)


def test_degrees_count_over_sites_in_the_method_s_own_networks(scores):
    made = fmri.degrees(scores)
    out = made.table[(made.table["group"] == "MDD") & (made.table["direction"] == "out")]
    # ranks 1 and 2 are its own: A and B at both sites; INS.L before INS.R by the atlas
    assert out[["index", "abbreviation", "degree"]].to_numpy().tolist() == [
        [29, "INS.L", 2],
        [30, "INS.R", 2],
    ]
    totals = made.runs.set_index(["group", "direction"])["total"]
    assert totals["MDD", "out"] == totals["HC", "out"] == 4
    assert set(verdicts(made).values()) == {"fails"}
    assert len(made.figure.axes) == 4


def test_site_connections(scores):
    made = fmri.site_connections(scores)
    found = made.table[["site", "from", "to", "found"]].to_numpy().tolist()
    assert found == [
        ["s1", *C, "at this site only"],
        ["s1", *B, "at all sites"],
        ["s1", *A, "at all sites"],
        ["s2", *D, "at this site only"],
        ["s2", *B, "at all sites"],
        ["s2", *A, "at all sites"],
    ]
    assert made.runs.to_numpy().tolist() == [[1, 1], [2, 1]]
    assert set(verdicts(made).values()) == {"holds"}
    assert [ax.get_title() for ax in made.figure.axes] == ["s1", "s2"]


def test_overlapping_connections(scores):
    made = fmri.overlapping_connections(scores)
    found = made.table[["found_in", "from", "to", "to_lobe"]].to_numpy().tolist()
    assert found == [
        ["MDD and HC", *A, "Insula and Cingulate Gyri"],
        ["MDD only", *B, "Subcortical region"],
    ]
    assert made.runs.to_numpy().tolist() == [["MDD", 2], ["HC", 1]]
    assert set(verdicts(made).values()) == {"holds"}
    assert "HC only (0)" in [text.get_text() for text in made.figure.texts]


def test_a_site_without_connections_shares_none(scores):
    bare = scores[~((scores["method"] == "ges") & (scores["group"] == "MDD") & (scores["site"] == "s2"))]
    ges = fmri.recovery(bare).table.set_index("method").loc["ges"]
    assert ges["overlap"] == 0


def test_proportions_count_draws_with_the_connection_at_most_of_the_sites(scores):
    table = fmri.proportions(scores).table
    pfl, ges = (table[table["method"] == method].iloc[0] for method in ("notears-pfl", "ges"))
    assert len(table) == 2  # B alone is at all sites in MDD and not in HC
    assert pfl["connection"] == "INS.R → THA.L"
    # with one of two sites it does not count: neither in HC nor in the fourth draw
    assert pfl[["found_patients", "found_controls", "draws"]].tolist() == [3, 0, 4]
    assert pfl["p"] == pfl["p_holm"] == pfl["p_bh"] == proportion_test(3, 0, 4)
    assert ges[["found_patients", "p"]].tolist() == [0, 0.5]
    assert pfl["planted"]


def test_statements_and_printed_values_get_verdicts(scores):
    made = fmri.proportions(scores)
    found = verdict_table("pfl-table2", made.runs, made.printed, "fmri", "smoke")
    assert found["verdict"].tolist()[:3] == ["holds"] * 3
    assert len(found) == 3 + 35
    assert set(found["verdict"][3:]) == {"not comparable"}
    assert found["reason"].str.contains("access-controlled").sum() == 35


def test_a_real_cohort_has_no_truth_and_all_else(scores):
    real = scores[scores["method"] != "planted"]
    assert not len(fmri.recovery(real).table)
    assert "planted" not in fmri.proportions(real).table
    made = fmri.site_connections(real)
    assert set(verdicts(made).values()) == {"not comparable"}


EXPERIMENT = {
    "source": "fmri@rois={rois},setting={setting},shared=3,disease=1,specific=1,sites={sites}",
    "partition": "validation@edges={edges},subjects=2",
    "methods": ["planted", "notears-pfl", "ges", "granger@lags=2"],
}
GRID = [{"rois": 8, "setting": setting, "edges": 5, "sites": 2} for setting in ("easy", "demonstration")]


def test_all_learners_share_a_job_for_every_setting():
    made = list(fmri_cells(EXPERIMENT, GRID, (1, 4), False, 1))
    assert [values["setting"] for values, _ in made] == ["easy", "demonstration"]
    learners = "planted+notears-pfl+ges+granger@lags=2"
    source = "fmri@disease=1,rois=8,setting=easy,shared=3,sites=2,specific=1"
    assert made[0][1] == FmriCell(learners, source, "validation@edges=5,subjects=2", 2, (1, 4))
    assert made[0][1].scores == (
        f"results/scores/fmri/{learners}/{source}/validation@edges=5,subjects=2/seeds1-4.tsv"
    )
    assert made[0][1].seconds == pytest.approx(4 * (2.5 + 3 * 0.7))


def test_a_real_cohort_stands_in_for_all_settings_and_nothing_is_planted():
    ((values, cell),) = fmri_cells(EXPERIMENT, GRID, (1, 4), True, 1)
    assert (cell.method, cell.source) == ("notears-pfl+ges+granger@lags=2", "cohort")
    assert values["setting"] == "cohort"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"partition": "test@edges=5"}, "test@edges=5 is no part of an fMRI cohort"),
        ({"partition": "discovery@edges=5,subjects=2"}, "is no part"),
        ({"partition": "discovery"}, "is no part"),
        ({"source": "mri@rois=8"}, "there is no fMRI cohort"),
        ({"source": "fmri@roi=8"}, "unexpected keyword argument 'roi'"),
        ({"methods": ["notears"]}, "no learner 'notears'"),
    ],
)
def test_faults_of_a_study_file_are_told(changes, message):
    with pytest.raises(InputError, match=message):
        list(fmri_cells({**EXPERIMENT, **changes}, GRID, (1, 1), False, 1))


def test_paper_sizes_can_be_written_in_a_study_file():
    assert simulation_of("fmri@subjects=null", 3).subjects is None
