"""What the workflow does for private methods: limits before any job, logs that say nothing of the rows."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fedbnsl.cohort.section import check_section
from fedbnsl.data import SiteData
from fedbnsl.data.site_files import write_site
from fedbnsl.errors import InputError
from fedbnsl.files import read_json
from fedbnsl.registry import method, methods

SCRIPT = Path(__file__).parents[2] / "scripts/cohort_network.py"
PRIVATE = [name for name, entry in methods("federate").items() if entry.is_private]
SITES = {"sites": {"a": "a.csv", "b": "b.csv"}, "consensus": []}


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize(
    ("options", "message"),
    [({"epsilon": 20.5}, r"epsilon = 20\.5 is above 20"), ({"delta": 0.011}, "for any number of rows")],
)
def test_what_secure_mode_refuses_of_all_rows_is_refused_with_the_settings(name, options, message):
    assert len(PRIVATE) == 4
    with pytest.raises(InputError, match=message):
        method(name).checked({**options, "mode": "secure"})
    method(name).checked(options)
    method(name).checked({"epsilon": 20.0, "delta": 0.01, "mode": "secure"})
    text = ",".join(f"{key}={value}" for key, value in {**options, "mode": "secure"}.items())
    with pytest.raises(InputError, match=message):
        check_section({**SITES, "federate": [f"{name}@{text}"]})


def test_noise_that_a_seed_gives_away_is_not_published_beside_a_private_network():
    secure = "dp-auto@epsilon=2,mode=secure"
    with pytest.raises(InputError, match=r"dp-auto would publish .* its seed gives away"):
        check_section({**SITES, "federate": [secure, "dp-auto"]})
    assert check_section({**SITES, "federate": ["dp-auto", "dp-staged"]})["federate"]
    assert check_section({**SITES, "federate": [secure, "dp-staged@epsilon=2,mode=secure"]})["federate"]


class Params(dict):
    """Snakemake's parameters: by key or by attribute."""

    __getattr__ = dict.__getitem__


def job(folder, files, name):
    """Run the script that makes a cohort's network; (record, log)."""
    params = Params(
        method=name, learner=None, background=None, root_seed=1, labels=(), ledgers=str(folder / "ledgers")
    )
    snakemake = SimpleNamespace(
        params=params,
        input=SimpleNamespace(sites=files, learned=[]),
        output=[str(folder / "network.json")],
        log=[str(folder / "log.txt")],
        rule="cohort_network",
    )
    runpy.run_path(str(SCRIPT), init_globals={"snakemake": snakemake})
    return read_json(folder / "network.json"), (folder / "log.txt").read_text()


def test_the_log_of_a_private_network_says_neither_how_long_it_took_nor_which_rows(tmp_path):
    rng = np.random.default_rng(3)
    files = []
    for label in "ab":
        site = SiteData(("x", "y"), rng.normal(size=(200, 2)), label=label)
        files.append(str(tmp_path / f"{label}.parquet"))
        write_site(site, files[-1])
    name = "dp-auto@epsilon=10,force=true,mode=secure"
    first, log = job(tmp_path, files, name)
    assert first["privacy"]["private"]
    again, later = job(tmp_path, files, name)
    assert again == first  # nothing is spent twice
    assert "taken" in later
    (kept,) = (tmp_path / "ledgers/releases").iterdir()
    for text in (log, later):
        assert not re.search(r"\d", text)
        assert kept.stem not in text
    _, seeded = job(tmp_path, files, "dp-auto@epsilon=10,force=true")
    assert "work seconds" in seeded
