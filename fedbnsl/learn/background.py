"""Background knowledge about a graph: required and forbidden edges, and tiers in time."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fedbnsl.errors import InputError
from fedbnsl.graphs.cpdag import dag_to_cpdag
from fedbnsl.graphs.dag import find_cycle
from fedbnsl.learn import _ges_kernels as kernels
from fedbnsl.learn.ges_bits import from_bits, to_bits

_LATER, _AND = "..", "+"
Edges = str | Iterable[tuple[str, str]] | None
Tiers = str | Iterable[Iterable[str]] | None


@dataclass(frozen=True, eq=False)
class Background:
    """What the DAGs of a class must keep, on d variables.

    A class is legal if one of its DAGs has every required edge in its direction and no forbidden one.

    Attributes
    ----------
    required : ndarray of bool, shape (d, d)
        ``required[i, j]``: the edge i → j must be there.
    forbidden : ndarray of bool, shape (d, d)
        ``forbidden[i, j]``: the edge i → j must not be there; by itself or because j is in an earlier tier.
    """

    required: np.ndarray
    forbidden: np.ndarray

    @classmethod
    def of(cls, names: Sequence[str], required: Edges, forbidden: Edges, tiers: Tiers) -> "Background":
        """Read what a user gives; see :func:`fedbnsl.learn.ges` for the forms.

        Raises
        ------
        InputError
            If a name is unknown, an edge leads from a variable to itself, a variable is in two tiers, an
            edge is both required and forbidden, or the required edges form a cycle.
        """
        index = {name: i for i, name in enumerate(names)}
        must, must_not = (
            _matrix(index, given, option)
            for option, given in (("required", required), ("forbidden", forbidden))
        )
        tier = _tiers(index, tiers)
        backwards = (tier[:, None] > tier) & (tier >= 0)
        for i, j in np.argwhere(must & (must_not | backwards)):
            edge = f"the edge {names[i]} → {names[j]}"
            if must_not[i, j]:
                raise InputError(f"{edge} is both required and forbidden", remedy="Leave out one of the two")
            raise InputError(
                f"{edge} is required, but leads from tier {tier[i] + 1} to tier {tier[j] + 1}",
                remedy="Edges lead from a tier to the same or a later one",
            )
        cycle = find_cycle(must)
        if cycle:
            raise InputError(
                f"the required edges form the cycle {' → '.join(names[v] for v in cycle)}",
                remedy="Leave out one of them",
            )
        return cls(must, must_not | backwards)

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool((self.required | self.forbidden).any())

    @property
    def avoided(self) -> np.ndarray:
        """Edges that no DAG may have: the forbidden ones and the required ones turned round."""
        return self.forbidden | self.required.T

    def among(self, nodes: Sequence[int], settled: Sequence[int] = ()) -> "Background":
        """The same about the variables ``nodes`` only; those in ``settled`` have the required edges alone."""
        only = np.zeros(len(self.required), dtype=bool)
        only[np.asarray(settled, dtype=np.intp)] = True
        forbidden = self.forbidden | ((only[:, None] | only) & ~self.required)
        return Background(self.required[np.ix_(nodes, nodes)], forbidden[np.ix_(nodes, nodes)])

    def start(self) -> np.ndarray:
        """The CPDAG of the required edges alone."""
        return dag_to_cpdag(self.required)

    def refined(self, cpdag: np.ndarray) -> np.ndarray | None:
        """The maximally oriented graph of the DAGs of a class that keep this; None if there are none.

        Its directed edges are those that all these DAGs share (Meek 1995, Causal inference and causal
        explanation with background knowledge, UAI, rules R1 to R4).

        Parameters
        ----------
        cpdag : ndarray, shape (d, d)

        Returns
        -------
        ndarray of int8, shape (d, d), or None
        """
        arrow = cpdag != 0
        if (self.required & ~(arrow | arrow.T)).any():
            return None
        parents, children = to_bits((arrow & ~arrow.T).T), to_bits(arrow & ~arrow.T)
        neighbours = to_bits(arrow & arrow.T)
        if not kernels.refine(parents, children, neighbours, to_bits(self.avoided)):
            return None
        return from_bits(children | neighbours)


def _matrix(index: dict[str, int], edges: Edges, option: str) -> np.ndarray:
    matrix = np.zeros((len(index), len(index)), dtype=bool)
    for edge in _split(edges, _AND, _LATER):
        if len(edge) != 2:
            raise InputError(
                f"{_LATER.join(edge)!r} is no edge",
                where=option,
                remedy=f"Give pairs of names, or the text a{_LATER}b{_AND}c{_LATER}d for a → b and c → d",
            )
        i, j = (_located(index, name, option) for name in edge)
        if i == j:
            raise InputError(f"the edge {edge[0]} → {edge[1]} leads from a variable to itself", where=option)
        matrix[i, j] = True
    return matrix


def _tiers(index: dict[str, int], tiers: Tiers) -> np.ndarray:
    """The place of every variable's tier, −1 for those in none."""
    place = np.full(len(index), -1)
    for number, tier in enumerate(_split(tiers, _LATER, _AND)):
        for name in tier:
            i = _located(index, name, "tiers")
            if place[i] >= 0:
                raise InputError(
                    f"{name} stands twice, in tier {place[i] + 1} and in tier {number + 1}",
                    where="tiers",
                    remedy="Give every variable one tier, or none to leave it free",
                )
            place[i] = number
    return place


def _split(given: Edges | Tiers, outer: str, inner: str) -> list[list[str]]:
    """Lists of names from such lists or from a text."""
    if isinstance(given, str):
        parts = given.split(outer) if given.strip() else ()
        return [[name.strip() for name in part.split(inner)] for part in parts]
    try:
        lists = [part.split(inner) if isinstance(part, str) else list(part) for part in given or ()]
    except TypeError:
        raise InputError(
            f"edges and tiers are lists of lists of names, or a text, not {given!r}",
            remedy='For example [["smoke", "lung"]]',
        ) from None
    return [[str(name) for name in names] for names in lists]


def _located(index: dict[str, int], name: str, option: str) -> int:
    if name not in index:
        known = ", ".join(list(index)[:20]) + (", …" if len(index) > 20 else "")
        close = difflib.get_close_matches(name, list(index), n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise InputError(f"there is no variable {name!r}", where=option, remedy=f"{hint}There are: {known}")
    return index[name]
