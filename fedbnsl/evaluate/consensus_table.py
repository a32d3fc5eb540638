"""Measures of a consensus and of what it is compared with, as one tidy table."""

from collections.abc import Sequence

import numpy as np
import pandas

from fedbnsl.consensus.path import PruningPath
from fedbnsl.data.site_data import SiteData
from fedbnsl.evaluate.structure import metrics
from fedbnsl.graphs.graph import Graph, as_graph
from fedbnsl.graphs.treewidth import treewidth
from fedbnsl.scores.bdeu import bdeu_family


def consensus_table(
    result: "PruningPath | Graph",
    inputs: Sequence[Graph],
    truth: Graph | None = None,
    sites: Sequence[SiteData] = (),
    ess: float = 1.0,
) -> pandas.DataFrame:
    """Measures of a consensus at every θ, of its inputs' mean and of the gold standard.

    Parameters
    ----------
    result : PruningPath or Graph
        What a consensus method returned.
    inputs : sequence of Graph
        The graphs that it fused, over the same variables.
    truth : Graph, optional
        The gold standard.
    sites : sequence of SiteData, optional
        The discrete data to compute BDeu on; the mean over these sites is given.
    ess : float
        Equivalent sample size of BDeu.

    Returns
    -------
    pandas.DataFrame
        One row a graph. ``series`` says which: ``consensus`` (a row for every θ at which the result
        changes; a method without θ has one row, θ missing), ``best`` (the graph that the method itself
        returns), ``fusion`` (G⁺, before any pruning), ``inputs`` (means over the input graphs), ``gold``.
        Columns: ``theta``, ``smhd_inputs`` (mean over the inputs, each of which counts once, also where the
        method weighted them), ``smhd_gold``, ``bdeu``, ``edges``, ``treewidth``; and for ``best`` every
        measure of :func:`fedbnsl.evaluate.metrics` against the gold standard. What needs a truth or data that
        are not given is missing.
    """
    names = as_graph(inputs[0]).names
    inputs = [as_graph(graph).reordered(names) for graph in inputs]
    truth = None if truth is None else as_graph(truth).reordered(names)
    measured = _Measures(inputs, truth, sites, ess)
    rows = []
    if isinstance(result, PruningPath):
        for theta, graph in result.networks():
            rows.append({"series": "consensus", "theta": theta, **measured(graph)})
        best, best_theta = result.best(), result.best_theta()
        rows.append({"series": "fusion", "theta": np.nan, **measured(result.fusion)})
    else:
        best, best_theta = result, np.nan
        rows.append({"series": "consensus", "theta": np.nan, **measured(best)})
    details = metrics(best, truth) if truth is not None else {}
    rows.append({"series": "best", "theta": best_theta, **details, **measured(best)})
    each = pandas.DataFrame([measured(graph) for graph in inputs])
    rows.append({"series": "inputs", "theta": np.nan, **each.mean().to_dict()})
    if truth is not None:
        rows.append({"series": "gold", "theta": np.nan, **measured(truth)})
    return pandas.DataFrame(rows)


class _Measures:
    """The columns of one row. Moral graphs of the inputs and BDeu of families are computed once."""

    def __init__(self, inputs, truth, sites: Sequence[SiteData], ess: float):
        self.names = inputs[0].names
        self.count = len(inputs)
        # in how many inputs each pair is joined in the moral graph
        self.support = sum(graph.moral().adjacency.astype(np.int64) for graph in inputs)
        self.truth = None if truth is None else truth.moral().adjacency
        self.scorers = [bdeu_family(site, ess) for site in sites]
        self.families: dict[tuple, float] = {}

    def __call__(self, graph: Graph) -> dict:
        graph = graph.reordered(self.names)
        joined = graph.moral().adjacency
        apart = np.where(joined == 1, self.count - self.support, self.support)
        return {
            "smhd_inputs": float(np.triu(apart, 1).sum() / self.count),
            "smhd_gold": np.nan if self.truth is None else float(np.triu(joined != self.truth, 1).sum()),
            "bdeu": self._bdeu(graph.to_dag().adjacency) if self.scorers else np.nan,
            "edges": graph.n_edges,
            "treewidth": treewidth(graph),
        }

    def _bdeu(self, dag: np.ndarray) -> float:
        return float(sum(self._family(i, tuple(np.flatnonzero(dag[:, i]))) for i in range(len(dag))))

    def _family(self, node: int, parents: tuple[int, ...]) -> float:
        """Mean over the sites of one family's BDeu."""
        key = (node, parents)
        if key not in self.families:
            self.families[key] = float(np.mean([score(node, parents) for score in self.scorers]))
        return self.families[key]
