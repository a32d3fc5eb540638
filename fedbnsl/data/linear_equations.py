"""Rows that follow linear structural equations."""

import numpy as np

from fedbnsl.graphs import dag


def solve_linear_equations(weights: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The x with x_j = Σ_i W[i, j] x_i + e_j, column by column along the DAG.

    A solver would do, but its sums depend on the number of threads.

    Parameters
    ----------
    weights : ndarray, shape (d, d)
        W, whose non-zero entries are a DAG.
    noise : ndarray, shape (n, d)
        e, a row for each row of x; left as it is. Fastest in Fortran order.

    Returns
    -------
    ndarray, shape (n, d)
        In the memory order of ``noise``.

    Raises
    ------
    InputError
        If the weights have a cycle.
    """
    values = noise.copy("K").T
    for j in dag.topological_order((weights != 0).astype(np.int8)):
        for i in np.flatnonzero(weights[:, j]):
            values[j] += weights[i, j] * values[i]
    return values.T
