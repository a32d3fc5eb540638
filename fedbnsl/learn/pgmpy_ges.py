"""The searches that pgmpy implements, on this package's scores: slow, but independent of its own search."""

import functools

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph
from fedbnsl.scores.bdeu import bdeu_family
from fedbnsl.scores.bic import bic_family, gaussian_bic_family


def ges_pgmpy(site: SiteData, *, seed: int = 0, score: str | None = None, ess: float = 1.0) -> Graph:
    """Greedy equivalence search by ``pgmpy.causal_discovery.GES``, with its turning phase.

    Constant columns are left out of the search and come back as isolated nodes.

    Parameters
    ----------
    site : SiteData
        At least two rows. Discrete scores use the declared states, seen or not.
    seed : int
        Without effect: the search is deterministic. Every learner takes one.
    score : {"bdeu", "bic"}, optional
        ``bic`` is the multinomial BIC on discrete data, the linear Gaussian one on continuous data;
        ``bdeu`` needs discrete data. Default: ``bdeu`` on discrete, ``bic`` on continuous data.
    ess : float, default 1.0
        Equivalent sample size of BDeu.

    Returns
    -------
    Graph
        A CPDAG over all the site's variables.

    Raises
    ------
    InputError
        If there are fewer than two rows, or the score is unknown or does not fit the data.
    """

    def search(frame, scoring):
        from pgmpy.causal_discovery import GES

        return GES(scoring_method=scoring, return_type="pdag").fit(frame).adjacency_matrix_

    return _searched(site, score, ess, search)


def hill_climb_pgmpy(
    site: SiteData,
    *,
    seed: int = 0,
    score: str | None = None,
    ess: float = 1.0,
    max_parents: int | None = None,
) -> Graph:
    """Hill climbing over DAGs with a tabu list, by ``pgmpy.causal_discovery.HillClimbSearch``.

    Parameters
    ----------
    site, seed, score, ess
        As for :func:`ges_pgmpy`.
    max_parents : int, optional
        Largest number of parents. Default: no limit.

    Returns
    -------
    Graph
        The CPDAG of the DAG found: which way the search turns reversible edges says nothing.

    Raises
    ------
    InputError
        As :func:`ges_pgmpy`.
    """

    if max_parents is not None and max_parents < 0:
        raise InputError(f"max_parents must be 0 or more, not {max_parents}")

    def search(frame, scoring):
        from pgmpy.causal_discovery import HillClimbSearch

        search = HillClimbSearch(
            scoring_method=scoring, max_indegree=max_parents, return_type="dag", show_progress=False
        )
        return search.fit(frame).adjacency_matrix_

    return _searched(site, score, ess, search).cpdag()


def _searched(site: SiteData, score: str | None, ess: float, search) -> Graph:
    """Run ``search(frame, scoring) -> adjacency table`` on the columns that vary."""
    import pandas

    if site.n_rows < 2:
        raise InputError(
            f"learning needs at least 2 rows, not {site.n_rows}",
            where=site.label,
            remedy="Give the site more rows or leave it out",
        )
    family = _family_score(site, score, ess)
    varying = np.flatnonzero((site.values != site.values[0]).any(axis=0))
    adjacency = np.zeros((len(site.names),) * 2, dtype=np.int8)
    if len(varying) > 1:
        # pgmpy keeps variables in sets, whose order differs between runs for texts but not for
        # integers, and decides ties by it: columns are called by their position.
        frame = pandas.DataFrame(site.values[:, varying], columns=varying.tolist())
        found = search(frame, _scoring(family))
        order = found.index.to_numpy()
        adjacency[np.ix_(order, order)] = found.to_numpy() != 0
    return Graph(site.names, adjacency)


def _family_score(site: SiteData, score: str | None, ess: float):
    if score is None:
        score = "bdeu" if site.is_discrete else "bic"
    if score == "bic":
        return bic_family(site) if site.is_discrete else gaussian_bic_family(site)
    if score == "bdeu":
        return bdeu_family(site, ess)
    raise InputError(f"the score {score!r} is unknown", remedy="Choose one of: bdeu, bic")


def _scoring(family):
    """This package's score of a family as a pgmpy score.

    pgmpy's own BDeu (1.1.2) leaves out declared states that a child with parents does not show.
    """
    from pgmpy.structure_score import BaseStructureScore

    family = functools.cache(family)

    class FamilyScore(BaseStructureScore):
        def __init__(self):
            """Hold no data: the family score does."""

        def local_score(self, variable, parents):
            return family(variable, tuple(sorted(parents)))

    return FamilyScore()
