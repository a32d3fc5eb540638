"""Time of Fed-Sparse-BNSL against the number of variables and of sites, beside a plain implementation.

- ``python tests/benchmarks/bench_federated.py nodes``: 8 sites of 5000 rows, 20 to 400 variables, as many
  edges. Engines: ``fast`` (this package, the default), ``exact`` (w_step: exact), ``paper`` (variant:
  paper), ``plain`` (plain_fed_sparse.py: NumPy, SciPy's L-BFGS-B and expm; up to ``--plain`` variables).
- ``… sites``: 20 variables, 8 to 64 sites.
- ``… growth``: how the time of ``fed-sparse-bnsl`` and ``fed-bnsl`` grows with the number of variables (20 to
  400, 8 sites) and of sites (1 to 64, 20 variables): one figure, with powers fitted to the larger half of
  the sizes.
- ``… quality``: bytes and structural Hamming distance for several settings, mean over ``--seeds``; with
  ``--nodes`` 20 or 200.

``--admm PATH`` times Ng and Zhang's public program too (a checkout of notears-admm; needs torch), beside
``fed-bnsl@schedule=reference``, which computes the same.

Prints a tab-separated table, and writes it as ``federated-<mode>.tsv`` and ``.md`` to ``--output`` (default
``build/benchmarks``, which git ignores), with a log–log plot of the time for the first three modes. Times are
CPU seconds on one thread, end to end from the rows, the fastest of ``--repeats``, after compilation.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pandas
from plain_fed_sparse import fed_sparse

from fedbnsl import Graph
from fedbnsl.data import simulate_linear_gaussian
from fedbnsl.evaluate import edge_metrics
from fedbnsl.federate import run
from fedbnsl.learn import sufficient_statistics, threshold_to_dag
from fedbnsl.plot import curves, save_figure, write_table
from fedbnsl.threads import one_thread

ROWS, SEED = 5000, 1
NODES = (20, 50, 100, 200, 400)
SITES = (8, 16, 32, 64)
GROWING = [("variables", d, d, 8) for d in NODES] + [("sites", k, 20, k) for k in (1, 2, 4, 8, 16, 32, 64)]
METHODS = ("fed-sparse-bnsl", "fed-bnsl")
SETTINGS = [
    {},
    {"variant": "paper"},
    {"variant": "paper", "w_step": "exact"},
    {"w_step": "exact"},
    {"send": "full"},
    {"keep_diagonal": True},
    {"precision": "single"},
    {"updates": 20},
    {"updates": 50},
    {"updates": 300},
    {"updates": 1000},
    {"updates": "converged"},
    {"rounds": 30},
    {"rounds": 50},
    {"rounds": 50, "updates": 1000, "precision": "single"},
    {"updates": 300, "precision": "single"},
    {"stop": 0.01},
    {"precision": "single", "stop": 0.01},
    *({"updates": number, "precision": "single", "stop": 0.01} for number in (50, 300, 1000)),
]


def show(line) -> None:
    """Print one line of a table."""
    print(*(f"{cell:.3f}" if isinstance(cell, float) else cell for cell in line), sep="\t", flush=True)


def timed(function):
    """(CPU seconds, result) of one call."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def ours(method, sites, **options):
    """Weights of the DAG, and CPU seconds of the sites and of the server."""
    found = run(method, sites, **options)
    return found.weights, *found.seconds.sum(axis=0)


def plain(sites):
    """The same from the plain implementation."""
    with one_thread():
        weights = fed_sparse([sufficient_statistics(site).covariance for site in sites])
    return threshold_to_dag(weights), np.nan, np.nan


def admm(path, sites):
    """The same from the public program at ``path``."""
    sys.path.insert(0, str(path))
    import torch
    from notears_admm.linear_admm import notears_linear_admm

    torch.set_default_dtype(torch.double)
    torch.set_num_threads(1)
    with one_thread():
        weights = notears_linear_admm(np.stack([site.values for site in sites]), lambda1=0.01)
    return threshold_to_dag(weights), np.nan, np.nan


def engines(nodes, options):
    """Name and function of what is timed at this size."""
    found = {
        "fast": lambda sites: ours("fed-sparse-bnsl", sites),
        "exact": lambda sites: ours("fed-sparse-bnsl", sites, w_step="exact"),
        "paper": lambda sites: ours("fed-sparse-bnsl", sites, variant="paper"),
    }
    if nodes <= options.plain:
        found["plain"] = plain
    if options.admm:
        found["fed-bnsl"] = lambda sites: ours("fed-bnsl", sites, schedule="reference")
        if nodes <= options.plain:
            found["notears-admm"] = lambda sites: admm(options.admm, sites)
    return found


def growth(options) -> pandas.DataFrame:
    """Times, bytes and fitted powers of the two methods, over variables and over sites."""
    columns = ["method", "over", "number", "cpu_s", "sites_s", "server_s", "megabytes", "rounds", "shd"]
    show(columns)
    lines = []
    tiny, _ = simulate_linear_gaussian(5, 5, 2, 50, seed=SEED)
    for name in METHODS:
        run(name, tiny)  # compiles and loads
    for over, number, nodes, count in GROWING:
        sites, truth = simulate_linear_gaussian(nodes, nodes, count, ROWS, seed=SEED)
        for name in METHODS:
            repeats = options.repeats if nodes < 100 else 1
            seconds, found = min(
                (timed(lambda name=name, sites=sites: run(name, sites)) for _ in range(repeats)),
                key=lambda pair: pair[0],
            )
            line = [name, over, number, seconds, *found.seconds.sum(axis=0), found.bytes_total / 1e6]
            line += [len(found.rounds), edge_metrics(found.graph, truth)["shd"]]
            lines.append(dict(zip(columns, line, strict=True)))
            show(line)
    table = pandas.DataFrame(lines)
    table["fitted_s"] = np.nan
    for key, part in table.groupby(["method", "over"], sort=False):
        upper = part[part["number"] >= part["number"].median()]
        power, level = np.polyfit(np.log(upper["number"]), np.log(upper["cpu_s"]), 1)
        table.loc[upper.index, "fitted_s"] = np.exp(level) * upper["number"] ** power
        table.loc[part.index, "power"] = power
        show([*key, "power", power])
    return table


