"""A site's own weights on the network that all sites learned together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData, check_same_variables
from fedbnsl.errors import InputError
from fedbnsl.federate.federation import Federation
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph
from fedbnsl.learn.sufficient import check_continuous


def refit(federation: Federation, sites: Sequence[SiteData]) -> tuple[WeightedGraph, ...]:
    """Least-squares weights of every site on the learned DAG (Fed-Sparse-BNSL, B.2.2).

    Nothing is exchanged: each site regresses every variable on its parents with its own rows, centred.

    Parameters
    ----------
    federation : Federation
        From :func:`fedbnsl.federate.run` on these sites. Its DAG serves all sites, or each its own.
    sites : sequence of SiteData

    Returns
    -------
    tuple of WeightedGraph
        One a site, in their order. Where a site has fewer rows than a variable has parents, or parents
        that determine each other, the weights of least norm; the graph of such weights may lack an edge.

    Raises
    ------
    InputError
        If the variables, or the number of sites, are not those of the run, or a site's data are no
        ground for a regression (discrete, one row, a constant column).
    """
    sites = list(sites)
    check_same_variables(sites)
    if sites[0].names != federation.names:
        raise InputError("the sites have other variables than the run", remedy="Give the sites of the run")
    graphs = federation.graphs
    if len(graphs) == 1:
        graphs *= len(sites)
    if len(graphs) != len(sites):
        raise InputError(
            f"there are {len(sites)} sites, but the run learned a network for each of {len(graphs)}",
            remedy="Give the sites of the run, in their order",
        )
    return tuple(refit_site(graph, site) for site, graph in zip(sites, graphs, strict=True))


def refit_site(graph: Graph | WeightedGraph, site: SiteData) -> WeightedGraph:
    """Least-squares weights of one site on a DAG; see :func:`refit`.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        Over the site's variables, in any order.
    site : SiteData

    Returns
    -------
    WeightedGraph

    Raises
    ------
    InputError
        If the variables differ, or the site's data are no ground for a regression.
    """
    check_continuous(site)
    adjacency = as_graph(graph).reordered(site.names).adjacency
    centred = site.values - site.values.mean(axis=0)
    weights = np.zeros(adjacency.shape)
    for j in range(len(adjacency)):
        parents = np.flatnonzero(adjacency[:, j])
        if parents.size:
            weights[parents, j] = np.linalg.lstsq(centred[:, parents], centred[:, j], rcond=None)[0]
    return WeightedGraph(site.names, weights)
