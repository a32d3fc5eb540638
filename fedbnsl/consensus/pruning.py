"""Pruning a fusion by minimum cuts: GMCBC and MCBNC.

What bounds the time is the search for the next deletion. Done by the letter, every sweep needs a minimum cut
for every orientation, every H and every input: 133,000 along the path of ten GES inputs of alarm.
``_kernels.prune_path`` finds the same deletion with few of them:

- It goes by level. "Is there a candidate of total ≤ l?", from the smallest bound upwards, is refuted by about
  l + 1 units of flow, and most deletions have a small total.
- One cut for each input bounds all H of an orientation at once; a depth-first search over H meets the same
  kind of bound in every branch.
- Bounds outlive deletions. A deletion takes back those alone whose parents, neighbours or cliques changed, a
  cut those alone whose ancestral graph lost an arc. The CPDAG is completed from the place of the deletion.
- Common neighbours are disjoint paths, and a degree is a cut: these settle most flows without a search.

What is left on the largest case measured, ten GES inputs of link (a fusion of 89,042 edges, a third of all
pairs): 62 % of the time refutes candidates at positive levels, 14 % finds deletions of total 0, 11 % and 8 %
take bounds back after cuts and after deletions, 3 % cuts, 2 % completes CPDAGs.

CPU seconds for the whole path to the empty graph, after compilation, ``ties="first"``, on one of two cores
that others used as well (least and most of several runs where two figures stand), and peak memory of the
process, by ``tests/benchmarks/bench_consensus.py``, which says how inputs are made.

=========  =========  =====  ======  ===========  ===
network    inputs     sites  edges   seconds      MB
=========  =========  =====  ======  ===========  ===
alarm      GES        10     80      0.006–0.007  190
alarm      GES        30     106     0.015        187
alarm      GES        100    185     0.06–0.10    191
win95pts   GES        10     1055    0.07–0.08    194
win95pts   GES        30     1763    0.21–0.23    192
win95pts   GES        100    2295    1.1–1.5      197
andes      perturbed  10     5468    0.4–0.8      184
andes      perturbed  100    17,425  17–23        214
andes      GES        10     3810    0.44         210
andes      GES        30     6888    1.2          210
andes      GES        100    11,113  5.0          227
pigs       GES        10     592     0.17         239
pigs       GES        100    592     1.4          270
pigs       perturbed  10     20,402  4.5–12       204
link       GES        10     89,042  205–220      364
=========  =========  =====  ======  ===========  ===

Link with more sites is out of reach of minutes: the fusion of 30 GES inputs has 133,255 edges, half of all
pairs. Their order takes 6 s and their fusion .5 s; after 452 CPU seconds of pruning 31 % of the deletions
were made (41,793), none of a total above 3 of 30, 74 % of that time in refuting candidates at positive
levels; peak memory 287 MB. It was not run to the end, nor 100 sites at all. What bounds it is the number of
families that must be refuted at each level, edges times sites. ``time_limit`` stops such a pruning and says
how far it came; ``max_edges`` and ``max_treewidth`` do not shorten it, for the path is made first, then cut.

The time grows about with the product of sites and edges: 3 to 30 microseconds for each edge and site, on link
240. Drawn ties cost up to twice as much, for all ties of a level must be counted: 5.1 s instead of 2.6 s on
30 perturbed inputs of andes. Fewer H do not help: with ``k_max`` 0, 2 and 10 win95pts takes 0.22, 0.22 and
0.23 s at 30 sites. Nor does keeping scores as the authors' program does (``reuse="stale"``): 0.10 s instead
of 0.015 s for alarm at 30 sites, for every candidate is scored that a sweep meets. The authors' program needs
5 s with exact scores for alarm with ten GES inputs, and 33 s with thirty.

Compiling takes about 60 s of CPU time, once; most of it goes into the search.
"""

import functools
import math
import time
import warnings
from collections.abc import Sequence

import numpy as np

from fedbnsl.consensus import _inputs, _kernels, _options
from fedbnsl.consensus.fusion import fuse_dags
from fedbnsl.consensus.order import order_of_dags
from fedbnsl.consensus.path import PruningPath
from fedbnsl.consensus.steps import deletions
from fedbnsl.graphs.graph import Graph
from fedbnsl.seeds import checked_seed, generator


