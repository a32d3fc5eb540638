"""One round that gives a consensus graph its parameters: sites send counts or moments, a server adds them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedbnsl.data.gaussian_network import GaussianNetwork
from fedbnsl.data.networks import DiscreteNetwork
from fedbnsl.data.site_data import SiteData, check_same_variables, checked_sites
from fedbnsl.errors import InputError
from fedbnsl.federate.edge_strength import count_strengths, moment_strengths
from fedbnsl.federate.messages import Message, pack_symmetric, sum_over_sites, unpack_symmetric
from fedbnsl.graphs._checked import checked_graph
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.scores.likelihood import check_pseudo_count

LARGEST_TABLES = 20_000_000  # numbers in all tables of a network together: 160 MB


@dataclass(frozen=True)
class FittedNetwork:
    """A network with parameters, and what its fit cost.

    Attributes
    ----------
    network : DiscreteNetwork or GaussianNetwork
    strength : ndarray, shape (d, d)
        Of every edge, in nats: see :mod:`fedbnsl.federate.edge_strength`.
    rows : tuple of int
        Of each site.
    bytes_up : int
        What the sites sent, all together.
    """

    network: DiscreteNetwork | GaussianNetwork
    strength: np.ndarray
    rows: tuple[int, ...]
    bytes_up: int


def fit_parameters(
    graph: Graph | WeightedGraph, sites: Sequence[SiteData], *, pseudo_count: float = 1.0
) -> FittedNetwork:
    """Parameters for a graph from all sites' rows, which stay where they are.

    Discrete sites send how many of their rows have each combination of a variable's and its parents'
    states (combinations that occur only); P(k | j) = (N_ijk + c) / (N_ij + r_i c) with the counts of all
    sites, the posterior mean under a Dirichlet prior with the pseudo-count c in every cell. Continuous
    sites send the number of their rows, the sums and the sums of products; every variable is regressed on
    its parents, with the variance RSS / n. Both equal the fit on the rows of all sites in one table, and do
    not depend on the order of the sites.

    What is sent tells about the rows: a count of 1 is a person, and moments of few rows come close to
    them. :func:`fedbnsl.privacy.private_parameters` adds the noise that gives differential privacy.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        A DAG, or a PDAG, which stands for a DAG that extends it; weights are ignored.
    sites : sequence of SiteData
        At least one; the graph's variables (in any order), the same at every site.
    pseudo_count : float, default 1.0
        c, above 0. Discrete data only.

    Returns
    -------
    FittedNetwork

    Raises
    ------
    InputError
        If the sites or the graph do not fit together, there are no rows, a column is constant or an exact
        linear function of its parents (continuous), or a variable has so many parents that the tables would
        hold more than ``LARGEST_TABLES`` numbers.
    """
    sites = checked_sites(sites)
    check_same_variables(sites)
    chosen = checked_graph(graph, "the graph").reordered(sites[0].names).to_dag()
    if not sum(site.n_rows for site in sites):
        raise InputError("no site has a row", remedy="Give at least one site with rows")
    if sites[0].is_discrete:
        check_pseudo_count(pseudo_count)
        layout = TableLayout(chosen, sites[0].states)
        messages = [CountsSite(site, layout).step(0, Message()) for site in sites]
        counts = added_counts(layout, messages)
        network = network_of_counts(layout, counts, pseudo_count)
        strength = count_strengths(layout.tables(counts), layout.parents)
    else:
        messages = [MomentsSite(site).step(0, Message()) for site in sites]
        network, strength = _gaussian(chosen, messages)
    rows = tuple(site.n_rows for site in sites)
    return FittedNetwork(network, strength, rows, sum(message.n_bytes for message in messages))


class TableLayout:
    """Where the cells of a network's tables stand in one long vector.

    Parameters
    ----------
    graph : Graph
        A DAG.
    states : sequence of sequences of str
        The declared states of each variable.

    Attributes
    ----------
    parents : list of lists of int
    shapes : list of tuples of int
        Of each variable's table: its parents' numbers of states, then its own.
    starts : ndarray of int64, shape (d + 1,)
        Table i is ``vector[starts[i]:starts[i + 1]]`` in row-major order.
    """

    def __init__(self, graph: Graph, states):
        self.graph, self.states = graph, states
        self.parents = [np.flatnonzero(column).tolist() for column in graph.adjacency.T]
        self.shapes = [tuple(len(states[p]) for p in (*own, i)) for i, own in enumerate(self.parents)]
        sizes = [math.prod(shape) for shape in self.shapes]
        if sum(sizes) > LARGEST_TABLES or max(map(len, self.shapes), default=0) > 64:
            largest = int(np.argmax([float(size) for size in sizes]))
            raise InputError(
                f"the tables would hold {sum(sizes):.3g} numbers, most of them that of "
                f"{graph.names[largest]!r} with {len(self.parents[largest])} parents",
                remedy="Prune the network further, or merge states",
            )
        self.starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    def tables(self, vector: np.ndarray) -> list[np.ndarray]:
        """The vector cut into one table a variable."""
        return [
            vector[start:end].reshape(shape)
            for start, end, shape in zip(self.starts, self.starts[1:], self.shapes, strict=False)
        ]

    def cells(self, site: SiteData) -> np.ndarray:
        """Position of each row's cell in every table, shape (n, d), int64."""
        found = np.empty(site.values.shape, dtype=np.int64)
        for i, (own, shape) in enumerate(zip(self.parents, self.shapes, strict=True)):
            columns = tuple(site.values[:, v].astype(np.int64) for v in (*own, i))
            found[:, i] = self.starts[i] + np.ravel_multi_index(columns, shape)
        return found


