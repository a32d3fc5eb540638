"""Pruning that keeps to background knowledge."""

import numpy as np

from fedbnsl.consensus import _kernels
from fedbnsl.errors import InputError
from fedbnsl.graphs.dag import find_cycle
from fedbnsl.learn.background import Background


def precedence(background: Background, names) -> np.ndarray:
    """Which variables must come before which in a node order, bool (d, d).

    A required edge's origin must come before its target. Where an edge is forbidden in one direction
    alone, its target must come before its origin.

    Raises
    ------
    InputError
        If that goes round in a circle.
    """
    forbidden = background.forbidden
    before = background.required | (forbidden & ~forbidden.T).T
    cycle = find_cycle(before)
    if cycle:
        raise InputError(
            "the required edges and the edges forbidden in one direction allow no order of the variables: "
            f"{' before '.join(names[v] for v in cycle)}",
            remedy="Leave out one of them, or forbid one of the edges in both directions",
        )
    return before


def check_order(order, before: np.ndarray, names) -> None:
    """Refuse an order that puts a variable before one that must precede it."""
    place = {name: k for k, name in enumerate(order)}
    for u, v in np.argwhere(before):
        if place[names[u]] > place[names[v]]:
            raise InputError(
                f"{names[u]} must come before {names[v]}, as an edge is required or forbidden between them",
                where="order",
            )


class GuidedPruning:
    """Deletions among those after which some DAG of the class still keeps the background knowledge.

    Edges that are forbidden in both directions go first. Arrays are those of
    :func:`_kernels.prune_path`.
    """

    def __init__(self, fusion, parents, topological, weights, k_max, completed, background, rng):
        r, self.d, self.words = parents.shape
        self.state = _kernels.pdag_state(fusion, np.zeros_like(fusion))
        self.completed = completed
        if completed:
            _kernels.complete(self.state)
        self.inputs = _kernels.input_rows(parents, topological, weights)
        self.topological, self.k_max, self.rng = topological, k_max, rng
        self.scratch = _kernels.cut_scratch(self.d, self.words)
        self.known = _kernels.nothing_known(fusion, r)
        adjacent = np.argwhere(self._edges())
        for x, y in adjacent.tolist():
            _kernels.forget(x, y, self.known, self.inputs)
        self.unwanted = background.forbidden & background.forbidden.T
        self.background = Background(background.required, background.forbidden & ~self.unwanted)
        self.kept = background.required | background.required.T
        self.cuts = np.empty((int(_kernels.unpack(parents, self.d).sum()), 4), np.int64)
        self.n_cut, self.started = 0, False

    def _edges(self) -> np.ndarray:
        """Orientations x → y of edges, int8 (d, d)."""
        return _kernels.unpack(self.state[1] | self.state[2], self.d)

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Deletions, sets H and cuts as :func:`_kernels.prune_path` returns them, and how many are forced.

        The path ends when the required edges alone are left; before that only if ``k_max`` keeps from
        the candidates every H with which an edge could go.
        """
        edges, chosen = [], []
        self._bar(~self.unwanted)
        while (self._edges() & self.unwanted).any() and self._step(edges, chosen):
            pass
        if (self._edges() & self.unwanted).any():
            raise InputError(
                "with this k_max no forbidden edge can be deleted that is still there",
                where="k_max",
                remedy="Give a larger one",
            )
        forced = len(edges)
        self._bar(self.kept)
        while self._step(edges, chosen):
            pass
        deletions = np.array(edges, dtype=np.int64).reshape(-1, 3)
        chosen = np.array(chosen, dtype=np.uint64).reshape(-1, self.words)
        return deletions, chosen, self.cuts[: self.n_cut], forced

    def _bar(self, barred: np.ndarray) -> None:
        self.barred = barred
        self.known[13][:] = _kernels.pack(barred)
        self.known[8][:, [0, 4]] = -1
        self.known[8][:, 3] = 0

    def _step(self, edges: list, chosen: list) -> bool:
        """Make the next deletion; whether there was one."""
        found = self._next()
        if found is None:
            return False
        x, y, index, level = found
        state, step = self.state, len(edges)
        shared, removed = self._removed(x, y, index)
        if level:
            given = np.empty(self.words, np.uint64)
            _kernels.conditioning_set(x, y, shared, removed, state[0], given)
            touched = np.zeros((len(self.inputs[0]), self.words), np.uint64)
            before = self.n_cut
            self.n_cut = _kernels.cut_inputs(
                x,
                y,
                given,
                step,
                self.topological,
                self.inputs,
                self.cuts,
                before,
                touched,
                self.scratch,
            )
            _kernels.after_cuts(self.cuts[before : self.n_cut], touched, state, self.known, self.inputs)
        _kernels.clear(state[4])
        self._delete(state, x, y, removed, step)
        _kernels.after_deletion(x, y, state, self.k_max, self.known, self.inputs)
        edges.append((x, y, level))
        chosen.append(removed)
        self.started = True
        return True

    def _delete(self, state, x, y, removed, step) -> None:
        _kernels.delete(x, y, removed, state)
        if step == 0 and not self.completed:
            _kernels.complete(state)

    def _removed(self, x: int, y: int, index: int) -> tuple[np.ndarray, np.ndarray]:
        """NaYX and H as rows."""
        shared, pool, *_ = _kernels.subset_pool(x, y, self.state, self.k_max)
        removed = np.zeros(self.words, np.uint64)
        _kernels.chosen(int(index), pool, removed)
        return shared, removed

    def _next(self) -> tuple[int, int, int, int] | None:
        """The first or a drawn one of the legal candidates of least total."""
        *_, level = _kernels.least(
            0, np.zeros(1), self.state, self.k_max, self.known, self.inputs, self.scratch
        )
        if level == _kernels.NEVER:
            return None
        tied = _kernels.ties_at(level, self.state, self.k_max, self.known, self.inputs, self.scratch)
        for x, y, index in self._shuffled(tied):
            if self._legal(x, y, index):
                return x, y, index, int(level)
        return self._above(int(level))

    def _above(self, level: int) -> tuple[int, int, int, int] | None:
        """As :meth:`_next`, among all candidates of a larger total: the engine looks for the least alone."""
        scored: dict[int, list] = {}
        for x, y in np.argwhere((self._edges() == 1) & ~self.barred).tolist():
            for index, given in zip(*_kernels.valid_sets(x, y, self.state, self.k_max), strict=True):
                total = _kernels.total_cut(x, y, given, self.inputs, self.scratch)
                if total > level:
                    scored.setdefault(total, []).append((x, y, index))
        for total in sorted(scored):
            for x, y, index in self._shuffled(np.array(scored[total])):
                if self._legal(x, y, index):
                    return x, y, index, total
        return None

    def _shuffled(self, candidates: np.ndarray) -> list:
        return (candidates if self.rng is None else self.rng.permutation(candidates)).tolist()

    def _legal(self, x: int, y: int, index: int) -> bool:
        """Whether the class after a deletion has a DAG that keeps the background knowledge."""
        state = _kernels.copied(self.state)
        _, removed = self._removed(x, y, index)
        self._delete(state, x, y, removed, 1 if self.started else 0)
        after = _kernels.unpack(state[0] | state[2], self.d).T
        return self.background.refined(np.ascontiguousarray(after)) is not None