def prune(
    graphs: Sequence[Graph],
    variant: str = "gmcbc",
    ties: str = "random",
    seed: int = 0,
    k_max: int = 10,
    order: Sequence[str] | None = None,
    *,
    reuse: str = "exact",
    report: str = "g_star",
    max_edges: int | None = None,
    max_treewidth: int | None = None,
    weights: str | Sequence[float] | None = None,
    required: str | Sequence | None = None,
    forbidden: str | Sequence | None = None,
    tiers: str | Sequence | None = None,
    time_limit: float | None = None,
) -> PruningPath:
    """Fuse DAGs and delete the edges of the fusion one by one, the least critical first.

    A candidate is an orientation x → y of an edge of the current graph P and a set H of undirected
    neighbours of y that are adjacent to x, such that the others of them, NaYX ∖ H, form a clique.
    With S = (NaYX ∖ H) ∪ pa(y) ∖ {x}, its score Ψ is the mean over the inputs of the size of a
    minimum x–y edge cut in the moral graph of the ancestral set of {x, y} ∪ S without S. The candidate
    of least Ψ is deleted from P (Chickering's Delete), P becomes a CPDAG again, and the arcs of the
    minimum cut nearest to y leave every input (pairs that only moralisation joined stay). This goes on
    until P is empty; θ is chosen afterwards on the path. Sums of cut sizes are compared, not means.

    Sources: Torrijos, Puerta, Gámez, Aledo (2025), "Informed Greedy Algorithm for Scalable Bayesian
    Network Fusion via Minimum Cut Analysis" (GMCBC), Algorithm 1; Torrijos, Puerta, Aledo, Gámez (2026),
    "Bayesian Network Structural Consensus via Greedy Min-Cut Analysis" (MCBNC). The clique condition is
    theorem 17 of Chickering (2002), "Optimal structure identification with greedy search": the papers
    leave it out, but without it the deletion may leave no DAG.

    With background knowledge the node order puts the origin of a required edge before its target, and
    so that an edge forbidden in one direction can only point the other way. Required edges that the
    fusion lacks are added to it. Edges forbidden in both directions are deleted first, with their cuts,
    by least Ψ among themselves, and whatever θ is. After that a required edge is no candidate, and a
    candidate is only admitted if the class that its deletion leads to has a DAG with all required and no
    forbidden edges. Every network of the path is such a DAG; the last has the required edges alone.

    Parameters
    ----------
    graphs : sequence of Graph
        DAGs over the same variables, whose order is that of the first. CPDAGs, which GES returns,
        are extended to a DAG first; cut sizes can depend on which.
    variant : {"gmcbc", "mcbnc"}
        Whether the first deletion is made in the DAG G⁺ or in its CPDAG.
    ties : {"random", "first"}
        Among candidates of equal Ψ: one drawn uniformly, or the first when sorted by x, y and H. Sets H
        are sorted as binary numbers whose lowest digit is the first member of the pool. Positions are
        those in the variable order of the first graph. The two orientations of an undirected edge, and
        different H, are candidates of their own.
    seed : int
        For ``ties="random"``.
    k_max : int
        H is chosen from the first ``k_max`` members of NaYX, 0 to 20; the others stay in S.
    order : sequence of str, optional
        The node order of the fusion. Default: :func:`fedbnsl.consensus.node_order` of the graphs.
    reuse : {"exact", "stale"}
        ``exact``: scores are those of the inputs as they stand. ``stale``: as in the authors' program,
        the cuts of (x, y, S) are those of the moment when a sweep first met it as a candidate, even if
        inputs have lost arcs since: so are its score, and the arcs that leave the inputs, as far as they
        are still there, when it is deleted. Every sweep meets all candidates of the current P. Slower
        here, where exact scores are cheap; for comparison.
    report : {"g_star", "refused"}
        Which networks the path gives unless asked otherwise; see :class:`PruningPath`.
    max_edges, max_treewidth : int, optional
        Limits that every network of the path keeps: the deletions until both hold are made whatever θ is,
        and the choice of θ is among what follows. Treewidth is that by min-fill, an upper bound; the moral
        graphs of later networks are subgraphs, so their treewidth is no larger.
    weights : sequence of float or str, optional
        Positive, one for each graph, such as the sites' numbers of rows; only their ratios count.
        Ψ is then the weighted mean of the cut sizes, and so are the costs of the default order and the
        SMHD that θ is chosen by. A weight of k is the same as k copies of the graph. Weights are taken as
        whole numbers without a common divisor (a number that is not whole, as the nearest fraction with a
        denominator up to 10⁶), so that equal scores are equal. Or a text such as ``5000+3000+200``.
        Default, and ``equal``: all alike.
    required, forbidden : list of (str, str) or str, optional
        Directed edges that every network must have, or must not. Or a text such as ``a..b+c..d``. To
        forbid an edge altogether, forbid both directions.
    tiers : list of lists of str or str, optional
        Variables in the order of time: no edge leads from a tier to an earlier one. Or a text such as
        ``age+sex..smoke..lung``.
    time_limit : float, optional
        Seconds after which the pruning stops, with a warning: the path then has the deletions until then,
        and its last network stands for every larger θ. What limits ask for must be reached before. The
        result depends on the machine's speed. Default: none. Each deletion is exact, so the limit is for
        fusions so dense that their networks at small θ, or none, would do.

    Returns
    -------
    PruningPath

    Raises
    ------
    InputError
        If there is no graph, variables differ, a graph has a directed cycle, the order does not list
        each variable once, the seed is no whole number of 0 or more, the weights are not one positive
        number for each graph, or an option has a value that is not allowed. If the background knowledge
        names an unknown variable, contradicts itself or the order, or is given with ``stale`` scores or
        ``refused`` networks, for which it is not defined; if limits are given with the latter, a time limit
        with the former. If required edges or the time limit allow no network within the limits.
    """
    _options.check_choice("variant", variant, _options.VARIANTS)
    _options.check_choice("ties", ties, _options.TIES)
    _options.check_choice("reuse", reuse, _options.REUSES)
    _options.check_choice("report", report, _options.REPORTS)
    _options.check_k_max(k_max)
    checked_seed(seed)
    knowledge = bool(required or forbidden or tiers)
    limits = max_edges is not None or max_treewidth is not None
    _options.check_together(reuse, report, knowledge, limits, time_limit)
    _options.check_time_limit(time_limit)
    dags = _inputs.as_dags(graphs)
    order = _inputs.checked_order(order, dags[0].names)
    weights = _inputs.whole_weights(weights, len(dags))
    problem = _Problem(dags, weights, k_max, variant == "mcbnc", order)
    rng = generator(seed, "ties of the pruning") if ties == "random" else None
    if knowledge:
        found = problem.guided(required, forbidden, tiers, rng, time_limit)
    else:
        found = problem.free(reuse, rng, time_limit)
    path = PruningPath(
        order=problem.order,
        fusion=problem.fusion,
        inputs=tuple(dags),
        variant=variant,
        report=report,
        weights=weights,
        **found,
    )
    if not path.ended:
        most = path.fusion.n_edges
        reached = max((step.psi for step in path.steps[path.forced :]), default=0.0)
        warnings.warn(
            f"the pruning stopped at its time limit of {time_limit:g} s, with {most - len(path.steps)} of "
            f"{most} edges left; networks at θ from {reached:.3g} on are not those of a full path. Give it "
            "more time, or fewer or sparser graphs (learned with max_parents, or from more rows), or take "
            "the method majority, which takes seconds",
            stacklevel=2,
        )
    return path.within(max_edges, max_treewidth) if limits else path


