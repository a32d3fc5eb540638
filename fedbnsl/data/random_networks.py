"""Random networks without data, to perturb and to fuse."""

import math

from fedbnsl.errors import InputError
from fedbnsl.graphs.generators import random_dag
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import generator


def random_base(
    nodes: int,
    *,
    seed: int,
    max_parents: int = 3,
    max_children: int = 4,
    edges: float = 2.5,
    moves: int | None = None,
) -> Graph:
    """A random DAG over ``x1``, ``x2``, …: a walk of d·⌊0.75 d⌋ moves from a chain.

    Parameters
    ----------
    nodes : int
    seed : int
    max_parents, max_children : int
        Caps on each node, at least 1.
    edges : float
        Cap on the edges, as a multiple of the nodes; at least 1.
    moves : int, optional
        Length of the walk. Default: as above; 0 leaves the chain.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If a cap is too low for the chain.

    See Also
    --------
    fedbnsl.graphs.generators.random_dag
    """
    if nodes < 1:
        raise InputError(f"a network has 1 node or more, not {nodes}")
    rng = generator(seed, "random-dag", nodes, max_parents, max_children, edges)
    caps = (max_parents, max_children, math.floor(edges * nodes))
    return Graph([f"x{k}" for k in range(1, nodes + 1)], random_dag(nodes, rng, moves, *caps))
