"""A copy of the checkout in which the workflow may run and files may be edited."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PIECES = (
    "Snakefile",
    "config.yaml",
    "README.md",
    "pyproject.toml",
    "LICENSE",
    "fedbnsl",
    "workflow",
    "scripts",
    "profiles",
    "resources",
    "envs",
    "tests",
)


class Checkout:
    """A copy of the project in a folder of its own.

    Compiled kernels are copied along with their modification times, so numba finds them valid.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        for name in PIECES:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            elif source.exists():
                shutil.copy2(source, folder / name)

    def add_method(self, kind: str, name: str, module: str) -> None:
        """Register a method without options: the function ``name`` in a new module of that name.

        ``kind`` is one whose package has the same name: learn, consensus.
        """
        (self.folder / f"fedbnsl/{kind}/{name}.py").write_text(module, encoding="utf-8")
        function = f"fedbnsl.{kind}.{name}:{name}"
        values = {
            "name": name,
            "kind": kind,
            "function": function,
            "data": "any",
            "summary": "",
            "citation": "",
        }
        entry = ", ".join(f"{key}={value!r}" for key, value in values.items())
        path = self.folder / "fedbnsl/methods.py"
        text = path.read_text(encoding="utf-8")
        assert text.endswith("]\n")
        path.write_text(f"{text[:-2]}    Method({entry}),\n]\n", encoding="utf-8")

    def snakemake(
        self, *arguments: str, cores: int | None = 2, check: bool = True
    ) -> subprocess.CompletedProcess:
        """Run snakemake in the copy; its output is captured as text. ``cores=None``: those of a profile."""
        here = [] if cores is None else ["--cores", str(cores)]
        command = [sys.executable, "-m", "snakemake", *here, *arguments]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
        return done

    def planned(self, *arguments: str) -> set[str]:
        """The rules that a dry run would execute, without the targets that only collect."""
        output = self.snakemake("--dry-run", *arguments).stdout
        table = output.partition("Job stats:")[2].split("\n\n")[0]
        counts = dict(re.findall(r"^(\S+) +(\d+)$", table, flags=re.MULTILINE))
        return set(counts) - {"all", "total", *arguments}

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text in a file of the copy."""
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


def smoke(folder: Path, finished: str | None = None) -> Checkout:
    """A copy after the smoke run: its own, or that of another checkout, if one is named."""
    made = Checkout(folder)
    made.edit("config.yaml", "preset: laptop", "preset: smoke")
    if finished:
        for name in ("results", ".snakemake"):
            shutil.rmtree(made.folder / name, ignore_errors=True)
            shutil.copytree(Path(finished) / name, made.folder / name, symlinks=True)
    else:
        made.run = made.snakemake()
    return made
