"""The consensus of a user's own networks, from three files in three formats."""

import re

import pandas
import pytest
import yaml
from checkout import Checkout
from test_readme import blocks

from fedbnsl.graphs.formats import read_graph
from fedbnsl.workflow.own_networks import PIECES

ANNA = """network anna { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable cancer { type discrete [ 2 ] { yes, no }; }
variable cough { type discrete [ 2 ] { yes, no }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( cancer | smoke ) { (yes) 0.5, 0.5; (no) 0.5, 0.5; }
probability ( cough | cancer ) { (yes) 0.5, 0.5; (no) 0.5, 0.5; }
"""
BEN = "from,to\nsmoke,cancer\nsmoke,cough\ncancer,cough\n"
CLEO = "digraph { smoke -> cancer; cancer -> cough; }\n"


@pytest.fixture(scope="module")
def experts(tmp_path_factory):
    """A copy with the three files, named in config.yaml as the README shows it, after its run."""
    checkout = Checkout(tmp_path_factory.mktemp("networks"))
    folder = checkout.folder / "experts"
    folder.mkdir()
    for name, text in (("anna.bif", ANNA), ("ben.csv", BEN), ("cleo.dot", CLEO)):
        (folder / name).write_text(text, encoding="utf-8")
    (section,) = (block for block in blocks("yaml") if "networks:" in block)
    wanted = yaml.safe_load(section)["networks"]
    for key, value in wanted.items():
        old = re.search(rf"^  {key}: .*$", read(checkout, "config.yaml").partition("\nnetworks:")[2], re.M)[0]
        checkout.edit("config.yaml", f"\n{old}", f"\n  {key}: {value}".replace("'", ""))
    assert yaml.safe_load(read(checkout, "config.yaml"))["networks"].items() >= wanted.items()
    (command,) = re.findall(r"^snakemake --cores \d networks", "\n".join(blocks("bash")), re.M)
    checkout.run = checkout.snakemake(command.split()[-1])
    return checkout


def read(checkout, name):
    return (checkout.folder / name).read_text(encoding="utf-8")


def contents(checkout):
    folder = checkout.folder / "results/own"
    return {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_only_this_ran_and_the_end_says_where_the_pages_are(experts):
    assert not (experts.folder / "results/sites").exists()
    assert "gmcbc: results/own/gmcbc/index.html" in experts.run.stderr
    assert "figures and tables" not in experts.run.stderr


def test_every_piece_is_there_and_the_formats_agree(experts):
    own = experts.folder / "results/own"
    for piece in PIECES:
        assert (own / "gmcbc" / piece).stat().st_size
    graphs = [read_graph(own / f"gmcbc/network.{suffix}") for suffix in ("graphml", "dot", "json")]
    assert graphs[0] == graphs[1] == graphs[2]
    assert {frozenset(e) for e in graphs[0].edges()} == {
        frozenset(("smoke", "cancer")),
        frozenset(("cancer", "cough")),
    }


def test_the_tables_tell_support_and_reasons(experts):
    own = experts.folder / "results/own"
    edges = pandas.read_csv(own / "gmcbc/edges.csv")
    assert list(edges["support"]) == [1.0, 1.0]
    reasons = pandas.read_csv(own / "gmcbc/reasons.tsv", sep="\t")
    (cut,) = reasons[reasons["consensus"] == "cut"].to_dict("records")
    assert {cut["from"], cut["to"]} == {"smoke", "cough"}
    assert cut["inputs"].startswith("ben ")
    assert (cut["theta_cut"], cut["step"]) == (pytest.approx(1 / 3), 1)
    methods = pandas.read_csv(own / "methods.tsv", sep="\t")
    assert list(methods["network"]) == ["gmcbc", "majority", "best input: anna", "mean of the 3 inputs"]
    assert list(methods["edges"]) == pytest.approx([2, 2, 2, 7 / 3])
    # the moral graph of ben has one edge more than the others'
    assert list(methods["smhd_inputs"]) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 4 / 9])
    theta = pandas.read_csv(own / "gmcbc/theta.tsv", sep="\t")
    assert list(theta[theta["chosen"]]["edges"]) == [2]


def test_the_page_is_offline_and_says_which_expert_said_what(experts):
    page = read(experts, "results/own/gmcbc/index.html")
    assert "anna →; ben →; cleo →" in page or "anna ←; ben ←; cleo ←" in page
    assert "data:image/png;base64," in page
    assert not re.search(r"(src|href)=\"?(https?:)?//", page)


def test_an_edited_file_runs_again_and_the_same_files_give_the_same_bytes(experts):
    assert experts.planned("networks") == set()
    before = contents(experts)
    ben = experts.folder / "experts/ben.csv"
    ben.write_text(BEN + "\n", encoding="utf-8")
    assert experts.planned("networks") == {"read_networks", "own_network", "compare_networks"}
    experts.snakemake("networks")
    assert contents(experts) == before


def test_all_includes_it_and_another_threshold_runs_the_consensus_alone(experts):
    experts.edit("config.yaml", "  theta: null", "  theta: 0.9")
    planned = experts.planned("all", "--config", "preset=smoke")
    assert planned >= {"sites", "own_network", "compare_networks"}
    assert "read_networks" not in planned
    experts.edit("config.yaml", "  theta: 0.9", "  theta: null")


def test_without_files_the_message_says_what_to_write(experts):
    done = experts.snakemake("-n", "networks", "--config", "networks={files: []}", check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert "there are no network files to fuse" in said
    assert "    files: [experts/*.bif, learned/north.graphml]" in said
    assert "Traceback" not in said


def test_a_file_with_a_cycle_is_named(experts):
    (experts.folder / "cyclic.csv").write_text("from,to\na,b\nb,c\nc,a\n", encoding="utf-8")
    done = experts.snakemake("networks", "--config", "networks={files: [cyclic.csv]}", check=False)
    assert done.returncode
    said = done.stdout + done.stderr
    assert "read_networks: cyclic.csv: the graph has the directed cycle a → b → c → a. Give a DAG" in said
    assert "Traceback" not in said
