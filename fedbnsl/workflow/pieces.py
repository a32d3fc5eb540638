"""Reading back the pieces that earlier jobs wrote: sites, learned graphs."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fedbnsl.data.site_data import SiteData
from fedbnsl.data.site_files import read_site
from fedbnsl.errors import InputError
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import Graph, as_graph
from fedbnsl.seeds import derived_seed


class Learned(NamedTuple):
    """What the learner left behind at a number of sites, by site number, in that order."""

    graphs: dict[int, Graph]
    missing: dict[int, str]  # why a site has no graph
    warned: dict[int, str]  # what the learner warned of where there is one, such as a search cut short
    rows: dict[int, int | None]  # how many rows the graphs were learned from; None: not learned from any


def data_seed(root: int, seed: int) -> int:
    """The seed that data number ``seed`` of a study are made from, under the root seed of config."""
    return derived_seed(root, "data", seed)


def site_paths(folders: Iterable[str]) -> dict[int, Path]:
    """Site number → file, over the folders that site jobs wrote."""
    return {
        int(path.stem.removeprefix("site_")): path
        for folder in folders
        for path in sorted(Path(folder).glob("site_*.parquet"))
    }


def read_sites(folders: Iterable[str], numbers: Iterable[int]) -> list[SiteData]:
    """The sites of these numbers, in that order."""
    folders = list(folders)
    paths = site_paths(folders)
    return [read_site(site_path(paths, number, folders)) for number in numbers]


def site_path(paths: dict[int, Path], number: int, folders: Iterable[str]) -> Path:
    """The file of one site, or an InputError that names the folder where it is missing."""
    if number not in paths:
        raise InputError(
            f"the file of site {number} is missing",
            where=", ".join(map(str, folders)),
            remedy="Delete the folder and run again: it is made anew",
        )
    return paths[number]


def of_seed(paths: Iterable[str], seed: int) -> list[str]:
    """Those of some files and folders that belong to one seed; a folder of seeds gives its files of it."""
    found = []
    for path in paths:
        inside = Path(path) / f"seed{seed}"
        if inside.is_dir():
            found += map(str, sorted(inside.iterdir()))
        elif f"seed{seed}" in Path(path).parts:
            found.append(str(path))
    return found


def read_learned(files: Iterable[str], sites: int) -> Learned:
    """Graphs of the sites 1 … ``sites``, the reasons of those that have none, and the warnings of the others.

    Raises
    ------
    InputError
        If no site has a graph.
    """
    graphs = {}
    records, missing, warned = read_records(files, sites)
    for number, record in records.items():
        if number not in missing:
            graphs[number] = as_graph(graph_from_dict(record["graph"]))
    if not graphs:
        raise InputError(f"the learner failed at every site ({by_reason(missing)})")
    return Learned(graphs, missing, warned, {number: records[number].get("rows") for number in graphs})


def read_records(
    files: Iterable[str | Path], sites: int
) -> tuple[dict[int, dict], dict[int, str], dict[int, str]]:
    """What is written about each of the sites 1 … ``sites``, and the two kinds of reasons; see Learned."""
    records = {
        record["number"]: record
        for file in files
        for record in read_json(file)["sites"]
        if record["number"] <= sites
    }
    records = dict(sorted(records.items()))
    missing = {number: record["error"] for number, record in records.items() if "error" in record}
    warned = {
        number: "; ".join(record["warnings"])
        for number, record in records.items()
        if record.get("warnings") and number not in missing
    }
    return records, missing, warned


def by_reason(reasons: dict[int, str]) -> str:
    """Reasons of sites in one line, a reason that several share told once: ``sites 1, 3: …; site 2: …``."""
    numbers: dict[str, list[int]] = {}
    for number, reason in reasons.items():
        numbers.setdefault(reason, []).append(number)
    return "; ".join(
        f"site{'s' * (len(shared) > 1)} {', '.join(map(str, shared))}: {reason}"
        for reason, shared in numbers.items()
    )
