"""Graph functions run as plain Python until they have had much to do: both forms must give the same."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from graph_strategies import dags, repeatable, undirected_graphs
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import fedbnsl
from fedbnsl.graphs import _kernels, _treewidth_kernels, cpdag

treewidth = importlib.import_module("fedbnsl.graphs.treewidth")  # the package exports a function so named
COMPILED = {
    name: njit(cache=True)(getattr(_kernels, name).__wrapped__)
    for name in ("topological_order", "ancestors", "moralize", "compelled", "extend")
}


def same(name, *arguments):
    """The plain function's answer, which the compiled one and the switching one give too."""
    plain = getattr(_kernels, name).__wrapped__(*arguments)
    for other in (COMPILED[name](*arguments), getattr(_kernels, name)(*arguments)):
        for one, two in zip(*((x if isinstance(x, tuple) else (x,)) for x in (plain, other)), strict=True):
            assert np.array_equal(one, two)
            assert np.asarray(one).dtype == np.asarray(two).dtype
    return plain


@repeatable
@given(dags(8), st.data())
def test_both_forms_agree(a, data):
    order = same("topological_order", a)
    cyclic = a.copy()
    if len(a) > 1:
        cyclic[order[-1], order[0]] = cyclic[order[0], order[-1]] = 1
    same("topological_order", cyclic)
    start = np.array(data.draw(st.lists(st.booleans(), min_size=len(a), max_size=len(a))), dtype=bool)
    same("ancestors", a, start)
    same("moralize", a)
    same("compelled", a, order)
    completed = cpdag.dag_to_cpdag(a)
    rank = np.array(data.draw(st.permutations(range(len(a)))), dtype=float)
    same("extend", completed, rank)
    same("extend", cyclic, np.zeros(len(a)))


@repeatable
@given(undirected_graphs(9))
def test_elimination_orders_agree(a):
    order, width = treewidth._min_fill_by_sets(a)
    other, other_width = _treewidth_kernels.min_fill(a)
    assert (order.tolist(), width) == (other.tolist(), other_width)
    assert order.dtype == other.dtype


@pytest.mark.parametrize(("d", "p"), [(30, 0.1), (30, 0.8), (64, 0.1), (70, 0.2)])
def test_elimination_orders_agree_on_larger_graphs(d, p):
    upper = np.triu(np.random.default_rng(d).random((d, d)) < p, 1).astype(np.int8)
    order, width = treewidth._min_fill_by_sets(upper + upper.T)
    other, other_width = _treewidth_kernels.min_fill(upper + upper.T)
    assert (order.tolist(), width) == (other.tolist(), other_width)


def switching():
    """A function that tells which form answers, and the list of how often the compiled one was fetched."""
    fetched = []
    compiled = lambda: fetched.append(1) or (lambda a, b: ("compiled", b))  # noqa: E731
    return _kernels.plain_at_first(lambda a, b: ("plain", b), compiled), fetched


def test_the_compiled_form_takes_over_after_so_many_entries_and_is_fetched_once(monkeypatch):
    monkeypatch.setattr(_kernels, "PLAIN_ENTRIES", 30)
    monkeypatch.delitem(sys.modules, "numba")
    function, fetched = switching()
    answers = [function(np.zeros((3, 3)), k) for k in range(5)]
    assert answers == [("plain", 0), ("plain", 1), ("plain", 2), ("compiled", 3), ("compiled", 4)]
    assert fetched == [1]


def test_where_numba_is_loaded_the_compiled_form_is_used_at_once():
    assert switching()[0](np.zeros((3, 3)), 7) == ("compiled", 7)


def test_measuring_a_small_network_does_not_load_numba():
    code = (
        "import sys, fedbnsl\n"
        "g = fedbnsl.Graph.from_edges('abc', [('a', 'b'), ('b', 'c')])\n"
        "assert fedbnsl.evaluate.metrics(g, g, sid=False)['shd'] == 0\n"
        "fedbnsl.data.simulate_linear_gaussian(5, 5, 2, 10, seed=1)\n"
        "assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(fedbnsl.__file__).parents[1])
