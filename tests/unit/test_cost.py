"""Predicted cost beside what was measured, and what follows for jobs."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from fedbnsl.data import NETWORKS
from fedbnsl.data.fmri_simulation import FmriSimulation
from fedbnsl.workflow import cost, plan, settings

ROOT = Path(__file__).resolve().parents[2]

# CPU seconds a site at 5000 rows
SIMULATED = "linear-gaussian@edges={0},nodes={0},rows={1}"
CONTINUOUS = [
    ("ges-pgmpy", 10, 5000, 1.7),
    ("hill-climb-pgmpy", 10, 5000, 0.24),
    ("hill-climb-pgmpy", 20, 500, 0.56),
    ("pc-pgmpy", 10, 500, 0.54),
    ("pc-pgmpy", 10, 5000, 1.2),
    ("pc-pgmpy", 20, 500, 1.6),
]
MEASURED = [
    ("ges", "alarm", 0.02),
    ("ges", "andes", 0.12),
    ("ges", "link", 2.0),
    ("ges-pgmpy", "asia", 0.27),
    ("ges-pgmpy", "child", 14.0),
    ("hill-climb-pgmpy", "child", 0.23),
    ("hill-climb-pgmpy", "alarm", 1.4),
    ("hill-climb-pgmpy", "hailfinder", 4.4),
    ("pc-pgmpy", "child", 0.9),
    ("pc-pgmpy", "alarm", 1.7),
    ("pc-pgmpy", "hailfinder", 24.0),
]


@pytest.mark.parametrize(("learner", "network", "seconds"), MEASURED)
def test_predictions_are_right_within_a_factor_of_four(learner, network, seconds):
    assert seconds / 4 < cost.learn_seconds(learner, f"{network}@rows=5000") < 4 * seconds


@pytest.mark.parametrize(("learner", "nodes", "rows", "seconds"), CONTINUOUS)
def test_predictions_for_continuous_data_too(learner, nodes, rows, seconds):
    assert seconds / 4 < cost.learn_seconds(learner, SIMULATED.format(nodes, rows)) < 4 * seconds


@pytest.mark.parametrize("learner", ["ges-pgmpy", "hill-climb-pgmpy", "pc-pgmpy"])
def test_slow_learners_on_the_largest_network_get_a_job_a_site(learner):
    assert cost.sites_per_learn_job(learner, "link@rows=5000") == 1
    assert plan.learn_batches(learner, "link@rows=5000", 3) == [(1, 1), (2, 2), (3, 3)]


def test_small_problems_share_a_job():
    per_job = {
        (learner, network): cost.sites_per_learn_job(learner, f"{network}@rows=5000")
        for learner, network, _ in MEASURED
    }
    assert per_job["ges", "alarm"] == per_job["hill-climb-pgmpy", "child"] == 50  # the most that a job takes
    assert 15 <= per_job["ges", "link"] <= 40
    assert 2 <= per_job["ges-pgmpy", "child"] <= 6
    assert 2 <= per_job["pc-pgmpy", "hailfinder"] <= 6
    assert 5 <= per_job["pc-pgmpy", "alarm"] <= 40


def test_options_of_a_learner_are_no_other_learner():
    source = "child@rows=5000"
    for learner in ("ges-pgmpy", "hill-climb-pgmpy", "pc-pgmpy", "ges"):
        options = "significance_level=0.05" if learner == "pc-pgmpy" else "score=bic"
        assert cost.learn_seconds(f"{learner}@{options}", source) == cost.learn_seconds(learner, source)


def test_minutes_leave_room_and_end_at_a_week():
    assert cost.runtime_minutes(1, attempt=1) == 5
    assert cost.runtime_minutes(60, attempt=1) == 11
    assert cost.runtime_minutes(60, attempt=2) == 22
    assert cost.runtime_minutes(1e9, attempt=1) == cost.runtime_minutes(1e9, attempt=3) == 7 * 24 * 60
    # ten sites that may take six minutes each, whatever was predicted
    assert cost.runtime_minutes(1, attempt=1, at_least=3600) == 62


def test_the_example_in_config_is_one_key_that_asks_for_every_network_at_ten_sites():
    """Taken out of the comment above ``override`` and put in its place, as a reader would."""
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    above = text[: text.index("\noverride: {}")].splitlines()
    comment = [line.removeprefix("#") for line in above if line.startswith("#   ")]
    start = max(k for k, line in enumerate(comment) if line.strip() == "override:")
    example = yaml.safe_load("\n".join(comment[start:]))
    assert list(example) == ["override"]
    schemas = ROOT / "workflow/schemas"
    studies = settings.load_studies(ROOT / "workflow/studies", schemas / "study.schema.yaml")
    config = settings.check_config(
        {**yaml.safe_load(text), **example}, schemas / "config.schema.yaml", studies
    )
    asked = {
        (source, sites)
        for learner, source, partition, seed, sites in plan.Plan(config, studies).learned()
        if (learner, partition, seed) == ("ges", "iid", 1)
    }
    assert len(NETWORKS) == 16
    assert {(f"{network}@rows=5000", 10) for network in NETWORKS} <= asked


@pytest.mark.parametrize("subjects", [2, None])
def test_memory_for_time_series_follows_their_number_of_values(subjects):
    simulation = FmriSimulation(subjects=subjects, rois=4, shared=1, disease=0, specific=0)
    held = sum(one.values.size for one in simulation.cohort().subjects)
    assert simulation.n_values == held
    assert cost.series_mb(held + 1e8) - cost.series_mb(held) == 3200


def test_files_hold_no_more_values_than_their_bytes_allow(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((50, 40), dtype=np.float32))
    (tmp_path / "b.csv").write_text("a,b\n" + "1,2\n" * 1000)
    for name, values in (("a.npy", 2000), ("b.csv", 2000)):
        assert values <= cost.values_in_files([str(tmp_path / name)]) < 1.1 * values
