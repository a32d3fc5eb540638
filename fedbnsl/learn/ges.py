"""Greedy equivalence search on one site's rows."""

import functools
import time
import warnings

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn.ges_bits import from_bits, to_bits
from fedbnsl.learn.ges_scores import gains_of
from fedbnsl.learn.ges_turning import Turning

_MOST_CLIQUES = 2**16  # among one variable's neighbours
_MOST_GAINS = 2**27  # numbers held at a time: 1 GiB
_FIRST_CLIQUES = 256  # room at first
_FIRST_GROUPS = 4  # the same, a variable


def ges(
    site: SiteData,
    *,
    seed: int = 0,
    score: str | None = None,
    ess: float = 1.0,
    max_parents: int | None = None,
    turning: bool = False,
    time_limit: float | None = None,
) -> Graph:
    """Greedy equivalence search: from the empty graph, the best Insert while one raises the score, then
    the best Delete while one does (Chickering 2002, Optimal structure identification with greedy search,
    JMLR 3; validity by his theorems 15 and 17, score changes by corollaries 16 and 18).

    Of operators whose gains are equal to 2⁻²⁰ nats, the one at the lowest y is taken, then the first C
    (the parents that y gets among its neighbours) in lexicographic order, then the lowest x; in the
    other phases y, x, C. Variables count in the order of ``site.names``.

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
    turning : bool, default False
        Whether to turn edges after the second phase (Hauser and Bühlmann 2012) while that raises the score,
        and to start again with the first phase if any was turned.
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
        continuous column is a linear function of others, or there are too many operators (above 2¹⁶ cliques
        among a node's neighbours, or 1 GiB of gains).

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
        if not search.run(deadline, turning):
            warnings.warn(
                f"{site.label}: GES stopped at its time limit of {time_limit:g} s, before the optimum",
                stacklevel=2,
            )
        adjacency[np.ix_(varying, varying)] = search.adjacency()
    return Graph(site.names, adjacency)


class _Search:
    """The state of one search; grows its arrays when the kernels ask for room."""

    def __init__(self, site: SiteData, d: int, cap: int, fill):
        self.site, self.fill, self.turning = site, fill, Turning(fill, cap)
        words = (d + 63) // 64
        edges = np.zeros((3, d, words), np.uint64)
        self.state = kernels.State(
            parents=edges[0],
            children=edges[1],
            neighbours=edges[2],
            dirty=np.ones(d, np.int8),
            first=np.full(d, -1),
            best=np.zeros(d),
            best_group=np.full(d, -1),
            numbers=np.array([-1, 0, 0, cap]),
            **_groups(_FIRST_GROUPS * d, d, words),
            cliques=np.empty((_FIRST_CLIQUES, words), np.uint64),
        )

    def run(self, deadline: float | None, turning: bool) -> bool:
        """All phases; whether they came to their end before the deadline."""

        def exhausted(step) -> bool:
            while deadline is None or time.monotonic() < deadline:
                if not step():
                    return True
            return False

        while True:
            for phase in (kernels.FORWARD, kernels.BACKWARD):
                self.start(phase)
                if not exhausted(functools.partial(self.step, phase)):
                    return False
            if not turning:
                return True
            before = self.adjacency()
            if not exhausted(self.turn):
                return False
            if (self.adjacency() == before).all():
                return True

    def turn(self) -> bool:
        """Apply the best Turn operator; False if none raises the score."""
        after = self.turning.step(self.adjacency())
        if after is not None:
            self.set(after)
        return after is not None

    def set(self, cpdag: np.ndarray) -> None:
        """Go on from this class."""
        arrow = cpdag != 0
        self.state.parents[:] = to_bits((arrow & ~arrow.T).T)
        self.state.children[:] = to_bits(arrow & ~arrow.T)
        self.state.neighbours[:] = to_bits(arrow & arrow.T)

    def start(self, phase: int) -> None:
        """Forget the operators of the phase before."""
        s = self.state
        s.numbers[[kernels.FREE, kernels.N_FREE, kernels.N_REQUESTS]] = -1, 0, 0
        s.first[:], s.best[:], s.best_group[:], s.dirty[:] = -1, 0.0, -1, 1
        self._free(0)

    def step(self, phase: int) -> bool:
        """Apply the best operator of the phase; False if none raises the score."""
        while True:
            outcome = kernels.advance(self.state, phase)
            if outcome == kernels.SCORES:
                s = self.state
                asked = s.requests[: s.numbers[kernels.N_REQUESTS]]
                self.fill(asked, s.owner, s.base, s.need, s.gains)
                s.numbers[kernels.N_REQUESTS] = 0
            elif outcome == kernels.MORE_GROUPS:
                self._grow_groups()
            elif outcome == kernels.MORE_CLIQUES:
                self._grow_cliques()
            else:
                return outcome == kernels.APPLIED

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

    def _grow_groups(self) -> None:
        old = self.state
        count, (d, words) = len(old.following), old.parents.shape
        if 2 * count * d > _MOST_GAINS:
            raise self._too_many()
        larger = _groups(2 * count, d, words)
        for name, array in larger.items():
            array[:count] = getattr(old, name)
        self.state = old._replace(**larger)
        self._free(count)

    def _grow_cliques(self) -> None:
        room, words = self.state.cliques.shape
        if room >= _MOST_CLIQUES:
            raise self._too_many()
        self.state = self.state._replace(cliques=np.empty((4 * room, words), np.uint64))

    def _too_many(self) -> InputError:
        # Columns that are almost copies of each other, as short tables have them, are all joined, and
        # every set of them is a clique.
        return InputError(
            "the operators of GES are too many: some variables are joined to many others that are joined too",
            where=self.site.label,
            remedy="Set max_parents, or leave out columns that repeat others",
        )


def _groups(count: int, d: int, words: int) -> dict[str, np.ndarray]:
    bits = ("clique", "base", "among", "need", "reach")
    whole = ("following", "owner", "choice", "status", "requests")
    return {
        **{name: np.empty((count, words), np.uint64) for name in bits},
        **{name: np.empty(count, np.int64) for name in whole},
        "gains": np.empty((count, d)),
        "value": np.empty(count),
    }
