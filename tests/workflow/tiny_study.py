"""A study of the smallest size that runs every rule, for tests that run the workflow in several ways."""

import hashlib
import json

STUDY = """
title: A tiny study
citation: none
experiments:
  learned:
    description: Two sites learn.
    kind: consensus
    source: "asia@rows={rows}"
    partition: "unequal@sites={sites}"
    learner: ges@ess=2,max_parents=4
    methods: [gmcbc]
    presets: &asia
      smoke: {rows: [200], sites: [2], seeds: [1, 1]}
      laptop: {rows: [200], sites: [2], seeds: [1, 1]}
      paper: {rows: [200], sites: [2], seeds: [1, 1]}
  drawn:
    description: Networks drawn, not learned.
    kind: consensus
    source: "random-dag@nodes={nodes}"
    partition: iid
    learner: perturbed@count=applied,first=base
    methods: [gmcbc]
    pages: false
    presets:
      smoke: {nodes: [6], sites: [2], seeds: [1, 1]}
      laptop: {nodes: [6], sites: [2], seeds: [1, 1]}
      paper: {nodes: [6], sites: [2], seeds: [1, 1]}
  federated:
    description: Two sites exchange messages.
    kind: federate
    source: "linear-gaussian@edges={nodes},nodes={nodes},rows={rows}"
    partition: iid
    methods: [fed-bnsl]
    presets:
      smoke: {nodes: [5], rows: [200], sites: [2], seeds: [1, 1]}
      laptop: {nodes: [5], rows: [200], sites: [2], seeds: [1, 1]}
      paper: {nodes: [5], rows: [200], sites: [2], seeds: [1, 1]}
artefacts:
  tiny-consensus:
    experiments: [learned]
    make: fedbnsl.studies.gmcbc:consensus_table
    caption: Two sites.
  tiny-figure:
    experiments: [drawn]
    make: fedbnsl.studies.gmcbc:by_nodes
    figure: true
    caption: Drawn networks.
  tiny-rounds:
    experiments: [federated]
    make: fedbnsl.studies.fed_sparse:communication
    caption: Messages.
    printed:
      - {quantity: shd, where: {method: fed-bnsl, nodes: 5}, value: "1", better: lower}
"""
EXPERT = "from,to\nsmoke,lung\nlung,dysp\n"


def make_tiny(checkout, seed=1):
    """Turn a copy of the checkout into one that has this study, and two networks of its user, to compute."""
    (checkout.folder / "workflow/studies/tiny.yaml").write_text(STUDY, encoding="utf-8")
    (checkout.folder / "experts").mkdir()
    for name, text in (("north", EXPERT), ("south", EXPERT.replace("lung,dysp", "smoke,dysp"))):
        (checkout.folder / f"experts/{name}.csv").write_text(text, encoding="utf-8")
    config = {"preset": "smoke", "studies": ["tiny"], "seed": seed, "networks": {"files": ["experts/*"]}}
    (checkout.folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return checkout


def result_digests(checkout):
    """Digest of every file of the results, but for logs, timings and what says when it was made."""
    results = checkout.folder / "results"
    return {
        str(path.relative_to(results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*"))
        if path.is_file() and path.relative_to(results).parts[0] not in ("logs", "benchmarks", "README.md")
    }
