"""Time, memory and size of the pruning of a fusion, all the way to the empty graph.

Run ``PYTHONPATH=. python tests/benchmarks/bench_consensus.py [--ties first|random] [--plot FILE] [CASE…]``,
where a case is a network, a kind of inputs and numbers of sites: ``alarm ges 10,30,100 andes perturbed 10``;
without cases: some that take a few minutes together. ``--plot`` draws the growth of the CPU seconds with
the sites and with the edges of the fusion into a file. Prints a tab-separated table: the edges of the fusion,
CPU seconds (after compilation) for the node order, the fusion, the pruning (``prune`` with that order, which
fuses again) and the choice of θ, and the process's peak memory. Every case has a process of its own, which
runs on one core.

Inputs: ``ges`` learns a CPDAG from 5000 rows at each site (BDeu, equivalent sample size 1); ``perturbed``
makes ⌊0.75 d⌋ random moves from the true graph (``fedbnsl.graphs.generators.perturb``).

For comparison, the authors' Java program on a similar machine: ALARM with GES inputs, exact scores, 5 s at 10
and 33 s at 30 sites, with kept scores 29 s at 100 sites; Win95pts with 10 sites was not done after 100 s.

Link with 30 GES inputs (133,255 edges) had made 41,793 deletions after 452 CPU seconds, when it was
stopped; 100 sites were not tried. ``prune(..., time_limit=seconds)`` bounds such a run.
"""

import argparse
import math
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import fedbnsl
from fedbnsl.consensus import prune
from fedbnsl.consensus.fusion import fuse_dags
from fedbnsl.consensus.order import order_of_dags
from fedbnsl.graphs import Graph
from fedbnsl.graphs.generators import perturb
from fedbnsl.learn import ges
from fedbnsl.seeds import generator

COLUMNS = "network inputs sites nodes edges order_s fuse_s prune_s choice_s theta best_edges peak_mb"
ROWS = 5000
USUAL = "alarm ges 10,30,100 alarm perturbed 10,30,100 win95pts ges 10,30,100 andes ges 10 andes perturbed 10"


def inputs(network: str, kind: str, sites: int) -> list[Graph]:
    """The DAGs to fuse."""
    net = fedbnsl.data.load_network(network)
    if kind == "ges":
        return [ges(net.sample(ROWS, seed=seed)).to_dag() for seed in range(sites)]
    moves = math.floor(0.75 * len(net.names))
    draws = (generator(seed, "benchmark input") for seed in range(sites))
    return [Graph(net.names, perturb(net.graph.adjacency, moves, rng)) for rng in draws]


def timed(function):
    """(CPU seconds, result) of one call."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def measured(network: str, kind: str, sites: int, ties: str) -> list:
    """One line of the table."""
    small = inputs("asia", "perturbed", 3)  # loads the kernels
    prune(small, ties=ties).best()
    graphs = inputs(network, kind, sites)
    seconds = {}
    seconds["order"], order = timed(lambda: order_of_dags(graphs))
    seconds["fuse"], fusion = timed(lambda: fuse_dags(graphs, order))
    seconds["prune"], path = timed(lambda: prune(graphs, ties=ties, order=order))
    seconds["choice"], theta = timed(path.best_theta)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = [network, kind, sites, fusion.n_nodes, fusion.n_edges]
    line += [f"{number:.3f}" for number in seconds.values()]
    return [*line, f"{theta:.3f}", path.at(theta).n_edges, f"{peak:.0f}"]


def draw(lines: list[list], file: str) -> None:
    """CPU seconds of the pruning over the number of sites and over the edges of the fusion, logarithmic."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axes, column, label in zip(panels, (2, 4), ("sites", "edges of the fusion"), strict=True):
        for network, kind in dict.fromkeys((line[0], line[1]) for line in lines):
            points = [(line[column], float(line[7])) for line in lines if line[:2] == [network, kind]]
            axes.plot(*zip(*points, strict=True), marker="o", label=f"{network}, {kind}")
        axes.set(xscale="log", yscale="log", xlabel=label)
    panels[0].set_ylabel("CPU seconds of the pruning")
    panels[0].legend()
    figure.savefig(file)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ties", choices=("first", "random"), default="first")
    parser.add_argument("--plot")
    parser.add_argument("cases", nargs="*", default=USUAL.split())
    arguments = parser.parse_args()
    cases = arguments.cases
    if len(cases) % 3:
        parser.error("cases are triples: network, inputs, sites")
    print(*COLUMNS.split(), sep="\t")
    lines = []
    for network, kind, counts in zip(cases[::3], cases[1::3], cases[2::3], strict=True):
        for sites in map(int, counts.split(",")):
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                lines.append(pool.submit(measured, network, kind, sites, arguments.ties).result())
            print(*lines[-1], sep="\t", flush=True)
    if arguments.plot:
        draw(lines, arguments.plot)


if __name__ == "__main__":
    main()
