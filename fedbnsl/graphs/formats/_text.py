"""Text shared by the formats: decoding, lines, names that a format cannot hold."""

import re
from collections.abc import Iterable

from fedbnsl.errors import InputError

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def decoded(content: bytes, where: str) -> str:
    """UTF-8 text, with or without a byte-order mark."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            "the file is not UTF-8 text", where=f"{where}, line {line}", remedy="Save it as UTF-8"
        ) from None


def lines(text: str) -> list[str]:
    """Lines as editors count them (str.splitlines would also split at rarer characters)."""
    return re.split("\r\n|\r|\n", text)


def refuse_names(names: Iterable[str], bad: re.Pattern, format_name: str, why: str, what="variable name"):
    """Raise InputError for the first name in which ``bad`` is found."""
    for name in names:
        if bad.search(name):
            raise InputError(
                f"{format_name} cannot hold the {what} {name!r}: {why}",
                remedy="Rename it, or write .json, which holds every name"
                if what == "variable name"
                else "Rename it, or write another format",
            )


def refuse_no_xml(names: Iterable[str], format_name: str, what="variable name") -> None:
    """Raise InputError for the first name with a character that XML 1.0 has no way to write."""
    refuse_names(names, _NO_XML, format_name, "it has a character that XML does not allow", what)


def xml_text(text: str) -> str:
    """Escaped for element content and for attributes in double quotes, line ends included."""
    for plain, escaped in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("\r", "&#13;"),
        ("\n", "&#10;"),
        ("\t", "&#9;"),
    ):
        text = text.replace(plain, escaped)
    return text
