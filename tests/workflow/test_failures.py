"""Sites at which learning fails, is stopped or is cut short: what is lost, and what is said."""

import json

import pandas
import pytest
from checkout import Checkout

LEARNER = '''"""A learner that has trouble at most sites."""

import os
import signal
import warnings

from fedbnsl.graphs.graph import Graph


def fragile(site, *, seed):
    """A chain; but the second site fails, the third does not end, the fourth crashes, the fifth warns."""
    if site.label == "site_0002":
        raise RuntimeError("the disk of this site is full")
    while site.label == "site_0003":
        pass
    if site.label == "site_0004":
        os.kill(os.getpid(), signal.SIGKILL)
    if site.label == "site_0005":
        warnings.warn(f"{site.label}: stopped before the optimum", stacklevel=1)
    return Graph.from_edges(site.names, list(zip(site.names, site.names[1:])))
'''

STUDY = """
title: Six sites
citation: none
experiments:
  six:
    description: Six sites, most of them with trouble.
    kind: consensus
    source: "asia@rows={rows}"
    partition: iid
    learner: fragile
    methods: [fusion]
    presets: &presets
      smoke: {rows: [300], sites: [6], seeds: [1, 1]}
      laptop: {rows: [300], sites: [6], seeds: [1, 1]}
      paper: {rows: [300], sites: [6], seeds: [1, 1]}
  short:
    description: The same sites, learned in no time at all.
    kind: consensus
    source: "asia@rows={rows}"
    partition: iid
    learner: ges@time_limit=0
    methods: [fusion]
    presets: *presets
artefacts:
  tiny-consensus:
    experiments: [six]
    make: fedbnsl.studies.gmcbc:consensus_table
    caption: Six sites.
  short-consensus:
    experiments: [short]
    make: fedbnsl.studies.gmcbc:consensus_table
    caption: Six sites.
"""
REASONS = {
    2: "RuntimeError: the disk of this site is full",
    3: "time limit of 10 s",
    4: "the process was killed (SIGKILL), as happens when memory runs out",
    6: "cannot be read as Parquet",
}
CUT_SHORT = "GES stopped at its time limit of 0 s, before the optimum"


