"""Predicted cost of a job, from the size of its problem: seconds and megabytes.

The predictions decide how much goes into one job and what a scheduler is asked for. They are
rough on purpose: right within a factor of three is enough for both.
"""

from collections.abc import Iterable
from pathlib import Path

from fedbnsl.data.sources import source_kind, source_size
from fedbnsl.spec import Spec

TARGET_SECONDS = 60  # of one job: long beside its start-up, short beside the whole run
JOB_SECONDS = 2  # of a job's start: interpreter, imports, compiled code from its cache
_WEEK = 7 * 24 * 60  # minutes; more than most schedulers grant
_BASE_MB = 500  # interpreter, numpy, pandas, kernels while they are compiled


def learn_seconds(learner: str, source: str) -> float:
    """Seconds to learn one site's graph."""
    nodes, rows = source_size(source)
    thousands = rows / 1000
    name = Spec.parse(learner).name
    # pgmpy at 5000 rows, continuous data in brackets; families of continuous data take a regression each
    continuous = source_kind(source) == "continuous"
    if name == "ges-pgmpy":  # 8 nodes .3 s, 20 nodes 14 s (10 nodes 1.7 s)
        return (3 if continuous else 1) * 3e-5 * nodes**4.3
    if name == "hill-climb-pgmpy":  # 20 nodes .2 s, 37 nodes 1.4 s, 56 nodes 4.4 s (10 nodes .2 s)
        return (3 if continuous else 1) * 4e-5 * nodes**3
    if name == "pc-pgmpy":  # 20 nodes .9 s, 37 nodes 1.7 s, 56 nodes 24 s (10 nodes 1.2 s)
        return (5e-3 * nodes**2 if continuous else 5e-5 * nodes**3) * max(thousands, 0.5) ** 0.4
    if name == "ges":  # alarm (37 nodes) .02 s, andes (223) .12 s, link (724) 2 s at 5000 rows
        return 0.02 + 1e-6 * nodes**2 * thousands
    if name == "notears":
        return 0.05 + 2e-4 * nodes**2.5
    return 0.02 + 1e-5 * nodes**2 * thousands


def consensus_seconds(source: str, sites: int) -> float:
    """Seconds to fuse and prune the graphs of ``sites`` sites, or to measure the result."""
    nodes, _ = source_size(source)
    # learned graphs of 10, 30, 50 and 100 sites: win95pts 4 s, andes 23 s, pigs 15 s; of 10 sites: link 210 s
    return 1.0 + 6e-7 * sites * nodes**2.5


def federate_seconds(label: str, source: str, sites: int) -> float:
    """Seconds to run a round-based protocol once."""
    nodes, rows = source_size(source)
    if Spec.parse(label).name == "notears-pfl":  # λ chosen, 10 sites: d = 20 1 s, d = 80 half a minute
        return 0.05 + 5e-5 * sites * nodes**2.5
    # Fed-Sparse-BNSL: d = 20 .12 s, 200 1.3 s; with 20 sites of 50 rows .3 s; NOTEARS takes longer
    return 0.2 + 1e-4 * nodes**2.5 + 2e-9 * sites * rows * nodes**2


def sites_per_file_job(source: str) -> int:
    """How many sites one job writes: about 2·10⁷ values, which take a second or two."""
    nodes, rows = source_size(source)
    return _clamp(2e7 / (nodes * rows))


def sites_per_learn_job(learner: str, source: str) -> int:
    """How many sites one job learns."""
    return _clamp(TARGET_SECONDS / learn_seconds(learner, source))


def seeds_per_job(label: str, source: str, sites: int, runs: int = 1) -> int:
    """How many seeds one job of a round-based protocol runs, each ``runs`` times."""
    return _clamp(TARGET_SECONDS / (runs * federate_seconds(label, source, sites)))


def seeds_per_consensus_job(source: str, sites: int) -> int:
    """How many seeds one job fuses, or measures."""
    return _clamp(TARGET_SECONDS / consensus_seconds(source, sites))


def memory_mb(source: str, held: int = 1, graphs: int = 0) -> int:
    """Megabytes to ask for: the interpreter, compiled code, the rows of ``held`` sites, ``graphs`` graphs.

    Measured peaks lie between a quarter and nine tenths of it: asia 245 of 500 MB, link (one site at a time)
    416 of 1080, andes with the rows of 30 sites 410 of 1080; compiling alone takes 410.
    """
    nodes, rows = source_size(source)
    per_pair = 40 * (nodes / 200) ** 2 + 8e-6 * graphs * nodes**2
    return _BASE_MB + int(2 * 8e-6 * held * nodes * rows + per_pair)


def series_mb(values: float) -> int:
    """Megabytes to ask for where time series of so many values in all are held, and copied to be stacked.

    Measured with 2.3 million values: 286 of 573 MB.
    """
    return _BASE_MB + int(4 * 8e-6 * values)


def values_in_files(paths: Iterable[str]) -> float:
    """At most how many numbers these files hold: each takes 4 bytes or more in .npy files, 2 as text."""
    least = {".npy": 4}
    return sum(Path(path).stat().st_size / least.get(Path(path).suffix, 2) for path in paths)


def runtime_minutes(seconds: float, attempt: int, at_least: float = 0) -> int:
    """Minutes to ask for: ten times the prediction, from five to a week, doubled on each new attempt.

    ``at_least``: seconds that the job must be left, such as a limit that it watches itself.
    """
    minutes = max(5, int(10 * seconds / 60) + 1, int(at_least / 60) + 2)
    return min(minutes * 2 ** (attempt - 1), _WEEK)


def _clamp(number: float, most: int = 50) -> int:
    return max(1, min(most, int(number)))
