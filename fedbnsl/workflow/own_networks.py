"""The section ``networks:`` of config.yaml: a user's own network files and how to fuse them."""

import glob
import math
import os
from collections.abc import Sequence
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.registry import method, methods
from fedbnsl.spec import Spec

#: Where the results go; patterns never match what lies there.
FOLDER = "results/own"

#: What is made for each method, below ``FOLDER/METHOD/``.
PIECES = (
    *("index.html", "edges.csv", "reasons.tsv", "measures.json"),
    *("network.graphml", "network.dot", "network.json", "network.pdf", "network.png"),
    *("theta.tsv", "theta.pdf", "theta.png"),
)

WHERE = "config.yaml, networks"
NO_FILES = InputError(
    "there are no network files to fuse",
    where=f"{WHERE}.files",
    remedy="Name them, for example\n\n"
    "  networks:\n"
    "    files: [experts/*.bif, learned/north.graphml]\n\n"
    "The suffix says the format: .bif .xmlbif .xml .xdsl .net .graphml .gml .dot .csv .tsv .json .txt "
    "(Tetrad), each also with .gz",
)


def check_section(section: dict, options: dict[str, dict]) -> dict:
    """The section with its methods in canonical text, after its schema has been checked.

    Parameters
    ----------
    section : dict
        ``files``, ``variables``, ``methods``, ``theta``.
    options : dict
        The section ``options:`` of config.yaml, which holds for the methods named here as well.

    Returns
    -------
    dict
        A method that is given twice, be it with a default spelt out, stands there once.

    Raises
    ------
    InputError
        If a method or an option is unknown, files are to be weighted by rows, or θ is no finite number.
    """
    theta = section["theta"]
    if theta is not None and not math.isfinite(theta):  # a schema's bounds let nan through
        raise InputError(
            f"θ cannot be {theta}",
            where=f"{WHERE}.theta",
            remedy="Write null to have it chosen, or a number:\n\n  networks:\n    theta: 0.5\n",
        )
    labels = dict.fromkeys(_canonical(text, options) for text in section["methods"])
    for label in labels if section["files"] else ():
        if Spec.parse(label).dict().get("weights") == "rows":
            raise InputError(
                f"{label!r}: network files do not say how many rows they were learned from",
                where=f"{WHERE}.methods",
                remedy="Give a number for each file, in their order, for example\n\n  networks:\n"
                "    methods: [gmcbc@weights=5000+3000+200]\n",
            )
    return {**section, "methods": list(labels), "theta": None if theta is None else float(theta)}


def _canonical(text: str, options: dict[str, dict]) -> str:
    where = f"{WHERE}.methods"
    remedy = f"There is {', '.join(methods('consensus'))}. For example\n\n  networks:\n    methods: [gmcbc]\n"
    try:
        spec = Spec.parse(text)
        entry = method(spec.name, "consensus")
    except InputError as error:
        raise InputError(error.problem, where=where, remedy=remedy) from None
    chosen = {**options.get(spec.name, {}), **spec.dict()}
    entry.checked(chosen, where=where)
    return str(Spec.of(spec.name, chosen, entry.defaults()))


def check_weights(labels: Sequence[str], files: Sequence[str]) -> None:
    """InputError unless the weights in the methods' options are one a file, before anything runs."""
    for label in labels if files else ():
        weights = Spec.parse(label).dict().get("weights", "equal")
        if weights != "equal" and weights.count("+") + 1 != len(files):
            raise InputError(
                f"{label} gives {weights.count('+') + 1} weights for {len(files)} "
                f"file{'s' * (len(files) != 1)}",
                where=f"{WHERE}.methods",
                remedy=f"Give one a file, in the order {', '.join(files[:20])}",
            )


def expand(entries: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files that paths and patterns name, relative to the current folder.

    The order is that of the entries; what one pattern matches is sorted. A file that is named more
    than once, for instance by two patterns, counts once.

    Returns
    -------
    files : list of str
    repeated : list of str
        The files that were named more than once.

    Raises
    ------
    InputError
        If there is no such file, a pattern matches none, or the format is unknown.
    """
    files: dict[Path, str] = {}
    repeated: dict[str, None] = {}
    for entry in entries:
        for path in _matches(entry):
            real = Path(path).resolve()
            if real in files:
                repeated[files[real]] = None
            else:
                files[real] = path
    return list(files.values()), list(repeated)


def _matches(entry: str) -> list[str]:
    from fedbnsl.graphs.formats.files import check_suffix

    path = os.path.normpath(os.path.expanduser(entry))
    where = f"{WHERE}.files"
    if os.path.isfile(path):
        found = [path]
    elif glob.has_magic(path):
        found = sorted(os.path.normpath(p) for p in glob.glob(path, recursive=True) if os.path.isfile(p))
        found = [p for p in found if not Path(p).resolve().is_relative_to(Path(FOLDER).resolve())]
        if not found:
            raise InputError(
                f"the pattern {entry!r} matches no file",
                where=where,
                remedy=f"It is looked for from the folder {os.getcwd()}",
            )
    elif os.path.isdir(path):
        raise InputError(
            f"{entry!r} is a folder",
            where=where,
            remedy=f"Say which files in it, for example\n\n  networks:\n    files: [{path}/*.graphml]\n",
        )
    else:
        raise InputError(
            f"there is no file {entry!r}",
            where=where,
            remedy=f"It is looked for from the folder {os.getcwd()}{_neighbours(path)}",
        )
    for name in found:
        if set(name) & set("{}"):
            raise InputError(
                f"{name}: braces cannot stand in a file name here", where=where, remedy="Rename the file"
            )
        try:
            check_suffix(name)
        except InputError as error:
            raise InputError(f"{name}: {error.problem}", where=where, remedy=error.remedy) from None
    return found


def _neighbours(path: str) -> str:
    """What else lies in the folder, where that helps."""
    import difflib

    if os.path.islink(path):
        return f". It is a link to {os.readlink(path)!r}, which is not there"
    if os.path.exists(path):
        return ". What is called so is no file"
    folder = Path(path).parent
    names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    close = difflib.get_close_matches(Path(path).name, names, n=1)
    return f". Did you mean {str(folder / close[0])!r}?" if close else ""


def outputs(labels: Sequence[str]) -> list[str]:
    """All files that are made for some methods."""
    pieces = [f"{FOLDER}/{label}/{piece}" for label in labels for piece in PIECES]
    return [*pieces, f"{FOLDER}/methods.tsv", f"{FOLDER}/inputs.tsv"]


def announcement(files: Sequence[str], labels: Sequence[str]) -> str:
    """What is about to be fused."""
    return f"\nYour own networks: {', '.join(labels)} on {len(files)} file{'s' * (len(files) > 1)}."


def report(labels: Sequence[str], folder: Path | str = FOLDER) -> str:
    """What is there after a run: the pages, and the table that compares the methods."""
    folder = Path(folder)
    lines = ["", "Your own networks"]
    for label in labels:
        page = folder / label / "index.html"
        lines.append(f"  {label}: {page if page.exists() else 'no consensus; see the message above'}")
    table = folder / "methods.md"
    if table.exists():
        lines.append(f"  the methods and the best input side by side: {table}")
    return "\n".join(lines)
