"""The BDeu score of a graph on discrete data."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph
from fedbnsl.scores import _kernels
from fedbnsl.scores.counts import discrete_columns, families, family_counts


def bdeu(graph: Graph | WeightedGraph, site: SiteData, ess: float = 1.0) -> float:
    """Logarithm (nats) of the marginal likelihood of a graph under a uniform Dirichlet prior.

    Σ_i Σ_j [ log Γ(a_ij)/Γ(a_ij + N_ij) + Σ_k log Γ(a_ijk + N_ijk)/Γ(a_ijk) ],
    a_ij = ess / q_i, a_ijk = ess / (r_i q_i), where variable i has r_i declared states, its parents
    q_i configurations by their declared states, and N counts rows (Buntine 1991; Heckerman, Geiger
    and Chickering 1995). No prior over structures. Configurations without rows contribute 0.
    Markov equivalent DAGs have equal scores.

    Parameters
    ----------
    graph : Graph or WeightedGraph
        A DAG or PDAG over the site's variables, in any order; a PDAG is scored by a DAG that
        extends it.
    site : SiteData
        Discrete rows. States that were declared but not seen count in r and q.
    ess : float, default 1.0
        Equivalent sample size, above 0.

    Raises
    ------
    InputError
        If ess is not above 0, the site is continuous, the variables differ, or the graph has no DAG.
    """
    family = bdeu_family(site, ess)
    return float(sum(family(child, parents) for child, parents in families(graph, site.names)))


def bdeu_family(site: SiteData, ess: float) -> Callable[[int, Sequence[int]], float]:
    """The term of one variable and its parents by position; see :func:`bdeu`."""
    if not (ess > 0 and math.isfinite(ess)):
        raise InputError(f"the equivalent sample size must be above 0, not {ess}")
    columns, cardinalities = discrete_columns(site), site.cardinalities
    log_cards = np.log(cardinalities)

    def family(child: int, parents: Sequence[int]) -> float:
        of_parents, of_family = family_counts(columns, cardinalities, child, parents)
        log_alpha = math.log(ess) - log_cards[list(parents)].sum()
        cells = _kernels.log_rising(of_family, log_alpha - log_cards[child])
        return cells - _kernels.log_rising(of_parents, log_alpha)

    return family
