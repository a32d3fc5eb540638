"""What one cell of a table is: a number, a missing value, a date, or what a spreadsheet made of it."""

import re

from fedbnsl.data.site_columns import is_decimal_comma, is_missing, is_number

_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{4}/\d{1,2}/\d{1,2}( .*)?|\d{1,2}([./-])\d{1,2}\3(\d{2}|\d{4})( .*)?"
)
_MANGLED_DATE = re.compile(rf"\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{2}}", re.IGNORECASE)
_ERROR = re.compile(r"#(N/A|REF!|DIV/0!|VALUE!|NAME\?|NUM!|NULL!|SPILL!|CALC!|#+)", re.IGNORECASE)
_SHORTENED = re.compile(r"\d([.,]\d+)?E\+\d{2,}")
_LIMIT = re.compile(r"[<>≤≥]=?\s*[-+]?\d.*")
_GROUPED = re.compile(r"[-+]?\d{1,3}(([ '’\u00a0\u202f]\d{3})+|(,\d{3})+(\.\d+)?|(\.\d{3}){2,}(,\d+)?)")
_WITH_UNIT = re.compile(r"[-+]?\d+([.,]\d+)?\s*[^\d\s.,:/-]+[^\d]*")


def kind_of(cell: str) -> str:
    """One of ``missing number comma error mangled date limit grouped unit text``.

    ``comma`` is a number with a decimal comma, ``error`` what a spreadsheet writes where a formula
    failed, ``mangled`` what it makes of ``3-1`` (``1-Mar``), ``limit`` a bound such as ``<0.5``,
    ``grouped`` a number with a mark between thousands, ``unit`` a number with a unit behind it.
    """
    text = cell.strip()
    if is_missing(text):
        return "missing"
    if is_number(text):
        return "number"
    if is_decimal_comma(text):
        return "comma"
    for kind, pattern in _PATTERNS:
        if pattern.fullmatch(text):
            return kind
    return "text"


def is_shortened(cell: str) -> bool:
    """Whether a spreadsheet seems to have shortened a long number, such as an identifier: ``1.00E+05``."""
    return _SHORTENED.fullmatch(cell.strip()) is not None


def loose_key(text: str) -> str:
    """Equal for texts that differ only in case, in blanks, or in how a number is written."""
    key = " ".join(text.split()).casefold()
    if is_number(key):
        key = repr(float(key) + 0.0).removesuffix(".0")
    return key


def loose_name(text: str) -> str:
    """Equal for column names that differ only in case, or in blanks, marks and byte-order marks in them."""
    return re.sub(r"[\s_.\-\ufeff]+", "", text).casefold()


_PATTERNS = (
    ("error", _ERROR),
    ("mangled", _MANGLED_DATE),
    ("date", _DATE),
    ("limit", _LIMIT),
    ("grouped", _GROUPED),
    ("unit", _WITH_UNIT),
)
#: Numbers that stand for a missing value in many files.
USUAL_CODES = {"-9", "-8", "-99", "-88", "-999", "-888", "-9999", "9", "99", "999", "9999", "99999"}
#: What to say about a cell of a kind that is no number.
SAID = {
    "error": "a spreadsheet's error value",
    "mangled": "what a spreadsheet makes of something like 3-1 or MAR1",
    "date": "a date",
    "limit": "a bound, not a value",
    "grouped": "a number with marks between its thousands",
    "unit": "a number with a unit",
    "text": "text",
}
MENDED = {
    "error": "Correct the cell, or count it as missing: {codes}",
    "mangled": "Restore it from the source, and make the column text before a spreadsheet opens it",
    "date": "Correct the cell",
    "limit": "Write a number by one rule for all sites, such as half the limit, or count it as missing: "
    "{codes}",
    "grouped": "Write 1234.5 for 1,234.5",
    "unit": "Write the number alone, and the unit into the column's name",
    "text": "Correct the cell, or count it as missing: {codes}",
}
