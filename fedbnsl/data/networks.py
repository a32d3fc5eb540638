"""Discrete Bayesian networks: the benchmark networks, a user's BIF file, and sampling from them."""

import csv
import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fedbnsl.data.bif import SUM_TOLERANCE, read_bif
from fedbnsl.data.resources import resource
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import generator

#: The benchmark networks of the bnlearn repository, from 8 to 724 nodes.
NETWORKS = (
    "asia",
    "sachs",
    "child",
    "insurance",
    "water",
    "mildew",
    "alarm",
    "barley",
    "hailfinder",
    "hepar2",
    "win95pts",
    "pathfinder",
    "andes",
    "diabetes",
    "pigs",
    "link",
)


class DiscreteNetwork:
    """A Bayesian network over discrete variables, immutable.

    Parameters
    ----------
    name : str
        What to call the network.
    names : sequence of str
        The d variables.
    states : sequence of sequences of str
        The states of each variable.
    parents : sequence of sequences of int
        The parents of each variable, as positions in ``names``.
    tables : sequence of array_like
        ``tables[i][s1, …, sk, s]`` is P(variable i has state s | its parents, in the order of
        ``parents[i]``, have the states s1, …, sk), all as positions.

    Attributes
    ----------
    name, states, parents, tables
        As given; the tables are read-only arrays of float64.
    graph : Graph
        The DAG.

    Raises
    ------
    InputError
        If there are not as many states, parents and tables as names; states repeat; a parent is no
        other variable's position or repeats; the parents form a cycle; or a table has another shape
        than its parents ask for, or is no distribution for some states of the parents (each sum may
        miss 1 by ``SUM_TOLERANCE`` of :mod:`fedbnsl.data.bif`: printed numbers are rounded).
    """

    __slots__ = ("graph", "name", "parents", "states", "tables")

    def __init__(self, name: str, names: Sequence[str], states, parents, tables):
        states = tuple(tuple(str(state) for state in column) for column in states)
        parents = tuple(tuple(int(p) for p in given) for given in parents)
        tables = tuple(tables)
        for what, given in (("states", states), ("parents", parents), ("tables", tables)):
            if len(given) != len(names):
                raise InputError(f"{what} are given for {len(given)} of {len(names)} variables", where=name)
        adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
        frozen = []
        for i, (given, table) in enumerate(zip(parents, tables, strict=True)):
            where = f"{name}, {names[i]}"
            _check_states_and_parents(states[i], given, i, len(names), where)
            adjacency[list(given), i] = 1
            array = np.array(table, dtype=np.float64)
            shape = tuple(len(states[p]) for p in (*given, i))
            if array.shape != shape:
                raise InputError(f"the table has shape {array.shape}, not {shape}", where=where)
            _check_distributions(array, where)
            array.flags.writeable = False
            frozen.append(array)
        cycle = dag.find_cycle(adjacency)
        if cycle:
            path = " → ".join(names[i] for i in cycle)
            raise InputError(f"the parents form the directed cycle {path}", where=name)
        for key, value in (
            ("name", name),
            ("graph", Graph(names, adjacency)),
            ("states", states),
            ("parents", parents),
            ("tables", tuple(frozen)),
        ):
            object.__setattr__(self, key, value)

    def __setattr__(self, key, value):
        raise AttributeError("a DiscreteNetwork cannot be changed; make a new one")

    def __reduce__(self):
        return DiscreteNetwork, (self.name, self.names, self.states, self.parents, self.tables)

    def __repr__(self) -> str:
        return (
            f"<DiscreteNetwork {self.name!r}: {len(self.names)} nodes, {self.graph.n_edges} edges, "
            f"{self.n_parameters} parameters>"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The variable names."""
        return self.graph.names

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: Σ_i (states of i − 1) · (configurations of its parents)."""
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self.tables)

    def facts(self) -> dict[str, float]:
        """Nodes, edges, free parameters, largest number of parents, mean degree (2·edges/nodes)."""
        nodes, edges = len(self.names), self.graph.n_edges
        return {
            "nodes": nodes,
            "edges": edges,
            "parameters": self.n_parameters,
            "max_parents": max(map(len, self.parents)),
            "mean_degree": 2 * edges / nodes,
        }

    def sample(self, rows: int, seed: int | np.random.Generator, label: str = "site") -> SiteData:
        """Draw independent rows by ancestral sampling.

        Parameters
        ----------
        rows : int
            How many.
        seed : int or numpy Generator
            The same seed gives the same rows; with an int, a shorter sample is the beginning of a
            longer one.
        label : str
            What to call the site.

        Returns
        -------
        SiteData
            Discrete, with all states of the network declared, seen or not.
        """
        if rows < 1:
            raise InputError(f"the number of rows must be 1 or larger, not {rows}", where=self.name)
        rng = seed if isinstance(seed, np.random.Generator) else generator(seed, "network", self.name)
        # A row's numbers stand together in the stream, so that its values do not depend on `rows`.
        uniform = np.ascontiguousarray(rng.random((rows, len(self.names))).T)
        codes = np.empty(uniform.shape, dtype=np.int16)
        for i in dag.topological_order(self.graph.adjacency):
            configuration = np.zeros(rows, dtype=np.int64)
            for p in self.parents[i]:
                configuration = configuration * len(self.states[p]) + codes[p]
            card = len(self.states[i])
            cumulative = self.tables[i].reshape(-1, card).cumsum(axis=1)
            # Dividing by the row's own sum makes up for rounded probabilities, and gives exactly 1
            # from the last possible state on, so that an impossible one is never drawn.
            bounds = (cumulative / cumulative[:, -1:])[:, :-1]
            codes[i] = (uniform[i][:, None] >= bounds[configuration]).sum(axis=1)
        return SiteData(self.names, codes.T, self.states, label)


