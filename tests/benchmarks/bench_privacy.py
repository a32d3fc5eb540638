"""CPU seconds, bytes and the learned network's SHD of private methods at the sizes of their studies.

Run by hand: ``python tests/benchmarks/bench_privacy.py [small | large | secure | audit] …``;
without a name, ``small``. ``small``: d = 20, T = 100, K = 30. ``large``: d = 200, T = K = 100 (a minute).
``secure``: d = 20, the default T and K, noise of OpenDP. ``audit``: 40,000 + 40,000 runs of K = 8 updates.
Eight sites of 5000 rows throughout.
"""

import sys
import time

from fedbnsl.data import simulate_linear_gaussian
from fedbnsl.evaluate import metrics
from fedbnsl.federate import run
from fedbnsl.privacy.audit import audit_updates

NAME = "dp-fed-sparse-bnsl"
CASES = {
    "small": (20, {"epsilon": 5.0, "rounds": 100, "updates": 30, "seed": 1}),
    "large": (200, {"epsilon": 10.0, "rounds": 100, "updates": 100, "seed": 1}),
    "secure": (20, {"epsilon": 5.0, "mode": "secure"}),
}


def measured(case):
    """(d, CPU seconds, megabytes, SHD) of one run."""
    nodes, options = CASES[case]
    sites, truth = simulate_linear_gaussian(nodes=nodes, edges=nodes, sites=8, rows=5000, seed=1001)
    began = time.process_time()
    found = run(NAME, sites, **options)
    seconds = time.process_time() - began
    return nodes, seconds, found.bytes_total / 1e6, metrics(found.graph, truth.graph)["shd"]


def main(names):
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


if __name__ == "__main__":
    main(sys.argv[1:] or ["small"])
