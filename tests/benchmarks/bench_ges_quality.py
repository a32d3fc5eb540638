"""Scores that greedy equivalence search reaches with its ways out of local optima (BDeu, sample size 1).

Run ``python tests/benchmarks/bench_ges_quality.py [network …] [variant=… …]``; without names: win95pts,
pathfinder, diabetes and link; variants are ``plain``, ``turning`` and numbers of rounds of reinsertion, by
default plain, 1, 3 and turning. Prints a tab-separated table of runs on one sample of 5000 rows each: the
score, the score minus that of the true DAG, the structural Hamming distance to the true CPDAG (pairs of
nodes that differ), edges, CPU seconds of the search after compilation, and whether it ended before the time
limit of half an hour on the clock (turning is not compiled). The peak memory is that of the process so far.
"""

import resource
import sys
import time
import warnings

import numpy as np

import fedbnsl
from fedbnsl.learn import ges
from fedbnsl.scores import bdeu

ROWS, SEED, LIMIT = 5000, 1, 1800.0
NETWORKS = ["win95pts", "pathfinder", "diabetes", "link"]
VARIANTS = ["plain", "1", "3", "turning"]
COLUMNS = "network variant bdeu minus_true shd edges cpu_s peak_mb ended"


def options(variant: str) -> dict:
    """Of :func:`fedbnsl.learn.ges`."""
    if variant == "plain":
        return {}
    return {"turning": True} if variant == "turning" else {"reinsertion": int(variant)}


def main(arguments: list[str]) -> None:
    """Print the table."""
    networks = [a for a in arguments if "=" not in a] or NETWORKS
    variants = [a.removeprefix("variant=") for a in arguments if "=" in a] or VARIANTS
    small = fedbnsl.data.load_network("asia").sample(100, SEED)
    ges(small, reinsertion=2)  # loads the kernels
    print(*COLUMNS.split(), sep="\t")
    for name in networks:
        network = fedbnsl.data.load_network(name)
        site = network.sample(ROWS, SEED)
        true, cpdag = bdeu(network.graph, site), network.graph.cpdag().adjacency
        for variant in variants:
            start = time.process_time()
            with warnings.catch_warnings(record=True) as stopped:
                warnings.simplefilter("always")
                found = ges(site, seed=SEED, time_limit=LIMIT, **options(variant))
            seconds = time.process_time() - start
            score, differ = bdeu(found, site), found.adjacency != cpdag
            line = [name, variant, f"{score:.1f}", f"{score - true:.1f}", np.triu(differ | differ.T).sum()]
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            line += [found.n_edges, f"{seconds:.2f}", f"{peak:.0f}", not stopped]
            print(*line, sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
