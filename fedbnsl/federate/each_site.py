"""A method with several settings on sites that have networks of their own, measured site by site."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.evaluate.structure import edge_metrics
from fedbnsl.federate.grid import quiet_run
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph

if TYPE_CHECKING:
    import pandas

MEASURES = ("arrowhead_error", "precision", "recall", "f1", "shd", "edges")


def try_on_sites(
    name: str,
    settings: Iterable[dict],
    sites: Sequence[SiteData],
    truths: Sequence[Graph | WeightedGraph],
    *,
    seed: int = 0,
) -> pandas.DataFrame:
    """Run a method once for every setting; last comes the empty graph.

    Parameters
    ----------
    name : str
        A method of kind ``federate``; where it learns one network, that is every site's.
    settings : iterable of dict
        Options of each run.
    sites : sequence of SiteData
    truths : sequence of Graph or WeightedGraph
        Of each site.
    seed : int
        Of every run.

    Returns
    -------
    pandas.DataFrame
        One row a setting, in order, and one for the empty graph: ``arrowhead_error precision recall f1 shd
        edges``, means over the sites of :func:`fedbnsl.evaluate.metrics` (the precision of no edges counts
        as 1), ``bytes`` and ``converged``; ``penalty l1 l2`` where the method tells what it chose.

    Raises
    ------
    InputError
        As of :func:`fedbnsl.federate.run`.
    """
    import pandas

    rows = []
    for options in settings:
        found = quiet_run(name, sites, seed, options)
        graphs = found.graphs if len(found.graphs) == len(sites) else found.graphs * len(sites)
        row = {**mean_measures(graphs, truths), "bytes": found.bytes_total, "converged": found.converged}
        last = found.rounds.iloc[-1]
        rows.append({**row, **{key: last[key] for key in ("penalty", "l1", "l2") if key in last}})
    empty = Graph(sites[0].names, np.zeros((len(sites[0].names),) * 2, dtype=np.int8))
    rows.append({**mean_measures([empty] * len(sites), truths), "bytes": 0, "converged": True})
    return pandas.DataFrame(rows)


def mean_measures(graphs: Sequence[Graph], truths: Sequence[Graph | WeightedGraph]) -> dict[str, float]:
    """Means over the sites of the measures above."""
    found = [edge_metrics(own, as_graph(true)) for own, true in zip(graphs, truths, strict=True)]
    return {key: float(np.mean([one[key] for one in found])) for key in MEASURES}
