"""The text of a BIF file with comments and quotes out of the way, and errors that name its lines."""

import gzip
import re
import zlib
from pathlib import Path

from fedbnsl.errors import InputError

# Quoted texts come first, so that a // inside one is not taken for a comment.
_QUOTED_OR_COMMENT = re.compile(r'"([^"]*)"|/\*.*?\*/|//[^\n]*', re.DOTALL)


def file_text(path: Path) -> str:
    """The UTF-8 text of a file, unpacked if its name ends in ``.gz``; InputError if it cannot be read."""
    if not path.is_file():
        raise InputError("there is no such file", where=str(path))
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot be read ({error})", where=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", where=str(path)) from None


class SourceText:
    """Text in which every quoted part is one token without separators and comments are blank.

    Attributes
    ----------
    text : str
        Has the lines of the original, so that line numbers stay right.
    where : str
        What messages call the text.
    """

    def __init__(self, text: str, where: str):
        self.where = where
        self._quoted: dict[str, str] = {}
        self.text = _QUOTED_OR_COMMENT.sub(self._hide, text)

    def shown(self, part: str) -> str:
        """What a stripped part of the text stands for: itself, or what was quoted."""
        part = part.strip()
        return self._quoted.get(part, part)

    def error(self, place: int, problem: str, remedy: str | None = None) -> InputError:
        """The error about position ``place`` of the text."""
        line = self.text.count("\n", 0, place) + 1
        return InputError(problem, where=f"{self.where}, line {line}", remedy=remedy)

    def unreadable(self, place: int, expected: str) -> InputError:
        """The error that what stands from ``place`` on is not what was expected."""
        place += len(self.text[place:]) - len(self.text[place:].lstrip())
        line = self.text[place:].partition("\n")[0][:60].strip()
        for token, quoted in self._quoted.items():
            line = line.replace(token, f'"{quoted}"')
        return self.error(place, f"cannot read {line!r}; {expected}")

    def _hide(self, match) -> str:
        lines = "\n" * match[0].count("\n")
        if match[1] is None:
            return f" {lines}"
        token = f"\x00{len(self._quoted)}\x00"
        self._quoted[token] = match[1]
        return f" {token} {lines}"
