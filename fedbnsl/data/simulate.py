"""Simulated continuous sites: linear structural equations on a random DAG."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from fedbnsl.data.linear_equations import solve_linear_equations
from fedbnsl.data.settings import check_random_dag, one_of, unify_types, whole
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs import generators
from fedbnsl.graphs.graph import WeightedGraph
from fedbnsl.seeds import generator

#: Random graph models by name.
GRAPHS = {"erdos-renyi": generators.erdos_renyi, "scale-free": generators.scale_free}

#: Noise of mean 0 and variance 1 by name: ``f(rng, shape) -> ndarray``.
NOISES = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape) - 1.0,
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape),
    "laplace": lambda rng, shape: rng.laplace(0.0, np.sqrt(0.5), shape),
    "gumbel": lambda rng, shape: (rng.gumbel(0.0, 1.0, shape) - np.euler_gamma) * np.sqrt(6.0) / np.pi,
}


@dataclass(frozen=True)
class LinearSimulation:
    """Sites whose rows follow x_j = Σ_i W[i, j] x_i + e_j on one random DAG.

    The global weights are uniform on [−2, −.5] ∪ [.5, 2] and the noise has variance 1 (Appendix B.1
    of the Fed-Sparse-BNSL paper, after NOTEARS). If the sites are heterogeneous, each has its own
    weights on the common DAG, normal around the global ones.

    The graph and the global weights depend on ``seed``, ``nodes``, ``edges`` and ``graph`` alone,
    the weights and rows of site k on these and on k: more sites, or more rows, leave what was there
    unchanged.

    Attributes
    ----------
    nodes, edges : int
        Number of nodes and, for ``erdos-renyi`` expected, for ``scale-free`` approximate, number of
        edges; see :mod:`fedbnsl.graphs.generators`. Default: 20 and 20.
    seed : int
    graph : str
        ``erdos-renyi`` (default) or ``scale-free``.
    heterogeneous : bool
        Whether every site has its own weights. Default: False.
    weight_variance : float
        Variance of a site's weights around the global ones, if heterogeneous. Default: 0.1.
    noise : str
        ``gaussian`` (default), ``exponential``, ``uniform``, ``laplace`` or ``gumbel``; always
        centred, always scaled to the wanted variance.
    variance_low, variance_high : float
        The noise variance of each variable is uniform on this interval, the same at all sites.
        Default: 1 and 1, the equal variances under which the DAG is identifiable.

    Raises
    ------
    InputError
        If a setting is out of range or of another type; a whole number may be written 5 or 5.0.
    """

    nodes: int = 20
    edges: int = 20
    seed: int = 2
    graph: str = "erdos-renyi"
    heterogeneous: bool = False
    weight_variance: float = 0.1
    noise: str = "gaussian"
    variance_low: float = 1.0
    variance_high: float = 1.0

    def __post_init__(self):
        one_of("graph", self.graph, GRAPHS)
        one_of("noise", self.noise, NOISES)
        unify_types(self)
        check_random_dag(self.nodes, self.edges, self.seed)
        if self.weight_variance < 0:
            raise InputError(f"weight_variance must be 0 or larger, not {self.weight_variance}")
        if not 0 < self.variance_low <= self.variance_high < np.inf:
            raise InputError(
                f"the noise variances cannot lie between {self.variance_low} and {self.variance_high}",
                remedy="Give 0 < variance_low ≤ variance_high",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """x1, x2, …"""
        return _names(self.nodes)

    def truth(self) -> WeightedGraph:
        """The DAG with the global weights."""
        return _truth(self.nodes, self.edges, self.seed, self.graph)

    def site_truth(self, number: int) -> WeightedGraph:
        """The DAG with the weights of site ``number`` (1, 2, …): the global ones if homogeneous."""
        if not self.heterogeneous:
            return self.truth()
        weights = self.truth().weights
        shift = self._generator("site weights", number).standard_normal(weights.shape)
        return WeightedGraph(
            self.names, np.where(weights != 0, weights + np.sqrt(self.weight_variance) * shift, 0.0)
        )

    def noise_variances(self) -> np.ndarray:
        """Variance of every variable's noise, shape (nodes,)."""
        return self._generator("noise variances").uniform(self.variance_low, self.variance_high, self.nodes)

    def site(self, number: int, rows: int, label: str | None = None) -> SiteData:
        """The rows of site ``number`` (1, 2, …); a shorter table is the beginning of a longer one."""
        rows = whole("rows", rows)
        if rows < 1:
            raise InputError(f"the number of rows must be 1 or larger, not {rows}", where=f"site {number}")
        noise = NOISES[self.noise](self._generator("site", number, self.noise), (rows, self.nodes))
        values = solve_linear_equations(
            self.site_truth(number).weights, np.sqrt(self.noise_variances()) * noise
        )
        return SiteData(self.names, values, label=label or f"site_{number:04d}")

    def _generator(self, *key) -> np.random.Generator:
        return _generator(self.nodes, self.edges, self.seed, self.graph, *key)


def simulate_linear_gaussian(
    nodes: int = 20,
    edges: int = 20,
    sites: int = 8,
    rows: int | Sequence[int] = 5000,
    seed: int = 2,
    heterogeneous: bool = False,
    graph: str = "erdos-renyi",
    noise: str = "gaussian",
    **options,
) -> tuple[list[SiteData], WeightedGraph]:
    """Simulate sites that share one linear model; see :class:`LinearSimulation`.

    Parameters
    ----------
    nodes, edges, seed, heterogeneous, graph, noise, **options
        As in :class:`LinearSimulation`, which also gives the weights of each heterogeneous site.
    sites : int
        Number of sites.
    rows : int or sequence of int
        Rows at each site, or one number a site.

    Returns
    -------
    sites : list of SiteData
        ``site_0001``, ``site_0002``, …
    truth : WeightedGraph
        The DAG with the global weights.

    Raises
    ------
    InputError
        If a setting is out of range or the rows do not fit the sites.
    """
    simulation = LinearSimulation(
        nodes, edges, seed, graph=graph, heterogeneous=heterogeneous, noise=noise, **options
    )
    sites = whole("sites", sites)
    if sites < 1:
        raise InputError(f"the number of sites must be 1 or larger, not {sites}")
    sizes = [rows] * sites if np.ndim(rows) == 0 else list(rows)
    if len(sizes) != sites:
        raise InputError(f"rows gives {len(sizes)} sizes, but there are {sites} sites")
    return [simulation.site(k + 1, size) for k, size in enumerate(sizes)], simulation.truth()


@lru_cache(maxsize=8)  # every site asks for it
def _truth(nodes: int, edges: int, seed: int, graph: str) -> WeightedGraph:
    rng = _generator(nodes, edges, seed, graph, "truth")
    pattern = GRAPHS[graph](nodes, edges, rng)
    size = rng.uniform(0.5, 2.0, pattern.shape)
    sign = rng.choice([-1.0, 1.0], pattern.shape)
    return WeightedGraph(_names(nodes), pattern * sign * size)


def _names(nodes: int) -> tuple[str, ...]:
    return tuple(f"x{i + 1}" for i in range(nodes))


def _generator(nodes: int, edges: int, seed: int, graph: str, *key) -> np.random.Generator:
    return generator(seed, "linear simulation", nodes, edges, graph, *key)
