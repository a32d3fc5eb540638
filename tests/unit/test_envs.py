"""The pinned requirements, the conda file and the package metadata ask for the same things."""

import re
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def pins(text):
    return dict(line.split("==") for line in text.splitlines() if re.fullmatch(r"[^#\s]+==\S+", line))


REQUIREMENTS = (ROOT / "envs/requirements.txt").read_text()
DIRECT = pins(REQUIREMENTS.split("\n\n")[0])


def test_every_dependency_of_the_package_is_pinned_within_its_range():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["workflow"]]
    requirements = {r.name.lower(): r for r in map(Requirement, wanted)}
    assert {name.lower() for name in DIRECT} == set(requirements)
    for name, version in DIRECT.items():
        assert version in requirements[name.lower()].specifier


def test_the_conda_file_has_the_same_pins():
    content = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())
    (pip,) = (entry["pip"] for entry in content["dependencies"] if isinstance(entry, dict))
    assert pins("\n".join(pip)) == DIRECT


def test_what_a_cluster_needs_is_pinned_within_its_range():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "envs/requirements-slurm.txt").read_text()
    assert "-r requirements.txt" in text.splitlines()
    for wanted in map(Requirement, project["optional-dependencies"]["slurm"]):
        assert pins(text)[wanted.name] in wanted.specifier


def test_no_index_address_stands_in_the_requirements():
    for path in (ROOT / "envs").iterdir():
        assert not re.search(r"https?://|--index|--find-links|--hash", path.read_text()), path.name


def test_images_have_a_python_that_the_package_allows():
    allowed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    for name, pattern in (
        ("Dockerfile", r"^FROM python:(\S+?)-slim"),
        ("apptainer.def", r"^From: python:(\S+?)-slim"),
    ):
        (version,) = re.findall(pattern, (ROOT / "envs" / name).read_text(), re.MULTILINE)
        assert version in Requirement(f"python{allowed}").specifier


def test_the_image_holds_all_that_a_run_reads():
    text = (ROOT / "envs/Dockerfile").read_text()
    copied = {word for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for word in line.split()}
    assert all((ROOT / name).exists() for name in copied)
    needed = {"Snakefile", "config.yaml", "fedbnsl", "workflow", "scripts", "profiles", "resources", "envs"}
    assert needed <= copied
