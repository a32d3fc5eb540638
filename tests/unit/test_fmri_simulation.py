"""The simulated cohort holds what it says was planted."""

import networkx
import numpy as np
import pytest

from fedbnsl.data.fmri_simulation import CONTROLS, PATIENTS, SETTINGS, FmriSimulation
from fedbnsl.errors import InputError


def test_as_many_connections_as_promised_each_where_it_belongs():
    made = FmriSimulation()
    assert len(made.names) == 56
    found = {
        (site, group): made.weights(site, group) != 0 for site in range(5) for group in (PATIENTS, CONTROLS)
    }
    for site in range(5):
        assert found[site, PATIENTS].sum() == 72
        assert found[site, CONTROLS].sum() == 60
    patients = np.array([found[site, PATIENTS] for site in range(5)])
    controls = np.array([found[site, CONTROLS] for site in range(5)])
    assert patients.all(axis=0).sum() == 62
    assert controls.all(axis=0).sum() == 50
    assert (patients.sum(axis=0) == 1).sum() == 50
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(patients.any(axis=0)))


def test_cohort_has_the_volumes_and_subjects_asked_for():
    cohort = FmriSimulation(subjects=2, rois=8, shared=5, disease=2, specific=1).cohort()
    assert cohort.sites == tuple(f"site-{k}" for k in range(1, 6))
    assert cohort.groups == ("HC", "MDD")
    lengths = [len(cohort.of(site, "MDD")[1].values) for site in cohort.sites]
    assert lengths == [240, 240, 240, 107, 143]
    assert cohort.notes == ()


def test_paper_sizes():
    made = FmriSimulation(subjects=None, rois=4, shared=2, disease=1, specific=0).cohort()
    counts = {g: [len(made.of(s, g)) for s in made.sites] for g in made.groups}
    assert counts == {"MDD": [70, 16, 62, 33, 57], "HC": [124, 159, 96, 29, 67]}
    assert (sum(counts["MDD"]), sum(counts["HC"])) == (238, 475)


def test_more_subjects_leave_the_others_as_they_were():
    few, more = (FmriSimulation(subjects=n, rois=6, shared=4, disease=1, specific=1).cohort() for n in (1, 3))
    assert np.array_equal(few.of("site-2", "HC")[0].values, more.of("site-2", "HC")[0].values)


@pytest.mark.parametrize("setting", ["easy", "demonstration"])
def test_series_follow_the_model(setting):
    """Residuals of the true model: variance 1, autocorrelation as set, independent of each other."""
    made = FmriSimulation(setting=setting, sites=1, subjects=40, rois=6, shared=8, disease=2, specific=2)
    values = np.concatenate([s.values for s in made.cohort().of("site-1", PATIENTS)])
    noise = values - values @ made.weights(0, PATIENTS)
    tolerance = 0.1 if setting == "easy" else 0.25  # the subjects' own weights add to the residuals
    np.testing.assert_allclose(np.cov(noise.T), np.eye(6), atol=tolerance)
    lagged = [np.corrcoef(noise[1:, j], noise[:-1, j])[0, 1] for j in range(6)]
    np.testing.assert_allclose(lagged, SETTINGS[setting].autocorrelation, atol=0.05)


def test_a_disease_connection_shows_in_patients_only():
    made = FmriSimulation(setting="easy", sites=1, subjects=40, rois=6, shared=0, disease=1, specific=0)
    (one,) = made.planted
    slope = {}
    for group in (PATIENTS, CONTROLS):
        values = np.concatenate([s.values for s in made.cohort().of("site-1", group)])
        slope[group] = np.cov(values.T)[one.i, one.j] / values[:, one.i].var()
    assert slope[PATIENTS] == pytest.approx(one.weight, abs=0.06)
    assert slope[CONTROLS] == pytest.approx(0, abs=0.06)


def test_the_warning_setting_is_scaled():
    cohort = FmriSimulation(setting="warning", subjects=1, rois=6, shared=4, disease=1, specific=1).cohort()
    np.testing.assert_allclose(cohort.subjects[0].values.std(axis=0), 1)
    assert "variance 1" in cohort.notes[0]


def test_seed_decides():
    small = {"subjects": 1, "rois": 6, "shared": 4, "disease": 1, "specific": 1}
    one, same, other = (FmriSimulation(seed=seed, **small) for seed in (3, 3, 4))
    assert np.array_equal(one.cohort().subjects[0].values, same.cohort().subjects[0].values)
    assert one.planted == same.planted
    assert one.planted != other.planted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"setting": "hard"}, "there is no 'hard'"),
        ({"rois": 57}, "between 2 and 56"),
        ({"rois": 4, "shared": 7}, "cannot be planted among 4"),
        ({"shared": -1}, "none negative"),
        ({"subjects": 0}, "at least one"),
        ({"subjects": None, "sites": 4}, "5 sites, not 4"),
        ({"sites": 2.5}, "sites must be a whole number"),
    ],
)
def test_settings_out_of_range_are_told(options, message):
    with pytest.raises(InputError, match=message):
        FmriSimulation(**options)
