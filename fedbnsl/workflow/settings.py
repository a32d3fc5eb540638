"""Reading and checking config.yaml and the study files, with messages that show the way out."""

import ast
import difflib
import importlib.util
import math
from functools import cache
from pathlib import Path

import yaml

from fedbnsl.cohort.section import as_meant, check_section
from fedbnsl.errors import InputError
from fedbnsl.registry import method, methods
from fedbnsl.workflow import own_networks
from fedbnsl.workflow.documents import check

# the loader in C where PyYAML was built with it: ten times as fast
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# names of rules and of tables that the workflow itself makes
_RESERVED = {
    *("all", "learned", "sites", "learn", "list_learned", "generate"),
    *("consensus", "federate", "federate_secure", "score_consensus", "score_federated", "score_personal"),
    *("grid", "attack", "each_site"),
    *("table", "figure", "draw_consensus", "draw_federated", "reproduction"),
    *("networks", "read_networks", "own_network", "compare_networks"),
    *("check", "check_cohort", "read_cohort", "examples", "write_example"),
    *("cohort", "cohort_learn", "cohort_network", "cohort_stability", "cohort_held_out", "cohort_page"),
    *("compare_cohort", "fmri_cohort", "fmri_connections", "verify"),
}


def load_studies(folder: Path | str, schema: Path | str) -> dict[str, dict]:
    """Every study in a folder, checked against the schema, by file name without suffix.

    Raises
    ------
    InputError
        If a file does not fit; the message names the file and the place.
    """
    rules = _read(schema)
    studies = {}
    for path in sorted(Path(folder).glob("*.yaml")):
        study = _read(path)
        check(study, rules, where=path.name)
        for name, artefact in study["artefacts"].items():
            for experiment in artefact["experiments"]:
                if experiment not in study["experiments"]:
                    raise InputError(
                        f"the artefact {name!r} uses the experiment {experiment!r}, which is not there",
                        where=path.name,
                    )
        for name, artefact in study["artefacts"].items():
            _check_artefact(name, artefact, studies, path.name)
        if path.stem in _RESERVED:
            raise InputError("a study cannot have this name", where=path.name, remedy="Rename the file")
        studies[path.stem] = study
    return studies


def _check_artefact(name: str, artefact: dict, others: dict[str, dict], where: str) -> None:
    """Its name is its own and its function exists."""
    for other, study in others.items():
        if name in study["artefacts"]:
            raise InputError(
                f"the artefact {name!r} is also one of the study {other!r}",
                where=where,
                remedy="Give it a name of its own: its files are named after it",
            )
    if name in _RESERVED:
        raise InputError(f"an artefact cannot be called {name!r}", where=where)
    module, _, function = artefact["make"].partition(":")
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.origin:
        raise InputError(f"the artefact {name!r} is made by {module}, which does not exist", where=where)
    if function not in _functions(spec.origin):
        raise InputError(
            f"the artefact {name!r} is made by {function}, which is not in {module}", where=where
        )


@cache  # a module makes many artefacts
def _functions(path: str) -> frozenset[str]:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def check_config(config: dict, schema: Path | str, studies: dict[str, dict]) -> dict:
    """``config`` with defaults filled in, checked against the schema, the studies and the register.

    Parameters
    ----------
    config : dict
        As read from config.yaml and the command line.
    schema : path
        The JSON schema, as YAML.
    studies : dict
        From :func:`load_studies`.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        With the key, what is wrong with it, and YAML that would be right.
    """
    config = dict(config)
    config["cohort"] = as_meant(config.get("cohort"))
    check(config, _read(schema), where="config.yaml")
    config["seed"] = int(config["seed"])  # YAML may say 1.0
    limit = config["site_time_limit"]
    if limit is not None and not math.isfinite(limit):  # a schema's bounds let nan through
        raise InputError(
            f"{limit} is no number of seconds",
            where="config.yaml, site_time_limit",
            remedy="Write null for no limit",
        )
    for name in config["studies"]:
        _known(name, studies, "studies", f"studies: [{', '.join(studies)}]")
    for name, options in config["options"].items():
        _known(name, methods(), f"options.{name}", f"options:\n  {next(iter(methods()))}: {{}}")
        method(name).checked(options, where=f"config.yaml, options.{name}")
    config["networks"] = own_networks.check_section(config["networks"], config["options"])
    config["cohort"] = check_section(config["cohort"], config["options"])
    for study, experiments in config["override"].items():
        _known(study, studies, f"override.{study}", f"override:\n  {next(iter(studies))}: {{}}")
        for experiment, values in experiments.items():
            place = f"override.{study}.{experiment}"
            known = studies[study]["experiments"]
            first = next(iter(known))
            _known(experiment, known, place, f"override:\n  {study}:\n    {first}: {{}}")
            for key in values:
                grid = known[experiment]["presets"][config["preset"]]
                _known(key, grid, f"{place}.{key}", f"{next(iter(grid))}: {grid[next(iter(grid))]}")
    return config


def _known(name: str, known, place: str, example: str) -> None:
    if name in known:
        return
    close = difflib.get_close_matches(name, list(known), n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    indented = "".join(f"  {line}\n" for line in example.splitlines())
    raise InputError(
        f"{name!r} is not known; there is {', '.join(known)}",
        where=f"config.yaml, {place}",
        remedy=f"{hint}For example\n\n{indented}",
    )


def _read(path: Path | str):
    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {error}", where=str(path)) from None
