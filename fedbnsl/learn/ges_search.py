"""The state of greedy equivalence search and its phases."""

import functools
import time

import numpy as np

from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn.background import Background
from fedbnsl.learn.ges_bits import from_bits, to_bits
from fedbnsl.learn.ges_turning import Turning

_MOST_CLIQUES = 2**16  # among one variable's neighbours
_MOST_GAINS = 2**27  # numbers held at a time: 1 GiB
_FIRST_CLIQUES = 256  # room at first
_FIRST_GROUPS = 4  # the same, a variable


class _Search:
    """The state of one search, at first at the class of the required edges.

    It grows its arrays when the kernels ask for room.

    Parameters
    ----------
    site : SiteData
        For messages.
    d : int
        Number of variables.
    cap : int
        Largest number of parents.
    fill : callable
        As made by :func:`fedbnsl.learn.ges_scores.gains_of`.
    background : Background, optional
        About these variables. No class without a DAG that keeps it is entered.
    """

    def __init__(self, site: SiteData, d: int, cap: int, fill, background: Background | None = None):
        self.site, self.fill, self.background = site, fill, background
        self.turning = Turning(fill, cap, background)
        words = (d + 63) // 64
        edges, knowledge = np.zeros((2, 3, d, words), np.uint64)
        if background is not None:
            avoided, required = background.avoided, background.required
            knowledge[:] = [to_bits(a) for a in (avoided, avoided.T, required | required.T)]
        self.state = kernels.State(
            parents=edges[0],
            children=edges[1],
            neighbours=edges[2],
            dirty=np.ones(d, np.int8),
            first=np.full(d, -1),
            best=np.zeros(d),
            best_group=np.full(d, -1),
            numbers=np.array([-1, 0, 0, cap, background is not None]),
            knowledge=knowledge,
            **_groups(_FIRST_GROUPS * d, d, words),
            cliques=np.empty((_FIRST_CLIQUES, words), np.uint64),
        )
        if background is not None:
            self.set(background.start())

    def run(self, deadline: float | None, turning: bool) -> bool:
        """All phases from the present class on; whether they came to their end before the deadline."""

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
        """Go on from this class, which must be a legal one."""
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

    def refined(self) -> np.ndarray:
        """The same with the edges directed that the background knowledge decides."""
        cpdag = self.adjacency()
        return cpdag if self.background is None else self.background.refined(cpdag)

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
    bits = ("clique", "base", "among", "need", "reach", "barred")
    whole = ("following", "owner", "choice", "status", "requests")
    return {
        **{name: np.empty((count, words), np.uint64) for name in bits},
        **{name: np.empty(count, np.int64) for name in whole},
        "gains": np.empty((count, d)),
        "value": np.empty(count),
    }
