"""How far a network's directions follow the scale of its variables (Reisach, Seiler and Weichwald 2021)."""

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph, as_graph

_TIE = 1e-9  # variances this close, relatively, count as equal


def varsortability(graph: Graph | WeightedGraph, variances) -> float:
    """Share of the directed paths that lead from a smaller to a larger variance.

    Counted over pairs (i, j) and lengths k such that a directed path of k edges leads from i to j; equal
    variances count one half. Of the true graph this is the measure of Reisach et al. (2021, Beware of
    the simulated DAG!): near 1, sorting the variables by variance already gives a causal order, and
    methods with a squared loss on the raw scale (NOTEARS, Fed-BNSL and their kin) do well. Of a learned
    graph, a value near 1 says that its directions are those which the scale suggests. Such directions
    change with the units: after standardising every column to variance 1 the same methods have no
    scale to follow, and find other directions, often worse than chance on data simulated like this.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        The d variables.
    variances : array_like, shape (d,)
        Variance of each, in the order of ``graph.names``.

    Returns
    -------
    float
        Between 0 and 1; about ½ if scale and directions are unrelated; NaN if there is no edge.

    Raises
    ------
    InputError
        If there is not one finite variance of 0 or more for each variable.
    """
    pattern = as_graph(graph).adjacency != 0
    variances = np.asarray(variances, dtype=np.float64)
    if variances.shape != (len(pattern),) or not (np.isfinite(variances) & (variances >= 0)).all():
        raise InputError(
            f"{len(pattern)} variances are needed, finite and 0 or larger",
            remedy="Give one for each variable, in the order of graph.names",
        )
    source, target = variances[:, None], variances[None, :]
    rises = target > source * (1 + _TIE)
    falls = source > target * (1 + _TIE)
    credit = np.where(rises, 1.0, np.where(falls, 0.0, 0.5))
    paths, sorted_paths, reached = 0, 0.0, pattern
    for _ in range(len(pattern) - 1):
        if not reached.any():
            break
        paths += int(reached.sum())
        sorted_paths += float(credit[reached].sum())
        reached = (reached.astype(np.float32) @ pattern.astype(np.float32)) > 0
    return sorted_paths / paths if paths else float("nan")


def scale_note(share: float) -> str:
    """A sentence for readers of a learned network about its :func:`varsortability`; empty for NaN."""
    if np.isnan(share):
        return ""
    return (
        f"{share:.0%} of the directed paths lead from a smaller to a larger variance. Methods of the "
        "NOTEARS kind take directions from the scale of the columns: with other units, or standardised "
        "columns, the same data give other directions. Trust them only if all columns are in one unit "
        "and have similar noise."
    )
