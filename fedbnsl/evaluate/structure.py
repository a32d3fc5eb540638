"""How far an estimated graph is from the true one."""

import math

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.evaluate.sid import sid as sid_distance
from fedbnsl.graphs._checked import checked_graph
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.graphs.treewidth import treewidth

# Codes of what stands between a pair of variables i < j.
_NONE, _FORWARD, _BACKWARD, _UNDIRECTED = 0, 1, 2, 3


def shd(a: Graph | WeightedGraph, b: Graph | WeightedGraph) -> int:
    """Structural Hamming distance: pairs of variables between which the two graphs differ.

    A pair is unlinked, linked i → j, linked j → i, or linked i — j, and counts 1 if the graphs
    disagree about it. Between DAGs this is the number of insertions, deletions and reversals, a
    reversal counting once (Tsamardinos, Brown and Aliferis 2006; Zheng et al. 2018). An undirected
    edge where the other graph has a directed one counts 1. Symmetric, and a metric.

    Raises
    ------
    InputError
        If the graphs have different variables, one is no graph, or one is a weighted graph with weights
        in both directions between two variables.
    """
    a, b = _aligned(a, b)
    return int((_pair_codes(a) != _pair_codes(b)).sum())


def smhd(a: Graph | WeightedGraph, b: Graph | WeightedGraph) -> int:
    """Structural moral Hamming distance: edges in one moral graph and not in the other.

    Markov equivalent graphs have distance 0 (equal skeletons and v-structures give equal moral
    graphs); the converse does not hold. Symmetric. As used in the GMCBC and MCBNC papers.

    Parameters
    ----------
    a, b : Graph or WeightedGraph
        DAGs, PDAGs with a consistent extension, or undirected graphs (taken as moral graphs).

    Raises
    ------
    InputError
        If the graphs have different variables, one has no DAG to moralise, one is no graph, or one is a
        weighted graph with weights in both directions between two variables.
    """
    a, b = _aligned(a, b)
    return int(np.triu(a.moral().adjacency != b.moral().adjacency, 1).sum())


def edge_metrics(estimate: Graph | WeightedGraph, truth: Graph | WeightedGraph) -> dict:
    """The measures of :func:`metrics` that only compare edges: cheap enough for every round.

    Parameters and errors as in :func:`metrics`.

    Returns
    -------
    dict
        ``shd tpr fdr fpr precision recall f1 skeleton_f1 skeleton_correct arrowhead_error edges``.
    """
    estimate, truth = _aligned(estimate, truth)
    found, true = _pair_codes(estimate), _pair_codes(truth)
    linked, truly = found != _NONE, true != _NONE
    both = linked & truly
    correct = int((both & ((found == true) | (found == _UNDIRECTED) | (true == _UNDIRECTED))).sum())
    wrong = int(linked.sum()) - correct  # reversed or extra

    arcs, true_arcs = estimate.adjacency == 1, truth.adjacency == 1
    hits = int((arcs & true_arcs).sum())
    misses = int((~arcs & true_arcs).sum())
    extra = int((arcs & ~true_arcs).sum())
    d = estimate.n_nodes
    return {
        "shd": int((found != true).sum()),
        "tpr": _share(correct, int(truly.sum()), empty=1.0),
        "fdr": _share(wrong, int(linked.sum()), empty=0.0),
        "fpr": wrong / max(len(true) - int(truly.sum()), 1),
        "precision": _share(hits, hits + extra, empty=1.0),
        "recall": _share(hits, hits + misses, empty=1.0),
        "f1": _share(2 * hits, 2 * hits + misses + extra, empty=1.0),
        "skeleton_f1": _share(2 * int(both.sum()), int(linked.sum()) + int(truly.sum()), empty=1.0),
        "skeleton_correct": int(both.sum()),
        "arrowhead_error": _share(misses + extra, d * (d - 1), empty=0.0),
        "edges": int(linked.sum()),
    }


