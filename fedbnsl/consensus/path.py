"""The path of deletions from a fusion to the empty graph, and the networks along it."""

import itertools
import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fedbnsl.consensus import _kernels
from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, moral
from fedbnsl.graphs.graph import Graph


class Deletion(NamedTuple):
    """One step: the edge x – y is deleted.

    Attributes
    ----------
    x, y : str
        The orientation x → y that was scored.
    H : tuple of str
        Chickering's H, in variable order: neighbours of y that become its children.
    total : int
        Sum of the minimum cut sizes over the inputs.
    psi : float
        Ψ, their mean: ``total`` divided by the number of inputs.
    cut : tuple of tuple of (str, str)
        For each input the arcs (from, to) that left it.
    """

    x: str
    y: str
    H: tuple[str, ...]
    total: int
    psi: float
    cut: tuple[tuple[tuple[str, str], ...], ...]


class CurvePoint(NamedTuple):
    """The network at one breakpoint: θ, its mean SMHD to the inputs, its number of edges."""

    theta: float
    mean_smhd: float
    edges: int


@dataclass(frozen=True)
class PruningPath:
    """All networks between a fusion and the empty graph, indexed by the threshold θ.

    The network at θ is the one just before the first deletion with Ψ > θ. Ψ is not monotone along
    the path: a deletion of small Ψ that follows one of Ψ > θ is not part of the network at θ.

    Attributes
    ----------
    order : tuple of str
        The node order of the fusion.
    fusion : Graph
        G⁺, a DAG.
    inputs : tuple of Graph
        The DAGs that were fused, before pruning.
    steps : tuple of Deletion
    variant : str
        ``gmcbc``: the path starts from the DAG G⁺; ``mcbnc``: from its CPDAG.
    """

    order: tuple[str, ...]
    fusion: Graph
    inputs: tuple[Graph, ...]
    steps: tuple[Deletion, ...] = field(repr=False)
    variant: str = "gmcbc"

    # --- networks -----------------------------------------------------------------------------

    def at(self, theta: float) -> Graph:
        """The DAG at θ, an extension of :meth:`cpdag_at` that takes the sinks latest in the order first.

        Raises
        ------
        InputError
            If θ is no number; so do the other methods that take it.
        """
        return self._dag(self._state(self._length(theta)))

    def cpdag_at(self, theta: float) -> Graph:
        """The CPDAG at θ; before the first deletion, the class of the fusion."""
        return Graph(self.fusion.names, cpdag.dag_to_cpdag(self.at(theta).adjacency))

    def inputs_at(self, theta: float) -> tuple[Graph, ...]:
        """The inputs as they stand at θ, without the arcs that the deletions until then have cut."""
        index = {name: v for v, name in enumerate(self.fusion.names)}
        left = [graph.adjacency.copy() for graph in self.inputs]
        for step in self.steps[: self._length(theta)]:
            for adjacency, arcs in zip(left, step.cut, strict=True):
                for u, v in arcs:
                    adjacency[index[u], index[v]] = 0
        return tuple(Graph(self.fusion.names, adjacency) for adjacency in left)

    def thetas(self) -> tuple[float, ...]:
        """Every θ ≥ 0 at which the network changes, increasing: 0 and the record values of Ψ."""
        records = itertools.accumulate((step.psi for step in self.steps), max)
        return tuple(sorted({0.0, *records}))

    def networks(self) -> Iterator[tuple[float, Graph]]:
        """(θ, DAG at θ) for each of :meth:`thetas`, in one pass over the deletions."""
        thetas = self.thetas()
        states = self._states([self._length(theta) for theta in thetas])
        for theta, state in zip(thetas, states, strict=True):
            yield theta, self._dag(state)

    def curve(self) -> tuple[CurvePoint, ...]:
        """θ, mean SMHD to the inputs (not pruned) and number of edges at each of :meth:`thetas`.

        SMHD counts the edges in which two moral graphs differ.
        """
        support = sum(moral.moralize(graph.adjacency).astype(np.int64) for graph in self.inputs)
        r = len(self.inputs)
        points = []
        for theta, dag in self.networks():
            joined = moral.moralize(dag.adjacency).astype(bool)
            apart = int(np.triu(np.where(joined, r - support, support), 1).sum())
            points.append(CurvePoint(theta, apart / r, dag.n_edges))
        return tuple(points)

    def best_theta(self, metric: Callable[[Graph], float] | None = None) -> float:
        """The breakpoint whose network has the least ``metric``, the smallest of several.

        Parameters
        ----------
        metric : callable, optional
            From the DAG at a breakpoint to a number to be small. Default: the mean SMHD to the
            inputs, which needs no knowledge but theirs.
        """
        if metric is None:
            return min(self.curve(), key=lambda point: point.mean_smhd).theta
        return min((metric(dag), theta) for theta, dag in self.networks())[1]

    def best(self, metric: Callable[[Graph], float] | None = None) -> Graph:
        """The DAG at :meth:`best_theta`."""
        return self.at(self.best_theta(metric))

    # --- storage ------------------------------------------------------------------------------

    def to_dict(self) -> dict:
        """Lists, numbers and strings from which :meth:`from_dict` rebuilds the path.

        Variables are given by index; ``cuts`` holds (step, input, from, to).
        """
        index = {name: v for v, name in enumerate(self.fusion.names)}
        return {
            "variant": self.variant,
            "variables": list(self.fusion.names),
            "order": [index[name] for name in self.order],
            "fusion": np.argwhere(self.fusion.adjacency).tolist(),
            "inputs": [np.argwhere(graph.adjacency).tolist() for graph in self.inputs],
            "steps": [
                [index[step.x], index[step.y], [index[name] for name in step.H], step.total]
                for step in self.steps
            ],
            "cuts": [
                [s, i, index[u], index[v]]
                for s, step in enumerate(self.steps)
                for i, arcs in enumerate(step.cut)
                for u, v in arcs
            ],
        }

    @classmethod
    def from_dict(cls, stored: dict) -> "PruningPath":
        """The inverse of :meth:`to_dict`."""
        names = tuple(stored["variables"])
        return cls(
            order=tuple(names[v] for v in stored["order"]),
            fusion=_graph(names, stored["fusion"]),
            inputs=tuple(_graph(names, arcs) for arcs in stored["inputs"]),
            steps=deletions(names, len(stored["inputs"]), stored["steps"], stored["cuts"]),
            variant=stored["variant"],
        )

    # --- replaying the deletions ----------------------------------------------------------------

    def _length(self, theta: float) -> int:
        """Number of deletions before the first with Ψ > θ; InputError unless θ is a number."""
        if not isinstance(theta, numbers.Real) or math.isnan(theta):
            raise InputError(
                f"θ cannot be {theta!r}",
                where="theta",
                remedy="Give a number; thetas() lists the breakpoints",
            )
        return next((k for k, step in enumerate(self.steps) if step.psi > theta), len(self.steps))

    def _state(self, length: int) -> np.ndarray:
        return next(self._states([length]))

    def _states(self, lengths: Sequence[int]) -> Iterator[np.ndarray]:
        """Adjacency matrices after each of the increasing numbers of deletions."""
        names, d = self.fusion.names, self.fusion.n_nodes
        index = {name: v for v, name in enumerate(names)}
        edges = np.array([(index[s.x], index[s.y]) for s in self.steps], dtype=np.int64).reshape(-1, 2)
        members = np.zeros((len(self.steps), d), dtype=bool)
        for row, step in zip(members, self.steps, strict=True):
            row[[index[name] for name in step.H]] = True
        chosen = _kernels.pack(members)
        rows = _kernels.pack(self.fusion.adjacency.T)
        state = _kernels.pdag_state(rows, np.zeros_like(rows))
        if self.variant == "mcbnc":
            _kernels.complete(state)
        done = 0
        for length in lengths:
            _kernels.advance(state, edges, chosen, done, length)
            done = length
            yield _kernels.unpack(state[0] | state[2], d).T

    def _dag(self, state: np.ndarray) -> Graph:
        place = {name: k for k, name in enumerate(self.order)}
        rank = [place[name] for name in self.fusion.names]
        return Graph(self.fusion.names, cpdag.pdag_to_dag(np.ascontiguousarray(state), rank))


def deletions(names: Sequence[str], r: int, steps: Sequence, cuts: Sequence) -> tuple[Deletion, ...]:
    """Steps by name, from (x, y, members of H, total) and (step, input, from, to) by index."""
    arcs: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for s, i, u, v in cuts:
        arcs.setdefault((s, i), []).append((names[u], names[v]))
    return tuple(
        Deletion(
            x=names[x],
            y=names[y],
            H=tuple(names[h] for h in chosen),
            total=total,
            psi=total / r,
            cut=tuple(tuple(arcs.get((s, i), ())) for i in range(r)),
        )
        for s, (x, y, chosen, total) in enumerate(steps)
    )


def _graph(names: Sequence[str], arcs: Sequence) -> Graph:
    adjacency = np.zeros((len(names), len(names)), dtype=np.int8)
    for u, v in arcs:
        adjacency[u, v] = 1
    return Graph(names, adjacency)
