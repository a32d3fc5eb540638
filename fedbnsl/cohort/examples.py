"""Two cohorts to try everything on: five unequal, non-identical sites, messy as such files are.

``asia``: the Asia network, discrete, 2950 rows. Every site draws from the network with another share of
smokers. ``sachs``: the protein measurements of :func:`fedbnsl.data.load_sachs`, natural logarithms, 3300 of
the cells, each at one site; sites differ in the level of PKC.

What is wrong with the files, each of which the section written beside them mends:

========  =======================================  =======================================
site      asia                                     sachs
========  =======================================  =======================================
north     identifiers, dates                       a column that counts the rows
south     semicolons, cp1252, another name         semicolons, decimal commas
east      tabs, packed, byte-order mark, YES/NO    names in capitals, a blank in one
west      missing values as ?, -9 and empty; y/n   tabs; missing values as -999 and NA
island    Parquet, 0/1, names in capitals          Parquet, a column of its own
========  =======================================  =======================================
"""

import csv
import gzip
import io
import os
from pathlib import Path

import numpy as np
import yaml

from fedbnsl.data.networks import load_network
from fedbnsl.data.sachs import load_sachs
from fedbnsl.errors import InputError
from fedbnsl.files import replacing, write_text
from fedbnsl.seeds import generator

EXAMPLES = ("asia", "sachs")
_ASIA_ROWS = {"north": 1200, "south": 800, "east": 500, "west": 300, "island": 150}
_SMOKERS = {"north": 0.5, "south": 0.35, "east": 0.65, "west": 0.45, "island": 0.25}
_SACHS_ROWS = {"north": 1400, "south": 900, "east": 500, "west": 300, "island": 200}

_ASIA = """cohort:
  sites:
    north: {folder}/north.csv
    south: {{file: {folder}/south.csv, separator: ";", encoding: cp1252}}
    east: {folder}/east.tsv.gz
    west: {folder}/west.csv
    island: {folder}/island.parquet
  columns:
    ignore: [admitted, clinic]
    identifier: [patient_id]
    discrete:
      asia: [no, yes]
      tub: [no, yes]
      smoke: [no, yes]
      lung: [no, yes]
      bronc: [no, yes]
      either: [no, yes]
      xray: [no, yes]
      dysp: [no, yes]
  rename: {{Smoker: smoke}}
  recode:
    bronc: {{"y": yes, "n": no}}
    xray: {{"0": no, "1": yes}}
  spelling: loose
  missing: {{codes: ["?", -9], policy: complete-cases}}
  background:
    tiers: [[asia, smoke], [tub, lung, bronc, either], [xray, dysp]]
  learner: ges
  consensus: [gmcbc]
"""
_SACHS = """cohort:
  sites:
    north: {folder}/north.csv
    south: {{file: {folder}/south.csv, separator: ";", decimal: ","}}
    east: {folder}/east.csv
    west: {folder}/west.tsv
    island: {folder}/island.parquet
  columns:
    ignore: [batch]
    identifier: [cell]
  spelling: loose
  missing: {{codes: [-999], policy: impute}}
  learner: ges
  consensus: [gmcbc]
  federate: [fed-sparse-bnsl]
"""


def write_example(name: str, folder: Path | str, seed: int = 1) -> str:
    """Write the files of an example cohort and its section of config.yaml.

    Parameters
    ----------
    name : str
        ``asia`` or ``sachs``.
    folder : path
        Where the five files and ``cohort.yaml`` go; made if it is missing. The section names the files by
        this path, so a relative one is to be read from the same current folder.
    seed : int
        The same seed gives the same bytes.

    Returns
    -------
    str
        The section, as in ``cohort.yaml``: for :func:`fedbnsl.cohort.read`, for ``snakemake --configfile``,
        or to paste into config.yaml.

    Raises
    ------
    InputError
        If there is no such example, or the folder cannot be written to or named in YAML.
    """
    if name not in EXAMPLES:
        raise InputError(f"there is no example {name!r}", remedy=f"Choose one of: {', '.join(EXAMPLES)}")
    if not isinstance(folder, str | os.PathLike):
        raise InputError(f"the folder must be a path, not {folder!r}")
    folder = Path(folder)
    text = (_ASIA if name == "asia" else _SACHS).format(folder=folder.as_posix())
    if not _can_stand_in_yaml(folder.as_posix(), text):
        raise InputError(
            "the folder's name has signs that mean something in YAML",
            where=str(folder),
            remedy="Use letters, digits, '/', '_', '.' and '-'",
        )
    try:
        (_write_asia if name == "asia" else _write_sachs)(folder, seed)
        write_text(folder / "cohort.yaml", text)
    except OSError as error:
        raise InputError(f"cannot be written to ({error.strerror})", where=str(folder)) from None
    return text


def _can_stand_in_yaml(folder: str, text: str) -> bool:
    try:
        sites = yaml.safe_load(text)["cohort"]["sites"]
    except (yaml.YAMLError, TypeError):
        return False
    return (sites["north"], sites["south"]["file"]) == (f"{folder}/north.csv", f"{folder}/south.csv")


