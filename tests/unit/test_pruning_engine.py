"""What the compiled pruning keeps from one deletion to the next, held against what it stands for."""

import numpy as np
import pytest
from literal_pruning import random_dags

from fedbnsl.consensus import _inputs, _kernels, fuse
from fedbnsl.consensus._replay import Replay
from fedbnsl.consensus.path import Deletion
from fedbnsl.graphs import Graph
from fedbnsl.graphs.cpdag import dag_to_cpdag, is_cpdag, pdag_to_dag


class Engine:
    """The loop of prune_path, with a look inside after every deletion."""

    def __init__(self, graphs, completed, k_max, draws):
        fusion = fuse(graphs)
        self.d, self.k_max, self.draws, self.completed = fusion.n_nodes, k_max, draws, completed
        parents, self.topological = _inputs.parent_rows(graphs)
        rows = _kernels.pack(fusion.adjacency.T)
        self.r, _, self.words = parents.shape
        weights = np.arange(1, self.r + 1)
        self.inputs = _kernels.input_rows(parents, self.topological, weights)
        self.state = _kernels.pdag_state(rows, np.zeros_like(rows))
        if completed:
            _kernels.complete(self.state)
        self.known = _kernels.nothing_known(rows, self.r)
        for x, y in self.edges():
            _kernels.forget(x, y, self.known, self.inputs)
        self.scratch = _kernels.cut_scratch(self.d, self.words)
        self.steps = fusion.n_edges

    def edges(self):
        return np.argwhere(_kernels.unpack(self.state[1] | self.state[2], self.d)).tolist()

    def delete_next(self, step):
        state, known, inputs = self.state, self.known, self.inputs
        x, y, index, level = _kernels.least(step, self.draws, state, self.k_max, known, inputs, self.scratch)
        shared, pool, *_ = _kernels.subset_pool(x, y, state, self.k_max)
        removed, given = np.zeros((2, self.words), np.uint64)
        _kernels.chosen(index, pool, removed)
        _kernels.conditioning_set(x, y, shared, removed, state[0], given)
        if level:
            cuts, touched = np.empty((10_000, 4), np.int64), np.zeros((self.r, self.words), np.uint64)
            count = _kernels.cut_inputs(
                x, y, given, step, self.topological, inputs, cuts, 0, touched, self.scratch
            )
            _kernels.after_cuts(cuts[:count], touched, state, known, inputs)
        _kernels.clear(state[4])
        _kernels.delete(x, y, removed, state)
        if step == 0 and not self.completed:
            _kernels.complete(state)
        _kernels.after_deletion(x, y, state, self.k_max, known, inputs)
        return level

    def check(self):
        """Compare all bounds with scores computed anew; how many say more than nothing."""
        slot, low, high, _, sums, bound, hits, _, rows, closure, fresh = self.known[:11]
        _, _, ancestors, component, weights = self.inputs
        sure, given, inside = np.zeros((3, self.words), np.uint64)
        told = 0
        for x, y in self.edges():
            s, parents = slot[y, x], self.inputs[0]
            _kernels.root_sets(
                x, self.state[0][y], self.state[2][y], self.state[3][x], self.k_max, sure, given
            )
            _kernels.drop(given, x)
            direct = 0
            for i in range(self.r):
                _kernels.ancestral(x, y, sure, ancestors[i], inside)
                rows_of = parents[i], self.inputs[1][i]
                cut = _kernels.min_cut(y, x, given, inside, *rows_of, 10**6, self.scratch)
                assert cut == _kernels.cut_size(y, x, given, inside, *rows_of, 10**6, self.scratch)
                assert low[s, i] <= cut <= high[s, i]
                told += bool(low[s, i]) + (high[s, i] < 65535)
                joined = _kernels.has(parents[i, x], y) or _kernels.has(parents[i, y], x)
                direct += int(weights[i]) * joined
                assert cut == 0 or component[i, x] == component[i, y]
                if fresh[i, y]:
                    _kernels.ancestral(y, y, self.state[0][y], ancestors[i], inside)
                    assert (inside == closure[i, y]).all()
            assert sums[s, 0] == low[s].astype(int) @ weights
            assert sums[s, 1] == direct
            assert sums[s, 2] == (high[s] < 65535).sum()
            _, sets = _kernels.valid_sets(x, y, self.state, self.k_max)
            totals = [_kernels.total_cut(x, y, S, self.inputs, self.scratch) for S in sets]
            least = min(totals, default=_kernels.NEVER)
            assert rows[x, 0] <= bound[y, x] <= least
            assert bound[y, x] >= min(rows[x, 4], least) or _kernels.has(self.known[11][x], y)
            if hits[y, x] >= 0:
                assert bound[y, x] == least
                assert hits[y, x] == (totals.count(least) if len(self.draws) else 1)
        return told


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("completed", [False, True])
@pytest.mark.parametrize("k_max", [1, 10])
def test_bounds_hold_after_every_deletion(k_max, completed, drawn):
    told = levels = 0
    for seed in range(5):
        graphs = random_dags(100 + seed, nodes=9, inputs=4, density=0.25)
        rng = np.random.default_rng(seed)
        engine = Engine(graphs, completed, k_max, rng.random(200) if drawn else np.empty(0))
        for step in range(engine.steps):
            levels += engine.delete_next(step) > 0
            told += engine.check()
        assert not engine.edges()
    assert told > 1000
    assert levels >= 20


