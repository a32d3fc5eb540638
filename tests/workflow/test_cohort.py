"""From messy files of five sites to a network with its page, as the README shows it."""

import json

import numpy as np
import pandas
import pytest

from fedbnsl.data import load_network
from fedbnsl.graphs.formats import read_graph
from fedbnsl.graphs.graph import as_graph
from fedbnsl.workflow.cohort_pieces import PIECES

QUICK = "\n  stability: {replicates: 2}\n  held_out: {folds: 2}\n"
ASIA = "results/examples/asia/cohort.yaml"
SACHS = "results/examples/sachs/cohort.yaml"
FEWER = ("    south:", "    east:", "    west:")  # sites of sachs that are left out


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """A copy with both examples written, made quick."""
    from checkout import Checkout

    checkout = Checkout(tmp_path_factory.mktemp("cohort"))
    checkout.snakemake("examples")
    checkout.edit(ASIA, "consensus: [gmcbc]", "consensus: [gmcbc, majority]")
    checkout.edit(SACHS, "consensus: [gmcbc]", "consensus: []")
    path = checkout.folder / SACHS
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(FEWER)), encoding="utf-8")
    # a name that some formats cannot hold
    checkout.edit(SACHS, "  spelling: loose", "  rename: {PKC: 'p\\kc'}\n  spelling: loose")
    for name in (ASIA, SACHS):
        with (checkout.folder / name).open("a", encoding="utf-8") as file:
            file.write(QUICK)
    return checkout


@pytest.fixture(scope="module")
def asia(sites):
    sites.run = sites.snakemake("cohort", "--configfile", ASIA)
    return sites


def contents(checkout):
    folder = checkout.folder / "results/cohort"
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_every_piece_is_there_and_the_end_says_so(asia):
    for method in ("gmcbc", "majority"):
        for piece in PIECES:
            assert (asia.folder / "results/cohort" / method / piece).stat().st_size > 0
        assert f"{method}: results/cohort/{method}/index.html" in asia.run.stderr
    assert "predicts held-out rows best" in asia.run.stderr
    assert not (asia.folder / "results/sites").exists()
    assert "figures and tables" not in asia.run.stderr


def test_the_network_comes_near_the_one_the_rows_were_drawn_from(asia):
    network = read_graph(asia.folder / "results/cohort/gmcbc/files/network.bif")
    found = {frozenset(edge) for edge in network.edges()}
    true = {frozenset(edge) for edge in load_network("asia").graph.edges()}
    assert len(found & true) >= 6
    assert len(found - true) <= 2


def test_the_network_answers_a_query(asia):
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    model = BIFReader(str(asia.folder / "results/cohort/gmcbc/files/network.bif")).get_model()
    answer = VariableElimination(model).query(["bronc"], evidence={"smoke": "yes"}, show_progress=False)
    assert answer.get_value(bronc="yes") == pytest.approx(0.6, abs=0.06)  # .6 in the network


def test_edges_have_evidence_and_the_tables_fit_together(asia):
    folder = asia.folder / "results/cohort/gmcbc"
    edges = pandas.read_csv(folder / "edges.csv")
    assert (edges["strength"] > 0).all()
    assert edges["support"].between(0, 1).all()
    assert set(edges["confidence"]) <= {0, 0.5, 1}
    graph = read_graph(folder / "files/network.graphml")
    assert set(zip(edges["from"], edges["to"], strict=True)) == set(graph.edges())
    joining = pandas.read_csv(folder / "joining.tsv", sep="\t")
    assert list(joining["site"]) == ["north", "south", "east", "west", "island"]
    assert np.isfinite(joining["shared"]).all()
    table = pandas.read_csv(asia.folder / "results/cohort/methods.tsv", sep="\t")
    assert list(table["method"]) == ["gmcbc", "majority"]
    assert table["recommended"].sum() == 1
    assert table["behind"].min() == 0


def test_the_page_says_what_was_done_and_promises_no_privacy(asia):
    page = (asia.folder / "results/cohort/gmcbc/index.html").read_text(encoding="utf-8")
    for part in (
        "No differential privacy",
        "Does joining pay?",
        "Where the sites differ",
        "Sources:",
        "root seed",
        "numpy",
        "island",
    ):
        assert part in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def test_one_core_and_a_second_run_change_nothing(asia):
    before = contents(asia)
    assert asia.planned("cohort", "--configfile", ASIA) <= {"cohort"}
    page = "results/cohort/gmcbc/index.html"
    asia.snakemake(page, "--configfile", ASIA, "--forcerun", "cohort_stability", cores=1)
    assert contents(asia) == before


def test_a_site_that_fails_is_named_and_the_others_go_on(asia):
    path = asia.folder / "results/cohort/sites/east.learned.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    failed = {"site": "east", "error": "it broke", "warnings": []}
    path.write_text(json.dumps(failed), encoding="utf-8")
    asia.snakemake("results/cohort/gmcbc/index.html", "--configfile", ASIA)
    page = (asia.folder / "results/cohort/gmcbc/index.html").read_text(encoding="utf-8")
    assert "1 without a graph" in page
    assert "it broke" in page
    assert "Each of 4 sites learned" in page
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")


def test_continuous_sites_by_a_federated_method(asia):
    asia.snakemake("cohort", "--configfile", SACHS)
    folder = asia.folder / "results/cohort/fed-sparse-bnsl"
    edges = pandas.read_csv(folder / "edges.csv")
    assert edges["coefficient"].notna().all()
    parameters = pandas.read_csv(folder / "files/parameters.csv")
    assert (parameters[parameters["term"] == "variance"]["value"] > 0).all()
    assert len(parameters) == 2 * 11 + len(edges)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "No network.dot: DOT cannot hold" in page
    graph = as_graph(read_graph(folder / "files/network.json"))
    assert "p\\kc" in graph.names
    assert set(zip(edges["from"], edges["to"], strict=True)) == set(graph.edges())
    assert "bytes of messages in" in page
    assert "paths lead from a smaller to a larger variance" in page
    # what the other rows gave before is out of the way
    assert (folder.parent / "earlier/gmcbc/index.html").exists()
    assert not (folder.parent / "gmcbc").exists()
