"""What the check finds: one record a problem, and remedies that can be pasted into config.yaml."""

from dataclasses import asdict, dataclass

import yaml

FIELDS = ("severity", "site", "file", "column", "row", "count", "problem", "remedy")


@dataclass(frozen=True)
class Problem:
    """One problem of a cohort.

    Attributes
    ----------
    severity : str
        ``error``: nothing can be learned until it is mended. ``warning``: worth a look.
    site, file, column : str
        Where; empty if it is about all sites or all columns. ``column`` is the name in the file.
    row : int or None
        The first row that has it; 1 is the row below the header line.
    count : int or None
        How many rows have it.
    problem, remedy : str
        What is wrong, and what to do.
    """

    severity: str
    site: str
    file: str
    column: str
    row: int | None
    count: int | None
    problem: str
    remedy: str

    def to_dict(self) -> dict:
        """As a row of ``problems.tsv``."""
        return asdict(self)

    def __str__(self) -> str:
        """One message: where, what, remedy."""
        where = ", ".join(
            filter(None, [self.site, self.file, f"column {self.column!r}" if self.column else ""])
        )
        if self.row is not None:
            where += f", row {self.row}"
            where += f" (and {self.count - 1} more)" if (self.count or 1) > 1 else ""
        stop = "" if self.problem.endswith("?") else "."
        return f"{self.severity}: {where + ': ' if where else ''}{self.problem}{stop} {self.remedy}"


class Problems:
    """The problems found so far."""

    def __init__(self):
        self.found: list[Problem] = []

    def error(self, problem: str, remedy: str, **where) -> None:
        """Note an error; ``where``: site (a SiteFile) or file, column, row (from 0), count."""
        self._add("error", problem, remedy, **where)

    def warning(self, problem: str, remedy: str, **where) -> None:
        """Note a warning."""
        self._add("warning", problem, remedy, **where)

    def _add(self, severity, problem, remedy, site=None, file="", column="", row=None, count=None) -> None:
        self.found.append(
            Problem(
                severity,
                site.name if site else "",
                site.file if site else file,
                column,
                None if row is None else int(row) + 1,
                None if count is None else int(count),
                problem,
                remedy,
            )
        )

    def ordered(self, sites, columns) -> tuple[Problem, ...]:
        """By site, then column, errors first; what is about all sites comes first."""
        place = {name: k for k, name in enumerate(["", *(site.name for site in sites)])}
        column = {name: k for k, name in enumerate(["", *columns])}

        def key(problem):
            return (
                place[problem.site],
                column.get(problem.column, len(column)),
                problem.column,
                problem.severity,
                problem.row or 0,
                problem.problem,
            )

        return tuple(sorted(dict.fromkeys(self.found), key=key))


def setting(key: str, value) -> str:
    """The line ``key: value`` of the section ``cohort:``, on one line, quoted as YAML needs it."""
    return f"{key}: {in_one_line(value)}"


def in_one_line(value) -> str:
    """A value as YAML on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False)
    return text.removesuffix("...\n").strip()
