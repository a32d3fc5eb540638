"""A small file beside every table and network that says what it was made with.

``results/tables/NAME.provenance.json`` holds the rule, its parameters (settings, seeds, and the digest of the
code that its script reaches), the files it read, the versions of Python and of what the numbers hang on, and
the SHA-256 of each file that was made. It holds no time and no place, so equal runs write equal files.
"""

import hashlib
import importlib
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from fedbnsl.files import write_json

FOLDERS = ("results/tables/", "results/networks/", "results/own/")
PACKAGES = ("numpy", "scipy", "pandas", "numba", "llvmlite", "networkx", "pgmpy", "matplotlib", "snakemake")
SUFFIX = ".provenance.json"


def provenance_file(output: str) -> str | None:
    """Where the provenance of a job is told, by the job's first output; None if it is no table or network."""
    return output.removesuffix(Path(output).suffix) + SUFFIX if output.startswith(FOLDERS) else None


def write_provenance(snakemake) -> None:
    """Write the file for a job that has just made its outputs; nothing for most jobs.

    Parameters
    ----------
    snakemake : object
        What Snakemake gives to scripts.
    """
    path = provenance_file(str(snakemake.output[0])) if len(snakemake.output) else None
    if path is None:
        return
    made = {str(name): sha256(name) for name in snakemake.output if Path(name).is_file()}
    told = {
        "made": made,
        "rule": snakemake.rule,
        "parameters": _plain(dict(snakemake.params.items())),
        "read": [str(name) for name in snakemake.input],
        "versions": versions(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
    write_json(path, told)


def versions() -> dict[str, str]:
    """Of Python, this package, and the packages that results hang on."""
    # by name: as an import it would belong to the code of every job, and a new version would redo them all
    own = importlib.import_module("fedbnsl._version").__version__
    found = {"python": platform.python_version(), "fedbnsl": own}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def sha256(path: Path | str) -> str:
    """Digest of a file, in hexadecimal digits."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _plain(value):
    """The same with nothing but what JSON knows."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | range):
        return [_plain(part) for part in (sorted(value) if isinstance(value, set) else value)]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
