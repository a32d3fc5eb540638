"""The pruning as entries of the register of methods."""

from collections.abc import Sequence

from fedbnsl.consensus.path import PruningPath
from fedbnsl.consensus.pruning import prune
from fedbnsl.graphs.graph import Graph


def gmcbc(
    graphs: Sequence[Graph],
    *,
    seed: int,
    ties: str,
    k_max: int,
    reuse: str,
    report: str,
    max_edges: int | None,
    max_treewidth: int | None,
    weights: str,
    required: str | None,
    forbidden: str | None,
    tiers: str | None,
    time_limit: float | None,
) -> PruningPath:
    """:func:`fedbnsl.consensus.prune` from the DAG G⁺."""
    return prune(
        graphs,
        "gmcbc",
        ties,
        seed,
        k_max,
        reuse=reuse,
        report=report,
        max_edges=max_edges,
        max_treewidth=max_treewidth,
        weights=weights,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        time_limit=time_limit,
    )


def mcbnc(
    graphs: Sequence[Graph],
    *,
    seed: int,
    ties: str,
    k_max: int,
    reuse: str,
    report: str,
    max_edges: int | None,
    max_treewidth: int | None,
    weights: str,
    required: str | None,
    forbidden: str | None,
    tiers: str | None,
    time_limit: float | None,
) -> PruningPath:
    """:func:`fedbnsl.consensus.prune` from the CPDAG of G⁺."""
    return prune(
        graphs,
        "mcbnc",
        ties,
        seed,
        k_max,
        reuse=reuse,
        report=report,
        max_edges=max_edges,
        max_treewidth=max_treewidth,
        weights=weights,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        time_limit=time_limit,
    )
