"""Digest of the code that a script reaches, so that editing a module reruns what depends on it.

Snakemake notices a changed script, but not a changed module that the script imports. Every rule
therefore carries the digest of its script's import closure within :mod:`fedbnsl` as a parameter.

How imports are read: statically, from the syntax tree, nested imports included. The packages'
``__init__`` files only hold lazy exports (``lazy_loader.attach``), so ``from fedbnsl.data import
load_network`` is followed to the one module that defines the name, and the ``__init__`` files
themselves stay out of the digest: a new export must not rerun everything. The register of methods
is left out for the same reason; a method's own entry and module are added where it is used.

What a module reaches without an import statement counts too: other files that lie beside it (a page's
template), every module of its package where it imports by name (the file formats), and the files of
``resources/`` where it can open them.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from fedbnsl.registry import Method

PACKAGE = Path(__file__).resolve().parents[1]
_LEFT_OUT = {"fedbnsl.methods"}
_OPENS_RESOURCES = "fedbnsl.data.resources"


def digest(script: Path | str, methods: Iterable[Method] = (), modules: Iterable[str] = ()) -> str:
    """Digest of a script, every fedbnsl module it can reach, and the given methods.

    Parameters
    ----------
    script : path
        The script, outside the package.
    methods : iterable of Method
        Methods that the script will load by name.
    modules : iterable of str
        Further modules that it will load by name, dotted.

    Returns
    -------
    str
        16 hexadecimal digits.
    """
    methods = list(methods)
    start = set(_imports(Path(script)))
    start.update(method.function.partition(":")[0] for method in methods)
    start.update(modules)
    lines = [*_lines(frozenset(start)), *map(repr, sorted(methods, key=lambda method: method.name))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@cache  # most jobs of a plan share their script and their method
def _lines(modules: frozenset[str]) -> tuple[str, ...]:
    """Each file that the modules reach, with its digest."""
    files = {path for name in closure(modules) for path in (_path(name), *_beside(name))}
    return tuple(f"{path.relative_to(PACKAGE.parent)} {_file_digest(path)}" for path in sorted(files))


def closure(modules: Iterable[str]) -> set[str]:
    """The given fedbnsl modules and all that they import, directly or not."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imports(_path(name)))
    return found


@cache
def _imports(path: Path) -> frozenset[str]:
    """The fedbnsl modules that a file imports, lazily exported names resolved."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    by_name = re.search(rf"\bf['\"]{PACKAGE.name}\.", text)  # only then are the expressions looked through
    for node in ast.walk(tree) if by_name else _statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found |= _resolve(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, path)
            for alias in node.names:
                found |= _resolve(base, alias.name)
        elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            # f"fedbnsl.graphs.formats.{name}": any module of that package
            package, dot, rest = str(node.values[0].value).rpartition(".")
            if package.startswith(f"{PACKAGE.name}.") and dot and not rest:
                found |= _everything(package)
    return frozenset(found - _LEFT_OUT)


def _statements(node) -> Iterator[ast.AST]:
    """The statements below a node, at any depth."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for statement in getattr(node, part, ()):
            yield statement
            yield from _statements(statement)


def _absolute(node: ast.ImportFrom, path: Path) -> str:
    if not node.level:
        return node.module or ""
    package = path.resolve().relative_to(PACKAGE.parent).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def _resolve(module: str, name: str | None = None) -> set[str]:
    """The modules that ``import module`` or ``from module import name`` makes reachable."""
    if module.split(".")[0] != PACKAGE.name:
        return set()
    if name is not None:
        if _path(f"{module}.{name}").is_file():
            return {f"{module}.{name}"}
        folder = PACKAGE.parent.joinpath(*module.split("."))
        if folder.is_dir():
            if (folder / name).is_dir():
                return _everything(f"{module}.{name}")
            target = _exports(module).get(name)
            return _resolve(f"{module}.{target}") if target else set()
        return {module}
    if _path(module).is_file():
        return {module}
    # a package imported as a whole: any of its modules may be used through attributes
    return _everything(module)


def _everything(package: str) -> set[str]:
    folder = PACKAGE.parent.joinpath(*package.split("."))
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in sorted(folder.rglob("*.py"))
        if path.name != "__init__.py"
    } - _LEFT_OUT


@cache
def _beside(module: str) -> frozenset[Path]:
    """Files that are not Python and that a module can open: those in its folder, or the resources."""
    folder = _path(module).parent
    if module == _OPENS_RESOURCES:
        folder = next(path for path in (PACKAGE / "resources", PACKAGE.parent / "resources") if path.is_dir())
        files = folder.rglob("*")
    else:
        files = folder.glob("*")
    return frozenset(p for p in files if p.is_file() and p.suffix not in (".py", ".pyc"))


@cache
def _exports(package: str) -> dict[str, str]:
    """Exported name → submodule, from the package's call of ``lazy_loader.attach``."""
    path = PACKAGE.parent.joinpath(*package.split("."), "__init__.py")
    exports: dict[str, str] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "submod_attrs":
            for module, names in ast.literal_eval(node.value).items():
                exports.update(dict.fromkeys(names, module))
        elif isinstance(node, ast.ImportFrom) and node.module:
            exports.update(
                {alias.asname or alias.name: node.module.removeprefix(f"{package}.") for alias in node.names}
            )
    return exports


@cache
def _path(module: str) -> Path:
    return PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")


@cache
def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
