"""Greedy equivalence search on one site's rows."""

import time
import warnings

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn.ges_bits import from_bits, to_bits
from fedbnsl.learn.ges_scores import gains_of

_MOST_CLIQUES = 2**20


def ges(
    site: SiteData,
    *,
    seed: int = 0,
    score: str | None = None,
    ess: float = 1.0,
    max_parents: int | None = None,
    time_limit: float | None = None,
) -> Graph:
    """Greedy equivalence search: from the empty graph, the best Insert while one raises the score, then
    the best Delete while one does (Chickering 2002, Optimal structure identification with greedy search,
    JMLR 3; validity by his theorems 15 and 17, score changes by corollaries 16 and 18).

    Of operators whose gains are equal to 2⁻²⁰ nats, the one at the lowest y is taken, then the first C
    (the parents that y gets among its neighbours) in lexicographic order, then the lowest x; in the
    second phase y, x, C. Variables count in the order of ``site.names``.

    Parameters
    ----------
    site : SiteData
        At least two rows. Discrete scores use the declared states, seen or not. Constant columns are left
        out of the search and come back as isolated nodes.
    seed : int
        Without effect: the search is deterministic. Every learner takes one.
    score : {"bdeu", "bic", "gaussian-bic"}, optional
        Default: BDeu on discrete, Gaussian BIC on continuous data; see :mod:`fedbnsl.scores`.
    ess : float, default 1.0
        Equivalent sample size of BDeu.
    max_parents : int, optional
        Largest number of parents that a node has in the DAGs of the class. (Their sorted numbers of
        parents are the same, so this is a property of the class.) Default: no limit.
    time_limit : float, optional
        Seconds after which the search stops with the graph it has, and warns. Looked at between
        operators. Default: none.

    Returns
    -------
    Graph
        A CPDAG over all the site's variables.

    Raises
    ------
    InputError
        If there are fewer than two rows, an option is out of range, the score does not fit the data, a
        continuous column is a linear function of others, or a node's neighbours form too many cliques.

    Warns
    -----
    UserWarning
        If the time limit stopped the search.
    """
    if site.n_rows < 2:
        raise InputError(f"learning needs at least 2 rows, not {site.n_rows}", where=site.label)
    if max_parents is not None and max_parents < 0:
        raise InputError(f"max_parents must be 0 or more, not {max_parents}")
    if time_limit is not None and not time_limit >= 0:
        raise InputError(f"time_limit must be 0 seconds or more, not {time_limit}")
    deadline = None if time_limit is None else time.monotonic() + time_limit
    d = len(site.names)
    varying = np.flatnonzero((site.values != site.values[0]).any(axis=0))
    fill = gains_of(site, varying, score, ess)
    adjacency = np.zeros((d, d), dtype=np.int8)
    if len(varying) > 1:
        cap = len(varying) if max_parents is None else max_parents
        search = _Search(site, len(varying), cap, fill)
        finished = all(search.run(phase, deadline) for phase in (kernels.FORWARD, kernels.BACKWARD))
        if not finished:
            warnings.warn(
                f"{site.label}: GES stopped at its time limit of {time_limit:g} s, before the optimum",
                stacklevel=2,
            )
        adjacency[np.ix_(varying, varying)] = search.adjacency()
    return Graph(site.names, adjacency)


class _Search:
    """The state of one search; grows its arrays when the kernels ask for room."""

    def __init__(self, site: SiteData, d: int, cap: int, fill):
        self.site, self.fill = site, fill
        words = (d + 63) // 64
        groups = 4 * d + 64
        edges = np.zeros((3, d, words), np.uint64)
        partners = ~np.eye(d, dtype=bool)
        self.state = kernels.State(
            parents=edges[0],
            children=edges[1],
            neighbours=edges[2],
            allowed=to_bits(partners),
            kept=np.zeros((d, words), np.uint64),
            dirty=np.ones(d, np.int8),
            first=np.full(d, -1),
            best=np.zeros(d),
            best_group=np.full(d, -1),
            numbers=np.array([-1, 0, 0, cap]),
            **_groups(groups, d, words),
            cliques=np.empty((256, words), np.uint64),
        )
        self._free(0)

    def run(self, phase: int, deadline: float | None) -> bool:
        """Whether the phase came to its end before the deadline."""
        if phase != kernels.FORWARD:
            self._restart()
        while True:
            if deadline is not None and time.monotonic() > deadline:
                return False
            outcome = kernels.advance(self.state, phase)
            if outcome == kernels.DONE:
                return True
            if outcome == kernels.SCORES:
                asked = self.state.numbers[kernels.N_REQUESTS]
                s = self.state
                self.fill(s.requests[:asked], s.owner, s.base, s.need, s.gains)
                s.numbers[kernels.N_REQUESTS] = 0
            elif outcome == kernels.MORE_GROUPS:
                self._grow_groups()
            elif outcome == kernels.MORE_CLIQUES:
                self._grow_cliques()

    def adjacency(self) -> np.ndarray:
        """The CPDAG as an int8 matrix."""
        s = self.state
        return from_bits(s.children | s.neighbours)

    def _free(self, first: int) -> None:
        """Put the groups from ``first`` on into the list of free ones."""
        s = self.state
        count = len(s.following)
        s.following[first:] = np.arange(first + 1, count + 1)
        s.following[-1] = s.numbers[kernels.FREE]
        s.numbers[kernels.FREE] = first
        s.numbers[kernels.N_FREE] += count - first

    def _restart(self) -> None:
        s = self.state
        s.numbers[[kernels.FREE, kernels.N_FREE, kernels.N_REQUESTS]] = -1, 0, 0
        s.first[:], s.best[:], s.best_group[:], s.dirty[:] = -1, 0.0, -1, 1
        self._free(0)

    def _grow_groups(self) -> None:
        old = self.state
        count, (d, words) = len(old.following), old.parents.shape
        larger = _groups(2 * count, d, words)
        for name, array in larger.items():
            array[:count] = getattr(old, name)
        self.state = old._replace(**larger)
        self._free(count)

    def _grow_cliques(self) -> None:
        room, words = self.state.cliques.shape
        if room >= _MOST_CLIQUES:
            raise InputError(
                f"the neighbours of one variable form more than {_MOST_CLIQUES} cliques",
                where=self.site.label,
                remedy="Set max_parents",
            )
        self.state = self.state._replace(cliques=np.empty((4 * room, words), np.uint64))


def _groups(count: int, d: int, words: int) -> dict[str, np.ndarray]:
    bits = ("clique", "base", "among", "need", "reach", "other_base", "other_need")
    whole = ("following", "owner", "choice", "status", "requests")
    return {
        **{name: np.empty((count, words), np.uint64) for name in bits},
        **{name: np.empty(count, np.int64) for name in whole},
        "gains": np.empty((count, d)),
        "value": np.empty(count),
    }
