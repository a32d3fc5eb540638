"""Predicted cost of a job, from the size of its problem: seconds and megabytes.

The predictions decide how much goes into one job and what a scheduler is asked for. They are
rough on purpose: right within a factor of three is enough for both.
"""

from fedbnsl.data.sources import source_size
from fedbnsl.spec import Spec

TARGET_SECONDS = 60  # of one job: long beside its start-up, short beside the whole run
JOB_SECONDS = 2  # of a job's start: interpreter, imports, compiled code from its cache
_BASE_MB = 400  # interpreter, numpy, pandas, compiled kernels


def learn_seconds(learner: str, source: str) -> float:
    """Seconds to learn one site's graph."""
    nodes, rows = source_size(source)
    thousands = rows / 1000
    name = Spec.parse(learner).name
    if name.endswith("-pgmpy"):  # asia (8 nodes) 2 s, child (20) 20 s at 5000 rows
        return 0.006 * nodes**2.7 * max(thousands, 0.5) ** 0.3
    if name == "ges":  # alarm (37 nodes) .02 s, andes (223) .12 s, link (724) 2 s at 5000 rows
        return 0.02 + 1e-6 * nodes**2 * thousands
    if name == "notears":
        return 0.05 + 2e-4 * nodes**2.5
    return 0.02 + 1e-5 * nodes**2 * thousands


def consensus_seconds(source: str, sites: int) -> float:
    """Seconds to fuse and prune the graphs of ``sites`` sites, or to measure the result."""
    nodes, _ = source_size(source)
    return 1.0 + 2e-6 * sites * nodes**2.5  # win95pts 7 s, andes 42 s at 10 and 30 sites


def federate_seconds(label: str, source: str, sites: int) -> float:
    """Seconds to run a round-based protocol once."""
    nodes, rows = source_size(source)
    return 1.0 + 2e-4 * nodes**2.5 + 2e-8 * sites * rows * nodes**2


def sites_per_file_job(source: str) -> int:
    """How many sites one job writes: about 10⁷ values."""
    nodes, rows = source_size(source)
    return _clamp(1e7 / (nodes * rows))


def sites_per_learn_job(learner: str, source: str) -> int:
    """How many sites one job learns."""
    return _clamp(TARGET_SECONDS / learn_seconds(learner, source))


def seeds_per_job(label: str, source: str, sites: int) -> int:
    """How many seeds one job of a round-based protocol runs."""
    return _clamp(TARGET_SECONDS / federate_seconds(label, source, sites))


def memory_mb(source: str, sites: int = 1) -> int:
    """Megabytes to ask for: the interpreter and ``sites`` sites held at once, with room."""
    nodes, rows = source_size(source)
    return _BASE_MB + int(4 * sites * nodes * rows * 8 / 1e6) + int(200 * (nodes / 200) ** 2)


def runtime_minutes(seconds: float, attempt: int) -> int:
    """Minutes to ask for: ten times the prediction, at least five, doubled on each new attempt."""
    return max(5, int(10 * seconds / 60) + 1) * 2 ** (attempt - 1)


def _clamp(number: float, most: int = 50) -> int:
    return max(1, min(most, int(number)))
