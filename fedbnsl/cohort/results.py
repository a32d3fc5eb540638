"""What reading and checking a cohort give."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fedbnsl.cohort.knowledge import Knowledge
from fedbnsl.cohort.problems import FIELDS, Problem
from fedbnsl.data.site_data import SiteData
from fedbnsl.errors import InputError

TABLE = ("site", "file", "rows", "variables", "types", "states", "missing", "errors", "warnings")
VARIABLES = ("site", "variable", "column", "role", "values", "missing", "errors", "warnings")
_SHOWN = 3


@dataclass(frozen=True)
class Note:
    """What was done to a site's rows on the way from its file; ``column`` is empty if it is about rows."""

    site: str
    column: str
    text: str

    def __str__(self) -> str:
        return (
            f"{self.site}, column {self.column!r}: {self.text}"
            if self.column
            else f"{self.site}: {self.text}"
        )


@dataclass(frozen=True)
class Cohort:
    """Clean sites.

    Attributes
    ----------
    sites : list of SiteData
        In the order of the section, all with the same variables (and states, if discrete).
    notes : tuple of Note
        What was dropped, imputed, renamed, cut.
    background : Knowledge
    warnings : tuple of Problem
        What the check warns of; nothing that keeps one from learning.
    """

    sites: list[SiteData]
    notes: tuple[Note, ...]
    background: Knowledge
    warnings: tuple[Problem, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.sites[0].names

    @property
    def is_discrete(self) -> bool:
        """Whether the variables have states."""
        return self.sites[0].is_discrete

    def to_dict(self) -> dict:
        """All but the rows, for a JSON file."""
        return {
            "sites": [{"name": site.label, "rows": site.n_rows} for site in self.sites],
            "names": list(self.names),
            "states": None if not self.is_discrete else [list(states) for states in self.sites[0].states],
            "notes": [asdict(note) for note in self.notes],
            "background": self.background.to_dict(),
            "warnings": [problem.to_dict() for problem in self.warnings],
        }


@dataclass(frozen=True)
class CohortReport:
    """What the check found.

    Attributes
    ----------
    problems : tuple of Problem
        Site by site, what is about all sites first.
    site_rows, variable_rows : tuples of dict
        The rows of :attr:`table` and :attr:`variables`.
    declaration : str
        YAML to paste that declares the states of all columns of text that have none; else empty.
    """

    problems: tuple[Problem, ...]
    site_rows: tuple[dict, ...]
    variable_rows: tuple[dict, ...]
    declaration: str

    @property
    def ok(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return not self.errors

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that must be mended."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that are worth a look."""
        return tuple(problem for problem in self.problems if problem.severity == "warning")

    @property
    def table(self):
        """A row a site: site, file, rows, variables, types, states, missing, errors, warnings (DataFrame)."""
        return _frame(self.site_rows, TABLE)

    @property
    def variables(self):
        """A row a site and variable: its role, what values it has, how many are missing (DataFrame)."""
        return _frame(self.variable_rows, VARIABLES)

    @property
    def problem_table(self):
        """A row a problem (DataFrame): severity, site, file, column, row, count, problem, remedy."""
        frame = _frame([problem.to_dict() for problem in self.problems], FIELDS)
        return frame.astype({"row": "Int64", "count": "Int64"})

    def require(self) -> None:
        """Raise InputError with the first errors, if there are any."""
        if self.ok:
            return
        found = len(self.errors)
        shown = "\n".join(f"  {problem}" for problem in self.errors[:_SHOWN])
        more = f"\n  and {found - _SHOWN} more" if found > _SHOWN else ""
        raise InputError(
            f"{_count(found, 'error')} in the sites' files\n{shown}{more}",
            remedy="All are in the problems of fedbnsl.cohort.check, or run snakemake --cores 1 check",
        )

    def __str__(self) -> str:
        """The table, all problems and what to declare, as text."""
        found = (_count(len(self.errors), "error"), _count(len(self.warnings), "warning"))
        lines = [_aligned(self.site_rows, [name for name in TABLE if name != "file"]), ""]
        lines += [str(problem) for problem in self.problems]
        lines += [""] if self.problems else []
        lines += [self.declaration] if self.declaration else []
        lines.append(", ".join(found))
        return "\n".join(lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _aligned(rows: Sequence[dict], names: Sequence[str]) -> str:
    """A table with its columns below each other."""
    cells = [list(names), *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(names))]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in cells
    )


def _frame(rows: Sequence[dict], columns: Sequence[str]):
    import pandas

    return pandas.DataFrame(list(rows), columns=list(columns))
