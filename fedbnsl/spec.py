"""Canonical text for a name with options: ``name@key=value,key=value``.

Such a text names a cell of the workflow (a data source, a partition, a method) in file names, in
config and in tables. Keys are sorted, values are YAML scalars, so equal settings have equal texts
and a text can be turned back into what it stands for.
"""

import re
from dataclasses import dataclass

import yaml

from fedbnsl.errors import InputError

_VALUE = re.compile(r"[A-Za-z0-9_.+-]+")
_NAME = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class Spec:
    """A name and its options, sorted by key."""

    name: str
    options: tuple[tuple[str, object], ...] = ()

    @classmethod
    def of(cls, name: str, options: dict | None = None) -> "Spec":
        """Build from a name and a dict of scalar options."""
        return cls(name, tuple(sorted((options or {}).items())))

    @classmethod
    def parse(cls, text: str) -> "Spec":
        """Read ``name`` or ``name@key=value,…``; the inverse of ``str``.

        Raises
        ------
        InputError
            If the text does not have that form.
        """
        name, _, tail = text.partition("@")
        options = {}
        for item in filter(None, tail.split(",")):
            key, equals, value = item.partition("=")
            if not equals or not key or not _VALUE.fullmatch(value):
                raise InputError(
                    f"cannot read the option {item!r}",
                    where=repr(text),
                    remedy="Write name@key=value,key=value with plain values",
                )
            options[key] = _scalar(value)
        if not _NAME.fullmatch(name):
            raise InputError(f"cannot read the name in {text!r}")
        return cls.of(name, options)

    def dict(self) -> dict:
        """The options as a dict."""
        return dict(self.options)

    def __str__(self) -> str:
        if not self.options:
            return self.name
        return f"{self.name}@{','.join(f'{k}={_text(k, v)}' for k, v in self.options)}"


def _scalar(text: str):
    value = yaml.safe_load(text)
    if isinstance(value, str):
        # YAML 1.1 reads 1e-3 as text; here it is a number.
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _text(key: str, value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, float) else str(value)
    if not _VALUE.fullmatch(text) or _scalar(text) != value:
        raise InputError(
            f"the value {value!r} of option {key!r} cannot stand in a file name",
            remedy="Use numbers, true, false, or words of letters, digits, '_', '.', '+' and '-'",
        )
    return text