class _Problem:
    """Checked inputs, and the ways to prune their fusion."""

    def __init__(self, dags, weights, k_max, completed, order):
        self.dags, self.weights, self.k_max, self.completed = dags, weights, k_max, completed
        self.order = order
        self.names = dags[0].names

    def free(self, reuse: str, rng, time_limit: float | None) -> dict:
        """Fields of the path without background knowledge."""
        self._fuse()
        draws = np.empty(0) if rng is None else rng.random(self.fusion.n_edges)
        if reuse == "stale":
            from fedbnsl.consensus._stale import StalePruning

            found = StalePruning(*self._arrays()).run(draws)
        elif time_limit is not None:
            from fedbnsl.consensus._stepwise import StepwisePruning

            _load()
            deadline = time.monotonic() + time_limit
            *found, ended = StepwisePruning(*self._arrays()).run(deadline, draws)
            return {"steps": self._steps(*found), "ended": ended}
        else:
            found = _kernels.prune_path(*self._arrays(), draws)
        return {"steps": self._steps(*found)}

    def guided(self, required, forbidden, tiers, rng, time_limit: float | None) -> dict:
        """Fields of the path with background knowledge."""
        from fedbnsl.consensus import _guided  # loads compiled code of the learners
        from fedbnsl.learn.background import Background

        background = Background.of(self.names, required, forbidden, tiers)
        before = _guided.precedence(background, self.names)
        if self.order is not None:
            _guided.check_order(self.order, before, self.names)
        self._fuse(before, background.required)
        deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        *found, ended, forced = _guided.GuidedPruning(*self._arrays(), background, rng).run(deadline)
        pairs = {
            key: tuple((self.names[u], self.names[v]) for u, v in np.argwhere(getattr(background, key)))
            for key in ("required", "forbidden")
        }
        return {"steps": self._steps(*found), "forced": forced, "ended": ended, **pairs}

    def _fuse(self, before=None, required=None) -> None:
        if self.order is None:
            self.order = tuple(order_of_dags(self.dags, self.weights, before))
        self.fusion = fuse_dags(self.dags, self.order)
        if required is not None:
            self.fusion = Graph(self.names, self.fusion.adjacency | required)

    def _arrays(self) -> tuple:
        parents, topological = _inputs.parent_rows(self.dags)
        rows = _kernels.pack(self.fusion.adjacency.T)
        weights = np.array(self.weights, dtype=np.int64)
        return rows, parents, topological, weights, self.k_max, self.completed

    def _steps(self, edges, chosen, cuts):
        sets = [np.flatnonzero(row).tolist() for row in _kernels.unpack(chosen, len(self.names))]
        steps = [(x, y, H, total) for (x, y, total), H in zip(edges.tolist(), sets, strict=True)]
        return deletions(self.names, self.weights, steps, cuts.tolist())


@functools.cache
def _load() -> None:
    """Have what a search with a time limit runs compiled, or loaded, by one of two variables."""
    from fedbnsl.consensus._stepwise import StepwisePruning

    tiny = _Problem([Graph.from_edges("ab", [("a", "b")])], (1,), 10, False, None)
    tiny._fuse()
    StepwisePruning(*tiny._arrays()).run(math.inf, np.empty(0))
