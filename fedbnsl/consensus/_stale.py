"""Pruning with scores that are never computed again: see ``reuse="stale"`` of prune."""

import numpy as np

from fedbnsl.consensus import _kernels


class StalePruning:
    """What the deletions are chosen by: for (x, y, S) the total when it was first asked for, and when.

    All arrays are those of :func:`_kernels.prune_path`.
    """

    def __init__(self, fusion, parents, topological, weights, k_max: int, completed: bool):
        self.state = _kernels.pdag_state(fusion, np.zeros_like(fusion))
        self.completed = completed
        if completed:
            _kernels.complete(self.state)
        self.parents, self.topological, self.weights = parents.copy(), topological, weights
        self.k_max, (_, self.d, self.words) = k_max, parents.shape
        self.inputs = _kernels.input_rows(parents, topological, weights)
        self.scratch = _kernels.cut_scratch(self.d, self.words)
        self.first: dict[tuple, tuple[int, int]] = {}  # (x, y, S): total, number of deletions before
        self.candidates: dict[tuple[int, int], tuple] = {}  # (x, y): indices of H, sets S, totals
        self.least = np.full((self.d, self.d), _kernels.NEVER)
        self.cuts: list[tuple[int, int, int, int]] = []
        for x, y in self._edges(np.arange(self.d)):
            self._score(x, y, 0)

    def run(self, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Deletions, sets H and cuts as :func:`_kernels.prune_path` returns them."""
        edges, chosen = [], []
        while self.candidates:
            step = len(edges)
            x, y, k = self._next(draws[step] if len(draws) else None)
            indices, sets, totals = self.candidates[x, y]
            pool = _kernels.subset_pool(x, y, self.state, self.k_max)[1]
            removed = np.zeros(self.words, np.uint64)
            _kernels.chosen(int(indices[k]), pool, removed)
            if totals[k]:
                self._cut(x, y, sets[k], step)
            edges.append((x, y, int(totals[k])))
            chosen.append(removed)
            self._delete(x, y, removed, step)
        cuts = np.array(self.cuts, dtype=np.int64).reshape(-1, 4)
        chosen = np.array(chosen, dtype=np.uint64).reshape(-1, self.words)
        return np.array(edges, dtype=np.int64).reshape(-1, 3), chosen, cuts

    def _edges(self, heads) -> list[tuple[int, int]]:
        """The orientations x → y of edges with y among ``heads``."""
        heads = np.asarray(heads, dtype=np.int64)
        into = _kernels.unpack((self.state[0] | self.state[2])[heads], self.d)
        return [(int(x), int(heads[k])) for k, x in np.argwhere(into)]

    def _score(self, x: int, y: int, step: int) -> None:
        indices, sets = _kernels.valid_sets(x, y, self.state, self.k_max)
        if not len(indices):
            self._forget(x, y)
            return
        totals = np.empty(len(indices), dtype=np.int64)
        for k, given in enumerate(sets):
            key = (x, y, given.tobytes())
            if key not in self.first:
                self.first[key] = _kernels.total_cut(x, y, given, self.inputs, self.scratch), step
            totals[k] = self.first[key][0]
        self.candidates[x, y] = indices, sets, totals
        self.least[x, y] = totals.min()

    def _forget(self, x: int, y: int) -> None:
        self.candidates.pop((x, y), None)
        self.least[x, y] = _kernels.NEVER

    def _next(self, draw: float | None) -> tuple[int, int, int]:
        """x, y and the place of H among the candidates of x → y."""
        level = self.least.min()
        tied = np.argwhere(self.least == level).tolist()
        hits = [np.flatnonzero(self.candidates[x, y][2] == level) for x, y in tied]
        place = 0 if draw is None else int(draw * sum(map(len, hits)))
        for (x, y), places in zip(tied, hits, strict=True):
            if place < len(places):
                return x, y, int(places[place])
            place -= len(places)
        raise AssertionError("a draw is less than 1")

    def _cut(self, x: int, y: int, given: np.ndarray, step: int) -> None:
        """Take out of the inputs the arcs of the cuts as they were when the score was computed."""
        born = self.first[x, y, given.tobytes()][1]
        then = self.parents.copy()
        for s, i, u, v in self.cuts:
            if s >= born:
                _kernels.add(then[i, v], u)
        inputs = _kernels.input_rows(then, self.topological, self.weights)
        found = np.empty((int(_kernels.unpack(then, self.d).sum()), 4), np.int64)
        touched = np.zeros((len(then), self.words), np.uint64)
        count = _kernels.cut_inputs(
            x, y, given, step, self.topological, inputs, found, 0, touched, self.scratch
        )
        for s, i, u, v in found[:count].tolist():
            if _kernels.has(self.parents[i, v], u):
                _kernels.drop(self.parents[i, v], u)
                self.cuts.append((s, i, u, v))
        self.inputs = _kernels.input_rows(self.parents, self.topological, self.weights)

    def _delete(self, x: int, y: int, removed: np.ndarray, step: int) -> None:
        state = self.state
        _kernels.clear(state[4])
        _kernels.delete(x, y, removed, state)
        if step == 0 and not self.completed:
            _kernels.complete(state)
        near = _kernels.unpack(state[2], self.d)[:, [x, y]].any(axis=1)
        heads = np.flatnonzero(_kernels.unpack(state[4], self.d) | near)
        now = set(self._edges(heads))
        affected = set(heads.tolist())
        for edge in [e for e in self.candidates if e[1] in affected and e not in now]:
            self._forget(*edge)
        for edge in sorted(now):
            self._score(*edge, step + 1)
