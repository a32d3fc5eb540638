"""The deletions of a path as arrays, carried out again on the graph that they were made in."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fedbnsl.consensus import _kernels
from fedbnsl.graphs.graph import Graph
from fedbnsl.graphs.treewidth import min_fill_order


class Replay:
    """The graphs along a path.

    Parameters
    ----------
    fusion : Graph
        The DAG that the path starts from.
    steps : sequence of Deletion
    completed : bool
        Whether the first deletion is made in its CPDAG instead.
    """

    def __init__(self, fusion: Graph, steps: Sequence, completed: bool):
        index = {name: v for v, name in enumerate(fusion.names)}
        self.size, self.completed = fusion.n_nodes, completed
        edges = [(index[step.x], index[step.y]) for step in steps]
        self.edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
        members = np.zeros((len(steps), self.size), dtype=bool)
        for row, step in zip(members, steps, strict=True):
            row[[index[name] for name in step.H]] = True
        self.chosen = _kernels.pack(members)
        self.rows = _kernels.pack(fusion.adjacency.T)

    def _start(self):
        state = _kernels.pdag_state(self.rows, np.zeros_like(self.rows))
        if self.completed:
            _kernels.complete(state)
        return state

    def states(self, lengths: Sequence[int]) -> Iterator[np.ndarray]:
        """Adjacency matrices after each of the increasing numbers of deletions."""
        for state in self._advanced(lengths):
            yield _kernels.unpack(state[0] | state[2], self.size).T

    def _advanced(self, lengths: Iterable[int]) -> Iterator[tuple]:
        """The state after each of the increasing numbers of deletions; always the same arrays."""
        state, done = self._start(), 0
        for length in lengths:
            _kernels.advance(state, self.edges, self.chosen, done, length, self.completed)
            done = length
            yield state

    def _moral(self, state) -> np.ndarray:
        rows = np.empty_like(state[0])
        _kernels.moral_rows(state, rows)
        return rows

    def distances(self, lengths: Sequence[int], support: np.ndarray, weight: int) -> list[int]:
        """Sums of the weighted SMHD to the inputs after each of the increasing numbers of deletions.

        ``support`` is the weight of the inputs whose moral graphs join two variables, shape (d, d),
        ``weight`` that of all inputs.
        """
        support = np.ascontiguousarray(support, dtype=np.int64)
        return [
            _kernels.moral_distance(moral, support, weight)
            for moral in map(self._moral, self._advanced(lengths))
        ]

    def within_treewidth(self, limit: int, start: int) -> int | None:
        """The least number of deletions, from ``start`` on, after which min-fill is within a limit.

        Graphs whose degeneracy exceeds the limit are passed over: no treewidth is smaller.
        """
        lengths = range(start, len(self.edges) + 1)
        for length, moral in zip(lengths, map(self._moral, self._advanced(lengths)), strict=True):
            if _kernels.degeneracy(moral) > limit:
                continue
            if min_fill_order(_kernels.unpack(moral, self.size))[1] <= limit:
                return length
        return None
