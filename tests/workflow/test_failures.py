"""A site that fails, a job that fails: what is lost, and what is said."""

import json

import pandas
from conftest import Checkout

BROKEN_AT_ONE_SITE = '''

def learn_or_fail(site, *, seed, **options):
    """The usual learner, but it fails at the second site."""
    if site.label == "site_0002":
        raise RuntimeError("the disk of this site is full")
    return ges(site, seed=seed, **options)
'''


def broken(folder):
    checkout = Checkout(folder)
    checkout.edit("config.yaml", "preset: laptop", "preset: smoke")
    with open(checkout.folder / "fedbnsl/learn/ges.py", "a", encoding="utf-8") as file:
        file.write(BROKEN_AT_ONE_SITE)
    checkout.edit("fedbnsl/methods.py", "learn.ges:ges", "learn.ges:learn_or_fail")
    return checkout


def test_a_site_that_fails_is_left_out_and_named(tmp_path):
    checkout = broken(tmp_path)
    checkout.snakemake("gmcbc")
    (learned,) = (checkout.folder / "results/learned").rglob("iid/seed1/1-3.json")
    records = json.loads(learned.read_text())["sites"]
    assert [("error" in record) for record in records][:3] == [False, True, False]
    assert records[1]["error"] == "RuntimeError: the disk of this site is full"
    table = pandas.read_csv(checkout.folder / "results/tables/gmcbc-consensus.tsv", sep="\t")
    assert set(table["sites_missing"]) == {1}  # the second site is among the 2 and among the 3
    pages = list((checkout.folder / "results/networks").rglob("*.html"))
    assert all("the disk of this site is full" in page.read_text() for page in pages)


def test_with_stop_the_message_names_the_site_and_the_remedy(tmp_path):
    checkout = broken(tmp_path)
    checkout.edit("config.yaml", "site_failures: report", "site_failures: stop")
    done = checkout.snakemake("gmcbc", check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert "site_0002: RuntimeError: the disk of this site is full" in said
    assert "site_failures: report" in said
    assert "missing: gmcbc-fig4" in said
    assert (checkout.folder / "results/tables/gmcbc-table1.tsv").exists()  # others went on
