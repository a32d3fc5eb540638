"""Random graphs: Erdős–Rényi, scale-free, random walks over DAGs.

All return int8 adjacency matrices, shape (d, d), of DAGs in which a node's index says nothing about its
place in the topological order, and draw only from the generator ``rng`` that they are given.
"""

import math

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs import dag
from fedbnsl.graphs._matrix import as_matrix

#: Which moves of :func:`perturb` count, and what becomes of an arc whose removal would cut off a part.
COUNTS, REMOVALS = ("drawn", "applied"), ("drop", "reverse")


def erdos_renyi(n_nodes: int, n_edges: float, rng: np.random.Generator) -> np.ndarray:
    """Erdős–Rényi DAG with an *expected* number of edges, as in the NOTEARS papers.

    Each of the d(d−1)/2 pairs is adjacent with probability 2·n_edges/(d(d−1)), independently; arcs
    follow a uniformly random order of the nodes.

    Parameters
    ----------
    n_nodes : int
        d ≥ 0.
    n_edges : float
        Expected number of edges, 0 … d(d−1)/2.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If a number is outside its range.
    """
    _check_counts(n_nodes, n_edges)
    pairs = n_nodes * (n_nodes - 1) / 2
    drawn = rng.random((n_nodes, n_nodes)) < (n_edges / pairs if pairs else 0.0)
    return _relabelled(np.triu(drawn, 1), rng)


def scale_free(n_nodes: int, n_edges: float, rng: np.random.Generator) -> np.ndarray:
    """Barabási–Albert DAG: nodes join one by one and choose well-connected ones.

    Starting from one node, each new node draws m = n_edges/d, rounded to the nearest integer, different
    earlier nodes with probability proportional to their degree (all of them while there are at most m).
    Its arcs point from the new node to the earlier ones: no node has more than m children, and hubs
    have many parents. Labels are then permuted uniformly. The number of edges is m·d − m(m+1)/2, not
    random and a little less than n_edges.

    Parameters
    ----------
    n_nodes : int
        d ≥ 0.
    n_edges : float
        Wanted number of edges; with d it sets m, which must be 1 … d−1, or n_edges must be 0.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If a number is outside its range.
    """
    _check_counts(n_nodes, n_edges)
    each = math.floor(n_edges / n_nodes + 0.5) if n_nodes else 0
    if n_edges > 0 and not 1 <= each < n_nodes:
        raise InputError(
            f"a scale-free graph of {n_nodes} nodes and {n_edges} edges means {each} edges a new node",
            remedy=f"Ask for about m·{n_nodes} edges with a whole number m from 1 to {n_nodes - 1}",
        )
    a = np.zeros((n_nodes, n_nodes), dtype=np.int8)
    degree = np.zeros(n_nodes)
    for new in range(1, n_nodes if each else 0):
        if new <= each:
            chosen = np.arange(new)
        else:
            weights = degree[:new] / degree[:new].sum()
            chosen = rng.choice(new, size=each, replace=False, p=weights)
        a[new, chosen] = 1
        degree[chosen] += 1
        degree[new] = len(chosen)
    return _relabelled(a, rng)


def random_dag(
    n_nodes: int,
    rng: np.random.Generator,
    moves: int | None = None,
    max_parents: int = 3,
    max_children: int = 4,
    max_edges: int | None = None,
) -> np.ndarray:
    """A DAG after many random moves from a chain (see :func:`perturb`).

    Without caps the walk is that of Melançon, Dutour and Bousquet-Mélou (2001, "Random generation of
    directed acyclic graphs"), whose limit is the uniform distribution on labelled DAGs; with caps, on
    the DAGs that keep them.

    Parameters
    ----------
    n_nodes : int
        d ≥ 0.
    rng : numpy.random.Generator
    moves : int, optional
        Length of the walk. Default: d·⌊0.75 d⌋.
    max_parents, max_children, max_edges : int, optional
        As in :func:`perturb`.

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If a number is negative, or the chain breaks a cap: a cap of 0, or fewer than d−1 edges.
    """
    _check_counts(n_nodes, 0)
    chain = _relabelled(np.eye(n_nodes, k=1), rng)
    caps = _caps(n_nodes, max_parents, max_children, max_edges)
    if n_nodes > 1 and (min(caps) < 1 or caps[2] < n_nodes - 1):
        raise InputError(
            f"a walk over DAGs of {n_nodes} nodes starts from a chain, which has one parent and one child "
            f"a node and {n_nodes - 1} edges, so the caps {caps} on parents, children and edges are too low"
        )
    moves = n_nodes * math.floor(0.75 * n_nodes) if moves is None else moves
    return perturb(chain, moves, rng, *caps) if moves else chain


