"""Run a round-based protocol for a run of seeds."""

import math
import warnings
from dataclasses import asdict

import pandas

from fedbnsl.errors import ConvergenceWarning
from fedbnsl.federate.run import run as federate
from fedbnsl.files import replacing, write_json
from fedbnsl.graphs.formats.json_graph import graph_to_dict
from fedbnsl.graphs.graph import WeightedGraph
from fedbnsl.privacy.statement import NO_PROMISE
from fedbnsl.seeds import derived_seed
from fedbnsl.spec import Spec
from fedbnsl.workflow.cells import is_secure
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import of_seed, read_sites
from fedbnsl.workflow.table_files import write_measures


def main(snakemake):
    p = snakemake.params
    spec = Spec.parse(p.method)
    secret = is_secure(spec)
    records, privacy, rounds, history, seconds = [], [], [], [], []
    for seed in range(p.first, p.last + 1):
        sites = read_sites(of_seed(snakemake.input.sites, seed), range(1, p.sites + 1))
        key = ("federate", p.method, p.source, p.partition, seed, p.sites)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            result = federate(
                spec.name,
                sites,
                # in secure mode noise comes from the operating system, and no seed may be given
                seed=None if secret else derived_seed(p.root_seed, *key),
                keep_history=True,
                **spec.dict(),
            )
        told = [str(one.message) for one in caught if issubclass(one.category, ConvergenceWarning)]
        for one in caught:
            print(f"seed {seed}: warning: {one.message}", flush=True)
        graph = WeightedGraph(sites[0].names, result.weights)
        records.append(
            {
                "seed": seed,
                "graph": graph_to_dict(graph),
                "bytes": result.bytes_total,
                "converged": result.converged,
                "warnings": told,
                "varsortability": None if math.isnan(result.varsortability) else result.varsortability,
                "privacy": NO_PROMISE if result.privacy is None else result.privacy.words,
            }
        )
        privacy.append(_account(seed, result))
        rounds.append(result.rounds.assign(seed=seed))
        history.append(_entries(seed, result.history))
        if not secret:  # how long it takes may depend on the rows
            seconds.append(_seconds(seed, result))
        print(f"seed {seed}: {graph.graph.n_edges} edges, {result.bytes_total} bytes", flush=True)
    write_measures(snakemake.output.rounds, rounds)
    if seconds:
        write_measures(snakemake.output.seconds, seconds)
    with replacing(snakemake.output.history) as path:
        pandas.concat(history).to_parquet(path, index=False)
    write_json(snakemake.output.graphs, {"method": p.method, "seeds": records})
    write_json(snakemake.output.privacy, {"method": p.method, "seeds": privacy})


def _account(seed, result):
    """The statement of a run, in words and in parts, and the ledger of every site."""
    statement = result.privacy
    return {
        "seed": seed,
        "private": statement is not None and statement.private,
        "words": NO_PROMISE if statement is None else statement.words,
        "statement": None if statement is None else asdict(statement),
        "ledgers": [ledger.to_dict() for ledger in result.ledgers],
    }


def _entries(seed, history):
    """The non-zero weights after every round as a table."""
    rounds, i, j = history.nonzero()
    return pandas.DataFrame(
        {"seed": seed, "round": rounds + 1, "i": i, "j": j, "weight": history[rounds, i, j]}
    )


def _seconds(seed, result):
    """CPU time of every round; apart from the table of rounds, for it differs from run to run."""
    table = result.rounds[["round"]].assign(sites=result.seconds[:, 0], server=result.seconds[:, 1])
    table.insert(0, "seed", seed)
    return table


run(main, snakemake, timed=not is_secure(Spec.parse(snakemake.params.method)))  # noqa: F821
