"""Greedy equivalence search on one site's rows.

Where the time goes, with 5000 rows and BDeu: 60 to 90 % is counting, that is how often the values of y and
its parents B occur together with those of every candidate x, once for each pair (y, B) that the search meets
(200 on alarm, 1100 on andes, 4900 on link). The rest is path searches and remaking the class after every
operator. Counting is bounded by rows × variables × pairs; it uses rows of bits where families are small, and
tables of the configurations that occur elsewhere, so its memory does not grow with the number of possible
configurations. What repeats is kept: gains by (y, B), gains of x in the first pass from those of y in x,
terms of log-gamma by count, and the nodes that paths from y reach, until an edge among them changes.
"""

import functools
import time
import warnings
from numbers import Real

import numpy as np

from fedbnsl.data.site_data import SiteData, checked_site
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph
from fedbnsl.learn.background import Background, Edges, Tiers
from fedbnsl.learn.ges_reinsertion import reinsertions
from fedbnsl.learn.ges_scores import gains_of
from fedbnsl.learn.ges_search import _Search


def ges(
    site: SiteData,
    *,
    seed: int = 0,
    score: str | None = None,
    ess: float = 1.0,
    max_parents: int | None = None,
    turning: bool = False,
    reinsertion: int = 0,
    time_limit: float | None = None,
    required: Edges = None,
    forbidden: Edges = None,
    tiers: Tiers = None,
) -> Graph:
    """Greedy equivalence search: from the empty graph, the best Insert while one raises the score, then
    the best Delete while one does (Chickering 2002, Optimal structure identification with greedy search,
    JMLR 3; validity by his theorems 15 and 17, score changes by corollaries 16 and 18).

    With background knowledge the search starts from the required edges alone and goes only through classes
    with at least one DAG that keeps all of ``required``, ``forbidden`` and ``tiers``; required edges are
    neither deleted nor turned.

    Of operators whose gains are equal to 2⁻²⁰ nats, the one at the lowest y is taken, then the first C
    (the parents that y gets among its neighbours) in lexicographic order, then the lowest x; in the
    other phases y, x, C. Variables count in the order of ``site.names``.

    Parameters
    ----------
    site : SiteData
        At least two rows. Discrete scores use the declared states, seen or not. Constant columns are left
        out of the search and come back as isolated nodes.
    seed : int
        Of the random choices of ``reinsertion``; without effect if that is 0, for then the search makes none.
    score : {"bdeu", "bic", "gaussian-bic"}, optional
        Default: BDeu on discrete, Gaussian BIC on continuous data; see :mod:`fedbnsl.scores`.
    ess : float, default 1.0
        Equivalent sample size of BDeu.
    max_parents : int, optional
        Largest number of parents that a node has in the DAGs of the class. (Their sorted numbers of
        parents are the same, so this is a property of the class.) Default: no limit.
    turning : bool, default False
        Whether to turn edges after the second phase (Hauser and Bühlmann 2012) while that raises the score,
        and to start again with the first phase if any was turned.
    reinsertion : int, default 0
        Rounds that look for a way out of the local optimum: see
        :func:`fedbnsl.learn.ges_reinsertion.reinsertions`. One round takes every node out of a DAG of the
        class and puts it back with other parents, and searches on from there, until neither gains; every
        further round begins with random changes in places. The score never falls. The first round takes
        some 10 to 20 times as long as the search before it (50 times on link, of 724 variables), every
        further one about half of that to as much, and all use up to 150 MB (BDeu, 5000 rows).
    time_limit : float, optional
        Seconds after which the search stops with the graph it has, and warns. Looked at between
        operators and reinsertions. The first search in a new installation also compiles, a minute or two,
        which is not counted. Default: none.
    required : sequence of (str, str) or str, optional
        Directed edges (from, to) that the result must have: pairs of names, or the text
        ``"a..b+c..d"`` for a → b and c → d, as config.yaml has it. Names with ``..`` or ``+`` in them
        need the pairs.
    forbidden : sequence of (str, str) or str, optional
        Directed edges that it must not have, in the same forms. To keep two variables apart, forbid both
        directions.
    tiers : sequence of sequences of str, or str, optional
        Groups of variables in time: no edge leads from a later to an earlier one. Inside a tier every
        edge is allowed, and variables in no tier are free. Lists of names, or the text
        ``"age+sex..smoke..lung"`` for [["age", "sex"], ["smoke"], ["lung"]].

    Returns
    -------
    Graph
        A CPDAG over all the site's variables. With background knowledge, that CPDAG refined by it: the
        directed edges are those that all DAGs of the class which keep the knowledge share (Meek 1995,
        Causal inference and causal explanation with background knowledge, UAI). Of this graph ``to_dag``
        gives a DAG of the class that keeps the knowledge; ``cpdag`` gives the class without the knowledge;
        ``is_cpdag`` is false if the knowledge decided an edge, and ``is_dag`` true if none is left
        undirected.

        A required edge at a constant column is in the result, as part of the class. That column has no
        other edge, and does not count in scores.

    Raises
    ------
    InputError
        If there are fewer than two rows, an option is out of range, the score does not fit the data, a
        continuous column is a linear function of others, or there are too many operators (above 2¹⁶ cliques
        among a node's neighbours, or 1 GiB of gains). If the background knowledge names an unknown
        variable, puts one into two tiers, requires a cycle or what it forbids, or requires more parents
        than ``max_parents``.

    Warns
    -----
    UserWarning
        If the time limit stopped the search.
    """
    if checked_site(site).n_rows < 2:
        raise InputError(
            f"learning needs at least 2 rows, not {site.n_rows}",
            where=site.label,
            remedy="Give the site more rows or leave it out",
        )
    if max_parents is not None:
        _check_whole("max_parents", max_parents)
    _check_whole("reinsertion", reinsertion)
    if not isinstance(turning, bool | np.bool_):
        raise InputError(f"turning must be true or false, not {turning!r}")
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit >= 0):
        raise InputError(f"time_limit must be 0 seconds or more, not {time_limit!r}")
    background = Background.of(site.names, required, forbidden, tiers)
    parents = background.required.sum(axis=0)
    if max_parents is not None and (parents > max_parents).any():
        most = int(parents.argmax())
        raise InputError(
            f"the required edges into {site.names[most]} are {parents[most]}, more than max_parents, "
            f"{max_parents}"
        )
    deadline = None
    if time_limit is not None:
        if time_limit > 0:
            _compile(site.is_discrete, turning, reinsertion > 0, bool(background))
        deadline = time.monotonic() + time_limit
    d = len(site.names)
    varies = (site.values != site.values[0]).any(axis=0)
    # Constant columns with required edges come last: scores know the columns before them, and no others.
    at_required = (background.required | background.required.T).any(axis=0)
    varying, constant = np.flatnonzero(varies), np.flatnonzero(~varies & at_required)
    nodes = np.concatenate([varying, constant])
    fill = gains_of(site, varying, score, ess)
    adjacency = np.zeros((d, d), dtype=np.int8)
    if len(nodes) > 1:
        cap = len(nodes) if max_parents is None else max_parents
        known = background.among(nodes, settled=constant) if background else None
        search = _Search(site, len(nodes), cap, fill, known)
        ended = search.run(deadline, turning)
        if ended and reinsertion:
            ended = reinsertions(search, reinsertion, len(varying), seed, deadline, turning)
        if not ended:
            warnings.warn(
                f"{site.label}: GES stopped at its time limit of {time_limit:g} s, before the optimum",
                stacklevel=2,
            )
        adjacency[np.ix_(nodes, nodes)] = search.refined()
    return Graph(site.names, adjacency)


@functools.cache
def _compile(discrete: bool, turning: bool, reinsertion: bool, informed: bool) -> None:
    """Have what such a search runs compiled, or loaded from the cache, by a search of two columns."""
    values = np.array([[0, 0], [0, 1], [1, 1], [1, 1], [2, 2]])
    tiny = SiteData(("a", "b"), values, (("0", "1", "2"),) * 2 if discrete else None)
    ges(
        tiny,
        turning=turning,
        reinsertion=int(reinsertion),
        forbidden=[("a", "b")] if informed else None,
    )


def _check_whole(option: str, value: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        raise InputError(f"{option} must be a whole number of 0 or more, not {value!r}")
