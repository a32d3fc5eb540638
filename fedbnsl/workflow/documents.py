"""Checking a document against its JSON schema, with messages that show the YAML that would be right."""

import copy
import difflib

import jsonschema
import yaml

from fedbnsl.errors import InputError

_PLAIN = {
    "array": "a list",
    "object": "a mapping of keys to values",
    "integer": "a whole number",
    "string": "a text",
    "['string', 'number', 'boolean']": "a text, a number, true or false",
    "['number', 'null']": "a number or null",
    "['object', 'string']": "a mapping of keys to values or a text",
    "['string', 'object']": "a text or a mapping of keys to values",
    "number": "a number",
    "['string', 'number']": "a text or a number",
    "['string', 'integer', 'boolean']": "a text or a whole number",
    "['object', 'string', 'array']": "a mapping of site to file, a pattern, or a list of patterns",
    "['array', 'string']": "a list or a text",
}


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
                raise InputError(
                    f"the key {key!r} is not a text",
                    where=where,
                    remedy='Put it in quotes: YAML reads yes, no, true, false and "?" in another way',
                )
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
            corrected = yaml_at([*path, close[0]], value[key])
            remedy = f"Did you mean {close[0]!r}? Then write\n\n{corrected}"
        return InputError(f"unknown key {key!r}", where=place, remedy=remedy)
    if rule == "required":
        key = next(key for key in error.validator_value if key not in value)
        example = _example(schema["properties"].get(key, {}))
        return InputError(
            f"the key {key!r} is missing", where=place, remedy=f"Add\n\n{yaml_at([*path, key], example)}"
        )
    if rule == "enum":
        choices = ", ".join(map(str, error.validator_value))
        close = difflib.get_close_matches(str(value), [str(v) for v in error.validator_value], n=1)
        good = close[0] if close else error.validator_value[0]
        return InputError(
            f"{value!r} is not one of {choices}", where=place, remedy=f"Write\n\n{yaml_at(path, good)}"
        )
    if rule == "type":
        return InputError(
            f"{value!r} must be {_PLAIN.get(str(error.validator_value), error.validator_value)}",
            where=place,
            remedy=f"For example\n\n{yaml_at(path, _example(schema, value))}",
        )
    return InputError(error.message, where=place, remedy=schema.get("description"))


def _example(schema: dict, value=None):
    """A value that the schema accepts, made of the given one where that is possible."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array" and isinstance(value, str | bool | int | float):
        return [value]
    if "default" in schema:
        return schema["default"]
    if kind == "array":
        return []
    if kind == "integer":
        text = str(value).strip()
        return int(text) if text.isdigit() else schema.get("minimum", 0)
    if isinstance(kind, list):
        kind = kind[0]
    return {"object": {}, "array": [], "string": "text", "number": 1.0, "boolean": True}.get(kind, "value")


def yaml_at(path: list[str], value) -> str:
    """YAML text with ``value`` at ``path``, one key a line, indented for a message."""
    lines, indent = [], "  "
    for part in path:
        lines.append(f"{indent}- " if part.isdigit() else f"{indent}{part}:")
        indent += "  "
    leaf = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=1000)
    lines[-1] += " " + leaf.removesuffix("...\n").strip()
    return "\n".join(line.rstrip() for line in lines) + "\n"


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
