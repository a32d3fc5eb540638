"""What the second moment of clipped records says of the unclipped ones, if they are Gaussian."""

from __future__ import annotations

import numpy as np

from fedbnsl.seeds import generator

_DRAWS = 1_000_000  # numbers in the integral over a Gaussian
_ITERATIONS, _TOLERANCE = 40, 1e-5
_FLOOR = 1e-3
_TINY = np.finfo(float).tiny


def unclipped(moment: np.ndarray, radius: float, trace: float) -> np.ndarray:
    """The second moment before clipping, if the records were N(0, Σ); post-processing.

    Clipping a centred Gaussian keeps the eigenvectors of its second moment, and makes the eigenvalues λ
    into E[λ_l u_l² min(1, R²/Σ_m λ_m u_m²)], u ~ N(0, I). This is inverted by λ ← λ · observed/clipped(λ).
    The expectation is a mean over fixed draws, so the result is a function of what is given.

    Parameters
    ----------
    moment : ndarray, shape (d, d)
        Second moment of clipped records, with noise.
    radius : float
        R.
    trace : float
        What the eigenvalues add up to. Where nearly all records are clipped, the moment does not show it.

    Returns
    -------
    ndarray, shape (d, d)
        Positive definite: eigenvalues, observed and found, count as 1/1000 of their mean at least.
    """
    observed, vectors = np.linalg.eigh(moment)
    observed = np.maximum(observed, _FLOOR * max(observed.mean(), _TINY))
    squares = _squared_normals(len(moment))
    values = observed * (trace / observed.sum())
    for _ in range(_ITERATIONS):
        factors = observed / clipped_spectrum(values, radius, squares)
        before, values = values, values * factors
        values *= trace / values.sum()
        if np.max(np.abs(values / before - 1)) < _TOLERANCE:
            break
    values = np.maximum(values, _FLOOR * trace / len(values))
    return (vectors * (values * (trace / values.sum()))) @ vectors.T


def clipped_spectrum(eigenvalues: np.ndarray, radius: float, squares: np.ndarray) -> np.ndarray:
    """Mean of λ_l u_l² min(1, R²/Σ_m λ_m u_m²) over draws.

    Parameters
    ----------
    eigenvalues : ndarray, shape (d,)
        λ ≥ 0.
    radius : float
        R.
    squares : ndarray, shape (m, d)
        u² of m draws.

    Returns
    -------
    ndarray, shape (d,)
    """
    lengths = squares @ eigenvalues
    factors = np.minimum(1.0, radius**2 / np.maximum(lengths, _TINY))
    return eigenvalues * (factors @ squares) / len(squares)


def _squared_normals(d: int) -> np.ndarray:
    """u² of fixed draws of N(0, I), with mean exactly 1 in every coordinate."""
    draws = generator(0, "clipped spectrum", d).standard_normal((max(_DRAWS // d, 2000), d)) ** 2
    return draws / draws.mean(axis=0)
