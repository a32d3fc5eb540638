"""The learners of the fMRI study: equal sparsity, and what each of them finds."""

import networkx
import numpy as np
import pytest

from fedbnsl.data.fmri import FmriCohort, Subject
from fedbnsl.data.fmri_simulation import FmriSimulation
from fedbnsl.errors import InputError
from fedbnsl.evaluate.connections import f_score, overlapping, undirected
from fedbnsl.learn.low_order_pc import low_order_pc
from fedbnsl.studies.fmri_learning import (
    COLUMNS,
    LEARNERS,
    check_cohort,
    learn_connections,
    planted_connections,
    statistics_of,
)
from fedbnsl.studies.fmri_methods import METHODS, check_method

SMALL = FmriSimulation("easy", sites=3, subjects=4, rois=12, shared=9, disease=3, specific=1)


@pytest.fixture(scope="module")
def cohort():
    return SMALL.cohort()


@pytest.fixture(scope="module")
def truth():
    return planted_connections(SMALL)


def sites(table, group):
    own = table[table["group"] == group]
    return {site: set(zip(part["from"], part["to"], strict=True)) for site, part in own.groupby("site")}


def test_every_learner_is_listed():
    assert list(METHODS) == list(LEARNERS)


def test_planted_connections_are_those_of_the_weights(truth):
    assert list(truth) == list(COLUMNS)
    assert truth.groupby(["group", "site"]).size().unique().tolist() == [10, 13]
    assert len(overlapping(sites(truth, "MDD"))) == 12
    first = truth[(truth["group"] == "MDD") & (truth["site"] == "site-2")]
    assert first["rank"].tolist() == list(range(1, 14))
    assert (np.diff(first["strength"].abs()) <= 0).all()
    row = first.iloc[0]
    weights = SMALL.weights(1, "MDD")
    assert weights[SMALL.names.index(row["from"]), SMALL.names.index(row["to"])] == row["strength"]


@pytest.mark.parametrize("method", [*METHODS, "notears-pfl@penalty=fused"])
def test_all_learners_list_equally_many_connections_and_rank_them(cohort, method):
    found = learn_connections(cohort, method, 6)
    assert list(found) == list(COLUMNS)
    listed = found[found["rank"] <= 6]
    assert (listed.groupby(["group", "site"]).size() == 6).all()
    for _, part in found.groupby(["group", "site"]):
        assert (np.diff(part["strength"].abs()) <= 0).all()
    assert (found["own"] | (found["rank"] <= 6)).all()


@pytest.mark.parametrize(
    ("method", "directed", "pairs"),
    [("notears-pfl", 0.8, 0.9), ("notears-sig", 0.75, 0.85), ("ges", 0.4, 0.85), ("pc", 0.3, 0.75)],
)
def test_what_was_planted_is_found(cohort, truth, method, directed, pairs):
    found = learn_connections(cohort, method, 13)
    own, true = overlapping(sites(found, "MDD")), overlapping(sites(truth, "MDD"))
    plain = np.mean(
        [
            f_score(undirected(sites(found, "MDD")[site]), undirected(real))
            for site, real in sites(truth, "MDD").items()
        ]
    )
    assert f_score(own, true) >= directed
    assert plain >= pairs


def test_subjects_held_out_are_whole_ones():
    series = [np.random.default_rng(k).standard_normal((20 + k, 3)) for k in range(5)]
    told = statistics_of(series)
    np.testing.assert_allclose(told.test[0], series[4].T @ series[4] / 24)
    kept = np.concatenate(series[:4])
    np.testing.assert_allclose(told.train[0], kept.T @ kept / len(kept))
    whole = np.concatenate(series)
    np.testing.assert_allclose(told.covariance, whole.T @ whole / 110)


def test_rows_count_less_where_neighbours_are_alike():
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((4000, 4))
    assert statistics_of([noise, noise[::-1]]).rows == pytest.approx(8000, rel=0.01)
    for t in range(1, 4000):
        noise[t] = 0.8 * noise[t - 1] + 0.6 * noise[t]
    assert statistics_of([noise]).rows == pytest.approx(4000 * 0.36 / 1.64, rel=0.1)


def test_unknown_learners_and_options_are_told():
    with pytest.raises(InputError, match=r"no learner 'gse'.*notears-pfl, notears-sig, ges, pc, granger"):
        check_method("gse")
    with pytest.raises(InputError, match=r"ges has no option 'lags' here. It takes: none"):
        check_method("ges@lags=2")


def test_a_cohort_of_other_groups_or_regions_is_told(cohort):
    check_cohort(cohort)
    renamed = [
        Subject(s.name, s.site, {"MDD": "BD"}.get(s.group, s.group), s.values) for s in cohort.subjects
    ]
    with pytest.raises(InputError, match=r"no group 'MDD'; there is BD, HC. Call the group of patients MDD"):
        check_cohort(FmriCohort(cohort.names, renamed))
    with pytest.raises(InputError, match="the AAL atlas has no region 'roi1'"):
        check_cohort(FmriCohort(("roi1", *cohort.names[1:]), cohort.subjects))


def test_low_order_pc_on_a_collider_and_a_chain():
    """x → z ← y has correlation 0 between x and y; in x → z → y it is the product."""
    collider = np.array([[1, 0, 0.6], [0, 1, 0.6], [0.6, 0.6, 1]])
    dag, strengths = low_order_pc(collider, 2)
    assert dag.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert strengths[0, 1] == 0
    chain = np.array([[1, 0.36, 0.6], [0.36, 1, 0.6], [0.6, 0.6, 1]])
    dag, strengths = low_order_pc(chain, 2)
    assert strengths[0, 1] == pytest.approx(0, abs=1e-12)
    assert (dag | dag.T).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert dag[:, 2].sum() < 2  # not a collider
    partial = (0.6 - 0.6 * 0.36) / np.sqrt((1 - 0.6**2) * (1 - 0.36**2))
    assert strengths[0, 2] == pytest.approx(partial)


def test_low_order_pc_gives_a_dag_with_at_most_so_many_edges(cohort):
    correlation = np.corrcoef(cohort.site_data("HC")[0].values.T)
    for edges in (0, 1, 8):
        dag, _ = low_order_pc(correlation, edges)
        assert dag.sum() == edges
        assert networkx.is_directed_acyclic_graph(networkx.DiGraph(dag))
    with pytest.raises(InputError, match="0 or more"):
        low_order_pc(correlation, -1)
