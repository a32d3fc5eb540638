"""CPU seconds of ``dp-auto`` against the number of variables, sites and server apart.

Run by hand, from the top folder: ``PYTHONPATH=. python tests/benchmarks/bench_staged.py``. ε = 10, 8 sites of
5000 rows, as many edges as variables, ``--nodes`` 20 50 100 200. Prints a tab-separated table. Times are of
one thread, from the rows on, the fastest of ``--repeats``, after compilation. Utility: ``bench_privacy.py``.
"""

import argparse

import numpy as np

from fedbnsl.data import simulate_linear_gaussian
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


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[20, 50, 100, 200])
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    times(arguments.nodes, arguments.repeats)


if __name__ == "__main__":
    main()