def metrics(estimate: Graph | WeightedGraph, truth: Graph | WeightedGraph, sid: bool = True) -> dict:
    """Every structural measure of an estimate against the truth.

    Parameters
    ----------
    estimate, truth : Graph or WeightedGraph
        Over the same d variables, in any order. Of a weighted graph the non-zero pattern counts.
    sid : bool, default True
        Whether to compute the structural intervention distance; NaN if not.

    Returns
    -------
    dict
        Counts are int, shares are float. In what follows an edge is *correct* if the truth links the
        same two variables and does not direct the edge the other way, *wrong* otherwise; so an
        undirected edge of a CPDAG that the truth has in either direction is correct for ``tpr`` and
        ``fdr`` (as in the NOTEARS evaluation), counts 1 in ``shd``, and for ``precision``, ``recall``
        and ``f1`` is two arcs of which one is right.

        - ``shd``: structural Hamming distance, see :func:`shd`.
        - ``tpr``: correct edges / true edges.
        - ``fdr``: wrong edges / estimated edges.
        - ``fpr``: wrong edges / pairs that the truth leaves unlinked, d(d − 1)/2 − true edges, or 1 if
          there are none. Reversed edges are wrong, so it can exceed 1 (Zheng et al. 2018).
        - ``precision``, ``recall``, ``f1``: over arcs, the non-zero entries of the adjacency matrix.
          For DAGs precision = 1 − fdr and recall = tpr.
        - ``skeleton_f1``: f1 over linked pairs, directions dropped; ``skeleton_correct``: the number
          of pairs linked in both.
        - ``arrowhead_error``: entries of the adjacency matrix that differ / d(d − 1) (NOTEARS-PFL,
          equation 23; the empty graph against d edges has 1/(d − 1)).
        - ``cpdag_shd``: :func:`shd` between the CPDAGs of both.
        - ``smhd``: see :func:`smhd`.
        - ``v_structures``: v-structures i → k ← j (i and j not linked) that both graphs have;
          ``v_structures_estimate`` and ``v_structures_true``: how many each has.
        - ``sid``: structural intervention distance, see :func:`fedbnsl.evaluate.sid.sid`.
        - ``edges``: estimated edges, an undirected one once; ``edges_true``: true edges.
        - ``treewidth``: of the estimate, see :func:`fedbnsl.graphs.treewidth`.

        A share of nothing is the best value: 1 for ``tpr``, ``precision``, ``recall``, ``f1`` and
        ``skeleton_f1``, 0 for ``fdr``. ``cpdag_shd``, ``smhd``, ``sid`` and ``treewidth`` are NaN where
        a graph is no DAG and has no DAG that extends it (a directed cycle, contradicting
        orientations), for they are defined through such a DAG.

    Raises
    ------
    InputError
        If the graphs have different variables, one is no graph, or one is a weighted graph with weights
        in both directions between two variables.
    """
    estimate, truth = _aligned(estimate, truth)
    found = {
        **edge_metrics(estimate, truth),
        "edges_true": truth.n_edges,
        "cpdag_shd": _if_defined(lambda: shd(estimate.cpdag(), truth.cpdag())),
        "smhd": _if_defined(lambda: smhd(estimate, truth)),
        "sid": _if_defined(lambda: sid_distance(estimate, truth)) if sid else math.nan,
        "treewidth": _if_defined(lambda: treewidth(estimate)),
    }
    common, of_estimate, of_truth = _v_structure_counts(estimate.adjacency, truth.adjacency)
    return {
        **found,
        "v_structures": common,
        "v_structures_estimate": of_estimate,
        "v_structures_true": of_truth,
    }


def _aligned(a, b) -> tuple[Graph, Graph]:
    """Both as plain graphs, the first with its variables in the second's order."""
    a, b = checked_graph(a, "the first graph"), checked_graph(b, "the second graph")
    return a.reordered(b.names), b


def _pair_codes(graph: Graph) -> np.ndarray:
    """What stands between each pair i < j, shape (d(d − 1)/2,)."""
    a = graph.adjacency
    upper = np.triu_indices(len(a), 1)
    return _FORWARD * a[upper] + _BACKWARD * a.T[upper]


def _share(part: int, whole: int, empty: float) -> float:
    return part / whole if whole else empty


def _if_defined(measure) -> int | float:
    try:
        return measure()
    except InputError:
        return math.nan


def _v_structure_counts(a: np.ndarray, b: np.ndarray) -> tuple[int, int, int]:
    """v-structures that both matrices have, that ``a`` has, that ``b`` has."""
    counts = [0, 0, 0]
    into = [(m == 1) & (m.T == 0) for m in (a, b)]
    apart = [(m == 0) & (m.T == 0) for m in (a, b)]
    for node in range(len(a)):
        parents = [m[:, node] for m in into]
        for place, (of, unlinked) in enumerate(
            ((parents[0] & parents[1], apart[0] & apart[1]), (parents[0], apart[0]), (parents[1], apart[1]))
        ):
            chosen = np.flatnonzero(of)
            counts[place] += int(np.triu(unlinked[np.ix_(chosen, chosen)], 1).sum())
    return tuple(counts)
