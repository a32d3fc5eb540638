"""BIC scores of a graph: multinomial for discrete data, linear Gaussian for continuous data."""

from collections.abc import Callable, Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.scores.counts import discrete_columns, families, family_counts
from fedbnsl.scores.regression import continuous_values, regress


def bic(graph: Graph | WeightedGraph, site: SiteData) -> float:
    """Log-likelihood (nats) of a discrete network at its maximum, minus half log n a parameter.

    Σ_i [ Σ_jk N_ijk log(N_ijk / N_ij) − ½ log(n) · q_i (r_i − 1) ], with r_i and q_i by declared
    states (Schwarz 1978). Larger is better; Markov equivalent DAGs have equal scores.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        A DAG or PDAG over the site's variables, in any order.
    site : SiteData
        Discrete, with at least one row.

    Returns
    -------
    float
        −inf if a family has more parameters than a float can hold.

    Raises
    ------
    InputError
        If the site is continuous or empty, the variables differ, or the graph has no DAG.
    """
    family = bic_family(site)
    return float(sum(family(child, parents) for child, parents in families(graph, site.names)))


def bic_family(site: SiteData) -> Callable[[int, Sequence[int]], float]:
    """The term of one variable and its parents by position; see :func:`bic`."""
    columns, cardinalities = discrete_columns(site), site.cardinalities
    _need_rows(site)
    per_parameter = np.log(site.n_rows) / 2

    def family(child: int, parents: Sequence[int]) -> float:
        of_parents, of_family = family_counts(columns, cardinalities, child, parents)
        likelihood = (of_family * np.log(of_family)).sum() - (of_parents * np.log(of_parents)).sum()
        if per_parameter == 0 or cardinalities[child] == 1:
            return likelihood  # nothing to pay, even where q is too large for a float
        with np.errstate(over="ignore"):
            q = cardinalities[list(parents)].prod(dtype=float)
        return likelihood - per_parameter * q * (cardinalities[child] - 1)

    return family


def gaussian_bic(graph: Graph | WeightedGraph, site: SiteData) -> float:
    """Log-likelihood (nats) of a linear Gaussian network at its maximum, minus half log n a parameter.

    Each variable is regressed on its parents with an intercept, residual variance s² = RSS / n:
    Σ_i [ −n/2 (log 2π + log s_i² + 1) − ½ log(n) · (|pa_i| + 2) ]; the 2 are intercept and variance
    (Schwarz 1978; Geiger and Heckerman 1994). Larger is better; Markov equivalent DAGs have equal
    scores.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        A DAG or PDAG over the site's variables, in any order.
    site : SiteData
        Continuous, with at least one row.

    Raises
    ------
    InputError
        If the site is discrete or empty, the variables differ, the graph has no DAG, or a column is
        a linear function of its parents (a constant column, a copy, fewer rows than parents).
    """
    family = gaussian_bic_family(site)
    return float(sum(family(child, parents) for child, parents in families(graph, site.names)))


def gaussian_bic_family(site: SiteData) -> Callable[[int, Sequence[int]], float]:
    """The term of one variable and its parents by position; see :func:`gaussian_bic`."""
    values = continuous_values(site)
    _need_rows(site)
    n = site.n_rows

    def family(child: int, parents: Sequence[int]) -> float:
        fit = regress(values, child, list(parents), site)
        return -n / 2 * (np.log(2 * np.pi * fit.variance) + 1) - np.log(n) / 2 * (len(parents) + 2)

    return family


def _need_rows(site: SiteData) -> None:
    if not site.n_rows:
        raise InputError("there is no row to score", where=site.label)