def perturb(
    adjacency,
    moves: int,
    rng: np.random.Generator,
    max_parents: int = 3,
    max_children: int = 4,
    max_edges: int | None = None,
    *,
    count: str = "drawn",
    remove: str = "drop",
) -> np.ndarray:
    """A copy of a DAG after random additions and removals of arcs.

    One move draws an ordered pair (x, y) uniformly: an arc x → y that is there is removed, one that is
    not is added, unless that closes a directed cycle or breaks a cap. A move so forbidden changes
    nothing. With ⌊0.75 d⌋ moves these are the input networks of the GMCBC experiments.

    Parameters
    ----------
    adjacency : array_like, shape (d, d)
        A DAG. Caps that it already breaks are not enforced on it; they only forbid additions.
    moves : int
        Number of moves, ≥ 0.
    rng : numpy.random.Generator
    max_parents, max_children : int
        Most parents and children a node may reach by an addition. Defaults: 3 and 4.
    max_edges : int, optional
        Most edges that additions may reach. Default: ⌊2.5 d⌋.
    count : {"drawn", "applied"}
        Whether every pair drawn counts as a move, or only one that changes the graph.
    remove : {"drop", "reverse"}
        What happens to an arc that is all that joins its two ends: ``reverse`` turns it round, if the
        caps on parents and children allow it, so that no part of the graph comes off.

    Returns
    -------
    ndarray of int8, shape (d, d)

    Raises
    ------
    InputError
        If the graph is no DAG, a number is negative, a word is unknown, or moves are to be applied
        where none is possible.
    """
    from fedbnsl.graphs import _walk_kernels  # here, for numba takes a while to load

    a = as_matrix(adjacency)
    dag.topological_order(a)
    d = len(a)
    caps = _caps(d, max_parents, max_children, max_edges)
    for word, known in ((count, COUNTS), (remove, REMOVALS)):
        if word not in known:
            raise InputError(f"there is no {word!r}", remedy=f"Choose one of: {', '.join(known)}")
    if moves < 0:
        raise InputError(f"the number of moves must be 0 or larger, not {moves}")
    if count == "drawn":
        if d < 2:
            return a
        return _walk_kernels.walk(a, *_pairs(d, moves, rng), *caps, remove == "reverse", moves)[0]
    # of so many pairs in a row, one that can change the graph is missing with probability e⁻³⁰ at most
    hopeless, refused = 30 * d * (d - 1), 0
    while moves:
        if refused >= hopeless:
            raise InputError(f"no move is possible on a graph of {d} nodes under the caps {caps}")
        pairs = _pairs(d, 8 * moves + 64, rng)
        a, changes = _walk_kernels.walk(a, *pairs, *caps, remove == "reverse", moves)
        moves -= changes
        refused = 0 if changes else refused + len(pairs[0])
    return a


def _pairs(d, number, rng):
    """Uniform ordered pairs of different nodes."""
    tails = rng.integers(d, size=number)
    heads = rng.integers(d - 1, size=number)
    return tails, heads + (heads >= tails)  # skips the tail


def _relabelled(a, rng):
    order = rng.permutation(len(a))
    return a[np.ix_(order, order)].astype(np.int8)


def _check_counts(n_nodes, n_edges):
    if n_nodes < 0:
        raise InputError(f"the number of nodes must be 0 or larger, not {n_nodes}")
    most = n_nodes * (n_nodes - 1) // 2
    if not 0 <= n_edges <= most:
        raise InputError(f"a DAG of {n_nodes} nodes has 0 to {most} edges, not {n_edges}")


def _caps(d, max_parents, max_children, max_edges):
    caps = (max_parents, max_children, math.floor(2.5 * d) if max_edges is None else max_edges)
    if min(caps) < 0:
        raise InputError(f"the caps {caps} on parents, children and edges must be 0 or larger")
    return caps
