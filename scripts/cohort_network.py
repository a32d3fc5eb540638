"""Make one network of a user's own sites by one method."""

from dataclasses import asdict

from fedbnsl.evaluate.scale import scale_note
from fedbnsl.files import read_json, write_json
from fedbnsl.workflow.cohort_pieces import (
    read_cohort_sites,
    read_site_graphs,
    release_file,
    stored,
    way_of,
)
from fedbnsl.workflow.job import run


def main(snakemake):
    p = snakemake.params
    way = way_of(p)
    kept = release_file(p.ledgers, p.method, p.background, snakemake.input.sites) if way.is_secret else None
    if kept is not None and kept.exists():
        # the same rows and the same method: what was released stays so, and costs nothing again
        # not from which file, for its name is made from the rows
        print("the release of these rows by this method is taken from beside the ledgers")
        write_json(snakemake.output[0], read_json(kept))
        return
    sites = read_cohort_sites(snakemake.input.sites)
    graphs, failed = read_site_graphs(snakemake.input.learned) if way.is_consensus else (None, None)
    found = way.together(sites, graphs, ledger=p.ledgers, failed=failed)
    record = {"method": p.method, "graph": stored(found.graph)}
    if found.path is not None:
        record["theta"] = found.path.best_theta()
    if found.federation is not None:
        run_of = found.federation
        record |= {
            "rounds": len(run_of.rounds),
            "bytes": run_of.bytes_total,
            "converged": run_of.converged,
            "scale": "" if way.is_private else scale_note(run_of.varsortability),
            "privacy": None if run_of.privacy is None else asdict(run_of.privacy),
            "spent": [
                {"site": ledger.site, "epsilon": ledger.epsilon_spent, "delta": ledger.delta}
                for ledger in run_of.ledgers
            ],
        }
    if kept is not None:
        write_json(kept, record)
    write_json(snakemake.output[0], record)


# how long it takes may depend on rows that are to be kept secret
run(main, snakemake, timed=not way_of(snakemake.params).is_secret)  # noqa: F821
