"""One deletion of a pruning path."""

from collections.abc import Sequence
from typing import NamedTuple


class Deletion(NamedTuple):
    """One step: the edge x – y is deleted.

    Attributes
    ----------
    x, y : str
        The orientation x → y that was scored.
    H : tuple of str
        Chickering's H, in variable order: neighbours of y that become its children.
    total : int
        Sum of the minimum cut sizes over the inputs, each times its whole weight.
    psi : float
        Ψ, their (weighted) mean: ``total`` divided by the sum of the weights.
    cut : tuple of tuple of (str, str)
        For each input the arcs (from, to) that left it.
    """

    x: str
    y: str
    H: tuple[str, ...]
    total: int
    psi: float
    cut: tuple[tuple[tuple[str, str], ...], ...]


def deletions(
    names: Sequence[str], weights: Sequence[int], steps: Sequence, cuts: Sequence
) -> tuple[Deletion, ...]:
    """Steps by name, from (x, y, members of H, total) and (step, input, from, to) by index."""
    arcs: dict[int, dict[int, list[tuple[str, str]]]] = {}
    for s, i, u, v in cuts:
        arcs.setdefault(s, {}).setdefault(i, []).append((names[u], names[v]))
    nothing, weight = ((),) * len(weights), sum(weights)
    found = []
    for s, (x, y, chosen, total) in enumerate(steps):
        cut = nothing
        if s in arcs:
            cut = tuple(tuple(arcs[s].get(i, ())) for i in range(len(weights)))
        H = tuple(names[h] for h in chosen)
        found.append(Deletion(names[x], names[y], H, total, total / weight, cut))
    return tuple(found)