class CountsSite:
    """A site that sends the counts of the cells that its rows have: 4 bytes a place, 4 a count."""

    def __init__(self, site: SiteData, layout: TableLayout):
        self.site, self.layout = site, layout

    def step(self, round: int, message: Message) -> Message:
        """Count, whatever the message is."""
        cells, counts = np.unique(self.layout.cells(self.site), return_counts=True)
        return Message({"cells": cells.astype(np.uint32), "counts": counts.astype(np.uint32)})


def added_counts(layout: TableLayout, messages: Sequence[Message]) -> np.ndarray:
    """The counts of all sites, float64, one for every cell of the layout."""
    total = np.zeros(layout.starts[-1])
    for message in messages:
        total[message["cells"]] += message["counts"]
    return total


def network_of_counts(layout: TableLayout, counts: np.ndarray, pseudo_count: float) -> DiscreteNetwork:
    """The posterior means under the pseudo-count; counts may be fractions of 0 or more."""
    cells = layout.tables(counts + pseudo_count)
    tables = [table / table.sum(axis=-1, keepdims=True) for table in cells]
    return DiscreteNetwork("consensus", layout.graph.names, layout.states, layout.parents, tables)


class MomentsSite:
    """A site that sends n, Σ x and Σ x xᵀ around its mean: d + d(d+1)/2 + 1 numbers."""

    def __init__(self, site: SiteData):
        self.site = site

    def step(self, round: int, message: Message) -> Message:
        """Add up, whatever the message is. A site without rows sends zeros."""
        values = self.site.values
        mean = values.mean(axis=0) if len(values) else np.zeros(values.shape[1])
        centred = values - mean
        return Message(
            {
                "rows": np.array([len(values)], dtype=np.int64),
                "mean": mean,
                "products": pack_symmetric(centred.T @ centred),
            }
        )


def _gaussian(graph: Graph, messages: Sequence[Message]) -> tuple[GaussianNetwork, np.ndarray]:
    """Regressions from the moments of all rows together, and the strengths of the edges."""
    rows = np.array([message["rows"][0] for message in messages], dtype=np.float64)
    n = rows.sum()
    mean = sum_over_sites([k * message["mean"] for k, message in zip(rows, messages, strict=True)]) / n
    within = unpack_symmetric(sum_over_sites([message["products"] for message in messages]))
    shifts = [message["mean"] - mean for message in messages]
    between = sum_over_sites([k * np.outer(shift, shift) for k, shift in zip(rows, shifts, strict=True)])
    covariance = (within + between) / n
    scale = np.sqrt(np.diagonal(covariance))
    flat = np.flatnonzero(~(scale > 1e-12 * np.abs(mean)))
    if flat.size:
        raise InputError(
            "the column has the same value in all rows of all sites",
            where=f"column {graph.names[flat[0]]!r}",
            remedy="Leave it out at every site",
        )
    # columns of one length: otherwise one in small units counts as collinear
    correlation = covariance / np.outer(scale, scale)
    d = len(scale)
    coefficients, variances = np.zeros((d, d)), np.empty(d)
    for j in range(d):
        parents = np.flatnonzero(graph.adjacency[:, j])
        own = np.linalg.lstsq(correlation[np.ix_(parents, parents)], correlation[parents, j], rcond=None)[0]
        left = 1.0 - own @ correlation[parents, j]
        if left <= 1e-10:
            given = ", ".join(graph.names[p] for p in parents)
            raise InputError(
                f"the column is an exact linear function of {given}",
                where=f"column {graph.names[j]!r}",
                remedy="Leave one of them out, or drop an edge",
            )
        coefficients[parents, j] = own * scale[j] / scale[parents]
        variances[j] = left * covariance[j, j]
    network = GaussianNetwork(graph, coefficients, mean - mean @ coefficients, variances)
    return network, moment_strengths(graph.adjacency, correlation)