# --- asia


def _write_asia(folder: Path, seed: int) -> None:
    network = load_network("asia")
    names = list(network.names)
    tables = {site: _asia_rows(network, site, seed) for site in _ASIA_ROWS}
    for site, rows in tables.items():
        rng = generator(seed, "cohort example asia", site)
        n = len(rows)
        days = rng.integers(0, 700, n)
        dates = [str(np.datetime64("2022-01-01") + int(day)) for day in days]
        ids = [f"{site[0].upper()}-{number:05d}" for number in rng.permutation(10 * n)[:n]]
        if site == "north":
            _text(folder / "north.csv", ["patient_id", *names, "admitted"], _beside(ids, rows, dates))
        elif site == "south":
            header = ["patient_id", *("Smoker" if name == "smoke" else name for name in names), "clinic"]
            cells = _beside(ids, rows, ["Süd"] * n)
            _text(folder / "south.csv", header, cells, separator=";", encoding="cp1252")
        elif site == "east":
            cells = [[cell.upper() for cell in row] for row in rows]
            _text(
                folder / "east.tsv.gz", [*names, "admitted"], _beside(None, cells, dates), "\t", "utf-8-sig"
            )
        elif site == "west":
            place = names.index("bronc")
            cells = [[*row[:place], row[place][0], *row[place + 1 :]] for row in rows]
            for mark, column in (("?", "smoke"), ("-9", "xray"), ("", "dysp")):
                for k in rng.permutation(n)[: n // 40]:
                    cells[k][names.index(column)] = mark
            _text(folder / "west.csv", names, cells)
        else:
            place = names.index("xray")
            codes = {"no": "0", "yes": "1"}
            cells = [[*row[:place], codes[row[place]], *row[place + 1 :]] for row in rows]
            _parquet(folder / "island.parquet", [name.upper() for name in names], cells)


def _asia_rows(network, site: str, seed: int) -> list[list[str]]:
    """Rows of the network in which the share of smokers is the site's."""
    n = _ASIA_ROWS[site]
    drawn = network.sample(4 * n, seed=seed * 1000 + list(_ASIA_ROWS).index(site))
    smoke = drawn.names.index("smoke")
    yes = drawn.values[:, smoke] == drawn.states[smoke].index("yes")
    wanted = round(_SMOKERS[site] * n)
    chosen = np.sort(np.concatenate([np.flatnonzero(yes)[:wanted], np.flatnonzero(~yes)[: n - wanted]]))
    labels = [np.array(states, dtype=object) for states in drawn.states]
    columns = [states[codes] for states, codes in zip(labels, drawn.values[chosen].T, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _beside(first: list[str] | None, rows: list[list[str]], last: list[str]) -> list[list[str]]:
    before = [[]] * len(rows) if first is None else [[cell] for cell in first]
    return [[*a, *row, b] for a, row, b in zip(before, rows, last, strict=True)]


# --- sachs


def _write_sachs(folder: Path, seed: int) -> None:
    site, _ = load_sachs(log=True)
    names = list(site.names)
    rng = generator(seed, "cohort example sachs")
    level = site.values[:, names.index("PKC")]
    order = np.argsort(level / level.std() + rng.normal(0, 1.5, len(level)), kind="stable")
    # of all cells in the order of their level of PKC, blurred by noise: every site has a stretch of its own
    stretches = np.array_split(order, len(_SACHS_ROWS))
    for (name, n), stretch in zip(_SACHS_ROWS.items(), stretches, strict=True):
        rows = [[f"{value:.4f}" for value in row] for row in site.values[rng.permutation(stretch)[:n]]]
        if name == "north":
            cells = [[str(k), *row] for k, row in enumerate(rows, 1)]
            _text(folder / "north.csv", ["cell", *names], cells)
        elif name == "south":
            cells = [[cell.replace(".", ",") for cell in row] for row in rows]
            _text(folder / "south.csv", names, cells, separator=";")
        elif name == "east":
            header = [label.upper() for label in names]
            header[0] += " "
            _text(folder / "east.csv", header, rows)
        elif name == "west":
            for mark, column in (("-999", "pmek"), ("NA", "P38")):
                for k in rng.permutation(n)[: n // 50]:
                    rows[k][names.index(column)] = mark
            _text(folder / "west.tsv", names, rows, separator="\t")
        else:
            cells = [[*map(float, row), "batch 7"] for row in rows]
            _parquet(folder / "island.parquet", [*names, "batch"], cells)


# --- files


def _text(path: Path, header, rows, separator: str = ",", encoding: str = "utf-8") -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, lineterminator="\n")
    writer.writerows([header, *rows])
    content = buffer.getvalue().encode(encoding)
    with replacing(path) as temporary:
        temporary.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def _parquet(path: Path, header, rows) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = [pyarrow.array(list(column)) for column in zip(*rows, strict=True)]
    with replacing(path) as temporary:
        table = pyarrow.Table.from_arrays(columns, names=list(header))
        pyarrow.parquet.write_table(table, temporary, write_statistics=False)