def load_network(source) -> DiscreteNetwork:
    """Load a benchmark network by name or a network from a BIF file.

    Parameters
    ----------
    source : str or path
        One of ``NETWORKS`` (read from the files that pgmpy carries; nothing is downloaded), or the
        path of a ``.bif`` or ``.bif.gz`` file.

    Returns
    -------
    DiscreteNetwork
        Named after the benchmark or the file.

    Raises
    ------
    InputError
        If there is no such network or file, or the file cannot be understood.
    """
    name = str(source)
    if name in NETWORKS:
        path = _bundled_folder() / f"{name}.bif.gz"
    elif name.endswith((".bif", ".bif.gz")):
        path = Path(source)
    else:
        raise InputError(
            f"there is no network {name!r}",
            remedy=f"Give the path of a .bif file or one of: {', '.join(NETWORKS)}",
        )
    content = read_bif(path)
    name = path.name.removesuffix(".gz").removesuffix(".bif")
    return DiscreteNetwork(name, content.names, content.states, content.parents, content.tables)


def printed_facts() -> dict[str, dict[str, float]]:
    """Facts of the benchmark networks as printed in Table 1 of the GMCBC paper, by network.

    The keys are those of :meth:`DiscreteNetwork.facts`; the numbers come from
    ``resources/networks.tsv``, so no network is loaded.
    """
    with open(resource("networks.tsv"), encoding="utf-8", newline="") as file:
        return {
            row.pop("network"): {
                key: float(value) if key == "mean_degree" else int(value) for key, value in row.items()
            }
            for row in csv.DictReader(file, delimiter="\t")
        }


def _check_states_and_parents(states, parents, i: int, nodes: int, where: str) -> None:
    if not states or len(set(states)) != len(states):
        raise InputError(f"the states {list(states)} must be one or more different texts", where=where)
    if len(set(parents)) != len(parents) or not all(0 <= p < nodes and p != i for p in parents):
        raise InputError(
            f"the parents {list(parents)} must be different positions from 0 to {nodes - 1}, other than {i}",
            where=where,
        )


def _check_distributions(table: np.ndarray, where: str) -> None:
    outside = np.argwhere(~((table >= 0) & (table <= 1 + SUM_TOLERANCE)))
    if len(outside):
        place = tuple(outside[0].tolist())
        raise InputError(f"the table has the probability {table[place]} at {list(place)}", where=where)
    sums = table.sum(axis=-1)
    off = np.argwhere(np.abs(sums - 1) > SUM_TOLERANCE + 1e-9)
    if len(off):
        place = tuple(off[0].tolist())
        raise InputError(
            f"the probabilities for the parents' states {list(place)} sum to {sums[place]:.6g}, not 1",
            where=where,
        )


def _bundled_folder() -> Path:
    # Finding the folder does not import pgmpy, which would take two seconds.
    spec = importlib.util.find_spec("pgmpy")
    if spec is None or not spec.submodule_search_locations:
        raise InputError("the benchmark networks come with pgmpy", remedy="Install pgmpy 1.1.2 or later")
    return Path(spec.submodule_search_locations[0]) / "utils" / "example_models"
