"""Write the files of a run of sites."""

from pathlib import Path

from fedbnsl.data.site_files import write_site
from fedbnsl.data.sources import make_sites
from fedbnsl.workflow.job import run
from fedbnsl.workflow.pieces import data_seed


def main(snakemake):
    p = snakemake.params
    folder = Path(snakemake.output[0])
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(p.first, p.last + 1)
    for number, site in zip(
        numbers, make_sites(p.source, p.partition, data_seed(p.root_seed, p.seed), numbers), strict=True
    ):
        write_site(site, folder / f"site_{number:04d}.parquet")
        print(f"{site.label}: {site.n_rows} rows, {len(site.names)} variables")


run(main, snakemake)  # noqa: F821
