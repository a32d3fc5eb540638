"""The tables of a cohort's network: its edges with all that speaks for them, and where the sites differ."""

from collections.abc import Mapping, Sequence

import numpy as np

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.stability import class_of, edge_shares
from fedbnsl.data.gaussian_network import GaussianNetwork
from fedbnsl.federate.parameters import FittedNetwork
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph

#: Columns of :func:`edge_rows`.
EDGES = (
    *("from", "to", "direction", "coefficient", "strength", "support", "sites"),
    *("confidence", "confidence_direction", "lost_without"),
)
_WAYS = {(True, False): "→", (False, True): "←", (True, True): "—", (False, False): ""}


def edge_rows(
    graph: Graph | WeightedGraph,
    fitted: FittedNetwork | None,
    site_graphs: Mapping[str, Graph | WeightedGraph | None],
    replicates: Sequence[Graph | WeightedGraph | None],
    without: Mapping[str, Graph | WeightedGraph | None],
    knowledge: Knowledge | None = None,
) -> list[dict]:
    """One row an edge of the network, in variable order.

    Parameters
    ----------
    graph : Graph or WeightedGraph
    fitted : FittedNetwork, optional
        Its parameters; None where they could not be fitted.
    site_graphs : mapping of site to Graph, WeightedGraph or None
        What the sites learned alone.
    replicates : sequence
        Networks of resampled rows, from :func:`fedbnsl.cohort.stability.bootstrap`.
    without : mapping of site to network
        From :func:`fedbnsl.cohort.stability.leave_one_out`.
    knowledge : Knowledge, optional
        That the method used: directions that follow from it count as fixed.

    Returns
    -------
    list of dict
        ``from``, ``to``; ``direction``: ``fixed`` if all DAGs that state the same independences (and keep
        the knowledge) have it, ``free`` if not, ``by model`` where the method's model identifies
        directions; ``coefficient`` (of linear Gaussian networks: fitted, or that which the method learned)
        and ``strength`` (nats, see :mod:`fedbnsl.federate.edge_strength`); ``support``: share of the sites
        with a graph that join the pair, ``sites``: which, with →, ← or —; ``confidence``: share of
        replicates that join it; ``confidence_direction``: share of those that join it which direct it so,
        undirected ones counting one half; ``lost_without``: sites without which the network does not join
        it, with "(no network)" where none could be learned without a site. Shares are None where there is
        nothing to count.
    """
    plain = as_graph(graph)
    own = {site: as_graph(found).reordered(plain.names) for site, found in site_graphs.items() if found}
    joined, forward, free = _shares(replicates, plain.names, knowledge)
    fixed = class_of(plain, knowledge)
    weights = graph.weights if isinstance(graph, WeightedGraph) else None
    gaussian = fitted is not None and isinstance(fitted.network, GaussianNetwork)
    rows = []
    for i, j in np.argwhere(plain.adjacency).tolist():
        ways = {site: way(found, i, j) for site, found in own.items()}
        there = joined is not None and joined[i, j] > 0
        directed = (forward[i, j] + free[i, j] / 2) / joined[i, j] if there else None
        rows.append(
            {
                "from": plain.names[i],
                "to": plain.names[j],
                "direction": "by model"
                if isinstance(graph, WeightedGraph)
                else ("free" if fixed[j, i] else "fixed"),
                "coefficient": float(fitted.network.coefficients[i, j])
                if gaussian
                else (None if weights is None else float(weights[i, j])),
                "strength": None if fitted is None else float(fitted.strength[i, j]),
                "support": sum(map(bool, ways.values())) / len(own) if own else None,
                "sites": "; ".join(f"{site} {sign}" for site, sign in ways.items() if sign),
                "confidence": None if joined is None else float(joined[i, j]),
                "confidence_direction": None if directed is None else float(directed),
                "lost_without": "; ".join(_lost(without, plain, i, j)),
            }
        )
    return rows


def difference_rows(
    graph: Graph | WeightedGraph, site_graphs: Mapping[str, Graph | WeightedGraph | None]
) -> list[dict]:
    """One row for every pair that the network or a site joins: how the network and each site join it.

    ``from``, ``to`` (as in the network, otherwise in variable order), ``network``, then a column ``at SITE``:
    ``→``, ``←``, ``—`` (undirected), empty (not joined), ``no graph`` where learning failed. Pairs on which
    the sites agree come last; the others by how evenly the sites are divided.
    """
    plain = as_graph(graph)
    own = {site: None if found is None else _on(found, plain) for site, found in site_graphs.items()}
    stack = [plain.adjacency, *(found.adjacency for found in own.values() if found)]
    joined = np.triu(sum(matrix | matrix.T for matrix in stack) > 0, 1)
    rows = []
    for i, j in np.argwhere(joined).tolist():
        if plain.adjacency[j, i] and not plain.adjacency[i, j]:
            i, j = j, i
        signs = {site: "no graph" if found is None else way(found, i, j) for site, found in own.items()}
        known = [bool(sign) for sign in signs.values() if sign != "no graph"]
        share = np.mean(known) if known else 0.0
        row = {"from": plain.names[i], "to": plain.names[j], "network": way(plain, i, j)}
        row |= {f"at {site}": sign for site, sign in signs.items()}
        rows.append((abs(share - 0.5), row))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def way(graph: Graph, i: int, j: int) -> str:
    """How a graph joins the variables i and j: ``→``, ``←``, ``—``, or empty."""
    return _WAYS[bool(graph.adjacency[i, j]), bool(graph.adjacency[j, i])]


def _lost(without, plain: Graph, i: int, j: int) -> list[str]:
    told = []
    for site, found in without.items():
        if found is None:
            told.append(f"{site} (no network)")
        elif not way(_on(found, plain), i, j):
            told.append(site)
    return told


def _on(graph: Graph | WeightedGraph, other: Graph) -> Graph:
    return as_graph(graph).reordered(other.names)


def _shares(replicates, names, knowledge):
    """The shares of the replicates' edges in this order of variables; None thrice without replicates."""
    kept = [found for found in replicates if found is not None]
    if not kept:
        return None, None, None
    place = [kept[0].names.index(name) for name in names]
    return edge_shares(kept, knowledge)[:, place][:, :, place]
