"""Which file belongs to which site."""

import glob
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fedbnsl.data.declared_states import side_file
from fedbnsl.errors import InputError

WHERE = "config.yaml, cohort.sites"
SUFFIXES = (".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz")
_NAME = re.compile(r"\w[\w.-]*")
_RESULTS, _MADE_OF_SITES = "results/", "results/cohort/"
_LONGEST = 100  # bytes; names of files have room for 255


@dataclass(frozen=True)
class SiteFile:
    """One site and its file.

    Attributes
    ----------
    name : str
        The site's name; it can stand in a file name.
    file : str
        The path as the user wrote it.
    path : str
        The path to open.
    separator : str or None
        Between the columns of a text file; None: the suffix says it.
    decimal : str
        ``.`` or ``,``.
    encoding : str or None
        Of a text file; None: UTF-8.
    """

    name: str
    file: str
    path: str
    separator: str | None = None
    decimal: str = "."
    encoding: str | None = None

    @property
    def side_file(self) -> Path:
        """Where declared states may lie beside the file."""
        return side_file(Path(self.path))

    @property
    def suffix(self) -> str:
        """``.csv``, ``.tsv`` or ``.parquet``."""
        return Path(self.path.lower().removesuffix(".gz")).suffix


def site_files(sites: Mapping | list | str) -> tuple[SiteFile, ...]:
    """The sites, in the order given; those of a pattern sorted by file name.

    Parameters
    ----------
    sites : mapping of name to file or to ``{file, separator, decimal, encoding}``; or one or more patterns

    Raises
    ------
    InputError
        If a pattern matches no file, a suffix is unknown, or a name cannot be or is there twice.
    """
    if isinstance(sites, Mapping):
        given = [
            (str(name), one if isinstance(one, Mapping) else {"file": str(one)})
            for name, one in sites.items()
        ]
    else:
        patterns = [sites] if isinstance(sites, str) else sites
        files = dict.fromkeys(file for pattern in patterns for file in _matches(pattern))
        given = [(_site_name(file), {"file": file}) for file in files]
    made: dict[str, SiteFile] = {}
    for name, one in given:
        file = str(one["file"])
        if name in made:
            raise InputError(
                f"two files are called {name!r}: {made[name].file} and {file}",
                where=WHERE,
                remedy=f"Name the sites, for example sites: {{{name}: {made[name].file}, {name}2: {file}}}",
            )
        if not _NAME.fullmatch(name):
            raise InputError(
                f"the site's name {name!r} cannot stand in a file name",
                where=WHERE,
                remedy="Use letters, digits, '_', '.' and '-', starting with a letter or digit: "
                f"sites: {{{_site_name(name)}: {file}}}",
            )
        if len(name.encode()) > _LONGEST:
            raise InputError(
                f"the site's name {name[:20]!r}… is too long for file names",
                where=WHERE,
                remedy=f"Use {_LONGEST} letters at most",
            )
        if set(file) & set("{}"):
            raise InputError(
                f"{file}: braces cannot stand in a file name here", where=WHERE, remedy="Rename the file"
            )
        if not file.lower().endswith(SUFFIXES):
            raise InputError(
                f"the suffix {''.join(Path(file).suffixes[-1:])!r} is not known",
                where=f"{WHERE}.{name}",
                remedy=f"Use {', '.join(SUFFIXES)}; from a spreadsheet, save as CSV UTF-8",
            )
        path = os.path.normpath(Path(file).expanduser())
        made[name] = SiteFile(
            name, file, path, one.get("separator"), one.get("decimal", "."), one.get("encoding")
        )
    return tuple(made.values())


def _matches(pattern: str) -> list[str]:
    """The files of a pattern as the user would write them; no results, but where the pattern begins there."""
    if Path(pattern).is_dir():
        raise InputError(
            f"{pattern!r} is a folder",
            where=WHERE,
            remedy=f"Say which files, for example\n\n  cohort:\n    sites: {pattern.rstrip('/')}/*.csv\n",
        )
    path = Path(pattern).expanduser()
    if path.is_file():  # marks of a pattern may be part of a name
        return [str(path)]
    found = sorted(file for file in glob.glob(str(path), recursive=True) if Path(file).is_file())
    meant = _RESULTS if path.parts[:1] != ("results",) else _MADE_OF_SITES
    made = [file for file in found if file.startswith(meant)]
    files = [file for file in found if file not in made and not file.endswith(".states.json")]
    if not files:
        raise InputError(
            f"the pattern {pattern!r} matches no file"
            + (f" but what the workflow itself has made, such as {made[0]}" if made else ""),
            where=WHERE,
            remedy=f"It is looked for from the folder {Path.cwd()}",
        )
    return files


def _site_name(file: str) -> str:
    name = Path(file).name
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    return re.sub(r"^[^\w]+", "", re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", name))) or "site"
