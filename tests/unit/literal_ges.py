"""Greedy equivalence search by the definitions, on sets and matrices: slow, and nothing is remembered."""

import itertools
import math

import numpy as np

from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag


def rounded(gain):
    return math.floor(gain * 2**20 + 0.5) / 2**20


class LiteralSearch:
    """``family(child, parents)`` is the score of a family; ``cap`` the largest number of parents."""

    def __init__(self, d, family, cap=None):
        self.d, self.family, self.cap = d, family, d if cap is None else cap
        self.p = np.zeros((d, d), dtype=np.int8)
        self.trace = []

    def parents(self, y):
        return {x for x in range(self.d) if self.p[x, y] and not self.p[y, x]}

    def neighbours(self, y):
        return {x for x in range(self.d) if self.p[x, y] and self.p[y, x]}

    def adjacent(self, y):
        return {x for x in range(self.d) if self.p[x, y] or self.p[y, x]}

    def is_clique(self, nodes):
        return all(b in self.adjacent(a) for a, b in itertools.combinations(nodes, 2))

    def reached(self, y, avoided):
        seen, stack = {y}, [y]
        while stack:
            v = stack.pop()
            for u in range(self.d):
                if self.p[v, u] and u not in seen and u not in avoided:
                    seen.add(u)
                    stack.append(u)
        return seen

    def gain(self, x, y, base):
        base = tuple(sorted(base))
        return rounded(self.family(y, tuple(sorted({*base, x}))) - self.family(y, base))

    def inserts(self):
        """(gain, y, C, x, T), Chickering's theorem 15 and corollary 16."""
        for y in range(self.d):
            for x in set(range(self.d)) - {y} - self.adjacent(y):
                common = self.neighbours(y) & self.adjacent(x)
                free = sorted(self.neighbours(y) - self.adjacent(x))
                for t in itertools.chain.from_iterable(
                    itertools.combinations(free, k) for k in range(len(free) + 1)
                ):
                    c = common | set(t)
                    base = c | self.parents(y)
                    if len(base) < self.cap and self.is_clique(c) and x not in self.reached(y, c):
                        yield self.gain(x, y, base), y, tuple(sorted(c)), x, t

    def deletes(self):
        """(gain, y, x, C, H), theorem 17 and corollary 18."""
        for y in range(self.d):
            for x in self.parents(y) | self.neighbours(y):
                common = sorted(self.neighbours(y) & self.adjacent(x))
                for h in itertools.chain.from_iterable(
                    itertools.combinations(common, k) for k in range(len(common) + 1)
                ):
                    c = set(common) - set(h)
                    if self.is_clique(c):
                        base = (c | self.parents(y)) - {x}
                        yield -self.gain(x, y, base), y, x, tuple(sorted(c)), h

    def complete(self, pdag):
        self.p = dag_to_cpdag(pdag_to_dag(pdag))

    def insert_once(self):
        valid = [o for o in self.inserts() if o[0] > 0]
        if not valid:
            return False
        gain, y, _, x, t = min(valid, key=lambda o: (-o[0], *o[1:4]))
        pdag = self.p.copy()
        pdag[x, y] = 1
        for node in t:
            pdag[y, node] = 0
        self.complete(pdag)
        self.trace.append((gain, self.p.tobytes()))
        return True

    def delete_once(self):
        valid = [o for o in self.deletes() if o[0] > 0]
        if not valid:
            return False
        gain, y, x, _, h = min(valid, key=lambda o: (-o[0], *o[1:4]))
        pdag = self.p.copy()
        pdag[x, y] = pdag[y, x] = 0
        for node in h:
            pdag[node, y] = 0  # y -> h
            if pdag[x, node] and pdag[node, x]:
                pdag[node, x] = 0  # x -> h
        self.complete(pdag)
        self.trace.append((gain, self.p.tobytes()))
        return True

    def run(self):
        while self.insert_once():
            pass
        while self.delete_once():
            pass
        return self.p
