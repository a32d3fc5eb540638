"""Networks of resampled rows, or without one site at a time, by one method."""

from fedbnsl.cohort.stability import bootstrap, leave_one_out
from fedbnsl.files import write_json
from fedbnsl.workflow.cohort_pieces import read_cohort_sites, read_site_graphs, stored, way_of
from fedbnsl.workflow.job import run


def main(snakemake):
    p = snakemake.params
    way = way_of(p)
    sites = read_cohort_sites(snakemake.input.sites)
    if p.part == "sites":
        graphs = read_site_graphs(snakemake.input.learned).graphs if way.is_consensus else None
        found = {site: stored(graph) for site, graph in leave_one_out(way, sites, graphs).items()}
    else:
        first, last = map(int, p.part.split("-"))
        found = [stored(graph) for graph in bootstrap(way, sites, range(first, last + 1))]
    write_json(snakemake.output[0], found)


run(main, snakemake)  # noqa: F821
