"""The PC algorithm that pgmpy implements, made to return a graph that has a DAG."""

import functools
import math
import warnings

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.cpdag import dag_to_cpdag, pdag_to_dag
from fedbnsl.graphs.graph import Graph
from fedbnsl.scores.regression import regress

_FEW_CELLS = 2**16  # of a contingency table with every combination of states
_MOST_CELLS = 2**21  # of a table of the combinations that occur; 16 MiB as float64


def pc_pgmpy(
    site: SiteData, *, seed: int = 0, significance_level: float = 0.01, max_conditioning: int = 3
) -> Graph:
    """PC-stable by ``pgmpy.causal_discovery.PC``: edges removed by tests of conditional independence.

    Discrete data are tested by pgmpy's Pearson chi-square (Yates' correction in two-by-two strata; a
    stratum's degrees of freedom count the states that it shows, so states that are declared and not seen
    change nothing), continuous data by its t test of the partial correlation. A test without degrees of
    freedom removes no edge. Constant columns are left out and come back as isolated nodes. Where two
    v-structures would direct an edge against each other, the one found first, in the order of the site's
    variables, stays.

    Tests on finite data contradict each other, so the directions may have a cycle, or no DAG may have
    this skeleton and these v-structures. Then the skeleton is kept and made a DAG as Dor and Tarsi (1992)
    would, sink by sink; where there is no proper sink, the node that reverses the fewest directions is
    taken, then the one that adds the fewest v-structures, then the first.

    Parameters
    ----------
    site : SiteData
        At least two rows.
    seed : int
        Without effect: the search is deterministic. Every learner takes one.
    significance_level : float, default 0.01
        Two variables are joined unless a test has a p-value of this or more.
    max_conditioning : int, default 3
        Largest number of variables conditioned on. Continuous data: at most the rows less 3.

    Returns
    -------
    Graph
        A CPDAG over all the site's variables.

    Raises
    ------
    InputError
        If there are fewer than two rows, an option is out of range, or a continuous column is an exact
        linear function of others that it is tested with.

    Warns
    -----
    UserWarning
        If directions were reversed or v-structures added.
    """
    from pgmpy.causal_discovery import PC

    if site.n_rows < 2:
        raise InputError(
            f"learning needs at least 2 rows, not {site.n_rows}",
            where=site.label,
            remedy="Give the site more rows or leave it out",
        )
    if not 0 < significance_level < 1:
        raise InputError(f"significance_level must lie between 0 and 1, not {significance_level}")
    if max_conditioning < 0:
        raise InputError(f"max_conditioning must be 0 or more, not {max_conditioning}")
    if not site.is_discrete:
        max_conditioning = max(0, min(max_conditioning, site.n_rows - 3))
    varying = np.flatnonzero((site.values != site.values[0]).any(axis=0))
    adjacency = np.zeros((len(site.names),) * 2, dtype=np.int8)
    if len(varying) > 1:
        frame = _by_position(site, varying)
        test = _chi_square(site, frame) if site.is_discrete else _partial_correlation(site, frame)
        search = PC(
            variant="stable",
            ci_test=test,
            significance_level=significance_level,
            max_cond_vars=max_conditioning,
            show_progress=False,
        )
        found = search.fit(frame).adjacency_matrix_
        order = found.index.to_numpy()
        adjacency[np.ix_(order, order)] = found.to_numpy() != 0
    return Graph(site.names, dag_to_cpdag(some_dag(adjacency, site.label)))


def _by_position(site: SiteData, columns: np.ndarray):
    """A table whose columns are called by their position: pgmpy decides by the order of names."""
    import pandas

    return pandas.DataFrame(site.values[:, columns], columns=columns.tolist())


def _chi_square(site: SiteData, frame):
    """pgmpy's test, with large tables cut into strata that occur.

    pgmpy's own table has a cell for every combination of states, which six variables of 20 states do
    not leave room for. Statistic and degrees of freedom add up over strata, and those with a single row
    have neither.
    """
    import pandas
    from pgmpy.ci_tests import ChiSquare
    from scipy.special import chdtrc

    values = site.values.astype(np.int64)
    levels = site.cardinalities
    dense = ChiSquare(frame, use_cache=False)

    def independent(x, y, given, significance_level):
        if math.prod(int(levels[z]) for z in (x, y, *given)) <= _FEW_CELLS:
            return dense.is_independent(x, y, given, significance_level)
        stratum = np.zeros(len(values), dtype=np.int64)
        for z in given:
            stratum = np.unique(stratum * levels[z] + values[:, z], return_inverse=True)[1]
        rows = np.flatnonzero(np.bincount(stratum)[stratum] > 1)
        part = stratum[rows] // max(1, _MOST_CELLS // int(levels[x] * levels[y]))
        statistic, freedom = 0.0, 0
        for k in np.unique(part):
            table = np.column_stack([values[:, x], values[:, y], stratum])[rows[part == k]]
            test = ChiSquare(pandas.DataFrame(table), use_cache=False)
            test.run_test(0, 1, [2])
            statistic += test.statistic_
            freedom += test.dof_
        return freedom > 0 and chdtrc(freedom, statistic) >= significance_level

    return independent


def _partial_correlation(site: SiteData, frame):
    """pgmpy's test; a variable that the others determine is refused, for what is left of it is rounding."""
    from pgmpy.ci_tests import Pearsonr

    @functools.cache
    def refuse_determined(child: int, given: tuple[int, ...]) -> None:
        regress(site.values, child, list(given), site)

    test = Pearsonr(frame)

    def independent(x, y, given, significance_level):
        for child in (x, y) if given else ():
            refuse_determined(child, tuple(given))
        return test.is_independent(x, y, given, significance_level)

    return independent


def some_dag(pdag: np.ndarray, label: str) -> np.ndarray:
    """A DAG that extends the PDAG; if there is none, one near to it, with a warning."""
    try:
        return pdag_to_dag(pdag)
    except InputError:
        dag, turned, added = _near_dag(pdag)
    directed = int((pdag & ~pdag.T).sum())
    warnings.warn(
        f"{label}: the tests of PC contradict each other; to make a DAG of its edges, {turned} of {directed} "
        f"directions were reversed and {added} v-structures added",
        stacklevel=3,
    )
    return dag


def _near_dag(pdag: np.ndarray) -> tuple[np.ndarray, int, int]:
    """A DAG with the skeleton of a PDAG, and what it costs: directions reversed, v-structures added."""
    work = pdag != 0
    dag = np.zeros_like(pdag)
    turned = added = 0
    left = list(range(len(work)))
    while left:
        cost = {x: _cost_as_sink(work, x) for x in left}
        x = min(left, key=lambda x: (*cost[x], x))
        turned, added = turned + cost[x][0], added + cost[x][1]
        dag[work[x] | work[:, x], x] = 1
        work[x] = work[:, x] = False
        left.remove(x)
    return dag, turned, added


def _cost_as_sink(work: np.ndarray, x: int) -> tuple[int, int]:
    """Directions that end if all edges of x lead into it, and v-structures that begin."""
    into = work[:, x] & ~work[x]
    around = np.flatnonzero(work[x] | work[:, x])
    apart = ~(work | work.T)[np.ix_(around, around)]
    new = apart & ~np.outer(into[around], into[around])
    return int((work[x] & ~work[:, x]).sum()), int(np.triu(new, 1).sum())
