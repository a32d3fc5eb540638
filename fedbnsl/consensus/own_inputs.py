"""Networks from files, brought to common variables, with a word on all that was done to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fedbnsl.consensus import _inputs
from fedbnsl.consensus.imap import imap_of_dag
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.formats.files import read_graph
from fedbnsl.graphs.formats.json_graph import graph_from_dict, graph_to_dict
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph

_LISTED = 12  # names in a message


class OwnInput(NamedTuple):
    """One network to fuse.

    Attributes
    ----------
    label : str
        A short name: that of the file without folder and suffix, where no other has it.
    file : str
    graph : Graph
        A DAG or CPDAG on the common variables.
    known : frozenset of str
        The variables of the file.
    notes : tuple of str
        What was done to it or is to be known about it.
    """

    label: str
    file: str
    graph: Graph
    known: frozenset[str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OwnInputs:
    """The networks to fuse, all on the same variables in the same order.

    Attributes
    ----------
    inputs : tuple of OwnInput
    variables : str
        ``same``, ``union`` or ``intersection``.
    notes : tuple of str
        What holds for all of them.
    """

    inputs: tuple[OwnInput, ...]
    variables: str
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The common variables."""
        return self.inputs[0].graph.names

    @property
    def graphs(self) -> list[Graph]:
        """The networks."""
        return [one.graph for one in self.inputs]

    def to_dict(self) -> dict:
        """Plain lists and strings for :meth:`from_dict`."""
        inputs = [
            {**one._asdict(), "graph": graph_to_dict(one.graph), "known": sorted(one.known)}
            for one in self.inputs
        ]
        return {"variables": self.variables, "notes": list(self.notes), "inputs": inputs}

    @classmethod
    def from_dict(cls, stored: dict) -> "OwnInputs":
        """The inverse of :meth:`to_dict`."""
        inputs = tuple(
            OwnInput(
                one["label"],
                one["file"],
                as_graph(graph_from_dict(one["graph"])),
                frozenset(one["known"]),
                tuple(one["notes"]),
            )
            for one in stored["inputs"]
        )
        return cls(inputs, stored["variables"], tuple(stored["notes"]))


def read_own(files: Sequence[str], variables: str = "same", repeated: Sequence[str] = ()) -> OwnInputs:
    """Read networks and bring them to common variables.

    Parameters
    ----------
    files : sequence of str
        In any format that :func:`fedbnsl.read_graph` knows. Weights are ignored.
    variables : {"same", "union", "intersection"}
        What to do where the files have different variables: refuse them; give every network all
        variables, those that it lacks without edges; or keep the variables that all have and sum the
        others out (:func:`marginal`).
    repeated : sequence of str
        Files that were asked for more than once, besides those that ``files`` repeats; the notes say that
        each counts once.

    Returns
    -------
    OwnInputs
        The variables in the order of their first appearance.

    Raises
    ------
    InputError
        If a file cannot be read, names no variable, has a directed cycle or undirected edges that no
        DAG extends, or the variables differ in a way that ``variables`` does not allow.
    """
    named = [str(file) for file in files]
    files = list(dict.fromkeys(named))
    repeated = list(dict.fromkeys([*repeated, *(file for file in files if named.count(file) > 1)]))
    read = {file: _read(file) for file in files}
    graphs = {file: graph for file, (graph, _) in read.items()}
    everything = list(dict.fromkeys(name for graph in graphs.values() for name in graph.names))
    lacking = {
        file: [name for name in everything if name not in set(graph.names)] for file, graph in graphs.items()
    }
    lacking = {file: names for file, names in lacking.items() if names}
    alike = _alike(everything)
    names = everything
    if lacking and variables == "same":
        raise _different(lacking, alike)
    if variables == "intersection":
        names = [name for name in everything if all(name in set(g.names) for g in graphs.values())]
        if not names:
            raise InputError(
                f"no variable stands in all {len(files)} files",
                where="config.yaml, networks.variables",
                remedy=f"{_case(alike)}Check the names, or write\n\n  networks:\n    variables: union\n",
            )
    inputs = []
    for label, (file, (graph, notes)) in zip(labels(files), read.items(), strict=True):
        common, said = _on(graph, names)
        inputs.append(OwnInput(label, file, common, frozenset(graph.names), (*notes, *said)))
    notes = _general(inputs, names, everything, lacking, alike)
    if repeated:
        notes.append(f"Named more than once, used once: {_listed(repeated)}.")
    return OwnInputs(tuple(inputs), variables, tuple(notes))


def labels(files: Sequence[str]) -> list[str]:
    """A short name for each file: its own without folder and suffix, or the path where two agree."""
    short = [Path(Path(file).name.removesuffix(".gz")).stem for file in files]
    return [name if short.count(name) == 1 else file for name, file in zip(short, files, strict=True)]


