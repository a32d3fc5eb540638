"""Reading back the pieces that earlier jobs wrote: sites, learned graphs."""

from collections.abc import Iterable
from pathlib import Path

from fedbnsl.data.site_data import SiteData
from fedbnsl.data.site_files import read_site
from fedbnsl.errors import InputError
from fedbnsl.files import read_json
from fedbnsl.graphs.formats.json_graph import graph_from_dict
from fedbnsl.graphs.graph import Graph, as_graph
from fedbnsl.seeds import derived_seed


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


def read_learned(files: Iterable[str], sites: int) -> tuple[dict[int, Graph], dict[int, str]]:
    """Graphs of the sites 1 … ``sites``, and the reasons of those that have none.

    Returns
    -------
    graphs : dict of int to Graph
    missing : dict of int to str

    Raises
    ------
    InputError
        If no site has a graph.
    """
    graphs, missing = {}, {}
    for file in files:
        for record in read_json(file)["sites"]:
            if record["number"] > sites:
                continue
            if "error" in record:
                missing[record["number"]] = record["error"]
            else:
                graphs[record["number"]] = as_graph(graph_from_dict(record["graph"]))
    if not graphs:
        reasons = "; ".join(f"site {number}: {reason}" for number, reason in sorted(missing.items()))
        raise InputError(f"the learner failed at every site ({reasons})")
    return dict(sorted(graphs.items())), dict(sorted(missing.items()))
