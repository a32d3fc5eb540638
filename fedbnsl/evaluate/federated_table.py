"""Measures of a round-based protocol after every round, as a tidy table."""

import numpy as np
import pandas

from fedbnsl.evaluate.structure import edge_metrics, metrics
from fedbnsl.graphs.graph import Graph

EVERY_ROUND = ("shd", "tpr", "fdr")


def federated_table(
    names: tuple[str, ...],
    rounds: pandas.DataFrame,
    history: pandas.DataFrame,
    truth: Graph,
    varsortability: float | None = None,
) -> pandas.DataFrame:
    """SHD, TPR and FDR after every round, and every measure after the last.

    Parameters
    ----------
    names : tuple of str
        The d variables.
    rounds : pandas.DataFrame
        One row a round, from :class:`fedbnsl.federate.Federation`; its columns are kept.
    history : pandas.DataFrame
        The non-zero weights of the DAG after every round: ``round``, ``i``, ``j``, ``weight``.
    truth : Graph
        The gold standard over the same variables.
    varsortability : float, optional
        Of the learned network, from :class:`fedbnsl.federate.Federation`; None if it has no edge.

    Returns
    -------
    pandas.DataFrame
        One row a round with ``shd``, ``tpr``, ``fdr`` and ``bytes`` (both directions, summed up to
        that round); ``last`` marks the final round, the only one with ``varsortability`` and the
        measures that cost more.
    """
    truth = truth.reordered(names)
    by_round = dict(iter(history.groupby("round")))
    rows = []
    last = int(rounds["round"].max())
    for round in rounds["round"]:
        pattern = np.zeros((len(names), len(names)), dtype=np.int8)
        if round in by_round:
            entries = by_round[round]
            pattern[entries["i"], entries["j"]] = 1
        graph = Graph(names, pattern)
        if round == last:
            share = np.nan if varsortability is None else varsortability
            found = {**metrics(graph, truth), "varsortability": share}
        else:
            found = {key: value for key, value in edge_metrics(graph, truth).items() if key in EVERY_ROUND}
        rows.append({**found, "last": round == last})
    table = pandas.concat([rounds.reset_index(drop=True), pandas.DataFrame(rows)], axis=1)
    table["bytes"] = (table["bytes_up"] + table["bytes_down"]).cumsum()
    return table.loc[:, ~table.columns.duplicated(keep="last")]
