"""The README does what it says: its Python runs, its table is true, its new method works."""

import re

import pandas
import pytest
from checkout import ROOT, Checkout

from fedbnsl.registry import methods

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    """Fenced blocks of one language, without the indentation of a list item."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", README, flags=re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", body, flags=re.MULTILINE) for indent, body in found]


@pytest.mark.parametrize("program", [b for b in blocks("python") if b.startswith("import fedbnsl")])
def test_the_python_examples_run(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "README.md", "exec"), {})


def test_the_table_of_methods_says_what_the_register_says():
    table = README.split("<!-- methods: begin -->\n")[1].split("<!-- methods: end -->")[0]
    rows = {f"| `{m.name}` | {m.kind} | {m.summary} |" for m in methods().values()}
    assert table.count("\n") >= 9
    assert set(table.splitlines()) <= rows


def test_a_method_added_as_the_readme_says_works(tmp_path):
    checkout = Checkout(tmp_path)
    checkout.edit("config.yaml", "preset: laptop", "preset: smoke")
    new, entry = (block for block in blocks("python") if block.startswith("# fedbnsl/"))
    (study,) = (block for block in blocks("yaml") if block.startswith("# workflow/"))
    (checkout.folder / new.splitlines()[0].removeprefix("# ")).write_text(new, encoding="utf-8")
    entry = "".join(f"    {line}\n" for line in entry.splitlines()[1:])
    path = checkout.folder / "fedbnsl/methods.py"
    text = path.read_text(encoding="utf-8")
    assert text.endswith("]\n")
    path.write_text(text[:-2] + entry + "]\n", encoding="utf-8")
    checkout.edit("workflow/studies/gmcbc.yaml", "methods: [gmcbc]", study.splitlines()[1])

    checkout.snakemake("gmcbc")
    table = pandas.read_csv(checkout.folder / "results/tables/gmcbc-consensus.tsv", sep="\t")
    assert {"gmcbc", "unanimity"} <= set(table["method"])
    own = table[(table["method"] == "unanimity") & (table["series"] == "best")]
    assert (own["edges"] <= table[table["series"] == "inputs"]["edges"].max()).all()
    assert list((checkout.folder / "results/networks/consensus/unanimity").rglob("*.html"))

    checkout.edit("workflow/studies/gmcbc.yaml", "[gmcbc, unanimity]", "[gmcbc, unanimity@share=2]")
    refused = checkout.snakemake("-n", "gmcbc", check=False)
    assert "share" in refused.stdout + refused.stderr
