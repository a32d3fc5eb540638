"""Time to read a network and sample 5000 rows from it, side by side with pgmpy in one process.

Run ``python tests/benchmarks/bench_networks.py [network …]``; without names: alarm, win95pts, andes.
(pgmpy needs most of a minute for diabetes.) Prints CPU seconds, the fastest of three for this package and a
single run for pgmpy, and their ratio.
"""

import gzip
import importlib.util
import sys
import time
from pathlib import Path

from pgmpy.readwrite import BIFReader
from pgmpy.sampling import BayesianModelSampling

import fedbnsl

ROWS = 5000


def seconds(function) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def by_pgmpy(name: str) -> None:
    """Read and sample with pgmpy."""
    folder = Path(importlib.util.find_spec("pgmpy").origin).parent / "utils/example_models"
    text = gzip.decompress((folder / f"{name}.bif.gz").read_bytes()).decode()
    model = BIFReader(string=text).get_model()
    BayesianModelSampling(model).forward_sample(size=ROWS, seed=1, show_progress=False)


def main(names: list[str]) -> None:
    """Print the table."""
    print("network\tfedbnsl_s\tpgmpy_s\tratio")
    for name in names:
        ours = min(
            seconds(lambda name=name: fedbnsl.data.load_network(name).sample(ROWS, 1)) for _ in range(3)
        )
        theirs = seconds(lambda name=name: by_pgmpy(name))
        print(f"{name}\t{ours:.3f}\t{theirs:.2f}\t{theirs / ours:.0f}", flush=True)


main(sys.argv[1:] or ["alarm", "win95pts", "andes"])
