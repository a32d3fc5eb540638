"""Rows of linear structural equations solve them."""

import numpy as np
import pytest

from fedbnsl.data.linear_equations import solve_linear_equations
from fedbnsl.errors import InputError


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_rows_solve_the_equations_and_the_noise_stays(order):
    rng = np.random.default_rng(4)
    causal = rng.permutation(6)
    weights = np.zeros((6, 6))
    weights[np.ix_(causal, causal)] = np.triu(rng.normal(size=(6, 6)), 1)
    noise = np.asarray(rng.normal(size=(50, 6)), order=order)
    before = noise.copy()
    values = solve_linear_equations(weights, noise)
    np.testing.assert_array_equal(noise, before)
    np.testing.assert_allclose(values, np.linalg.solve((np.eye(6) - weights).T, noise.T).T, atol=1e-12)
    assert values.flags[f"{order}_CONTIGUOUS"]


def test_a_cycle_is_refused():
    with pytest.raises(InputError, match="cycle"):
        solve_linear_equations(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), np.ones((2, 3)))
