"""The flow-cytometry measurements of Sachs et al. (2005) and the graph they are judged by."""

import csv

import numpy as np

from fedbnsl.data.resources import resource
from fedbnsl.data.settings import truth_value
from fedbnsl.data.site_data import SiteData
from fedbnsl.graphs.graph import Graph


def load_sachs(log: bool = False) -> tuple[SiteData, Graph]:
    """The continuous Sachs table and its consensus graph.

    7466 cells, 11 proteins and phospholipids (fluorescence, raw scale) and 18 edges, as distributed
    by the Causal Discovery Toolbox. Source: Sachs, Perez, Pe'er, Lauffenburger, Nolan (2005),
    "Causal protein-signaling networks derived from multiparameter single-cell data", Science 308.

    Not to be confused with ``load_network("sachs")``, a discrete network with 17 edges.

    The variances of the raw values lie between 1.9e3 and 4.2e5, too far from 1 for penalties that do not
    depend on the scale: learned with the settings of the Fed-Sparse-BNSL paper, Fed-BNSL's published
    numbers (17 to 18 edges, SHD 23, 8 of the skeleton's edges) come out on the log scale.

    Parameters
    ----------
    log : bool
        Whether to take the natural logarithm of the values, which are all positive. Default: False.

    Returns
    -------
    site : SiteData
        Continuous, 7466 rows; labelled ``sachs``.
    gold : Graph
        18 directed edges. They contain the cycle plcg → PIP2 → PIP3 → plcg, so this graph is no DAG
        and has no CPDAG; compare skeletons, directions and v-structures only.
    """
    with open(resource("sachs/cyto_full_data.csv"), encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        values = np.array([[float(cell) for cell in row] for row in reader])
    with open(resource("sachs/cyto_full_target.csv"), encoding="utf-8", newline="") as file:
        edges = [(row["Cause"], row["Effect"]) for row in csv.DictReader(file)]
    if truth_value("log", log):
        values = np.log(values)
    return SiteData(names, values, label="sachs"), Graph.from_edges(names, edges)
