"""numba's cache does not notice an edit of another file whose kernels are built in, so none may be."""

import ast
from pathlib import Path

import fedbnsl

PACKAGE = Path(fedbnsl.__file__).parent


def compiling_files():
    """Files that compile something, as (path, syntax tree)."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(n, ast.ImportFrom) and n.module == "numba" for n in ast.walk(tree)):
            yield path, tree


def test_there_are_kernel_files_and_they_are_named_so():
    names = {path.name for path, _ in compiling_files()}
    assert "_kernels.py" in names
    assert all(name.endswith("_kernels.py") for name in names)


def test_no_kernel_file_uses_another_file_of_the_package():
    for path, tree in compiling_files():
        for node in ast.walk(tree):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [m for m in modules if m.split(".")[0] == "fedbnsl"], path
