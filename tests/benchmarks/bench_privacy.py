"""CPU seconds, bytes and the learned network's SHD of private methods; eight sites of 5000 rows.

Run by hand with ``PYTHONPATH=.``, from the top folder:

- ``python tests/benchmarks/bench_privacy.py [small | large | secure | audit] …``; without a name, ``small``.
  ``small``: d = 20, T = 100, K = 30. ``large``: d = 200, T = K = 100 (a minute). ``secure``: d = 20, the
  default T and K, noise of OpenDP. ``audit``: 40,000 + 40,000 runs of K = 8 updates.
- ``… utility --nodes 20``: one row a run of ``--methods`` at each of ``--epsilons`` (of a method without
  privacy: once) on the data of every one of ``--seeds``; then the smallest, median, mean and largest SHD of
  each. As many edges as variables. ``--regime`` says what the data are like (:data:`REGIMES`). ``--option
  variance_ratio=none``, for one, goes to the private methods.

Prints a tab-separated table. Seconds are CPU time of sites and server together, after compilation.
"""

import argparse
import sys
import time
import warnings

import numpy as np

from fedbnsl.data import SiteData, simulate_linear_gaussian
from fedbnsl.errors import ConvergenceWarning
from fedbnsl.evaluate import metrics
from fedbnsl.federate import run
from fedbnsl.privacy.audit import audit_updates
from fedbnsl.spec import Spec

NAME = "dp-fed-sparse-bnsl"
CASES = {
    "small": (20, {"epsilon": 5.0, "rounds": 100, "updates": 30, "seed": 1}),
    "large": (200, {"epsilon": 10.0, "rounds": 100, "updates": 100, "seed": 1}),
    "secure": (20, {"epsilon": 5.0, "mode": "secure"}),
}
SITES, ROWS = 8, 5000
#: What is not as usual: Gaussian noise of variance 1 in all variables, raw columns, sites of equal size.
REGIMES = {
    "plain": {},
    "variances": {"variance_low": 0.5, "variance_high": 2.0},
    "wide-variances": {"variance_low": 0.25, "variance_high": 4.0},
    "standardised": {},
    "laplace": {"noise": "laplace"},
    "uniform": {"noise": "uniform"},
    "exponential": {"noise": "exponential"},
    "sizes": {"rows": (1000, 2000, 3000, 4000, 5000, 6000, 8000, 11_000)},
}


def measured(case):
    """(d, CPU seconds, megabytes, SHD) of one run."""
    nodes, options = CASES[case]
    sites, truth = simulate_linear_gaussian(nodes=nodes, edges=nodes, sites=SITES, rows=ROWS, seed=1001)
    began = time.process_time()
    found = run(NAME, sites, **options)
    seconds = time.process_time() - began
    return nodes, seconds, found.bytes_total / 1e6, metrics(found.graph, truth.graph)["shd"]


def data(nodes, seed, regime):
    """(sites, truth) of a regime."""
    options = {"sites": SITES, "rows": ROWS, "seed": seed, **REGIMES[regime]}
    sites, truth = simulate_linear_gaussian(nodes=nodes, edges=nodes, **options)
    if regime == "standardised":  # by all rows together, which no private method could do
        scales = np.concatenate([site.values for site in sites]).std(axis=0)
        sites = [SiteData(site.names, site.values / scales, label=site.label) for site in sites]
    return sites, truth


def utility(arguments):
    """One row a run, then the distributions."""
    nodes, regime = arguments.nodes, arguments.regime
    given = Spec.parse(f"{NAME}@{','.join(arguments.option)}").dict() if arguments.option else {}
    print("nodes", "regime", "seed", "method", "epsilon", "shd", "tpr", "fdr", "bytes", "seconds", sep="\t")
    distances = {}
    for seed in arguments.seeds:
        sites, truth = data(nodes, seed, regime)
        for name in arguments.methods:
            for epsilon in arguments.epsilons if name.startswith("dp-") else [""]:
                options = {} if epsilon == "" else {"epsilon": epsilon, **given}
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    found = run(name, sites, seed=seed, **options)
                m = metrics(found.graph, truth)
                distances.setdefault((name, epsilon), []).append(m["shd"])
                scores = m["shd"], round(m["tpr"], 3), round(m["fdr"], 3)
                seconds = round(found.seconds.sum(), 2)
                cells = nodes, regime, seed, name, epsilon, *scores, found.bytes_total, seconds
                print(*cells, sep="\t", flush=True)
    print("# method", "epsilon", "seeds", "least", "median", "mean", "most", sep="\t")
    for (name, epsilon), all_seeds in distances.items():
        summary = min(all_seeds), np.median(all_seeds), round(np.mean(all_seeds), 2), max(all_seeds)
        print(f"# {name}", epsilon, len(all_seeds), *summary, sep="\t")


def cases(names):
    """Print one row a case."""
    # Compilation and imports are not what is measured.
    run(NAME, simulate_linear_gaussian(nodes=3, edges=3, sites=2, rows=500, seed=1)[0], seed=1)
    print("case", "nodes", "cpu_seconds", "megabytes", "shd", sep="\t")
    for name in names:
        if name == "audit":
            began = time.process_time()
            found = audit_updates()
            print("audit", 2, f"{time.process_time() - began:.1f}", "", "", sep="\t")
            print(f"# promised {found.mu_promised:.3f}, found {found.mu_lower:.3f}, passed: {found.passed}")
            continue
        nodes, seconds, megabytes, shd = measured(name)
        print(name, nodes, f"{seconds:.2f}", f"{megabytes:.2f}", shd, sep="\t", flush=True)


def main(words):
    """Read the arguments and run."""
    if words[:1] != ["utility"]:
        cases(words or ["small"])
        return
    parser = argparse.ArgumentParser(prog="bench_privacy.py utility")
    parser.add_argument("--nodes", type=int, default=20)
    parser.add_argument("--regime", choices=REGIMES, default="plain")
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 2.0, 5.0, 10.0])
    parser.add_argument("--methods", nargs="+", default=["dp-auto", NAME, "fed-sparse-bnsl"])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(3000, 3012)))
    parser.add_argument("--option", nargs="+", default=[])
    utility(parser.parse_args(words[1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
