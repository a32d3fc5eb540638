"""Canonical text for a name with options: ``name@key=value,key=value``.

Such a text names a cell of the workflow (a data source, a partition, a method) in file names, in
config and in tables. Keys are sorted and values written in one way, so equal settings have equal
texts and a text can be turned back into what it stands for.
"""

import re
from dataclasses import dataclass

from fedbnsl.errors import InputError

# A name starts a file name, so it is neither hidden nor a way out of the folder.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_VALUE = re.compile(r"[A-Za-z0-9_.+-]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?\.?inf", re.IGNORECASE)
_WORDS = {"null": None, "true": True, "false": False}
_REMEDY = "Write name@key=value,key=value with plain values"
# Up to here every whole number is a float of its own, so 5 and 5.0 can share the text 5.
_WHOLE = 2**53


@dataclass(frozen=True)
class Spec:
    """A name and its options, sorted by key."""

    name: str
    options: tuple[tuple[str, object], ...] = ()

    @classmethod
    def of(cls, name: str, options: dict | None = None, defaults: dict | None = None) -> "Spec":
        """Build from a name and a dict of scalar options, without those that only repeat a default.

        A default spelt out is the same method, with the same files and the same random numbers.
        """
        options = options or {}
        if defaults is not None:
            options = {key: value for key, value in options.items() if value != defaults[key]}
        return cls(name, tuple(sorted(options.items())))

    @classmethod
    def parse(cls, text: str) -> "Spec":
        """Read ``name`` or ``name@key=value,…``; the inverse of ``str``.

        Values are ``null``, ``true``, ``false`` (in either case), numbers, or else words.

        Raises
        ------
        InputError
            If the text does not have that form, or gives an option twice.
        """
        name, _, tail = text.partition("@")
        if not _NAME.fullmatch(name):
            raise InputError(f"cannot read the name in {text!r}", remedy=_REMEDY)
        options = {}
        for item in filter(None, tail.split(",")):
            key, equals, value = item.partition("=")
            if not equals or not _NAME.fullmatch(key) or not _VALUE.fullmatch(value):
                raise InputError(f"cannot read the option {item!r}", where=repr(text), remedy=_REMEDY)
            if key in options:
                raise InputError(f"the option {key!r} is given twice", where=repr(text))
            options[key] = _scalar(value)
        return cls.of(name, options)

    def dict(self) -> dict:
        """The options as a dict."""
        return dict(self.options)

    def __str__(self) -> str:
        for word in (self.name, *(key for key, _ in self.options)):
            if not _NAME.fullmatch(word):
                raise InputError(
                    f"the name {word!r} cannot stand in a file name",
                    remedy="Use letters, digits, '_', '.' and '-', not starting with '.' or '-'",
                )
        if not self.options:
            return self.name
        return f"{self.name}@{','.join(f'{k}={_text(k, v)}' for k, v in self.options)}"


def _scalar(text: str):
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text.lower().replace(".inf", "inf"))
    return text


def _text(key: str, value: object) -> str:
    if getattr(value, "shape", None) == ():
        value = value.item()  # a NumPy number
    for word, meaning in _WORDS.items():
        if value is meaning:
            return word
    if isinstance(value, float) and value.is_integer() and abs(value) <= _WHOLE:
        value = int(value)
    text = repr(value) if isinstance(value, float) else str(value)
    # A word that reads as a number or as null is refused: it would come back as another type.
    if not _VALUE.fullmatch(text) or _scalar(text) != value:
        raise InputError(
            f"the value {value!r} of option {key!r} cannot stand in a file name",
            remedy="Use numbers, true, false, or words of letters, digits, '_', '.', '+' and '-'",
        )
    return text