def growth_figure(table):
    """Measured times and fitted powers, a panel for variables and one for sites."""
    kinds = {"cpu_s": "measured", "fitted_s": "fitted power of the size"}
    key = ["method", "over", "number"]
    powers = table.groupby(["method", "over"], sort=False)["power"].first().unstack()
    names = {
        name: f"{name}: d^{row['variables']:.1f}, P^{row['sites']:.1f}" for name, row in powers.iterrows()
    }
    long = table.rename(columns=kinds).melt(key, list(kinds.values()), "line", "cpu_s").dropna()
    panels = {"variables": "number of variables d (8 sites)", "sites": "number of sites P (20 variables)"}
    long = long.assign(method=long["method"].map(names), over=long["over"].map(panels))
    return curves(
        long, "number", "cpu_s", "method", dash="line", panels="over", columns=2, log_x=True, log_y=True,
        own_x=True, x_text="number (log scale)", y_text="a run (CPU s)",
    )  # fmt: skip


def times(cases, options) -> pandas.DataFrame:
    """Times for pairs (variables, sites)."""
    columns = ["engine", "nodes", "sites", "cpu_s", "sites_s", "server_s", "shd", "edges"]
    show(columns)
    lines = []
    tiny, _ = simulate_linear_gaussian(5, 5, 2, 50, seed=SEED)
    for function in engines(5, options).values():
        function(tiny)  # compiles and loads
    for nodes, count in cases:
        sites, truth = simulate_linear_gaussian(nodes, nodes, count, ROWS, seed=SEED)
        for name, function in engines(nodes, options).items():
            repeats = 1 if name in ("plain", "notears-admm") else options.repeats
            seconds, (weights, *parts) = min(
                (timed(lambda function=function, sites=sites: function(sites)) for _ in range(repeats)),
                key=lambda pair: pair[0],
            )
            graph = Graph(truth.names, weights != 0)
            line = [name, nodes, count, seconds, *parts, edge_metrics(graph, truth)["shd"], graph.n_edges]
            lines.append(dict(zip(columns, line, strict=True)))
            print(
                *(f"{cell:.3f}" if isinstance(cell, float) else cell for cell in line), sep="\t", flush=True
            )
    return pandas.DataFrame(lines)


def quality(options) -> pandas.DataFrame:
    """Bytes and distance to the truth, setting by setting."""
    columns = ["setting", "nodes", "seeds", "megabytes", "shd", "shd_se", "tpr", "fdr", "cpu_s"]
    show(columns)
    nodes = options.nodes or 20
    problems = [simulate_linear_gaussian(nodes, nodes, 8, ROWS, seed=seed) for seed in options.seeds]
    lines = []
    for setting in SETTINGS:
        found = []
        for sites, truth in problems:
            result = run("fed-sparse-bnsl", sites, **setting)
            measures = edge_metrics(result.graph, truth)
            found.append([result.bytes_total / 1e6, *(measures[k] for k in ("shd", "tpr", "fdr"))])
            found[-1].append(result.seconds.sum())
        size, shd, tpr, fdr, seconds = np.mean(found, axis=0)
        error = np.std([row[1] for row in found], ddof=1) / np.sqrt(len(found))
        text = ",".join(f"{key}={value}" for key, value in setting.items()) or "default"
        line = [text, nodes, len(found), size, shd, error, tpr, fdr, seconds]
        lines.append(dict(zip(columns, line, strict=True)))
        show(line)
    return pandas.DataFrame(lines)


def main() -> None:
    """Run one mode."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=("nodes", "sites", "growth", "quality"))
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--nodes", type=int, help="one size only")
    parser.add_argument("--plain", type=int, default=50, help="largest size for the slow engines")
    parser.add_argument("--admm", type=Path, help="a checkout of notears-admm")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1001, 1011)))
    options = parser.parse_args()
    if options.mode == "quality":
        table, name = quality(options), f"federated-quality-{options.nodes or 20}"
    elif options.mode == "growth":
        table, name = growth(options), "federated-growth"
        save_figure(growth_figure(table), options.output / name)
    else:
        nodes = (options.nodes,) if options.nodes else NODES
        by_nodes = options.mode == "nodes"
        cases = [(d, 8) for d in nodes] if by_nodes else [(options.nodes or 20, count) for count in SITES]
        table, name = times(cases, options), f"federated-{options.mode}"
        figure = curves(
            table,
            options.mode,
            "cpu_s",
            "engine",
            log_x=True,
            log_y=True,
            x_text=f"number of {'variables' if by_nodes else 'sites'} (log scale)",
            y_text="a run (CPU s)",
        )
        save_figure(figure, options.output / name)
    write_table(table, options.output / f"{name}.tsv", f"Fed-Sparse-BNSL: {options.mode}")


if __name__ == "__main__":
    main()
