"""Time, memory and result of greedy equivalence search (BDeu, equivalent sample size 1) on 5000 rows.

Run ``python tests/benchmarks/bench_ges.py [network …]``; without names: all bundled networks. Prints a
tab-separated table: CPU seconds of the search alone (the fastest of three, after compilation), the process's
peak memory, the structural Hamming distance to the true CPDAG (pairs of nodes that differ), the score; and
for networks of up to 11 nodes, the CPU seconds of pgmpy's search on the same scores and whether it finds the
same class. Every network has a process of its own.
"""

import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import fedbnsl
from fedbnsl.data.networks import printed_facts
from fedbnsl.learn import ges, ges_pgmpy
from fedbnsl.scores import bdeu

ROWS, SEED, REPEATS, SMALL = 5000, 1, 3, 11
COLUMNS = "network nodes cpu_s peak_mb edges shd bdeu pgmpy_cpu_s same_as_pgmpy"


def timed(function):
    """(CPU seconds, result) of one call."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def measured(name: str) -> list[str]:
    """One line of the table."""
    network = fedbnsl.data.load_network(name)
    site = network.sample(ROWS, SEED)
    ges(fedbnsl.data.load_network("asia").sample(100, SEED))  # loads the kernels
    runs = [timed(lambda: ges(site)) for _ in range(REPEATS)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = runs[0][1]
    differ = found.adjacency != network.graph.cpdag().adjacency
    shd = np.triu(differ | differ.T).sum()
    line = [name, len(network.names), f"{min(run[0] for run in runs):.3f}", f"{peak:.0f}", found.n_edges, shd]
    line.append(f"{bdeu(found, site):.3f}")
    if len(network.names) <= SMALL:
        seconds, theirs = timed(lambda: ges_pgmpy(site))
        line += [f"{seconds:.1f}", theirs == found]
    return [str(cell) for cell in line]


def main(names: list[str]) -> None:
    """Print the table."""
    print(*COLUMNS.split(), sep="\t")
    for name in names:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            print(*pool.submit(measured, name).result(), sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(printed_facts()))
