"""CPU time and F-score of NOTEARS-PFL on sites with networks of their own.

Run by hand: ``python tests/benchmarks/bench_pfl.py fits`` (one fit, up to d = 80 and K = 64) or
``python tests/benchmarks/bench_pfl.py scores [SEEDS]`` (F by penalty, λ chosen by rows held out). Prints a
tab-separated table; CPU seconds of one thread, without compilation.
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from fedbnsl.data.personal import PersonalSimulation
from fedbnsl.evaluate.structure import edge_metrics
from fedbnsl.federate import run
from fedbnsl.federate.pfl_choose import units
from fedbnsl.federate.pfl_direct import FINAL, QUICK, fit
from fedbnsl.learn.sufficient import sufficient_statistics

FITS = {"none": (0.4, 0.0), "group": (0.05, 0.5), "fused": (0.1, 0.8), "chain": (0.1, 0.3)}
PENALTIES = ("none", "pooled", "consensus", "chain", "fused", "group", "auto")


def problem(d, sites, rows, weights, seed):
    simulation = PersonalSimulation(d, d, seed, weights=weights)
    tables = [simulation.site(k + 1, rows) for k in range(sites)]
    return tables, [simulation.site_truth(k + 1).graph for k in range(sites)]


def timed(function, *args, **options):
    began = time.process_time()
    found = function(*args, **options)
    return found, time.process_time() - began


def fits():
    print("d", "K", "rows", "penalty", "effort", "steps", "seconds", sep="\t")
    for d, sites, rows in ((5, 3, 20), (20, 10, 6), (20, 10, 20), (50, 8, 32), (80, 10, 24), (50, 64, 4)):
        tables, _ = problem(d, sites, rows, "own", 1)
        sigma = np.stack([sufficient_statistics(table).covariance for table in tables])
        for penalty, multiples in FITS.items():
            l1, l2 = np.multiply(multiples, units(penalty, d, sites, rows))
            for name, effort in (("quick", QUICK), ("final", FINAL)):
                found, seconds = timed(fit, sigma, penalty, l1, l2, effort)
                print(d, sites, rows, penalty, name, found.steps, f"{seconds:.2f}", sep="\t", flush=True)


def scores(seeds):
    print("d", "K", "rows", "weights", "penalty", "F", "se", "seconds", sep="\t")
    cases = [(20, 10, 6, w) for w in ("own", "shared", "noisy")]
    cases += [(20, 10, 20, w) for w in ("own", "noisy")]
    for case in cases:
        problems = [problem(*case, seed) for seed in range(1, seeds + 1)]
        for penalty in PENALTIES:
            values, spent = [], []
            for tables, truths in problems:
                found, seconds = timed(run, "notears-pfl", tables, penalty=penalty)
                pairs = zip(found.graphs, truths, strict=True)
                values.append(np.mean([edge_metrics(own, true)["f1"] for own, true in pairs]))
                spent.append(seconds)
            error = np.std(values, ddof=1) / np.sqrt(seeds) if seeds > 1 else np.nan
            row = (f"{np.mean(values):.3f}", f"{error:.3f}", f"{np.mean(spent):.2f}")
            print(*case, penalty, *row, sep="\t", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["fits"]:
        fits()
    elif sys.argv[1:2] == ["scores"]:
        scores(int(sys.argv[2]) if len(sys.argv) > 2 else 5)
    else:
        sys.exit(__doc__)
