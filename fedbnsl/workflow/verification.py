"""Making some results again, elsewhere and from nothing, to see whether they come out with the same bytes."""

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from fedbnsl.errors import InputError
from fedbnsl.seeds import generator


def choose(candidates: Iterable[str], wanted: int | Sequence[str], seed: int) -> list[str]:
    """The results to make again: those that are named, or some at random.

    Parameters
    ----------
    candidates : iterable of str
        Files that can be made again.
    wanted : int or list of str
        How many, drawn by the seed, or which.
    seed : int
        The root seed.

    Raises
    ------
    InputError
        If there is nothing to choose from, or a named file is not there.
    """
    there = sorted(path for path in set(candidates) if Path(path).is_file())
    if not isinstance(wanted, int):
        for path in wanted:
            if path not in there:
                raise InputError(
                    f"{path!r} is not among the results that can be verified",
                    where="config.yaml, verify",
                    remedy=f"Name tables, measures or network pages that are there, such as {there[:1]}",
                )
        return list(wanted)
    if not there:
        raise InputError("there are no results to verify", remedy="Run snakemake --cores 2 first")
    order = generator(seed, "verify").permutation(len(there))
    return sorted(there[k] for k in order[:wanted])


def differences(paths: Sequence[str], config: dict, snakefile: Path | str, folder: Path | str) -> list[str]:
    """Make results again in an empty folder, and name those whose bytes differ.

    Parameters
    ----------
    paths : list of str
        Results, relative to the current folder.
    config : dict
        The settings they were made with.
    snakefile : path
    folder : path
        The empty folder; other files that the settings name must be found from there.

    Raises
    ------
    InputError
        If they cannot be made.
    """
    folder = Path(folder)
    (folder / "config.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(Path(snakefile).resolve())]
    command += ["--directory", str(folder), "--cores", "1", "--", *paths]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=sys.stdout, stderr=sys.stdout)
    if done.returncode:
        raise InputError("a result could not be made again; the log of this job says why")
    return [path for path in paths if (folder / path).read_bytes() != Path(path).read_bytes()]
