"""Reading and checking config.yaml and the study files, with messages that show the way out."""

import ast
import copy
import difflib
import importlib.util
import math
from pathlib import Path

import jsonschema
import yaml

from fedbnsl.errors import InputError
from fedbnsl.registry import method, methods
from fedbnsl.workflow import own_networks

# names of rules and of tables that the workflow itself makes
_RESERVED = {
    *("all", "learned", "sites", "learn", "list_learned", "generate"),
    *("consensus", "federate", "score_consensus", "score_federated"),
    *("table", "figure", "draw_consensus", "draw_federated", "reproduction"),
    *("networks", "read_networks", "own_network", "compare_networks"),
}

_PLAIN = {
    "array": "a list",
    "object": "a mapping of keys to values",
    "integer": "a whole number",
    "string": "a text",
    "['string', 'number', 'boolean']": "a text, a number, true or false",
    "['number', 'null']": "a number or null",
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
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    if function not in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}:
        raise InputError(
            f"the artefact {name!r} is made by {function}, which is not in {module}", where=where
        )


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


def check(document: dict, schema: dict, where: str) -> None:
    """Validate in place, filling defaults of absent keys.

    Raises
    ------
    InputError
        For the first problem, in plain words, with the YAML that would be right.
    """
    if not isinstance(document, dict):
        raise InputError("the file must be a mapping of keys to values", where=where)
    _check_keys(document, where)
    errors = sorted(
        jsonschema.Draft202012Validator(schema).iter_errors(document),
        key=lambda error: (len(error.absolute_path), [str(part) for part in error.absolute_path]),
    )
    if errors:
        raise _explained(errors[0], where)
    _fill_defaults(document, schema)


def _check_keys(value, where: str) -> None:
    if isinstance(value, list):
        for item in value:
            _check_keys(item, where)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InputError(f"the key {key!r} is not a text", where=where, remedy="Write a name")
            _check_keys(item, f"{where}, {key}")


def _explained(error: jsonschema.ValidationError, where: str) -> InputError:
    path = [str(part) for part in error.absolute_path]
    place = f"{where}, {'.'.join(path)}" if path else where
    rule, value, schema = error.validator, error.instance, error.schema
    if rule == "additionalProperties":
        known = list(schema.get("properties", {}))
        key = next(key for key in value if key not in known)
        close = difflib.get_close_matches(key, known, n=1)
        remedy = f"Known keys: {', '.join(known)}"
        if close:
            corrected = _yaml([*path, close[0]], value[key])
            remedy = f"Did you mean {close[0]!r}? Then write\n\n{corrected}"
        return InputError(f"unknown key {key!r}", where=place, remedy=remedy)
    if rule == "required":
        key = next(key for key in error.validator_value if key not in value)
        example = _example(schema["properties"].get(key, {}))
        return InputError(
            f"the key {key!r} is missing", where=place, remedy=f"Add\n\n{_yaml([*path, key], example)}"
        )
    if rule == "enum":
        choices = ", ".join(map(str, error.validator_value))
        close = difflib.get_close_matches(str(value), [str(v) for v in error.validator_value], n=1)
        good = close[0] if close else error.validator_value[0]
        return InputError(
            f"{value!r} is not one of {choices}", where=place, remedy=f"Write\n\n{_yaml(path, good)}"
        )
    if rule == "type":
        return InputError(
            f"{value!r} must be {_PLAIN.get(str(error.validator_value), error.validator_value)}",
            where=place,
            remedy=f"For example\n\n{_yaml(path, _example(schema, value))}",
        )
    return InputError(error.message, where=place, remedy=schema.get("description"))


def _example(schema: dict, value=None):
    """A value that the schema accepts, made of the given one where that is possible."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array" and value is not None and not isinstance(value, dict | list):
        return [value]
    if "default" in schema:
        return schema["default"]
    if kind == "array":
        return []
    if kind == "integer":
        text = str(value).strip()
        return int(text) if text.isdigit() else schema.get("minimum", 0)
    return {"object": {}, "string": "text", "number": 1.0, "boolean": True}.get(kind, "value")


def _yaml(path: list[str], value) -> str:
    """YAML text with ``value`` at ``path``, one key a line, indented for a message."""
    lines, indent = [], "  "
    for part in path:
        lines.append(f"{indent}- " if part.isdigit() else f"{indent}{part}:")
        indent += "  "
    leaf = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1000)
    lines[-1] += " " + leaf.removesuffix("...\n").strip()
    return "\n".join(line.rstrip() for line in lines) + "\n"


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


def _fill_defaults(value, schema: dict) -> None:
    if isinstance(value, dict):
        for key, rule in schema.get("properties", {}).items():
            if key not in value and isinstance(rule, dict) and "default" in rule:
                value[key] = copy.deepcopy(rule["default"])
        extra = schema.get("additionalProperties")
        for key, item in value.items():
            rule = schema.get("properties", {}).get(key, extra)
            if isinstance(rule, dict):
                _fill_defaults(item, rule)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            _fill_defaults(item, schema["items"])


def _read(path: Path | str):
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise InputError(f"not valid YAML: {error}", where=str(path)) from None
