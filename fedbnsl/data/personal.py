"""Simulated sites whose networks are alike but not the same: some edges differ from site to site."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fedbnsl.data.linear_equations import solve_linear_equations
from fedbnsl.data.settings import check_random_dag, one_of, unify_types, whole
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs.generators import erdos_renyi
from fedbnsl.graphs.graph import WeightedGraph
from fedbnsl.seeds import generator

#: Whether the weight of an edge that several sites have is the same at all of them.
WEIGHTS = ("own", "shared", "noisy")
#: Variance of a site's weight around the shared one, if ``noisy``.
NOISE_VARIANCE = 0.1


@dataclass(frozen=True)
class PersonalSimulation:
    """Sites with linear Gaussian networks of their own, made by changing edges of one common DAG.

    The common DAG is Erdős–Rényi with m edges, ``edges`` in expectation. Each site has an SHD of
    ``changed`` times m (to the nearest whole number) from it: half of the changes take an edge out, half put
    one in, at random between two variables that the common DAG leaves unlinked. Weights are uniform on
    [−2, −.5] ∪ [.5, 2], noise is standard normal (NOTEARS-PFL, 4.1).

    The paper's own scheme (appendix C) changes a share of *all* d(d − 1) entries of the adjacency matrix:
    with 10 % that is more entries than there are edges, and the result almost always has cycles.

    Attributes
    ----------
    nodes, edges : int
        Default: 20 and 20.
    seed : int
    changed : float
        SHD of a site's DAG from the common one, relative to the number of edges, 0 to 1. Default: 0.2.
    weights : {"own", "shared", "noisy"}
        Every site draws its own weights (default); all have the same weight at the same edge; or that
        plus normal noise of variance 0.1.

    Raises
    ------
    InputError
        If a setting is out of range or of another type.
    """

    nodes: int = 20
    edges: int = 20
    seed: int = 1
    changed: float = 0.2
    weights: str = "own"

    def __post_init__(self):
        one_of("weights", self.weights, WEIGHTS)
        unify_types(self)
        check_random_dag(self.nodes, self.edges, self.seed)
        if not 0 <= self.changed <= 1:
            raise InputError(f"changed must be from 0 to 1, not {self.changed}")

    @property
    def names(self) -> tuple[str, ...]:
        """The variables x1, x2, …"""
        return tuple(f"x{i + 1}" for i in range(self.nodes))

    def truth(self) -> WeightedGraph:
        """The common DAG with the shared weights."""
        pattern, common = _common(self.nodes, self.edges, self.seed)
        return WeightedGraph(self.names, pattern * common)

    def site_truth(self, number: int) -> WeightedGraph:
        """The network of site ``number`` (1, 2, …)."""
        base, common = _common(self.nodes, self.edges, self.seed)
        pattern = changed_edges(base, self.changed, self._generator("edges", number))
        weights = common
        if self.weights == "own":
            weights = _drawn_weights(self.nodes, self._generator("weights", number))
        elif self.weights == "noisy":
            noise = self._generator("weights", number).standard_normal(common.shape)
            weights = common + np.sqrt(NOISE_VARIANCE) * noise
        return WeightedGraph(self.names, pattern * weights)

    def site(self, number: int, rows: int, label: str | None = None) -> SiteData:
        """The rows of site ``number`` (1, 2, …); a shorter table is the beginning of a longer one."""
        rows = whole("rows", rows)
        if rows < 1:
            raise InputError(f"the number of rows must be 1 or larger, not {rows}", where=f"site {number}")
        noise = self._generator("rows", number).standard_normal((rows, self.nodes))
        values = solve_linear_equations(self.site_truth(number).weights, np.asfortranarray(noise))
        return SiteData(self.names, values, label=label or f"site_{number:04d}")

    def _generator(self, what: str, number: int) -> np.random.Generator:
        return generator(self.seed, "personal simulation", self.nodes, self.edges, what, number)


def changed_edges(adjacency: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A copy of a DAG with some edges taken out and others put in.

    Parameters
    ----------
    adjacency : ndarray of int8, shape (d, d)
        A DAG with m edges.
    share : float
        0 to 1; share · m, to the nearest whole number, is the number of changes. Half of them (rounded up)
        remove an edge, half add one.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int8, shape (d, d)
        A DAG. Where fewer pairs are unlinked than edges are to be added, all of them get one.
    """
    changed = adjacency.copy()
    edges = np.argwhere(adjacency)
    number = int(np.floor(share * len(edges) + 0.5))
    for i, j in edges[rng.permutation(len(edges))[: number - number // 2]]:
        changed[i, j] = 0
    unlinked = np.argwhere(np.triu((adjacency + adjacency.T) == 0, 1))
    flipped = rng.random(len(unlinked)) < 0.5
    for place in rng.permutation(len(unlinked))[: number // 2]:
        i, j = unlinked[place][::-1] if flipped[place] else unlinked[place]
        changed[i, j] = 1
        if not dag.is_dag(changed):  # then the other way round closes no cycle
            changed[i, j], changed[j, i] = 0, 1
    return changed


@lru_cache(maxsize=8)  # every site asks for it
def _common(nodes: int, edges: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The common DAG, and a weight for every pair of variables."""
    rng = generator(seed, "personal simulation", nodes, edges, "common")
    return erdos_renyi(nodes, edges, rng), _drawn_weights(nodes, rng)


def _drawn_weights(nodes, rng):
    return rng.uniform(0.5, 2.0, (nodes, nodes)) * rng.choice([-1.0, 1.0], (nodes, nodes))
