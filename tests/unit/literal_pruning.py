"""Min-cut pruning done by the letter, on sets of name pairs: slow, and the oracle of the compiled engine.

Every candidate is scored in every sweep, from the inputs and the graph as they stand. Equal questions are
answered from memory: the same arcs, nodes and conditioning set have the same cut.
"""

import functools
import itertools

import numpy as np

from fedbnsl.graphs import Graph, cpdag


def random_dags(seed, nodes=None, inputs=None, density=None):
    """A list of DAGs over the same 2 to 8 variables, of one density, with unrelated node orders."""
    rng = np.random.default_rng(seed)
    d = nodes or int(rng.integers(2, 9))
    density = density or rng.uniform(0.1, 0.6)
    found = []
    for _ in range(inputs or int(rng.integers(1, 5))):
        upper = np.triu(rng.random((d, d)) < density, 1)
        order = rng.permutation(d)
        found.append(Graph([f"v{i}" for i in range(d)], upper[np.ix_(order, order)]))
    return found


def among_others(graphs, total=130):
    """The same DAGs among isolated variables, so that every bit row has several words.

    The variables keep their order.
    """
    d = graphs[0].n_nodes
    places = np.linspace(0, total - 1, d).round().astype(int)
    names = [f"isolated{i}" for i in range(total)]
    for place, name in zip(places, graphs[0].names, strict=True):
        names[place] = name
    return [Graph.from_edges(names, graph.edges()) for graph in graphs]


def ancestral_moral(arcs, nodes):
    """Edges (frozensets) of the moral graph of the ancestral set of ``nodes`` in a DAG of arcs."""
    inside = set(nodes)
    while True:
        more = {u for u, v in arcs if v in inside} - inside
        if not more:
            break
        inside |= more
    parents = {}
    for u, v in arcs:
        if v in inside:
            parents.setdefault(v, []).append(u)
    edges = {frozenset((u, v)) for v, us in parents.items() for u in us}
    return edges | {frozenset(pair) for us in parents.values() for pair in itertools.combinations(us, 2)}


def min_cut(edges, x, y):
    """Minimum x–y edge cut nearest to y: its edges as (y's side, x's side) pairs."""
    room = {}
    for edge in edges:
        u, v = edge
        room.setdefault(u, {})[v] = 1
        room.setdefault(v, {})[u] = 1
    while True:
        origin, stack = {y: None}, [y]
        while stack:
            u = stack.pop()
            for v, left in room.get(u, {}).items():
                if left and v not in origin:
                    origin[v] = u
                    stack.append(v)
        if x not in origin:
            return {(u, v) for u in origin for v in room.get(u, {}) if v not in origin}
        v = x
        while v != y:
            u = origin[v]
            room[u][v] -= 1
            room[v][u] += 1
            v = u


@functools.lru_cache(maxsize=100_000)
def separate(arcs, x, y, given):
    """The cut that scores an input; ``arcs`` and ``given`` are frozensets."""
    edges = {edge for edge in ancestral_moral(arcs, {x, y} | given) if not edge & given}
    return min_cut(edges, x, y)


class Pdag:
    """Directed arcs and undirected edges over ordered names."""

    def __init__(self, names, arcs, undirected=()):
        self.names, self.arcs = list(names), set(arcs)
        self.undirected = {frozenset(pair) for pair in undirected}

    def adjacent(self, a, b):
        return {(a, b), (b, a)} & self.arcs or frozenset((a, b)) in self.undirected

    def candidates(self, k_max):
        """All valid (x, y, H, S) in the order that settles ties."""
        for x, y in itertools.permutations(self.names, 2):
            if (x, y) not in self.arcs and frozenset((x, y)) not in self.undirected:
                continue
            shared = [n for n in self.names if frozenset((n, y)) in self.undirected and self.adjacent(n, x)]
            pool = shared[:k_max]
            for index in range(2 ** len(pool)):
                H = {h for j, h in enumerate(pool) if index >> j & 1}
                rest = [n for n in shared if n not in H]
                if all(self.adjacent(a, b) for a, b in itertools.combinations(rest, 2)):
                    yield x, y, H, frozenset(rest).union(p for p, c in self.arcs if c == y) - {x}

    def delete(self, x, y, H):
        self.arcs.discard((x, y))
        self.undirected.discard(frozenset((x, y)))
        for h in H:
            self.undirected.remove(frozenset((y, h)))
            self.arcs.add((y, h))
            if frozenset((x, h)) in self.undirected:
                self.undirected.remove(frozenset((x, h)))
                self.arcs.add((x, h))
        self.complete()

    def complete(self):
        place = {name: k for k, name in enumerate(self.names)}
        matrix = np.zeros((len(self.names), len(self.names)), dtype=np.int8)
        for u, v in (
            self.arcs | {tuple(p) for p in self.undirected} | {tuple(p)[::-1] for p in self.undirected}
        ):
            matrix[place[u], place[v]] = 1
        whole = cpdag.dag_to_cpdag(cpdag.pdag_to_dag(matrix))
        pairs = {(self.names[i], self.names[j]) for i, j in np.argwhere(whole)}
        self.undirected = {frozenset(pair) for pair in pairs if pair[::-1] in pairs}
        self.arcs = {pair for pair in pairs if pair[::-1] not in pairs}


def all_scores(inputs, pdag, k_max=10, weights=None):
    """(x, y, H, total) of every candidate, in the order that settles ties."""
    weights = weights or [1] * len(inputs)
    inputs = [frozenset(arcs) for arcs in inputs]
    return [
        (x, y, H, sum(w * len(separate(arcs, x, y, given)) for w, arcs in zip(weights, inputs, strict=True)))
        for x, y, H, given in pdag.candidates(k_max)
    ]


def prune(
    inputs, names, fusion, completed=False, k_max=10, draws=None, weights=None, stale=False, allowed=None
):
    """Steps (x, y, H, total, [arcs cut from each input]) until no candidate is left.

    Parameters
    ----------
    inputs : list of set of (str, str)
    fusion : set of (str, str)
    completed : bool
        Start from the CPDAG.
    draws : sequence of float, optional
        One in [0, 1) a step, to choose among ties; default: the first.
    weights : list of int, optional
    stale : bool
        Keep every candidate's cuts from the sweep that first met it.
    allowed : callable, optional
        From the graph and a candidate (x, y, H) to whether it may be deleted.
    """
    inputs = [frozenset(arcs) for arcs in inputs]
    weights = weights or [1] * len(inputs)
    pdag = Pdag(names, fusion)
    if completed:
        pdag.complete()
    steps, met = [], {}
    while pdag.arcs or pdag.undirected:
        if not stale:
            met = {}
        scored = []
        for x, y, H, given in pdag.candidates(k_max):
            if allowed is not None and not allowed(pdag, x, y, H):
                continue
            key = x, y, given
            if key not in met:
                met[key] = [separate(arcs, x, y, given) for arcs in inputs]
            scored.append((x, y, H, sum(w * len(c) for w, c in zip(weights, met[key], strict=True)), key))
        if not scored:
            break
        least = min(total for *_, total, _ in scored)
        ties = [candidate for candidate in scored if candidate[3] == least]
        x, y, H, total, key = ties[0 if draws is None else int(draws[len(steps)] * len(ties))]
        cuts = [
            {arc for u, v in pairs for arc in ((u, v), (v, u)) if arc in arcs}
            for arcs, pairs in zip(inputs, met[key], strict=True)
        ]
        inputs = [arcs - gone for arcs, gone in zip(inputs, cuts, strict=True)]
        pdag.delete(x, y, H)
        steps.append((x, y, H, total, cuts))
    return steps
