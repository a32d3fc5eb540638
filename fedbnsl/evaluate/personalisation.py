"""How well a site's own weights are recovered."""

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import WeightedGraph


def normalised_mse(estimate: WeightedGraph, truth: WeightedGraph) -> float:
    """‖B̂ − B‖²_F / ‖B‖²_F between estimated and true weights (Fed-Sparse-BNSL, appendix B.2.2).

    0 is perfect; the empty estimate has 1.

    Parameters
    ----------
    estimate, truth : WeightedGraph
        Over the same variables, in any order.

    Raises
    ------
    InputError
        If the variables differ, or the truth has no edge to be relative to.
    """
    estimate.graph.reordered(truth.names)  # one message for differing variables
    place = {name: i for i, name in enumerate(estimate.names)}
    order = [place[name] for name in truth.names]
    scale = (truth.weights**2).sum()
    if scale == 0:
        raise InputError(
            "the true weights are all 0, so an error relative to them is undefined",
            remedy="Compare the structures instead",
        )
    return float(((estimate.weights[order][:, order] - truth.weights) ** 2).sum() / scale)
