"""What jobs took beside what they asked for: ``python -m fedbnsl.workflow.usage``.

Snakemake writes both into the benchmark file of a job (``benchmark-extended`` in ``profiles/default``). A
scheduler kills a job that takes more memory or time than it asked for, and keeps what it asked for from
others while it runs.
"""

import ast
import csv
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

csv.field_size_limit(10**9)  # a job's parameters stand in the same line
COLUMNS = (
    "rule",
    "jobs",
    "largest_peak_mb",
    "largest_share_of_memory",
    "smallest_share",
    "largest_share_of_time",
    "short",
)


@dataclass(frozen=True)
class Usage:
    """One job: megabytes and seconds, taken and asked for."""

    rule: str
    file: str
    peak_mb: float  # NaN where the job was over before it was measured
    asked_mb: float
    seconds: float
    asked_seconds: float

    @property
    def fits(self) -> bool:
        """Whether the job took no more than it asked for."""
        return self.seconds <= self.asked_seconds and not self.peak_mb > self.asked_mb

    def wastes(self, factor: float = 4, above_mb: float = 1000) -> bool:
        """Whether it asked for more than ``above_mb``, and for ``factor`` times what it took."""
        return self.asked_mb > above_mb and self.asked_mb > factor * self.peak_mb


def read_usage(folder: Path | str = "results/benchmarks") -> list[Usage]:
    """All jobs below a folder of benchmark files, by file; files without what was asked for are left out."""
    found = []
    for path in sorted(Path(folder).rglob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if not row.get("resources"):
                    continue
                asked = ast.literal_eval(row["resources"])
                peak = row["max_rss"]
                found.append(
                    Usage(
                        rule=row["rule_name"],
                        file=str(path),
                        peak_mb=math.nan if peak in ("-", "NA") else float(peak),
                        asked_mb=float(asked["mem_mb"]),
                        seconds=float(row["s"]),
                        asked_seconds=60.0 * asked["runtime"],
                    )
                )
    return found


def table(jobs: Iterable[Usage]) -> str:
    """A line for each rule: number of jobs, largest peak, largest and smallest share of the request."""
    rules: dict[str, list[Usage]] = {}
    for job in jobs:
        if not math.isnan(job.peak_mb):
            rules.setdefault(job.rule, []).append(job)
    lines = ["\t".join(COLUMNS)]
    for rule, members in sorted(rules.items()):
        shares = [job.peak_mb / job.asked_mb for job in members]
        values = (
            rule,
            str(len(members)),
            f"{max(job.peak_mb for job in members):.0f}",
            f"{max(shares):.2f}",
            f"{min(shares):.2f}",
            f"{max(job.seconds / job.asked_seconds for job in members):.3f}",
            str(sum(not job.fits for job in members)),
        )
        lines.append("\t".join(values))
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(read_usage(*sys.argv[1:2])))
