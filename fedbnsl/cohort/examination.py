"""Reading and checking a cohort: all files, all columns, all problems in one pass."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import yaml

from fedbnsl.cohort.between import check_constants, check_lone_states, check_scales
from fedbnsl.cohort.cleaning import clean_site
from fedbnsl.cohort.duplicates import check_duplicates
from fedbnsl.cohort.encode import Encoded, encode
from fedbnsl.cohort.given import section_and_options
from fedbnsl.cohort.method_check import check_methods
from fedbnsl.cohort.names import common_columns
from fedbnsl.cohort.problems import Problems
from fedbnsl.cohort.raw import RawTable, read_raw
from fedbnsl.cohort.results import Cohort, CohortReport
from fedbnsl.cohort.schema import SCHEMA
from fedbnsl.cohort.section import NO_SITES, WHERE, Section, check_section
from fedbnsl.cohort.site_list import SiteFile
from fedbnsl.cohort.values import check_codes, check_identifiers, check_missing, check_rows, check_sizes
from fedbnsl.cohort.variables import Variable, find_variables
from fedbnsl.errors import InputError


def read(section, **settings) -> Cohort:
    """Clean sites from a user's files.

    Parameters
    ----------
    section : Section, mapping, list, str or path
        A mapping of site to file, a file, a pattern, or a list of these; the section ``cohort:`` of
        config.yaml as a mapping; or the path of a config file. The paths of the sites' files start from the
        current folder, in each case.
    **settings
        Further keys of the section, such as ``columns={"discrete": {"smoke": ["no", "yes"]}}``.

    Returns
    -------
    Cohort

    Raises
    ------
    InputError
        If the settings are wrong, or the check finds errors; the message has the first of them.
    """
    made = _section(section, settings)
    found = _examine(made)
    found.report().require()
    sites, notes = [], []
    for table, own in zip(found.tables, found.encoded, strict=True):
        site, told = clean_site(table, found.variables, own, made)
        sites.append(site)
        notes += told
    return Cohort(sites, tuple(notes), made.background, found.report().warnings)


def check(section, **settings) -> CohortReport:
    """All problems of all sites' files, and what is in them; arguments as for :func:`read`.

    Raises
    ------
    InputError
        If the settings themselves are wrong.
    """
    return _examine(_section(section, settings)).report()


def _section(given, settings: dict) -> Section:
    if isinstance(given, Section):
        if settings:
            raise InputError("a Section cannot be combined with further settings", remedy="Give a mapping")
        made = given
    else:
        given, options = section_and_options(given)
        given = {} if given is None else given
        if not _is_section(given):
            given = {"sites": given}
        made = Section.of(check_section({**given, **settings}, options))
    if not made.sites:
        raise NO_SITES
    return made


def _is_section(given: Mapping | list) -> bool:
    """Whether a mapping is the section itself, not one of site to file."""
    return isinstance(given, Mapping) and "sites" in given and set(given) <= set(SCHEMA["properties"])


@dataclass
class _Examined:
    """The sites that could be read, their columns as values, and the problems."""

    section: Section
    problems: Problems
    tables: list[RawTable]
    variables: list[Variable]
    encoded: list[list[Encoded | None]]
    undeclared: dict[str, list[str]]

    def report(self) -> CohortReport:
        """The problems in order, and a summary of every site and variable."""
        columns = dict.fromkeys(name for table in self.tables for name in table.columns)
        problems = self.problems.ordered(self.section.sites, columns)
        variables = [row for k in range(len(self.tables)) for row in self._variable_rows(k, problems)]
        sites = [self._site_row(site, problems) for site in self.section.sites]
        return CohortReport(problems, tuple(sites), tuple(variables), _declaration(self.undeclared))

    def _variable_rows(self, k: int, problems) -> list[dict]:
        rows = []
        for variable, one in zip(self.variables, self.encoded[k], strict=True):
            site = self.tables[k].site.name
            column = self.tables[k].columns.get(variable.name)
            own = [
                p
                for p in problems
                if p.column in (variable.name, column.source if column else None) and p.site in ("", site)
            ]
            rows.append(
                {
                    "site": site,
                    "variable": variable.name,
                    "column": column.source if column else "",
                    "role": variable.role if column else "absent",
                    "values": _values(variable, one),
                    "missing": int(one.missing.sum()) if one else None,
                    "errors": sum(p.severity == "error" for p in own),
                    "warnings": sum(p.severity == "warning" for p in own),
                }
            )
        return rows

    def _site_row(self, site, problems) -> dict:
        own = [p for p in problems if p.site == site.name]
        row = {"site": site.name, "file": site.file, "rows": 0, "variables": 0, "types": "", "states": ""}
        row["missing"] = 0
        for k, table in enumerate(self.tables):
            if table.site.name != site.name:
                continue
            here = [
                (v, one)
                for v, one in zip(self.variables, self.encoded[k], strict=True)
                if v.name in table.columns
            ]
            roles = [variable.role for variable, _ in here]
            kinds = [f"{roles.count(role)} {role}" for role in dict.fromkeys(roles)]
            coded = [(v, one) for v, one in here if one and v.is_discrete]
            seen = sum(len(np.unique(one.codes[one.codes >= 0])) for _, one in coded)
            declared = sum(len(variable.states) for variable, _ in coded)
            row.update(
                rows=table.n_rows,
                variables=len(here),
                types=", ".join(kinds),
                states=f"{seen} of {declared} seen" if coded else "",
                missing=sum(int(one.missing.sum()) for _, one in here if one),
            )
        row["errors"] = sum(p.severity == "error" for p in own)
        row["warnings"] = sum(p.severity == "warning" for p in own)
        return row


def _examine(section: Section) -> _Examined:
    problems = Problems()
    _check_files(section, problems)
    tables = [table for site in section.sites if (table := read_raw(site, problems))]
    found = _Examined(section, problems, tables, [], [[] for _ in tables], {})
    if not tables:
        return found
    names = common_columns(tables, section, problems)
    found.variables, found.undeclared = find_variables(names, tables, section, problems)
    if not found.variables:
        problems.error("no variable is left", f"Sites need common columns; see {WHERE}.columns")
    check_identifiers(tables, section, problems)
    for k, table in enumerate(tables):
        found.encoded[k] = [_encoded(table, variable, section, problems) for variable in found.variables]
        _check_site(found, k)
    _check_between(found)
    check_methods(section, found.variables, problems)
    return found


def _check_files(section: Section, problems: Problems) -> None:
    """Two sites with one file between them: its rows would count twice."""
    owners: dict[str, SiteFile] = {}
    for site in section.sites:
        first = owners.setdefault(os.path.realpath(site.path), site)
        if first is not site:
            problems.error(
                f"the file is that of {first.name} too", "Name another file, or drop one site", site=site
            )


def _encoded(table: RawTable, variable: Variable, section: Section, problems: Problems) -> Encoded | None:
    if variable.role == "unusable" or variable.name not in table.columns:
        return None
    return encode(table.columns[variable.name], variable, table.site, section, problems)


def _check_site(found: _Examined, k: int) -> None:
    table, problems = found.tables[k], found.problems
    absent = np.zeros(table.n_rows, dtype=bool)
    for variable, one in zip(found.variables, found.encoded[k], strict=True):
        if one is None:
            continue
        check_missing(one, variable, table.site, found.section, problems)
        absent |= one.missing
    check_rows(table.n_rows, int((~absent).sum()), len(found.variables), table.site, found.section, problems)


def _check_between(found: _Examined) -> None:
    usable = [i for i, variable in enumerate(found.variables) if variable.role != "unusable"]
    states = sum(len(found.variables[i].states) for i in usable)
    for i in usable:
        variable = found.variables[i]
        pairs = [
            (t, own[i]) for t, own in zip(found.tables, found.encoded, strict=True) if own[i] is not None
        ]
        tables, columns = [t for t, _ in pairs], [one for _, one in pairs]
        check_constants(variable, tables, columns, len(usable) * len(tables), found.problems)
        if variable.is_discrete:
            check_lone_states(variable, tables, columns, states, found.problems)
        if variable.role != "discrete":
            check_sizes(variable, tables, columns, found.problems)
            check_codes(variable, tables, columns, found.problems)
            check_scales(variable, tables, columns, found.problems)
    common = [i for i in usable if all(own[i] is not None for own in found.encoded)]
    if common:
        check_duplicates(found.tables, [[own[i] for i in common] for own in found.encoded], found.problems)


def _values(variable: Variable, one: Encoded | None) -> str:
    """What a column holds at a site, in short."""
    if one is None:
        return ""
    if variable.is_discrete:
        counts = np.bincount(one.codes[one.codes >= 0], minlength=len(variable.states))
        return " ".join(f"{state}:{count}" for state, count in zip(variable.states, counts, strict=True))
    given = one.numbers[np.isfinite(one.numbers)]
    if not len(given):
        return ""
    return f"{given.min():.4g} … {np.median(given):.4g} … {given.max():.4g}"


def _declaration(undeclared: Mapping[str, Sequence[str]]) -> str:
    if not undeclared:
        return ""
    lines = ["To declare the states, write in config.yaml, with every state that any site may hold:", ""]
    lines += ["  cohort:", "    columns:", "      discrete:"]
    for name, states in undeclared.items():
        text = yaml.safe_dump({name: list(states)}, default_flow_style=None, allow_unicode=True, width=10**6)
        lines += [f"        {line}" for line in text.splitlines()]
    return "\n".join([*lines, ""])
