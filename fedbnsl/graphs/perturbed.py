"""Networks to fuse that are drawn instead of learned: random changes of a base."""

import math
from collections.abc import Iterable

from fedbnsl.errors import InputError
from fedbnsl.graphs.generators import perturb
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import generator

#: What may be the first input network.
FIRST = ("perturbed", "base")


def perturbed(
    base: Graph,
    numbers: Iterable[int],
    *,
    seed: int,
    moves: float = 0.75,
    max_parents: int | None = 3,
    max_children: int | None = 4,
    edges: float | None = 2.5,
    count: str = "drawn",
    remove: str = "drop",
    first: str = "perturbed",
    scramble: float = 0.0,
) -> list[Graph]:
    """Copies of a network with random arcs added and removed, as the first two GMCBC scenarios fuse them.

    The defaults are the paper's text. The authors' program differs in what the last five options and the
    caps of known networks are about: ``first="base", remove="reverse"`` for random networks, and for
    known ones also ``max_parents=None, max_children=None, edges=None, scramble=0.75``.

    Parameters
    ----------
    base : Graph
        G₀, a DAG of d nodes.
    numbers : iterable of int
        Which input networks, from 1. Each is the same whichever others are asked for.
    seed : int
    moves : float
        ⌊moves·d⌋ moves lead from the base to each input.
    max_parents, max_children : int, optional
        Most parents and children of a node that an addition may reach; None: one more than the base has.
    edges : float, optional
        Most edges that additions may reach, as a multiple of d; None: ⌊1.1·|E|⌋ of the base's |E|.
    count, remove : str
        As for :func:`fedbnsl.graphs.generators.perturb`.
    first : {"perturbed", "base"}
        Whether the first input is perturbed like the others, or the base itself.
    scramble : float
        The base itself is first changed by d·⌊scramble·d⌋ moves under the same caps, the same for all
        numbers. With 0.75 hardly half of a network's edges stay.

    Returns
    -------
    list of Graph
        In the order of ``numbers``.

    Raises
    ------
    InputError
        If the base is no DAG or a word is unknown.
    """
    if first not in FIRST:
        raise InputError(f"there is no {first!r}", where="first", remedy=f"Choose one of: {', '.join(FIRST)}")
    start = base.adjacency
    d, names = base.n_nodes, base.names
    caps = (
        int(start.sum(axis=0).max(initial=0)) + 1 if max_parents is None else max_parents,
        int(start.sum(axis=1).max(initial=0)) + 1 if max_children is None else max_children,
        math.floor(1.1 * int(start.sum())) if edges is None else math.floor(edges * d),
    )
    ways = {"count": count, "remove": remove}
    if scramble:
        start = perturb(start, d * math.floor(scramble * d), generator(seed, "scrambled base"), *caps, **ways)
    graphs = []
    for number in numbers:
        if first == "base" and number == 1:
            graphs.append(Graph(names, start))
            continue
        rng = generator(seed, "perturbed", number)
        graphs.append(Graph(names, perturb(start, math.floor(moves * d), rng, *caps, **ways)))
    return graphs
