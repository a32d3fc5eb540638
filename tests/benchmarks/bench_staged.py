"""Time and utility of the private methods against the number of variables, beside the non-private one.

- ``python tests/benchmarks/bench_staged.py time``: CPU seconds of ``dp-auto`` at ε = 10, 8 sites of 5000 rows
  and as many edges as variables, ``--nodes`` 20 50 100 200; sites and server apart.
- ``… quality``: structural Hamming distance, share of true edges, bytes for every ``--epsilons`` and
  ``--seeds``, one row a run, and ``fed-sparse-bnsl`` on the same data.

Prints a tab-separated table. Times are of one thread, from the rows on, the fastest of ``--repeats``, after
compilation.
"""

import argparse
import warnings

import numpy as np

from fedbnsl.data import simulate_linear_gaussian
from fedbnsl.errors import ConvergenceWarning
from fedbnsl.evaluate import metrics
from fedbnsl.federate import run

SITES, ROWS = 8, 5000


def show(*cells) -> None:
    """Print one line of a table."""
    print(*cells, sep="\t", flush=True)


def times(nodes, repeats: int) -> None:
    """CPU seconds of dp-auto."""
    show("nodes", "sites_seconds", "server_seconds", "seconds", "shd", "bytes")
    run("dp-auto", simulate_linear_gaussian(nodes=5, edges=5, sites=1, rows=ROWS, seed=1)[0], epsilon=10.0)
    for d in nodes:
        sites, truth = simulate_linear_gaussian(nodes=d, edges=d, sites=SITES, rows=ROWS, seed=1)
        best = None
        for _ in range(repeats):
            found = run("dp-auto", sites, seed=1, epsilon=10.0)
            spent = found.seconds.sum(axis=0)
            best = spent if best is None or spent.sum() < best.sum() else best
        distance = metrics(found.graph, truth)["shd"]
        show(d, *np.round([*best, best.sum()], 3), distance, found.bytes_total)


def quality(nodes, epsilons, seeds) -> None:
    """One row a run."""
    show("nodes", "seed", "method", "epsilon", "shd", "tpr", "fdr", "bytes", "seconds")
    for d in nodes:
        for seed in seeds:
            sites, truth = simulate_linear_gaussian(nodes=d, edges=d, sites=SITES, rows=ROWS, seed=seed)
            runs = [("dp-auto", {"epsilon": epsilon}) for epsilon in epsilons]
            for name, options in [*runs, ("fed-sparse-bnsl", {})]:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    found = run(name, sites, seed=seed, **options)
                m = metrics(found.graph, truth)
                scores = (m["shd"], round(m["tpr"], 3), round(m["fdr"], 3))
                seconds = round(found.seconds.sum(), 2)
                show(d, seed, name, options.get("epsilon", ""), *scores, found.bytes_total, seconds)


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mode", choices=["time", "quality"])
    parser.add_argument("--nodes", type=int, nargs="+", default=[20, 50, 100, 200])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 2.0, 5.0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(3000, 3012)))
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.mode == "time":
        times(arguments.nodes, arguments.repeats)
    else:
        quality(arguments.nodes, arguments.epsilons, arguments.seeds)


if __name__ == "__main__":
    main()
