"""The small files that come with the package, and how an installed package finds them."""

import hashlib
import re
import tomllib
from pathlib import Path

from fedbnsl.data.resources import resource

ROOT = Path(__file__).resolve().parents[2]


def test_sums_are_those_of_the_readme():
    listed = re.findall(
        r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", (ROOT / "resources/README.md").read_text(), re.M
    )
    assert {"networks.tsv", "sachs/cyto_full_data.csv", "sachs/cyto_full_target.csv"} <= {
        name for name, _ in listed
    }
    for name, digest in listed:
        assert hashlib.sha256(resource(name).read_bytes()).hexdigest() == digest, name


def test_checkout_reads_its_own_folder():
    assert resource("networks.tsv") == ROOT / "resources" / "networks.tsv"


def test_every_package_is_installed():
    """The list in pyproject.toml is written by hand, so it must be kept in step with the folders."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "fedbnsl").rglob("*.py")}
    found = {".".join(folder.parts) for folder in folders}
    kept = [path for path in (ROOT / "resources").rglob("*") if path.is_dir()]
    carried = {".".join(("fedbnsl", *path.relative_to(ROOT).parts)) for path in kept}
    assert set(config["packages"]) == found | carried | {"fedbnsl.resources"}
    assert config["package-dir"]["fedbnsl.resources"] == "resources"
    assert config["package-data"]["fedbnsl.resources"] == ["**/*"]
