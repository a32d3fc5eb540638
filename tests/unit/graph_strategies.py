"""Random graphs for property tests, and exhaustive lists of the small ones."""

import itertools

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

# No deadline: the first example of a test may compile a kernel. Derandomised: a run repeats exactly.
repeatable = settings(deadline=None, derandomize=True, max_examples=100)


def matrix_of(d, kinds):
    """int8 matrix from one of 0 none, 1 →, 2 ←, 3 — for each pair i < j in order."""
    a = np.zeros((d, d), dtype=np.int8)
    for (i, j), kind in zip(itertools.combinations(range(d), 2), kinds, strict=True):
        a[i, j] = kind in (1, 3)
        a[j, i] = kind in (2, 3)
    return a


def every_graph(d, kinds=(0, 1, 2)):
    """All matrices of d nodes whose pairs are of the given kinds."""
    pairs = d * (d - 1) // 2
    return (matrix_of(d, chosen) for chosen in itertools.product(kinds, repeat=pairs))


def _graphs(kinds, max_nodes):
    def of_size(d):
        pairs = d * (d - 1) // 2
        return st.lists(st.sampled_from(kinds), min_size=pairs, max_size=pairs).map(
            lambda chosen: matrix_of(d, chosen)
        )

    return st.integers(0, max_nodes).flatmap(of_size)


def digraphs(max_nodes=7):
    """Directed graphs, cyclic or not, without two-cycles."""
    return _graphs((0, 1, 2), max_nodes)


def pdags(max_nodes=6):
    """Any mix of directed and undirected edges."""
    return _graphs((0, 1, 2, 3), max_nodes)


def undirected_graphs(max_nodes=7):
    """Symmetric matrices."""
    return _graphs((0, 3), max_nodes)


def dags(max_nodes=7):
    """DAGs whose node order is any permutation of a topological order."""

    def permuted(a):
        order = st.permutations(range(len(a)))
        return order.map(lambda order: a[np.ix_(list(order), list(order))])

    return _graphs((0, 1), max_nodes).flatmap(permuted)
