"""Out of local optima of greedy equivalence search: nodes are taken out of a DAG and put back."""

import time
from collections.abc import Callable, Iterator
from hashlib import blake2b

import numpy as np

from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag
from fedbnsl.learn import _reinsertion_kernels as kernels
from fedbnsl.learn._ges_kernels import MAX_PARENTS
from fedbnsl.learn.background import Background
from fedbnsl.learn.ges_bits import from_bits, to_bits
from fedbnsl.seeds import generator

_GAINS = 2**24  # numbers remembered: 128 MiB
_LEAST_ROWS = 4096  # however many variables there are
_SHAKEN = 12  # most nodes whose edges are dropped at a time
_START = 3  # most parents of a parent to start from
_PASSES = 3  # over the nodes that were shaken


class OutOfTime(Exception):
    """The deadline has passed."""


class Reinsertion:
    """A search over DAGs whose step takes one node out and puts it back with other parents.

    A node y lets go of none, all or one of its children, so that what was behind them may become its
    parent. Its parents are then found anew, by adding, removing and exchanging single ones, from none;
    if it keeps its children, also from the parents of each parent that has up to three. The same improves
    the parents of the children that it let go. The first such change that raises the score is kept. It
    reaches what single operators of greedy equivalence search do not: parents that say much only together
    (two variables and a switch between them), and arcs that cannot be added before others turn.

    Parameters
    ----------
    fill : callable
        As made by :func:`fedbnsl.learn.ges_scores.gains_of`.
    scored : int
        Number of variables that scores know of, the first ones; the others keep the edges they have.
    cap : int
        Largest number of parents.
    dag : ndarray, shape (d, d)
        Where to start. It keeps the background knowledge and the cap.
    background : Background, optional
        Every DAG of the search keeps it.
    deadline : float, optional
        On the clock of :func:`time.monotonic`; looked at between the steps.
    """

    def __init__(
        self,
        fill: Callable,
        scored: int,
        cap: int,
        dag: np.ndarray,
        background: Background | None = None,
        deadline: float | None = None,
    ):
        self.fill, self.scored, self.deadline = fill, scored, deadline
        d = len(dag)
        none = np.zeros((d, d), dtype=bool)
        required = none if background is None else background.required
        avoided = none if background is None else background.avoided
        arrow = np.asarray(dag) != 0
        self.required = required
        self.settled: dict[int, bytes] = {}  # nodes that had no better place, and where they were
        self.dag = kernels.Dag(
            parents=to_bits(arrow.T),
            children=to_bits(arrow),
            required=to_bits(required.T),
            allowed=to_bits(~avoided.T),
            scored=to_bits(np.arange(d)[None] < scored)[0],
            cap=cap,
        )
        room, words = max(_GAINS // d, _LEAST_ROWS, 4 * d), (d + 63) // 64
        self.rows = kernels.Rows(
            gains=np.empty((room, d)),
            owner=np.empty(room, np.int64),
            base=np.empty((room, words), np.uint64),
            need=np.empty((room, words), np.uint64),
            whole=np.empty(room, np.int8),
            requests=np.empty(room, np.int64),
            slots=np.full(1 << (2 * room).bit_length(), -1),
            numbers=np.zeros(2, np.int64),
        )

    def adjacency(self) -> np.ndarray:
        """The DAG as an int8 matrix."""
        return from_bits(self.dag.children)

    def set(self, dag: np.ndarray) -> None:
        """Go on from this DAG."""
        self.dag.parents[:], self.dag.children[:] = to_bits(dag.T != 0), to_bits(dag != 0)

    def sweep(self, nodes) -> float:
        """Reinsert these nodes, one after another; returns the gain."""
        return sum(self.reinsert(y) for y in nodes if y < self.scored)

    def reinsert(self, y: int) -> float:
        """Take y out and put it back in the first way that raises the score; returns the gain, or 0."""
        surroundings = self._surroundings(y)
        if self.settled.get(y) == surroundings:
            return 0.0
        for released, start in self._ways(y):
            if self.deadline is not None and time.monotonic() >= self.deadline:
                raise OutOfTime
            gain = self._with_gains(
                lambda r=released, s=start: kernels.reinsert(self.rows, self.dag, y, r, s)
            )
            if gain > 0.0:
                return gain
        self.settled[y] = surroundings
        return 0.0

    def _surroundings(self, y: int) -> bytes:
        """Digest of all that the outcome for y depends on: parents of y, of its descendants and parents."""
        rows = self.dag.parents
        descendants = np.empty_like(rows[y])
        kernels.below(self.dag, y, descendants)
        return blake2b(rows[_nodes(descendants) + _nodes(rows[y])].tobytes() + descendants.tobytes()).digest()

    def shake(self, rng: np.random.Generator) -> float:
        """Drop the edges among some nodes near a random one, and reinsert those; undone unless it gains."""
        nodes = self._near(int(rng.integers(self.scored)), int(rng.integers(2, _SHAKEN)), rng)
        before = self.adjacency()
        after = before.copy()
        inside = np.ix_(nodes, nodes)
        after[inside] = self.required[inside]
        self.set(after)
        try:
            for _ in range(_PASSES):
                if not self.sweep(rng.permutation(nodes).tolist()):
                    break
            gain = self._difference(before)
        except OutOfTime:
            self.set(before)
            raise
        if gain > kernels.LEAST:
            return gain
        self.set(before)
        return 0.0

    def _ways(self, y: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(children let go, parents to start from) to try, on rows of bits."""
        dag = self.dag
        children = _nodes(dag.children[y])
        free = [c for c in children if not self.required[y, c]]
        groups = [[], *([free] if free else []), *([[c] for c in free] if len(free) > 1 else [])]
        of_parents = [dag.parents[p].copy() for p in _nodes(dag.parents[y])]
        of_parents = [row for row in of_parents if 0 < len(_nodes(row)) <= _START]
        starts = list({row.tobytes(): row for row in (dag.required[y], *of_parents)}.values())
        for group in groups:
            released = np.zeros_like(dag.scored)
            for c in group:
                released[c >> 6] |= np.uint64(1 << (c & 63))
            for start in starts if not group else starts[:1]:
                yield released, start

    def _near(self, node: int, size: int, rng: np.random.Generator) -> list[int]:
        """Up to ``size`` nodes, breadth first from ``node``."""
        found, place = [node], 0
        while place < len(found):
            v = found[place]
            place += 1
            for u in rng.permutation(_nodes(self.dag.parents[v] | self.dag.children[v])).tolist():
                if len(found) == size:
                    return found
                if u not in found and u < self.scored:
                    found.append(u)
        return found

    def _difference(self, before: np.ndarray) -> float:
        """Score of the DAG minus that of ``before``."""
        old, new, scored = to_bits(before.T != 0), self.dag.parents, self.dag.scored
        total = 0.0
        for y in np.flatnonzero((old != new).any(axis=1)).tolist():
            for sign, parents in ((-1.0, old[y]), (1.0, new[y])):

                def of_family(y=y, parents=parents):
                    total = kernels.value(self.rows, y, parents, scored)
                    return int(self.rows.numbers[kernels.N_REQUESTS] > 0), total

                total += sign * self._with_gains(of_family)
        return total

    def _with_gains(self, kernel: Callable) -> float:
        """Call the kernel until it lacks no gains."""
        rows = self.rows
        if rows.numbers[kernels.N_ROWS] > len(rows.owner) // 4 * 3:
            rows.numbers[kernels.N_ROWS] = 0
            rows.slots[:] = -1
        while True:
            missing, gain = kernel()
            count = rows.numbers[kernels.N_REQUESTS]
            if not missing or not count:
                return gain
            rows.numbers[kernels.N_REQUESTS] = 0
            self.fill(rows.requests[:count], rows.owner, rows.base, rows.need, rows.gains)


def reinsertions(search, rounds: int, scored: int, seed: int, deadline: float | None, turning: bool) -> bool:
    """Improve the optimum that a greedy equivalence search has come to.

    The first round reinserts all nodes of a DAG of the class, in random order, and again while that gains;
    then the phases of the search go on from the class of that DAG; and both again until neither gains.
    Every further round first shakes d / 4 random places. The score never falls.

    Parameters
    ----------
    search : _Search
        At the end of its phases. Changed in place.
    rounds : int
        With the same seed, more rounds begin like fewer.
    scored, deadline
        See :class:`Reinsertion`.
    seed : int
    turning : bool
        Whether the phases of the search have the turning phase.

    Returns
    -------
    bool
        Whether it came to its end before the deadline.
    """
    cap = int(search.state.numbers[MAX_PARENTS])
    dag = pdag_to_dag(search.refined())
    inner = Reinsertion(search.fill, scored, cap, dag, search.background, deadline)
    for number in range(rounds):
        rng = generator(seed, "ges", "reinsertion", number)
        try:
            gain = sum(inner.shake(rng) for _ in range(-(-scored // 4))) if number else 0.0
            while gain + inner.sweep(rng.permutation(scored).tolist()):
                search.set(dag_to_cpdag(inner.adjacency()))
                if not search.run(deadline, turning):
                    return False
                inner.set(pdag_to_dag(search.refined()))
                gain = 0.0
        except OutOfTime:
            search.set(dag_to_cpdag(inner.adjacency()))
            return False
    return True


def _nodes(row: np.ndarray) -> list[int]:
    """The set bits, ascending."""
    return np.flatnonzero(np.unpackbits(row.astype("<u8").view(np.uint8), bitorder="little")).tolist()