def test_bounds_hold_in_larger_graphs():
    graphs = random_dags(7, nodes=70, inputs=3, density=0.03)
    engine = Engine(graphs, True, 2, np.random.default_rng(1).random(5000))
    for step in range(engine.steps):
        engine.delete_next(step)
        if step % 101 == 0:
            engine.check()


def random_deletions(graph, rng):
    """Random valid deletions from a DAG's CPDAG down to nothing, as steps."""
    d, rows = graph.n_nodes, _kernels.pack(graph.adjacency.T)
    state = _kernels.pdag_state(rows, np.zeros_like(rows))
    _kernels.complete(state)
    names = graph.names
    while True:
        edges = np.argwhere(_kernels.unpack(state[1] | state[2], d)).tolist()
        if not edges:
            return
        x, y = edges[rng.integers(len(edges))]
        indices, _ = _kernels.valid_sets(x, y, state, 20)
        if not len(indices):
            continue
        removed = np.zeros(rows.shape[1], np.uint64)
        pool = _kernels.subset_pool(x, y, state, 20)[1]
        _kernels.chosen(int(rng.choice(indices)), pool, removed)
        H = tuple(names[v] for v in np.flatnonzero(_kernels.unpack(removed, d)))
        yield Deletion(names[x], names[y], H, 0, 0.0, ())
        _kernels.clear(state[4])
        _kernels.delete(x, y, removed, state)


def by_completion(pdag, x, y, H):
    """Chickering's Delete on a matrix, completed from a DAG of the class."""
    after = pdag.copy()
    after[x, y] = after[y, x] = 0
    for h in H:
        after[h, y] = 0
        if after[x, h] and after[h, x]:
            after[h, x] = 0
    return dag_to_cpdag(pdag_to_dag(after))


@pytest.mark.parametrize(
    ("nodes", "density", "seeds", "sets"),
    [(7, 1.0, 20, 50), (12, 0.9, 10, 20), (12, 0.4, 20, 1), (70, 0.05, 1, 1)],
)
def test_a_local_completion_is_the_whole_one(nodes, density, seeds, sets):
    turned = with_sets = 0
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        [graph] = random_dags(seed, nodes=nodes, inputs=1, density=density)
        steps = list(random_deletions(graph, rng))
        found = list(Replay(graph, steps, completed=True).states(range(len(steps) + 1)))
        index = {name: v for v, name in enumerate(graph.names)}
        assert (found[0] == dag_to_cpdag(graph.adjacency)).all()
        for step, before, after in zip(steps, found, found[1:], strict=False):
            x, y, H = index[step.x], index[step.y], [index[h] for h in step.H]
            assert (after == by_completion(before, x, y, H)).all()
            assert is_cpdag(after)
            kept = before.copy()
            kept[x, y] = kept[y, x] = 0
            turned += int((kept != after).any())
            with_sets += bool(H)
    assert turned >= 20
    assert with_sets >= sets


def test_an_empty_graph_is_complete():
    rows = _kernels.pack(np.zeros((3, 3)))
    state = _kernels.pdag_state(rows, rows)
    _kernels.complete(state)
    assert not state[3].any()
    assert Graph("abc", np.zeros((3, 3))).is_cpdag()
