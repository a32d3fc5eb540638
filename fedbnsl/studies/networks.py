"""Table 1 of GMCBC: the benchmark networks, counted in the files that are used."""

import numpy as np
import pandas

from fedbnsl.data.networks import NETWORKS, load_network
from fedbnsl.data.resources import resource
from fedbnsl.studies.artefact import Artefact

COLUMNS = ("nodes", "edges", "parameters", "max_parents", "mean_degree")


def table1(scores: pandas.DataFrame) -> Artefact:
    """Nodes, edges, free parameters, largest number of parents and mean degree of each network.

    Parameters
    ----------
    scores : pandas.DataFrame
        Not used: the table comes from the network files alone.

    Returns
    -------
    Artefact
        With the printed value beside each counted one, and ``agrees`` where all five are equal.
    """
    printed = pandas.read_csv(resource("networks.tsv"), sep="\t", index_col="network", dtype=str)
    rows, comparison = [], []
    for name in NETWORKS:
        network = load_network(name)
        parents = network.graph.adjacency.sum(axis=0)
        counted = {
            "nodes": network.graph.n_nodes,
            "edges": network.graph.n_edges,
            "parameters": network.n_parameters,
            "max_parents": int(parents.max()),
            "mean_degree": round(2 * network.graph.n_edges / network.graph.n_nodes, 2),
        }
        expected = printed.loc[name]
        comparison += [
            {"quantity": key, "where": {"network": name}, "value": expected[key], "better": "match"}
            for key in COLUMNS
        ]
        rows.append(
            {
                "network": name,
                **counted,
                **{f"printed_{key}": float(expected[key]) for key in COLUMNS},
                "agrees": all(np.isclose(counted[key], float(expected[key]), atol=5e-3) for key in COLUMNS),
            }
        )
    table = pandas.DataFrame(rows)
    return Artefact(table=table, runs=table, printed=tuple(comparison))