@pytest.fixture(scope="module")
def trouble(tmp_path_factory):
    """A copy with such a learner and a damaged file at the sixth site, after its run."""
    checkout = Checkout(tmp_path_factory.mktemp("trouble"))
    checkout.add_method("learn", "fragile", LEARNER)
    (checkout.folder / "workflow/studies/tiny.yaml").write_text(STUDY, encoding="utf-8")
    config = {"preset": "smoke", "studies": ["tiny"], "seed": 1, "site_time_limit": 10}
    (checkout.folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    checkout.snakemake("--until", "sites", "tiny")
    (damaged,) = (checkout.folder / "results/sites").rglob("site_0006.parquet")
    damaged.write_bytes(b"PAR1 and nothing else")
    checkout.run = checkout.snakemake("tiny")
    return checkout


def read(checkout, folder):
    (path,) = (checkout.folder / "results" / folder).rglob("*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_other_sites_go_on_and_every_reason_is_kept(trouble):
    records = read(trouble, "learned/fragile")["sites"]
    assert [record["number"] for record in records] == [1, 2, 3, 4, 5, 6]
    assert {r["number"] for r in records if "graph" in r} == {1, 5}
    for number, reason in REASONS.items():
        assert reason in records[number - 1]["error"]
    assert [r["warnings"] for r in records] == [[], [], [], [], ["stopped before the optimum"], []]


def test_the_consensus_uses_the_rest_and_names_the_missing(trouble):
    (result,) = read(trouble, "consensus/fusion/fragile")["results"]
    assert result["used"] == [1, 5]
    assert set(result["missing"]) == {"2", "3", "4", "6"}
    assert result["missing"]["3"] == REASONS[3]
    assert result["warned"] == {"5": "stopped before the optimum"}


def test_the_table_counts_them(trouble):
    table = pandas.read_csv(trouble.folder / "results/tables/tiny-consensus.tsv", sep="\t")
    assert set(table["sites_missing"]) == {4}
    assert set(table["sites_warned"]) == {1}


def test_the_page_tells_them(trouble):
    (page,) = (trouble.folder / "results/networks/consensus/fusion/fragile").rglob("*.html")
    text = page.read_text(encoding="utf-8")
    for number in (2, 3, 4):
        assert f"site {number}: {REASONS[number]}" in text
    assert REASONS[6] in text
    assert "site 5: stopped before the optimum" in text


def test_the_summary_and_the_log_tell_them(trouble):
    said = trouble.run.stderr
    assert "of 7 of 12 sites" in said  # of both experiments
    assert "left out: fragile, asia@rows=300, iid, seed 1, site 2: RuntimeError: the disk" in said
    assert "site 3: time limit of 10 s; site 4: the process was killed" in said
    assert "warning: fragile, asia@rows=300, iid, seed 1, site 5: stopped before the optimum" in said
    (log,) = (trouble.folder / "results/logs/learn/fragile").rglob("*.log")
    text = log.read_text(encoding="utf-8")
    assert "site_0003: time limit of 10 s" in text
    assert "site_0005: warning: stopped before the optimum" in text
    assert "Traceback" in text  # of the second site


def test_a_search_cut_short_by_its_own_limit_is_told_everywhere(trouble):
    records = read(trouble, "learned/ges@time_limit=0")["sites"]
    assert [record["warnings"] for record in records[:5]] == [[CUT_SHORT]] * 5
    table = pandas.read_csv(trouble.folder / "results/tables/short-consensus.tsv", sep="\t")
    assert set(table["sites_warned"]) == {5}  # the sixth is the one whose file is damaged
    (page,) = (trouble.folder / "results/networks/consensus/fusion/ges@time_limit=0").rglob("*.html")
    told = f"sites 1, 2, 3, 4, 5: {CUT_SHORT}"
    assert told in page.read_text(encoding="utf-8")
    assert told in trouble.run.stderr


def test_only_another_limit_learns_again(trouble):
    assert trouble.planned("tiny") == set()
    assert trouble.planned("tiny", "--config", "site_time_limit=20") >= {"learn", "consensus"}


def test_learned_asks_for_graphs_and_nothing_after(trouble):
    assert trouble.planned("learned", "--forceall") == {"sites", "learn", "list_learned"}


def test_learned_lists_every_site(trouble):
    trouble.snakemake("learned")
    lines = (trouble.folder / "results/learned/sites.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[:6] == ["learner", "source", "partition", "seed", "site", "edges"]
    assert len(lines) == 1 + 6 + 6
    failed = [line.split("\t") for line in lines if line.startswith("fragile")]
    assert [row[6] != "" for row in failed].count(True) == 4
    assert all(row[5] != "" for row in failed if row[6] == "")


def test_learned_fails_where_no_site_has_a_graph(trouble):
    study = trouble.folder / "workflow/studies/tiny.yaml"
    before = study.read_text(encoding="utf-8")
    study.write_text(before.replace("ges@time_limit=0", "ges@required=smoke..lungg"), encoding="utf-8")
    try:
        done = trouble.snakemake("learned", check=False)
    finally:
        study.write_text(before, encoding="utf-8")
    assert done.returncode
    said = done.stdout + done.stderr
    assert "ges@required=smoke..lungg failed at every site of asia@rows=300, iid" in said
    assert "there is no variable 'lungg'" in said
    assert "Did you mean 'lung'?" in said


def test_with_stop_the_message_names_the_sites_and_the_remedy(trouble):
    done = trouble.snakemake("learned", "--config", "site_failures=stop", check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert "fragile failed at 4 of 6 sites: site_0002: RuntimeError: the disk of this site is full" in said
    assert "site_0003: time limit of 10 s" in said
    assert "site_failures: report" in said
