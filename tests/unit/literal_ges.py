"""Greedy equivalence search by the definitions, on sets and matrices: slow, and nothing is remembered."""

import functools
import itertools
import math

import numpy as np

from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag
from fedbnsl.graphs.dag import find_cycle


def rounded(gain):
    return math.floor(gain * 2**20 + 0.5) / 2**20


def members(cpdag):
    """The DAGs of a class, by trying both directions of every undirected edge."""
    return _members(cpdag.astype(np.int8).tobytes(), len(cpdag))


@functools.lru_cache(100_000)
def _members(key, d):
    cpdag = np.frombuffer(key, dtype=np.int8).reshape(d, d)
    return [dag for dag in _directed(cpdag) if (dag_to_cpdag(dag) == cpdag).all()]


def _directed(pdag):
    """All acyclic ways to direct the undirected edges."""
    if find_cycle(pdag & (1 - pdag.T)):
        return
    undirected = np.argwhere(np.triu(pdag & pdag.T))
    if not len(undirected):
        yield pdag
        return
    for i, j in (undirected[0], undirected[0][::-1]):
        further = pdag.copy()
        further[j, i] = 0
        yield from _directed(further)


class LiteralSearch:
    """``family(child, parents)`` is the score of a family; ``cap`` the largest number of parents.

    ``required`` and ``forbidden`` are matrices of directed edges; a class counts if one of its DAGs has all
    of the first and none of the second.
    """

    def __init__(self, d, family, cap=None, required=None, forbidden=None):
        self.d, self.family, self.cap = d, family, d if cap is None else cap
        none = np.zeros((d, d), dtype=bool)
        self.required = none if required is None else required
        self.forbidden = none if forbidden is None else forbidden
        self.p = dag_to_cpdag(self.required)
        self.trace = []
        self.refused = 0

    def keeping(self, cpdag):
        """The DAGs of the class that keep the knowledge."""
        return [
            dag
            for dag in members(cpdag)
            if not (self.required & (dag == 0)).any() and not (self.forbidden & (dag == 1)).any()
        ]

    def is_legal(self, cpdag):
        constrained = self.required.any() or self.forbidden.any()
        return not constrained or bool(self.keeping(cpdag))

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
                if self.required[x, y] or self.required[y, x]:
                    continue
                common = sorted(self.neighbours(y) & self.adjacent(x))
                for h in itertools.chain.from_iterable(
                    itertools.combinations(common, k) for k in range(len(common) + 1)
                ):
                    c = set(common) - set(h)
                    if self.is_clique(c):
                        base = (c | self.parents(y)) - {x}
                        yield -self.gain(x, y, base), y, x, tuple(sorted(c)), h

    def first_legal(self, operators, after):
        """Apply the best operator whose class is legal; whether there is one."""
        for o in sorted((o for o in operators if o[0] > 0), key=lambda o: (-o[0], *o[1:4])):
            cpdag = dag_to_cpdag(pdag_to_dag(after(*o[1:])))
            if self.is_legal(cpdag):
                self.p = cpdag
                self.trace.append((o[0], cpdag.tobytes()))
                return True
            self.refused += 1
        return False

    def inserted(self, y, _, x, t):
        pdag = self.p.copy()
        pdag[x, y] = 1
        for node in t:
            pdag[y, node] = 0
        return pdag

    def deleted(self, y, x, _, h):
        pdag = self.p.copy()
        pdag[x, y] = pdag[y, x] = 0
        for node in h:
            pdag[node, y] = 0  # y -> h
            if pdag[x, node] and pdag[node, x]:
                pdag[node, x] = 0  # x -> h
        return pdag

    def insert_once(self):
        return self.first_legal(self.inserts(), self.inserted)

    def delete_once(self):
        return self.first_legal(self.deletes(), self.deleted)

    def run(self):
        while self.insert_once():
            pass
        while self.delete_once():
            pass
        return self.p
