"""Read and write graphs; the suffix of the path chooses the format.

========================  ==========================  ==========  =======  =========================
suffix                    format                      undirected  weights  variable names
========================  ==========================  ==========  =======  =========================
``.json``                 fedbnsl's own               yes         yes      any
``.csv`` ``.tsv``         edge list                   yes         yes      not blank at either end
``.graphml``              GraphML                     yes         yes      any that XML can hold
``.gml``                  GML                         yes         yes      any
``.dot``                  Graphviz                    yes         yes      no backslash
``.txt``                  Tetrad                      yes         no       no space ; , ( ) [ ]
``.bif``                  Bayesian Interchange        no          no       no ``"`` ``;`` , | brackets
``.xmlbif`` ``.xml``      XMLBIF                      no          no       not blank at either end
``.xdsl``                 GeNIe                       no          no       letters, digits, _
``.net``                  Hugin                       no          no       letters, digits, _
========================  ==========================  ==========  =======  =========================

Every format keeps the order of the variables, isolated variables included, and gives the same bytes
for the same graph. A further ``.gz`` compresses any of them.
"""

import gzip
import importlib
import os
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fedbnsl.errors import InputError
from fedbnsl.graphs.graph import Graph, WeightedGraph


@dataclass(frozen=True)
class _Format:
    module: str
    tables: bool = False  # whether the format holds states and probabilities, and thus only DAGs
    options: dict = field(default_factory=dict)


_FORMATS = {
    ".json": _Format("json_graph"),
    ".csv": _Format("edge_table", options={"delimiter": ","}),
    ".tsv": _Format("edge_table", options={"delimiter": "\t"}),
    ".graphml": _Format("graphml"),
    ".gml": _Format("gml"),
    ".dot": _Format("dot"),
    ".txt": _Format("tetrad"),
    ".bif": _Format("bif", tables=True),
    ".xmlbif": _Format("xmlbif", tables=True),
    ".xml": _Format("xmlbif", tables=True),
    ".xdsl": _Format("xdsl", tables=True),
    ".net": _Format("net", tables=True),
}


def read_graph(path: str | os.PathLike) -> Graph | WeightedGraph:
    """Read a graph; the suffix chooses the format (see the table in this module's description).

    Parameters
    ----------
    path : str or path
        The file; ``.gz`` after the format's suffix is undone.

    Returns
    -------
    Graph or WeightedGraph
        Weighted if the file gives a weight for every edge. Of files that also hold probabilities,
        only the structure is read.

    Raises
    ------
    InputError
        If there is no such file, the suffix is unknown, or the content cannot be understood; the
        message names the file and, where there is one, the line.
    """
    path = Path(path)
    reader = _module(_format(path))
    return reader.read(_content(path), str(path))


def write_graph(graph, path: str | os.PathLike, states: Mapping[str, Sequence[str]] | None = None) -> None:
    """Write a graph; the suffix chooses the format (see the table in this module's description).

    The file appears complete or not at all: it is written beside its place and then moved there.

    Parameters
    ----------
    graph : Graph, WeightedGraph or DiscreteNetwork
        A network's tables go into the formats that hold tables; of the others it is the DAG.
    path : str or path
        Where to; with ``.gz`` after the format's suffix, compressed.
    states : mapping of variable name to a sequence of states, optional
        What ``.bif``, ``.xmlbif``, ``.xdsl`` and ``.net`` need beside a Graph. Such a file must hold
        a probability table for each variable; these are then uniform, and the file says so. The other
        formats hold no states.

    Raises
    ------
    InputError
        If the suffix is unknown, the folder does not exist, or the format cannot hold the graph
        (undirected edges, weights, cycles, names); the message names a way out.
    """
    path = Path(path)
    chosen = _format(path)
    writer = _module(chosen)
    if chosen.tables:
        from fedbnsl.graphs.formats._network import as_network

        network, uniform = as_network(graph, states, path)
        text = writer.write(network, uniform)
    else:
        text = writer.write(_plain(graph), **chosen.options)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the name part {error.object[error.start : error.end]!r} is not a Unicode character",
            where=str(path),
            remedy="Rename the variable, or write .json, which holds every name",
        ) from None
    _put(path, content)


def check_suffix(path: str | os.PathLike) -> None:
    """Raise InputError, with the known ones, unless the suffix is that of a graph format."""
    _format(Path(path))


def _format(path: Path) -> _Format:
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if suffix not in _FORMATS:
        raise InputError(
            f"the suffix {suffix!r} is not that of a graph format"
            if suffix
            else "the file name has no suffix",
            where=str(path),
            remedy=f"Known are {', '.join(_FORMATS)}, each also with .gz",
        )
    return _FORMATS[suffix]


def _plain(graph) -> Graph | WeightedGraph:
    if isinstance(graph, Graph | WeightedGraph):
        return graph
    if isinstance(getattr(graph, "graph", None), Graph):  # a DiscreteNetwork
        return graph.graph
    raise InputError(
        f"a {type(graph).__name__} cannot be written",
        remedy="Give a Graph, a WeightedGraph or a DiscreteNetwork",
    )


def _module(chosen: _Format):
    return importlib.import_module(f"fedbnsl.graphs.formats.{chosen.module}")


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix.lower() == ".gz" else content
    except FileNotFoundError:
        raise InputError("there is no such file", where=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"the file cannot be read ({error})", where=str(path)) from None


def _put(path: Path, content: bytes) -> None:
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)  # no time of writing: same graph, same bytes
    if not path.parent.is_dir():
        raise InputError(
            f"the folder {path.parent} does not exist", where=str(path), remedy="Create it first"
        )
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
