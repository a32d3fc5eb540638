"""Time, memory and result of greedy equivalence search with BDeu, beside other packages.

They come with ``pip install -e .[benchmark]``; rows of one that is missing say so.

- ``python tests/benchmarks/bench_ges.py networks``: 5000 rows of each bundled network, smallest first,
  equivalent sample sizes 1 and 10, all engines.
- ``… rows``: alarm with 500 to 500,000 rows.
- ``… sites``: this package alone: 100 sites of 5000 rows of each network, in one process a network.
- ``… compiling``: a first search of this package, with and without compiled kernels at hand.

Prints a tab-separated table, and writes it as ``ges-<mode>.tsv`` and ``.md`` to ``--output`` (default
``build/benchmarks``, which git ignores), with a log–log plot of the time for the first two modes.
``--networks``, ``--engines`` and ``--ess`` narrow it down.

Every search has a process of its own on one thread. ``cpu_s`` is of the search alone, the fastest of up to
five. ``first_s`` is of a first one on asia: imports, and loading compiled kernels. ``before_mb`` and
``peak_mb`` are the largest memory of the process before and after. An engine that takes more than
``--budget`` CPU seconds is killed and sits out what is larger. ``shd`` counts the pairs of variables where
the result differs from the true CPDAG. How each engine is given the same score says bench_ges_engines.py.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas

from fedbnsl.data.networks import load_network, printed_facts
from fedbnsl.plot import curves, save_figure, write_table

HERE = Path(__file__).parent
ENGINES = ("fedbnsl", "andrey", "causal-learn", "pgmpy")
ROWS, SEED, SITES = 5000, 1, 100
COLD = 600.0  # CPU seconds that compiling may take
MORE_ROWS = (500, 1500, 5000, 15_000, 50_000, 150_000, 500_000)
COLUMNS = [
    "network",
    "nodes",
    "rows",
    "ess",
    "engine",
    "version",
    "outcome",
    "cpu_s",
    "first_s",
    "before_mb",
    "peak_mb",
    "edges",
    "shd",
    "bdeu",
    "score_error",
]


def run(script: str, *arguments, **environment) -> subprocess.CompletedProcess:
    """One process on one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / script), *map(str, arguments)],
        env={**os.environ, **threads, "PYTHONHASHSEED": "0", **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def measure(engine: str, network: str, rows: int, ess: float, budget: float, **environment) -> dict:
    """One line of the table."""
    done = run("bench_ges_engines.py", engine, network, rows, SEED, ess, budget, **environment)
    if done.returncode == 0:
        return json.loads(done.stdout)
    # SIGXCPU, or what of its kind ends the process
    return {"outcome": f"over {budget:g} s" if done.returncode == -24 else f"failed ({done.returncode})"}


def compare(cases: list[tuple[str, int]], engines, sizes, budget: float) -> list[dict]:
    """All engines on all cases, smallest first; prints lines as they come."""
    lines, out = [], set()
    for network, rows in cases:
        nodes = len(load_network(network).names)
        for ess in sizes:
            for engine in engines:
                line = {"network": network, "nodes": nodes, "rows": rows, "ess": ess, "engine": engine}
                skipped = (engine, ess) in out
                line |= {"outcome": "sits out"} if skipped else measure(engine, network, rows, ess, budget)
                if line["outcome"] != "done":
                    out.add((engine, ess))
                lines.append({column: line.get(column) for column in COLUMNS})
                print(*(shown(line.get(column)) for column in COLUMNS), sep="\t", flush=True)
    return lines


def shown(value) -> str:
    """A cell of the printed table."""
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1000 else str(value)


def networks(options) -> pandas.DataFrame:
    """Time against nodes."""
    names = sorted(options.networks, key=lambda name: len(load_network(name).names))
    print(*COLUMNS, sep="\t")
    lines = compare([(name, ROWS) for name in names], options.engines, options.ess, options.budget)
    return pandas.DataFrame(lines)


def rows(options) -> pandas.DataFrame:
    """Time against rows, on alarm or the networks given."""
    print(*COLUMNS, sep="\t")
    names = options.networks if len(options.networks) < len(printed_facts()) else ["alarm"]
    cases = [(name, count) for name in names for count in MORE_ROWS]
    return pandas.DataFrame(compare(cases, options.engines, options.ess, options.budget))


def sites(options) -> pandas.DataFrame:
    """CPU seconds of many sites."""
    lines = []
    for ess in options.ess:
        for name in sorted(options.networks, key=lambda name: len(load_network(name).names)):
            done = run("bench_ges_sites.py", name, SITES, ROWS, ess)
            done.check_returncode()
            lines.append(json.loads(done.stdout))
            print(*(f"{key}={shown(value)}" for key, value in lines[-1].items()), sep="\t", flush=True)
    table = pandas.DataFrame(lines)
    total = table.groupby("ess", as_index=False)[["search_s", "sampling_s", "first_s"]].sum()
    return pandas.concat([table, total.assign(network="all")], ignore_index=True)


def compiling(options) -> pandas.DataFrame:
    """A first search where nothing has been compiled, and where it has."""
    with tempfile.TemporaryDirectory() as empty:
        cold = measure("fedbnsl", "asia", ROWS, 1.0, COLD, NUMBA_CACHE_DIR=empty)
    lines = [{"kernels": "to compile", **cold}]
    lines.append({"kernels": "compiled", **measure("fedbnsl", "asia", ROWS, 1.0, options.budget)})
    table = pandas.DataFrame(lines)[["kernels", "outcome", "first_s", "before_mb"]]
    print(table.to_csv(sep="\t", index=False), end="")
    return table


MODES = {"networks": networks, "rows": rows, "sites": sites, "compiling": compiling}
PLOTTED = {"networks": "nodes", "rows": "rows"}


def plot(table: pandas.DataFrame, x: str, path: Path) -> None:
    """Time against ``x``, a line an engine, a panel an equivalent sample size."""
    shown = table.assign(ess=[f"equivalent sample size {ess:g}" for ess in table["ess"]])
    figure = curves(
        shown[shown["outcome"] == "done"],
        x,
        "cpu_s",
        "engine",
        panels="ess",
        band=False,
        log_x=True,
        log_y=True,
        x_text={"nodes": "number of variables (log scale)", "rows": "rows (log scale)"}[x],
        y_text="search (CPU s)",
    )
    save_figure(figure, path)


def main() -> None:
    """Run one mode."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=list(MODES))
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks"))
    parser.add_argument("--budget", type=float, default=120.0, help="CPU seconds of one search")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--networks", nargs="+", choices=list(printed_facts()), default=list(printed_facts()))
    parser.add_argument("--ess", nargs="+", type=float, default=(1.0, 10.0))
    options = parser.parse_args()
    table = MODES[options.mode](options)
    path = options.output / f"ges-{options.mode}.tsv"
    write_table(table, path, f"Greedy equivalence search, BDeu: {options.mode}")
    if options.mode in PLOTTED:
        plot(table, PLOTTED[options.mode], path.with_suffix(""))


if __name__ == "__main__":
    main()
