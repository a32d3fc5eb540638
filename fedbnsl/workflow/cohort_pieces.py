"""What the jobs of a cohort hand on: sites, their graphs, networks."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.learning import SiteGraphs, Way
from fedbnsl.data.site_data import SiteData
from fedbnsl.data.site_files import read_site
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict, graph_to_dict
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.registry import method
from fedbnsl.spec import Spec

FOLDER = "results/cohort"

#: Where the results of methods go that were run on other rows, and are not run on these.
EARLIER = "earlier"

#: Replicates of the bootstrap in one job.
BATCH = 25

#: What is made for each method, below ``FOLDER/METHOD/``.
PIECES = ("index.html", "edges.csv", "differences.tsv", "network.pdf", "network.png", "joining.tsv")


def release_file(ledgers: str, label: str, background: Mapping | None, site_files: Iterable[str]) -> Path:
    """Where a private release of these rows by this method is kept: beside its ledgers."""
    digest = hashlib.sha256(json.dumps([label, background]).encode())
    for path in site_files:
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return Path(ledgers) / "releases" / f"{digest.hexdigest()[:32]}.json"


def is_private(label: str) -> bool:
    """Whether the method called so adds noise for differential privacy."""
    return method(Spec.parse(label).name).is_private


def stability_parts(replicates: int, sites: int) -> list[str]:
    """The jobs that a method's stability takes: runs of replicates like ``1-25``, and ``sites``."""
    parts = [f"{k + 1}-{min(k + BATCH, replicates)}" for k in range(0, replicates, BATCH)]
    return [*parts, "sites"] if sites > 1 else parts


def read_cohort_sites(paths: Iterable[str]) -> list[SiteData]:
    """The sites, each called by its file's name."""
    return [read_site(path, label=Path(path).stem) for path in paths]


def read_site_graphs(paths: Iterable[str]) -> SiteGraphs:
    """What the sites learned alone."""
    graphs, failed = [], {}
    for path in paths:
        record = read_json(path)
        graphs.append(graph_from_dict(record["graph"]) if "graph" in record else None)
        if "error" in record:
            failed[record["site"]] = record["error"]
    return SiteGraphs(tuple(graphs), failed)


def stored(graph: Graph | WeightedGraph | None) -> dict | None:
    """A graph for a JSON file, or None."""
    return None if graph is None else graph_to_dict(graph)


def restored(content: Mapping | None) -> Graph | WeightedGraph | None:
    """The inverse of :func:`stored`."""
    return None if content is None else graph_from_dict(content)


def way_of(params) -> Way:
    """How a job of the cohort makes a network, from its rule's ``params``.

    ``method``, ``labels`` and a value for ``learner`` and ``background`` are only there where the job uses
    them.
    """
    known = Knowledge()
    if params.background is not None:
        known = Knowledge.of(params.background, "config.yaml, cohort.background")
    return Way(
        params.get("method", "fusion"),
        params.learner or "ges",
        known,
        params.root_seed,
        tuple(params.get("labels", ())),
    )


def outputs(methods: Sequence[str]) -> list[str]:
    """All files that ``snakemake cohort`` makes."""
    return [
        *(f"{FOLDER}/{label}/{piece}" for label in methods for piece in PIECES),
        f"{FOLDER}/methods.tsv",
        f"{FOLDER}/recommendation.md",
    ]


def set_aside(methods: Sequence[str], site_files: Sequence[str], folder: Path | str = FOLDER) -> list[str]:
    """Move the folders of other methods that are older than the sites' rows to ``earlier/``.

    They were made from other rows, so nobody may take them for results of these. Younger ones stay: they are
    not made again when their method is named again.

    Returns
    -------
    list of str
        Their methods.
    """
    folder, made = Path(folder), max(os.stat(path).st_mtime for path in site_files)
    networks = [path for path in sorted(folder.glob("*/network.json")) if path.parent.name not in methods]
    old = [path.parent for path in networks if path.stat().st_mtime < made]
    for path in old:
        place = folder / EARLIER / path.name
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(exist_ok=True)
        path.rename(place)
    return [path.name for path in old]


def report(methods: Sequence[str], folder: Path | str = FOLDER) -> str:
    """What is there after a run."""
    folder = Path(folder)
    lines = ["", "Your own sites"]
    for label in methods:
        page = folder / label / "index.html"
        lines.append(f"  {label}: {page if page.exists() else 'no network; see the message above'}")
    older = {path.parent.name for path in folder.glob("*/index.html")} - set(methods)
    if older:
        lines.append(f"  from earlier runs on the same rows: {', '.join(sorted(older))} in {folder}")
    if (folder / EARLIER).is_dir():
        lines.append(f"  from other rows, set aside: {folder / EARLIER}")
    told = folder / "recommendation.md"
    if told.exists():
        lines += [
            f"  which method: {told}",
            *(f"    {line}" for line in told.read_text("utf-8").splitlines()[:1]),
        ]
    return "\n".join(lines)
