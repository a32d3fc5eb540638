"""Log-likelihood of held-out rows under a graph whose parameters were fitted on other rows."""

import math

import numpy as np

from fedbnsl.data.site_data import SiteData, check_same_variables
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.scores.counts import discrete_columns, families, group_rows
from fedbnsl.scores.regression import regress


def held_out_log_likelihood(
    graph: Graph | WeightedGraph, train: SiteData, test: SiteData, pseudo_count: float = 1.0
) -> float:
    """Mean log-likelihood (nats) of a test row, under parameters from the training rows.

    Discrete: P(k | j) = (N_ijk + c) / (N_ij + r_i c), the posterior mean under a Dirichlet prior
    with the pseudo-count c in every cell, r_i declared states. A state or configuration that
    training rows do not show has positive probability, so the value is finite.

    Continuous: each variable is normal around its least-squares regression on its parents, with
    variance RSS / n.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        A DAG or PDAG over the variables, in any order. Markov equivalent DAGs agree on continuous
        data; on discrete data they agree up to the effect of the pseudo-counts.
    train, test : SiteData
        Same variables and declared states, at least one row each.
    pseudo_count : float, default 1.0
        c, above 0; 1 is Laplace's rule. Discrete data only.

    Raises
    ------
    InputError
        If a site has no row, the sites' variables differ, the graph's differ or it has no DAG, the
        pseudo-count is not above 0, or a training column is a linear function of its parents.
    """
    check_same_variables([train, test])
    for site in (train, test):
        if not site.n_rows:
            raise InputError("there is no row", where=site.label)
    check_pseudo_count(pseudo_count)
    if train.is_discrete:
        return _discrete(graph, train, test, pseudo_count)
    return _gaussian(graph, train, test)


def check_pseudo_count(pseudo_count: float) -> None:
    """Raise InputError unless it is a finite number above 0."""
    if not (pseudo_count > 0 and math.isfinite(pseudo_count)):
        raise InputError(f"the pseudo-count must be above 0, not {pseudo_count}")


def _discrete(graph, train, test, pseudo_count) -> float:
    columns = np.concatenate([discrete_columns(train), discrete_columns(test)], axis=1)
    cardinalities, n = train.cardinalities, train.n_rows
    total = 0.0
    for child, parents in families(graph, train.names):
        # Numbering both sites' rows together lets a test row look up what training rows it matches.
        of_parents, of_family = group_rows(columns, cardinalities, child, parents)
        cells = np.bincount(of_family[:n], minlength=of_family.max() + 1)[of_family[n:]]
        rows = np.bincount(of_parents[:n], minlength=of_parents.max() + 1)[of_parents[n:]]
        total += np.log((cells + pseudo_count) / (rows + cardinalities[child] * pseudo_count)).sum()
    return float(total / test.n_rows)


def _gaussian(graph, train, test) -> float:
    total = 0.0
    for child, parents in families(graph, train.names):
        fit = regress(train.values, child, parents, train)
        residual = test.values[:, child] - fit.intercept - test.values[:, parents] @ fit.coefficients
        total -= 0.5 * np.mean(residual**2 / fit.variance + np.log(2 * np.pi * fit.variance))
    return float(total)
