"""The import closure decides what an edit reruns: too small is wrong, too large is waste."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import fedbnsl
from fedbnsl.registry import methods
from fedbnsl.workflow import closure

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))


def reached(script):
    return closure.closure(closure._imports(ROOT / "scripts" / script))


def test_learning_does_not_reach_aggregation_or_pictures():
    found = reached("learn.py")
    assert "fedbnsl.data.site_files" in found
    assert not [
        name for name in found if name.startswith(("fedbnsl.consensus", "fedbnsl.plot", "fedbnsl.federate"))
    ]


def test_consensus_reaches_the_graph_operations_but_not_the_learners():
    found = reached("consensus.py") | closure.closure({"fedbnsl.consensus.pruning"})
    assert {"fedbnsl.graphs.cpdag", "fedbnsl.graphs._kernels", "fedbnsl.consensus.pruning"} <= found
    background = {"background", "background_text", "_ges_kernels", "ges_bits"}  # required and forbidden edges
    learners = {name for name in found if name.startswith("fedbnsl.learn.")}
    assert learners == {f"fedbnsl.learn.{name}" for name in background}


def test_lazily_exported_names_lead_to_their_module():
    assert closure._resolve("fedbnsl.data", "load_network") == {"fedbnsl.data.networks"}
    assert closure._resolve("fedbnsl", "Graph") == {"fedbnsl.graphs.graph"}
    assert "fedbnsl.data.bif" in closure._resolve("fedbnsl", "data")


def test_what_is_reached_without_an_import_statement_counts():
    page = {path.name for path in closure._beside("fedbnsl.plot.page")}
    assert page == {"page.html"}
    tables = {path.name for path in closure._beside("fedbnsl.data.resources")}
    assert {"networks.tsv", "cyto_full_data.csv"} <= tables
    assert "fedbnsl.data.resources" in reached("sites.py")
    assert {"fedbnsl.graphs.formats.graphml", "fedbnsl.graphs.formats.dot"} <= reached("draw.py")


def test_the_register_does_not_reach_every_module():
    assert closure.closure({"fedbnsl.registry"}) == {"fedbnsl.errors", "fedbnsl.registry"}


def test_a_methods_module_counts_only_where_the_method_is_used():
    entries = methods("consensus")
    plain = closure.digest(ROOT / "scripts/consensus.py")
    one, other = list(entries.values())[:2]
    assert len({plain, *(closure.digest(ROOT / "scripts/consensus.py", [m]) for m in (one, other))}) == 3


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_closure_covers_what_python_really_imports(script):
    """Import each module that a script names and compare with what ends up loaded."""
    named = sorted(closure._imports(script))
    program = "import importlib, sys\n" + "".join(f"importlib.import_module({name!r})\n" for name in named)
    program += "print(*[m for m in sys.modules if m.startswith('fedbnsl.')])"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    modules = {
        name
        for name in loaded.stdout.split()
        if Path(importlib.import_module(name).__file__).name != "__init__.py"
    }
    assert modules <= closure.closure(named) | {"fedbnsl._version", "fedbnsl.methods"}


def test_package_init_files_hold_nothing_but_lazy_exports():
    """The digest skips them, so code in one would be code that an edit does not rerun."""
    packages = [fedbnsl.__name__] + [
        info.name for info in pkgutil.walk_packages(fedbnsl.__path__, "fedbnsl.") if info.ispkg
    ]
    for name in packages:
        tree = ast.parse(Path(importlib.import_module(name).__file__).read_text())
        for node in tree.body:
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            is_attach = isinstance(node, ast.Assign) and "attach" in ast.unparse(node.value)
            is_version = isinstance(node, ast.ImportFrom) and node.module in ("fedbnsl._version",)
            is_loader = isinstance(node, ast.Import) and node.names[0].name == "lazy_loader"
            assert is_docstring or is_attach or is_version or is_loader, f"{name}: {ast.unparse(node)[:60]}"
