"""The path of deletions from a fusion to the empty graph, and the networks along it."""

import itertools
import math
import numbers
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from fedbnsl.consensus import stored
from fedbnsl.consensus._options import REPORTS, check_choice, check_limit
from fedbnsl.consensus._replay import Replay
from fedbnsl.consensus.fusion import fuse_dags
from fedbnsl.consensus.order import order_of_dags
from fedbnsl.consensus.steps import Deletion
from fedbnsl.errors import InputError
from fedbnsl.graphs import cpdag, moral
from fedbnsl.graphs.graph import Graph


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

    Methods that take ``report`` give one of two networks; the default is the path's own ``report``.
    ``g_star`` is the pruned graph G*, an extension to a DAG that takes the sinks latest in the order
    first. ``refused`` is a new fusion, under a node order of its own, of the inputs as they stand at θ,
    without the arcs that were cut: what the authors' program reports. It can have edges that are not in
    G*. The choice of θ by :meth:`best` looks at the same kind of network as it returns.

    Attributes
    ----------
    order : tuple of str
        The node order of the fusion.
    fusion : Graph
        G⁺, a DAG; with background knowledge, with the required edges added.
    inputs : tuple of Graph
        The DAGs that were fused, before pruning.
    steps : tuple of Deletion
    variant : str
        ``gmcbc``: the path starts from the DAG G⁺; ``mcbnc``: from its CPDAG.
    report : str
        ``g_star`` or ``refused``.
    weights : tuple of int
        One for each input, without a common divisor.
    forced : int
        Number of deletions at the beginning that background knowledge or limits ask for. They are made
        whatever θ is.
    required, forbidden : tuple of (str, str)
        Edges that every network of the path has, and that none has.
    ended : bool
        Whether no more deletions follow. If a time limit cut the path short, its last network stands for the
        largest Ψ of the deletions and every larger θ.
    """

    order: tuple[str, ...]
    fusion: Graph
    inputs: tuple[Graph, ...]
    steps: tuple[Deletion, ...] = field(repr=False)
    variant: str = "gmcbc"
    report: str = "g_star"
    weights: tuple[int, ...] = ()
    forced: int = 0
    required: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    ended: bool = True

    def __post_init__(self):
        if not self.weights:
            object.__setattr__(self, "weights", (1,) * len(self.inputs))

    # --- networks -----------------------------------------------------------------------------

    def at(self, theta: float, report: str | None = None) -> Graph:
        """The DAG at θ.

        Raises
        ------
        InputError
            If θ is no number or ``report`` no kind of network; so do the other methods that take them.
        """
        [found] = self._networks([self._length(theta)], report)
        return found

    def cpdag_at(self, theta: float, report: str | None = None) -> Graph:
        """The CPDAG of the DAG at θ; before the first deletion, the class of the fusion."""
        return Graph(self.fusion.names, cpdag.dag_to_cpdag(self.at(theta, report).adjacency))

    def inputs_at(self, theta: float) -> tuple[Graph, ...]:
        """The inputs as they stand at θ, without the arcs that the deletions until then have cut."""
        [left] = self._inputs([self._length(theta)])
        return tuple(left)

    def thetas(self) -> tuple[float, ...]:
        """Every θ ≥ 0 at which G* changes, increasing: 0 and the record values of Ψ."""
        records = itertools.accumulate((step.psi for step in self.steps[self.forced :]), max)
        return tuple(sorted({0.0, *records}))

    def networks(self, report: str | None = None) -> Iterator[tuple[float, Graph]]:
        """(θ, DAG at θ) for each of :meth:`thetas`, in one pass over the deletions."""
        thetas = self.thetas()
        found = self._networks([self._length(theta) for theta in thetas], report)
        yield from zip(thetas, found, strict=True)

    def within(self, max_edges: int | None = None, max_treewidth: int | None = None) -> "PruningPath":
        """The same path with limits that G* keeps at every θ.

        The deletions until both limits hold are made whatever θ is. Treewidth is the width by the min-fill
        heuristic (:func:`fedbnsl.graphs.treewidth`), an upper bound: that of the first network within the
        limit is surely no larger. Nor is that of later ones, whose moral graphs are subgraphs, even where
        min-fill finds no triangulation as good.

        Raises
        ------
        InputError
            If a limit is no whole number of 0 or more, or background knowledge requires more edges.
        """
        length = self.forced
        if max_edges is not None:
            check_limit("number of edges", max_edges)
            length = max(length, self.fusion.n_edges - max_edges)
            if length > len(self.steps):
                left = self.fusion.n_edges - len(self.steps)
                raise InputError(
                    f"no network of the path has {max_edges} edges or fewer",
                    remedy=f"Background knowledge keeps {left}"
                    if self.ended
                    else f"The time limit left {left}: give more time, or a larger number",
                )
        if max_treewidth is not None:
            check_limit("treewidth", max_treewidth)
            length = self._replay().within_treewidth(max_treewidth, length)
            if length is None:
                raise InputError(
                    f"no network of the path has a treewidth of {max_treewidth} or less",
                    remedy=None if self.ended else "The time limit cut the path short: give more time",
                )
        return replace(self, forced=length)

    def with_edges(self, most: int) -> Graph:
        """G* as soon as it has at most so many edges, whatever Ψ the deletions until then had.

        Every deletion takes one edge away, so it has exactly so many, unless the fusion has fewer.
        Raises InputError as :meth:`within`.
        """
        check_limit("number of edges", most)
        return self.within(max_edges=most).at(-math.inf, "g_star")

    def with_treewidth(self, most: int) -> Graph:
        """The first G* along the path of at most this treewidth, whatever the Ψ; see :meth:`within`."""
        check_limit("treewidth", most)
        return self.within(max_treewidth=most).at(-math.inf, "g_star")

    # --- the choice of θ ------------------------------------------------------------------------

    def curve(self, report: str | None = None) -> tuple[CurvePoint, ...]:
        """θ, mean SMHD to the inputs (not pruned) and number of edges at each of :meth:`thetas`.

        SMHD counts the edges in which two moral graphs differ; the mean is weighted.
        """
        weighted = zip(self.weights, self.inputs, strict=True)
        support = sum(w * moral.moralize(graph.adjacency).astype(np.int64) for w, graph in weighted)
        weight, thetas = sum(self.weights), self.thetas()
        lengths = [self._length(theta) for theta in thetas]
        if self._kind(report) == "g_star":
            apart = self._replay().distances(lengths, support, weight)
            edges = [self.fusion.n_edges - length for length in lengths]
        else:
            apart, edges = [], []
            for graph in self._networks(lengths, report):
                joined = moral.moralize(graph.adjacency).astype(bool)
                apart.append(int(np.triu(np.where(joined, weight - support, support), 1).sum()))
                edges.append(graph.n_edges)
        return tuple(
            CurvePoint(theta, total / weight, count)
            for theta, total, count in zip(thetas, apart, edges, strict=True)
        )

    def best_theta(self, metric: Callable[[Graph], float] | None = None, report: str | None = None) -> float:
        """The breakpoint whose network has the least ``metric``, the smallest of several.

        Parameters
        ----------
        metric : callable, optional
            From the DAG at a breakpoint to a number to be small. Default: the (weighted) mean SMHD to
            the inputs, which needs no knowledge but theirs.
        report : str, optional
        """
        if metric is None:
            return min(self.curve(report), key=lambda point: point.mean_smhd).theta
        return min((metric(dag), theta) for theta, dag in self.networks(report))[1]

    def best(self, metric: Callable[[Graph], float] | None = None, report: str | None = None) -> Graph:
        """The DAG at :meth:`best_theta`."""
        return self.at(self.best_theta(metric, report), report)

    # --- what speaks for and against an edge ------------------------------------------------------

    def support(self, graph: Graph | None = None):
        """:func:`fedbnsl.consensus.edge_support` of a network, by default :meth:`best`, by the inputs."""
        from fedbnsl.consensus.support import edge_support

        return edge_support(self.inputs, self.best() if graph is None else graph, self.weights)

    def reasons(self):
        """A table of the deletions; see :func:`fedbnsl.consensus.support.deletion_table`."""
        from fedbnsl.consensus.support import deletion_table

        return deletion_table(self)

    def to_dict(self) -> dict:
        """Lists, numbers and strings from which :meth:`from_dict` rebuilds the path."""
        return stored.path_to_dict(self)

    @classmethod
    def from_dict(cls, record: dict) -> "PruningPath":
        """The inverse of :meth:`to_dict`."""
        return cls(**stored.path_fields(record))

    # --- going along the path -------------------------------------------------------------------

    def _kind(self, report: str | None) -> str:
        report = self.report if report is None else report
        check_choice("report", report, REPORTS)
        return report

    def _length(self, theta: float) -> int:
        """Number of deletions before the first with Ψ > θ; InputError unless θ is a number."""
        if not isinstance(theta, numbers.Real) or math.isnan(theta):
            raise InputError(
                f"θ cannot be {theta!r}",
                where="theta",
                remedy="Give a number; thetas() lists the breakpoints",
            )
        later = range(self.forced, len(self.steps))
        return next((k for k in later if self.steps[k].psi > theta), len(self.steps))

    def _replay(self) -> Replay:
        return Replay(self.fusion, self.steps, self.variant == "mcbnc")

    def _networks(self, lengths: Sequence[int], report: str | None) -> Iterator[Graph]:
        """The DAGs after each of the increasing numbers of deletions."""
        if self._kind(report) == "refused":
            for left in self._inputs(lengths):
                yield fuse_dags(left, order_of_dags(left, self.weights))
            return
        place = {name: k for k, name in enumerate(self.order)}
        rank = [place[name] for name in self.fusion.names]
        known = None
        if self.required or self.forbidden:
            from fedbnsl.learn.background import Background  # loads compiled code

            known = Background.of(self.fusion.names, self.required, self.forbidden, None)
        for state in self._replay().states(lengths):
            state = np.ascontiguousarray(state)
            if known is not None:
                state = known.refined(state)
            yield Graph(self.fusion.names, cpdag.pdag_to_dag(state, rank))

    def _inputs(self, lengths: Sequence[int]) -> Iterator[list[Graph]]:
        """The inputs after each of the increasing numbers of deletions."""
        names = self.fusion.names
        index = {name: v for v, name in enumerate(names)}
        left, done = [graph.adjacency.copy() for graph in self.inputs], 0
        for length in lengths:
            for step in self.steps[done:length]:
                for adjacency, arcs in zip(left, step.cut, strict=True):
                    for u, v in arcs:
                        adjacency[index[u], index[v]] = 0
            done = length
            yield [Graph(names, adjacency) for adjacency in left]
