"""CPU time of many sites of one network, for bench_ges.py, which starts this file.

Run ``python tests/benchmarks/bench_ges_sites.py NETWORK SITES ROWS ESS``; prints JSON: CPU seconds of all
searches, of the slowest, of reading the network and sampling, and of a first search (which loads the compiled
kernels); the process's largest memory.
"""

import json
import sys
import time

from bench_ges_engines import peak_mb

from fedbnsl.data import load_network
from fedbnsl.learn import ges


def main(name: str, sites: int, rows: int, ess: float) -> None:
    """Print the measurements."""
    start = time.process_time()
    ges(load_network("asia").sample(200, 1), ess=ess)
    first = time.process_time() - start
    start = time.process_time()
    network = load_network(name)
    sampling, searches = time.process_time() - start, []
    for seed in range(1, sites + 1):
        start = time.process_time()
        site = network.sample(rows, seed)
        middle = time.process_time()
        ges(site, ess=ess)
        searches.append(time.process_time() - middle)
        sampling += middle - start
    line = {"network": name, "sites": sites, "rows": rows, "ess": ess}
    line |= {"search_s": sum(searches), "slowest_s": max(searches), "sampling_s": sampling, "first_s": first}
    line["peak_mb"] = peak_mb()
    print(json.dumps(line))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
