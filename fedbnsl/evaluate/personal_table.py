"""How well each site's own network is recovered, as a tidy table."""

from collections.abc import Mapping

import numpy as np
import pandas

from fedbnsl.evaluate.personalisation import normalised_mse
from fedbnsl.evaluate.structure import edge_metrics
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph

MEASURES = ("shd", "tpr", "fdr", "edges")


def personal_table(
    networks: Mapping[int, Graph | WeightedGraph], truths: Mapping[int, WeightedGraph]
) -> pandas.DataFrame:
    """One row a site.

    Parameters
    ----------
    networks : mapping of int to Graph or WeightedGraph
        By site number; a site that has none is left out.
    truths : mapping of int to WeightedGraph
        The weights behind each site's rows.

    Returns
    -------
    pandas.DataFrame
        ``site``, ``shd``, ``tpr``, ``fdr``, ``edges``, and ``mse``: the error of the weights relative to the
        true ones (:func:`fedbnsl.evaluate.normalised_mse`), NaN for a graph without weights or a truth
        without edges.
    """
    rows = []
    for number, network in networks.items():
        truth = truths[number]
        measured = edge_metrics(network, truth)
        known = isinstance(network, WeightedGraph) and as_graph(truth).n_edges > 0
        rows.append(
            {
                "site": number,
                **{key: measured[key] for key in MEASURES},
                "mse": normalised_mse(network, truth) if known else np.nan,
            }
        )
    return pandas.DataFrame(rows, columns=["site", *MEASURES, "mse"])
