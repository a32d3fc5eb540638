"""Pruning a fusion by minimum cuts: GMCBC and MCBNC."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fedbnsl.consensus import _inputs, _kernels
from fedbnsl.consensus.fusion import fuse_dags
from fedbnsl.consensus.order import order_of_dags
from fedbnsl.consensus.path import PruningPath, deletions
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import checked_seed, generator

K_MAX_LIMIT = 20  # 2^20 subsets an edge


class Score(NamedTuple):
    """Ψ of one candidate: the orientation x → y, H, the sum of cut sizes and their mean."""

    x: str
    y: str
    H: tuple[str, ...]
    total: int
    psi: float


def prune(
    graphs: Sequence[Graph],
    variant: str = "gmcbc",
    ties: str = "random",
    seed: int = 0,
    k_max: int = 10,
    order: Sequence[str] | None = None,
) -> PruningPath:
    """Fuse DAGs and delete the edges of the fusion one by one, the least critical first.

    A candidate is an orientation x → y of an edge of the current graph P and a set H of undirected
    neighbours of y that are adjacent to x, such that the others of them, NaYX ∖ H, form a clique.
    With S = (NaYX ∖ H) ∪ pa(y) ∖ {x}, its score Ψ is the mean over the inputs of the size of a
    minimum x–y edge cut in the moral graph of the ancestral set of {x, y} ∪ S without S. The candidate
    of least Ψ is deleted from P (Chickering's Delete), P becomes a CPDAG again, and the arcs of the
    minimum cut nearest to y leave every input (pairs that only moralisation joined stay). This goes on
    until P is empty; θ is chosen afterwards on the path. Sums of cut sizes are compared, not means.

    Sources: Torrijos, Puerta, Gámez, Aledo (2025), "Informed Greedy Algorithm for Scalable Bayesian
    Network Fusion via Minimum Cut Analysis" (GMCBC), Algorithm 1; Torrijos, Puerta, Aledo, Gámez (2026),
    "Bayesian Network Structural Consensus via Greedy Min-Cut Analysis" (MCBNC). The clique condition is
    theorem 17 of Chickering (2002), "Optimal structure identification with greedy search": the papers
    leave it out, but without it the deletion may leave no DAG.

    Parameters
    ----------
    graphs : sequence of Graph
        DAGs over the same variables, whose order is that of the first. CPDAGs, which GES returns,
        are extended to a DAG first; cut sizes can depend on which.
    variant : {"gmcbc", "mcbnc"}
        Whether the first deletion is made in the DAG G⁺ or in its CPDAG.
    ties : {"random", "first"}
        Among candidates of equal Ψ: one drawn uniformly, or the first when sorted by x, y and H. Sets H
        are sorted as binary numbers whose lowest digit is the first member of the pool. Positions are
        those in the variable order of the first graph. The two orientations of an undirected edge, and
        different H, are candidates of their own.
    seed : int
        For ``ties="random"``.
    k_max : int
        H is chosen from the first ``k_max`` members of NaYX, 0 to 20; the others stay in S.
    order : sequence of str, optional
        The node order of the fusion. Default: :func:`fedbnsl.consensus.node_order` of the graphs.

    Returns
    -------
    PruningPath

    Raises
    ------
    InputError
        If there is no graph, variables differ, a graph has a directed cycle, the order does not list
        each variable once, the seed is no whole number of 0 or more, or an option has a value
        that is not allowed.
    """
    _check_choice("variant", variant, ("gmcbc", "mcbnc"))
    _check_choice("ties", ties, ("random", "first"))
    _check_k_max(k_max)
    checked_seed(seed)
    dags = _inputs.as_dags(graphs)
    order = _inputs.checked_order(order, dags[0].names)
    order = tuple(order_of_dags(dags)) if order is None else order
    fusion = fuse_dags(dags, order)
    draws = np.empty(0)
    if ties == "random":
        draws = generator(seed, "ties of the pruning").random(fusion.n_edges)
    parents, topological = _inputs.parent_rows(dags)
    edges, chosen, cuts = _kernels.prune_path(
        _kernels.pack(fusion.adjacency.T), parents, topological, k_max, variant == "mcbnc", draws
    )
    sets = [np.flatnonzero(row).tolist() for row in _kernels.unpack(chosen, fusion.n_nodes)]
    steps = [(x, y, H, total) for (x, y, total), H in zip(edges.tolist(), sets, strict=True)]
    return PruningPath(
        order=order,
        fusion=fusion,
        inputs=tuple(dags),
        steps=deletions(fusion.names, len(dags), steps, cuts.tolist()),
        variant=variant,
    )


def scores(graphs: Sequence[Graph], state: Graph, k_max: int = 10) -> list[Score]:
    """Ψ of every candidate for the next deletion, in the order that settles ties.

    Parameters
    ----------
    graphs : sequence of Graph
        The inputs as they stand, DAGs.
    state : Graph
        The graph P to delete from: a DAG or a CPDAG over the same variables.
    k_max : int
        As in :func:`prune`.

    Returns
    -------
    list of Score
    """
    _check_k_max(k_max)
    *dags, state = _inputs.same_variables([*_inputs.as_dags(graphs), state])
    names, d = state.names, state.n_nodes
    undirected = state.adjacency & state.adjacency.T
    rows = _kernels.pdag_state(_kernels.pack((state.adjacency - undirected).T), _kernels.pack(undirected))
    inputs = _kernels.input_rows(*_inputs.parent_rows(dags))
    scratch = _kernels.cut_scratch(d, rows[0].shape[1])
    chosen, given = np.empty((2, rows[0].shape[1]), np.uint64)
    found = []
    for x, y in np.argwhere(state.adjacency).tolist():
        shared, pool, apart, forced, valid = _kernels.subset_pool(x, y, rows, k_max)
        for index in range(2 ** len(pool) if valid else 0):
            if _kernels.keeps_clique(index, apart, forced):
                _kernels.chosen(index, pool, chosen)
                _kernels.conditioning_set(x, y, shared, chosen, rows[0], given)
                arcs = _kernels.joined(x, y, inputs)
                total = _kernels.total_cut(x, y, given, given, _kernels.NEVER, arcs, inputs, scratch)
                H = tuple(names[v] for v in np.flatnonzero(_kernels.unpack(chosen, d)))
                found.append(Score(names[x], names[y], H, total, total / len(dags)))
    return found


def gmcbc(graphs: Sequence[Graph], *, seed: int, ties: str, k_max: int) -> PruningPath:
    """:func:`prune` from the DAG G⁺, as an entry of the register of methods."""
    return prune(graphs, "gmcbc", ties, seed, k_max)


def mcbnc(graphs: Sequence[Graph], *, seed: int, ties: str, k_max: int) -> PruningPath:
    """:func:`prune` from the CPDAG of G⁺, as an entry of the register of methods."""
    return prune(graphs, "mcbnc", ties, seed, k_max)


def _check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{option} cannot be {value!r}", remedy=f"Choose one of: {', '.join(allowed)}")


def _check_k_max(k_max: int) -> None:
    if not isinstance(k_max, int | np.integer) or not 0 <= k_max <= K_MAX_LIMIT:
        raise InputError(f"k_max cannot be {k_max!r}", remedy=f"Give a whole number from 0 to {K_MAX_LIMIT}")
