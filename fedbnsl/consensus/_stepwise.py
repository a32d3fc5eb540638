"""Pruning one deletion at a time, for what the compiled loop cannot do: end early, or choose otherwise."""

import time

import numpy as np

from fedbnsl.consensus import _kernels


class StepwisePruning:
    """The deletions of :func:`_kernels.prune_path` until time is up. Arrays are those of that function."""

    def __init__(self, fusion, parents, topological, weights, k_max, completed):
        r, self.d, self.words = parents.shape
        self.state = _kernels.pdag_state(fusion, np.zeros_like(fusion))
        self.completed = completed
        if completed:
            _kernels.complete(self.state)
        self.inputs = _kernels.input_rows(parents, topological, weights)
        self.topological, self.k_max = topological, k_max
        self.scratch = _kernels.cut_scratch(self.d, self.words)
        self.known = _kernels.nothing_known(fusion, r)
        adjacent = np.argwhere(self._edges())
        for x, y in adjacent.tolist():
            _kernels.forget(x, y, self.known, self.inputs)
        self.cuts = np.empty((int(_kernels.unpack(parents, self.d).sum()), 4), np.int64)
        self.n_cut, self.made = 0, 0
        self.draws = np.empty(0)

    def run(self, deadline: float, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """Deletions, sets H and cuts as :func:`_kernels.prune_path`, and whether the graph is empty then.

        ``deadline`` is a time of :func:`time.monotonic`.
        """
        self.draws = draws
        edges, chosen = [], []
        left = int(_kernels.unpack(self.state[0] | self.state[2], self.d).sum())
        left -= int(_kernels.unpack(self.state[2], self.d).sum()) // 2
        while len(edges) < left and time.monotonic() < deadline:
            self._step(edges, chosen)
        return *self._arrays(edges, chosen), len(edges) == left

    def _arrays(self, edges: list, chosen: list) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        deletions = np.array(edges, dtype=np.int64).reshape(-1, 3)
        chosen = np.array(chosen, dtype=np.uint64).reshape(-1, self.words)
        return deletions, chosen, self.cuts[: self.n_cut]

    def _edges(self) -> np.ndarray:
        """Orientations x → y of edges, int8 (d, d)."""
        return _kernels.unpack(self.state[1] | self.state[2], self.d)

    def _step(self, edges: list, chosen: list) -> bool:
        """Make the next deletion; whether there was one."""
        found = self._next()
        if found is None:
            return False
        x, y, index, level = found
        state = self.state
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
                self.made,
                self.topological,
                self.inputs,
                self.cuts,
                before,
                touched,
                self.scratch,
            )
            _kernels.after_cuts(self.cuts[before : self.n_cut], touched, state, self.known, self.inputs)
        _kernels.clear(state[4])
        self._delete(state, x, y, removed)
        self.made += 1
        _kernels.after_deletion(x, y, state, self.k_max, self.known, self.inputs)
        edges.append((x, y, level))
        chosen.append(removed)
        return True

    def _delete(self, state, x, y, removed) -> None:
        _kernels.delete(x, y, removed, state)
        if self.made == 0 and not self.completed:
            _kernels.complete(state)

    def _removed(self, x: int, y: int, index: int) -> tuple[np.ndarray, np.ndarray]:
        """NaYX and H as rows."""
        shared, pool, *_ = _kernels.subset_pool(x, y, self.state, self.k_max)
        removed = np.zeros(self.words, np.uint64)
        _kernels.chosen(int(index), pool, removed)
        return shared, removed

    def _next(self) -> tuple[int, int, int, int] | None:
        """x, y, index of H and total of the deletion to make; None if there is none."""
        found = _kernels.least(
            self.made, self.draws, self.state, self.k_max, self.known, self.inputs, self.scratch
        )
        return tuple(map(int, found))
