"""The turning phase of greedy equivalence search (Hauser and Bühlmann 2012, JMLR 13, section 4.3)."""

from collections.abc import Callable, Iterator

import numpy as np

from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag
from fedbnsl.learn.background import Background
from fedbnsl.learn.ges_bits import to_bits

_BATCH = 1000  # gains asked for at a time
_LEAST = 2**-19  # two gains rounded to 2⁻²⁰ may differ by half of that without cause


class Turning:
    """Best Turn(x, y, C): D' has x → y where a DAG D of the class has y → x and is the same elsewhere.

    C are the parents that y has in D among its undirected neighbours. Sets of nodes are Python integers,
    bit k for node k.

    Parameters
    ----------
    fill : callable
        As made by :func:`fedbnsl.learn.ges_scores.gains_of`.
    cap : int
        Largest number of parents.
    background : Background, optional
        Required edges are not turned, and the class after a turn must be a legal one.
    """

    def __init__(self, fill: Callable, cap: int, background: Background | None = None):
        self.fill, self.cap, self.background = fill, cap, background
        self.known: dict[tuple[int, int, int], float] = {}

    def step(self, cpdag: np.ndarray) -> np.ndarray | None:
        """The class after the best operator, or None if none raises the score.

        Ties in gains rounded to 2⁻²⁰ go to the lowest y, then x, then C in lexicographic order.
        """
        edges = Edges(cpdag)
        operators = [
            turn
            for turn in turns(edges)
            if self._parents(edges, turn)[0].bit_count() < self.cap and not self._required(*turn[:2])
        ]
        wanted = {}
        for turn in operators:
            x, y, _ = turn
            of_y, of_x = self._parents(edges, turn)
            wanted[y, of_y, x] = wanted[x, of_x, y] = None
        self._learn([key for key in wanted if key not in self.known], edges.d)
        gains = []
        for turn in operators:
            x, y, _ = turn
            of_y, of_x = self._parents(edges, turn)
            gains.append(self.known[y, of_y, x] - self.known[x, of_x, y])
        for k in sorted(range(len(gains)), key=lambda k: -gains[k]):
            if not gains[k] > _LEAST:
                break
            after = turned(cpdag, *operators[k])
            if self.background is None or self.background.refined(after) is not None:
                return after
        return None

    def _required(self, x: int, y: int) -> bool:
        required = None if self.background is None else self.background.required
        return required is not None and bool(required[x, y] or required[y, x])

    @staticmethod
    def _parents(edges: "Edges", turn: tuple[int, int, int]) -> tuple[int, int]:
        """Parents in D of y, and of x without y."""
        x, y, clique = turn
        return edges.parents[y] | clique, (edges.parents[x] | clique & edges.neighbours[x]) & ~(1 << y)

    def _learn(self, keys: list[tuple[int, int, int]], d: int) -> None:
        for first in range(0, len(keys), _BATCH):
            batch = keys[first : first + _BATCH]
            base, need = np.zeros((2, len(batch), d), dtype=bool)
            for row, (_, parents, x) in enumerate(batch):
                base[row, list(_nodes(parents))] = True
                need[row, x] = True
            owner = np.array([y for y, _, _ in batch])
            gains = np.empty((len(batch), d))
            self.fill(np.arange(len(batch)), owner, to_bits(base), to_bits(need), gains)
            for row, key in enumerate(batch):
                self.known[key] = gains[row, key[2]]


class Edges:
    """Rows of a CPDAG as integers."""

    def __init__(self, cpdag: np.ndarray):
        arrow = cpdag != 0
        self.d = len(cpdag)
        self.parents = [_bits(row) for row in (arrow & ~arrow.T).T]
        self.children = [_bits(row) for row in arrow & ~arrow.T]
        self.neighbours = [_bits(row) for row in arrow & arrow.T]
        self.out = [_bits(row) for row in arrow]
        self.adjacent = [_bits(row) for row in arrow | arrow.T]


def turns(edges: Edges) -> Iterator[tuple[int, int, int]]:
    """All valid (x, y, C) in the order of ties; propositions 31 and 34."""
    for y in range(edges.d):
        around = edges.neighbours[y]
        cliques = None
        for x in _nodes(edges.children[y] | around):
            if cliques is None:
                cliques = list(_cliques(edges, around))
            common = around & edges.adjacent[x]
            for clique in cliques:
                if around >> x & 1:
                    # Without a member apart from x the edge turns inside the class.
                    valid = (
                        not clique >> x & 1
                        and clique & ~common
                        and not _reached(
                            edges.neighbours, clique & ~common, around & ~clique | clique & ~common
                        )
                        & common
                        & ~clique
                    )
                else:
                    valid = common & ~clique == 0 and not _another_way(edges, x, y, clique)
                if valid:
                    yield x, y, clique


def turned(cpdag: np.ndarray, x: int, y: int, clique: int) -> np.ndarray:
    """The class of D'."""
    pdag = cpdag.copy()
    members = list(_nodes(clique))
    near = [v for v in members if cpdag[v, x] and cpdag[x, v]]
    for node, before in ((y, members), (x, near)):
        others = np.flatnonzero(cpdag[node] & cpdag[:, node])
        pdag[others, node] = 0
        pdag[node, before] = 0
        pdag[before, node] = 1
    pdag[x, y], pdag[y, x] = 1, 0
    return dag_to_cpdag(pdag_to_dag(pdag))


def _another_way(edges: Edges, x: int, y: int, clique: int) -> bool:
    """Whether a semi-directed path other than the edge leads from y to x past C and x's neighbours."""
    free = ~(clique | edges.neighbours[x] | 1 << x)
    return bool(_reached(edges.out, 1 << y, free) & edges.parents[x] & ~(1 << y))


def _reached(rows: list[int], start: int, free: int) -> int:
    """Nodes of ``free`` (and the start) that ``rows`` lead to from ``start`` inside ``free``."""
    seen = edge = start
    while edge:
        following = 0
        for v in _nodes(edge):
            following |= rows[v]
        edge = following & free & ~seen
        seen |= edge
    return seen


def _cliques(edges: Edges, within: int, clique: int = 0) -> Iterator[int]:
    """Cliques in lexicographic order, ∅ first."""
    yield clique
    for v in _nodes(within):
        yield from _cliques(edges, within & edges.adjacent[v] & -(2 << v), clique | 1 << v)


def _nodes(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _bits(row: np.ndarray) -> int:
    return sum(1 << int(k) for k in np.flatnonzero(row))
