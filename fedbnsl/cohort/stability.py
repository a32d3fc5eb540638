"""How much a network hangs on the rows and on the sites it comes from."""

from collections.abc import Iterable, Sequence

import numpy as np

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.learning import Way
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.seeds import generator


def resampled(site: SiteData, seed: int, replicate: int) -> SiteData:
    """As many rows as the site has, drawn from them with replacement."""
    rng = generator(seed, "bootstrap", site.label, replicate)
    return site.rows(np.sort(rng.integers(site.n_rows, size=site.n_rows)))


def bootstrap(way: Way, sites: Sequence[SiteData], replicates: Iterable[int]) -> list[Graph | None]:
    """One network for each replicate: the rows of every site resampled, everything learned anew.

    A replicate depends on the seed and its number only, so batches can be computed anywhere. None where
    learning failed, as where resampling leaves a column constant.
    """
    found = []
    for replicate in replicates:
        again = [resampled(site, way.seed, replicate) for site in sites]
        found.append(_attempt(way, again, "replicate", replicate))
    return found


def leave_one_out(way: Way, sites: Sequence[SiteData], graphs=None) -> dict[str, Graph | None]:
    """The network without each site in turn, by the label of the site left out.

    Parameters
    ----------
    way : Way
    sites : sequence of SiteData
        At least two.
    graphs : sequence of Graph, WeightedGraph or None, optional
        What the sites learned alone, by site, if that is known already.
    """
    if len(sites) < 2:
        return {}
    found = {}
    for k, site in enumerate(sites):
        others = [other for other in range(len(sites)) if other != k]
        known = None if graphs is None else [graphs[other] for other in others]
        found[site.label] = _attempt(way, [sites[other] for other in others], "without", site.label, known)
    return found


def edge_shares(
    graphs: Sequence[Graph | WeightedGraph | None], knowledge: Knowledge | None = None
) -> np.ndarray:
    """Share of graphs with each edge, by what their equivalence classes say.

    Parameters
    ----------
    graphs : sequence of Graph, WeightedGraph or None
        On the same variables in the same order; None is not counted.
    knowledge : Knowledge, optional
        Directions that follow from it count as fixed.

    Returns
    -------
    ndarray, shape (3, d, d)
        ``[0, i, j]``: i and j are joined; ``[1, i, j]``: by i → j in all DAGs of the class;
        ``[2, i, j]``: by an edge that the class leaves undirected. NaN where there is no graph. For
        weighted graphs, whose directions are identified by the model, every edge counts as directed.
    """
    kept = [graph for graph in graphs if graph is not None]
    if not kept:
        return np.full((3, 0, 0), np.nan)
    d = len(kept[0].names)
    total = np.zeros((3, d, d))
    for graph in kept:
        matrix = graph.graph.adjacency if isinstance(graph, WeightedGraph) else class_of(graph, knowledge)
        both = matrix & matrix.T
        total += np.stack([matrix | matrix.T, matrix & ~matrix.T & 1, both])
    return total / len(kept)


def class_of(graph: Graph, knowledge: Knowledge | None) -> np.ndarray:
    """Adjacency of the graph's equivalence class, with the directions that background knowledge fixes."""
    plain = graph.cpdag().adjacency
    if not knowledge:
        return plain
    from fedbnsl.learn.background import Background  # loads compiled code

    known = Background.of(graph.names, knowledge.required, knowledge.forbidden, knowledge.tiers)
    refined = known.refined(plain)
    return plain if refined is None else refined


def _attempt(way: Way, sites, kind: str, which, graphs=None) -> Graph | WeightedGraph | None:
    try:
        return way.together(sites, graphs, kind, which).graph
    except InputError:
        return None
