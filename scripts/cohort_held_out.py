"""Judge a method on held-out rows of a user's own sites: across folds, and beside each site's own model."""

import functools

from fedbnsl.errors import InputError
from fedbnsl.evaluate.joining import cross_validated, joining, split_rows
from fedbnsl.files import write_json
from fedbnsl.seeds import derived_seed
from fedbnsl.workflow.cohort_pieces import read_cohort_sites, way_of
from fedbnsl.workflow.job import run


def main(snakemake):
    p = snakemake.params
    way = way_of(p)
    sites = read_cohort_sites(snakemake.input.sites)
    # the same folds and the same split for every method, so that differences between methods are paired
    seed = derived_seed(p.root_seed, "cohort held-out")
    learn = functools.partial(_graph, way)
    folds = cross_validated(learn, sites, p.folds, seed, p.pseudo_count)
    train, test = split_rows(sites, 1 / p.folds, seed)
    own = way.learn_sites(train, "split").graphs
    try:
        shared = way.together(train, own if way.is_consensus else None, "split").graph
        rows = joining(shared, own, train, test, p.pseudo_count)
    except InputError as error:
        print(f"no comparison of sites: {error}")
        rows = []
    write_json(snakemake.output[0], {"folds": _plain(folds.tolist()), "joining": _plain(rows)})


def _graph(way, train):
    return way.together(train, None, "fold").graph


def _plain(value):
    """Numbers that JSON has: None for nan."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and value != value else value


run(main, snakemake)  # noqa: F821