def marginal(graph: Graph, keep: Sequence[str]) -> Graph:
    """A DAG on some of a DAG's variables that claims no independence which the DAG does not have.

    It is the minimal I-map of the marginal distribution under the DAG's own topological order (of
    several, the one that takes the earlier variable first): two variables stay joined where they depend
    on each other through variables that are left out. a → h → b without h gives a → b; so does
    a ← h → b, as a DAG has no other way to say that both depend on something unseen.

    Parameters
    ----------
    graph : Graph
        A DAG; a CPDAG is extended to a DAG first.
    keep : sequence of str
        Some of its variables, in the order wanted.
    """
    [full] = _inputs.as_dags([graph])
    keep = [str(name) for name in keep]
    kept, names = set(keep), full.names
    first = [names[v] for v in dag.topological_order(full.adjacency) if names[v] in kept]
    order = (*first, *(name for name in names if name not in kept))
    place = {name: v for v, name in enumerate(names)}
    chosen = [place[name] for name in keep]
    return Graph(keep, imap_of_dag(full, order).adjacency[np.ix_(chosen, chosen)])


def _read(file: str) -> tuple[Graph, list[str]]:
    """A file's graph, checked to be a DAG or CPDAG, and what is to be said about it."""
    graph, notes = read_graph(file), []
    if not graph.names:
        raise InputError("the file has no variables", where=file, remedy="Leave it out")
    if isinstance(graph, WeightedGraph):
        notes.append("its weights are ignored")
    try:
        _inputs.as_dags([graph])
    except InputError as error:
        raise InputError(
            error.problem,
            where=file,
            remedy="Give a DAG or a CPDAG: drop or turn one of these edges"
            if "cycle" in error.problem
            else "Give a DAG or a CPDAG: direct its undirected edges, or drop some",
        ) from None
    graph = as_graph(graph)
    undirected = len(graph.undirected_edges())
    if undirected:
        notes.append(
            f"{_count(undirected, 'edge')} without direction; the fusion takes a DAG of the same class"
        )
    if not graph.n_edges:
        notes.append("it has no edges")
    return graph, notes


def _on(graph: Graph, names: Sequence[str]) -> tuple[Graph, list[str]]:
    """The graph on the common variables, and what that took."""
    dropped = [name for name in graph.names if name not in set(names)]
    if dropped:
        result = marginal(graph, names)
        place = {name: v for v, name in enumerate(graph.names)}
        chosen = [place[name] for name in names]
        joined = (graph.adjacency | graph.adjacency.T)[np.ix_(chosen, chosen)]
        new = int(np.triu((result.adjacency | result.adjacency.T) & (1 - joined), 1).sum())
        return result, [f"summed out: {_listed(dropped)}; this joined {_count(new, 'pair')} more"]
    absent = [name for name in names if name not in set(graph.names)]
    if not absent:
        return graph.reordered(names), []
    place = {name: v for v, name in enumerate(names)}
    chosen = [place[name] for name in graph.names]
    matrix = np.zeros((len(names), len(names)), dtype=np.int8)
    matrix[np.ix_(chosen, chosen)] = graph.adjacency
    return Graph(names, matrix), [f"it does not know {_listed(absent)}"]


def _general(inputs, names, everything, lacking, alike) -> list[str]:
    notes = []
    same = ": the consensus is that network, or one that states the same independences, where θ is below 1."
    if len(inputs) == 1:
        notes.append(f"There is one input only{same}")
    elif all(one.graph == inputs[0].graph for one in inputs[1:]):
        notes.append(f"All inputs are the same network{same}")
    if not any(one.graph.n_edges for one in inputs):
        notes.append("No input has an edge, so the consensus has none.")
    if lacking and len(names) == len(everything):
        notes.append(
            "The files have different variables. One that a file lacks stands there without edges; this "
            "counts against its edges in the consensus, but it is no evidence against them."
        )
    elif lacking:
        left = [name for name in everything if name not in set(names)]
        notes.append(
            f"Only the variables that all files have are kept; summed out: {_listed(left)}. An edge of an "
            "input may stand for a path or a common cause among these, and its direction may mean nothing."
        )
    if lacking and alike:
        notes.append(f"Names that differ in letter case only count as different variables: {_pairs(alike)}.")
    return notes


def _different(lacking: Mapping[str, list[str]], alike: list[tuple[str, ...]]) -> InputError:
    told = "; ".join(f"{file} lacks {_listed(names)}" for file, names in lacking.items())
    return InputError(
        f"the files have different variables: {told}",
        where="config.yaml, networks.files",
        remedy=f"{_case(alike)}If a variable is only missing because it has no edges, name it in the file "
        "(in a CSV in a row with an empty 'to'). Otherwise choose: every variable, without edges in the "
        "networks that lack it,\n\n  networks:\n    variables: union\n\nor the variables that all have, "
        "the others summed out,\n\n  networks:\n    variables: intersection\n",
    )


def _alike(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Groups of names that differ in letter case or blanks at the ends only."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.strip().casefold(), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _pairs(alike) -> str:
    return ", ".join(" and ".join(map(repr, group)) for group in alike[:_LISTED])


def _case(alike) -> str:
    return f"These names differ in letter case only: {_pairs(alike)}; write them alike. " if alike else ""


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
