"""Pruning that keeps to background knowledge."""

import time

import numpy as np

from fedbnsl.consensus import _kernels
from fedbnsl.consensus._stepwise import StepwisePruning
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


class GuidedPruning(StepwisePruning):
    """Deletions among those after which some DAG of the class still keeps the background knowledge.

    Edges that are forbidden in both directions go first. Arrays are those of
    :func:`_kernels.prune_path`.
    """

    def __init__(self, fusion, parents, topological, weights, k_max, completed, background, rng):
        super().__init__(fusion, parents, topological, weights, k_max, completed)
        self.rng = rng
        self.unwanted = background.forbidden & background.forbidden.T
        self.background = Background(background.required, background.forbidden & ~self.unwanted)
        self.kept = background.required | background.required.T

    def run(self, deadline: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool, int]:
        """Deletions, sets H and cuts, whether that is all before the deadline, and how many are forced.

        The forced deletions are made whenever the deadline is. The path ends when the required edges alone
        are left; before that only if ``k_max`` keeps from the candidates every H with which an edge could go.
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
        ended = False
        while not ended and time.monotonic() < deadline:
            ended = not self._step(edges, chosen)
        return *self._arrays(edges, chosen), ended, forced

    def _bar(self, barred: np.ndarray) -> None:
        self.barred = barred
        self.known[13][:] = _kernels.pack(barred)
        self.known[8][:, [0, 4]] = -1
        self.known[8][:, 3] = 0

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
        self._delete(state, x, y, removed)
        after = _kernels.unpack(state[0] | state[2], self.d).T
        return self.background.refined(np.ascontiguousarray(after)) is not None
