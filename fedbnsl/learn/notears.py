"""NOTEARS: a linear DAG by continuous optimisation, from the covariance alone (Zheng et al. 2018)."""

import math
import numbers

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import WeightedGraph
from fedbnsl.learn.acyclicity import minimise_penalised
from fedbnsl.learn.sufficient import sufficient_statistics
from fedbnsl.learn.threshold import check_threshold, threshold_to_dag
from fedbnsl.seeds import checked_seed
from fedbnsl.threads import one_thread

H_TOLERANCE = 1e-8  # h of weights that count as a DAG's


def notears(site: SiteData, l1: float = 0.1, threshold: float = 0.3, *, seed: int = 0) -> WeightedGraph:
    """Learn a weighted DAG from one site's continuous data.

    Parameters
    ----------
    site : SiteData
        Continuous data on their raw scale: scaling the columns to unit variance destroys what makes
        the directions identifiable (equal noise variances).
    l1 : float
        λ, in squared units of the data.
    threshold : float
        Edges with ``|w| <= threshold`` are dropped; see :func:`fedbnsl.learn.threshold_to_dag`.
    seed : int
        Not used: nothing is random. Every learner takes one.

    Returns
    -------
    WeightedGraph
        ``weights[i, j]`` is the effect of i on j.

    Raises
    ------
    InputError
        If the data are discrete, have fewer than two rows, a constant column or one whose variance
        overflows; if λ or the threshold is negative or not finite; if the seed is none.
    """
    checked_seed(seed)
    check_threshold(threshold)
    _check_l1(l1)
    with one_thread():
        weights = notears_weights(sufficient_statistics(site).covariance, l1)
    return WeightedGraph(site.names, threshold_to_dag(weights, threshold))


def notears_weights(
    covariance: np.ndarray, l1: float, h_tolerance: float = H_TOLERANCE, largest_rho: float = 1e16
) -> np.ndarray:
    """The weights that NOTEARS ends with, before any threshold.

    Minimises ½ tr((I−W)ᵀ Σ (I−W)) + λ‖W‖₁ subject to h(W) = 0, W without diagonal, by an augmented
    Lagrangian: ρ grows tenfold until h falls below a quarter of what it was, then α ← α + ρh.

    Parameters
    ----------
    covariance : ndarray, shape (d, d)
        Σ, symmetric, positive semidefinite, with a positive diagonal.
    l1 : float
        λ.
    h_tolerance, largest_rho : float
        Stop when h is at most the first or ρ at least the second.

    Returns
    -------
    ndarray, shape (d, d)
        Zeros are exact; h is at most ``h_tolerance`` unless ρ reached its limit first.

    Raises
    ------
    InputError
        If λ is negative or not finite, or numbers as large as Σ holds overflow.
    """
    _check_l1(l1)
    identity = np.eye(len(covariance))
    weights, h, alpha, rho = np.zeros_like(identity), np.inf, 0.0, 1.0
    while h > h_tolerance and rho < largest_rho:
        while rho < largest_rho:
            found = minimise_penalised(
                weights, identity, covariance, alpha=alpha, rho=rho, l1=l1, f_tolerance=1e-8
            )
            if found.h <= 0.25 * h:
                break
            rho *= 10.0
        # A finite h falls to a quarter each time, which ends the loop; an infinite one never would.
        if not math.isfinite(found.h):
            raise InputError(
                "the covariance is too large to compute with", remedy="Rescale the data, all columns alike"
            )
        weights, h = found.weights, found.h
        alpha += rho * h
    return weights


def _check_l1(l1: float) -> None:
    if not isinstance(l1, numbers.Real) or not 0 <= l1 < math.inf:
        raise InputError(f"l1 cannot be {l1!r}", remedy="Give a finite number, 0 or larger")
