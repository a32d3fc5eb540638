"""The words and signs of a DOT file."""

import re
from dataclasses import dataclass

from fedbnsl.errors import InputError

_TOKEN = re.compile(
    r"""
    (?P<blank> \s*^[ \t]*\#[^\n]* | \s+ | //[^\n]* | /\*.*?\*/ )
  | "(?P<quoted> (?:[^"\\] | \\.)* )"
  | (?P<sign> -> | -- | [{}\[\];,=:+] )
  | (?P<word> -?(?:\.\d++|\d++(?:\.\d*+)?)(?![^\W\d]) | [^\W\d]\w* )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Token:
    """A piece of the file: its kind (quoted, word, sign, end), text and place."""

    kind: str
    text: str
    place: str

    @property
    def is_name(self) -> bool:
        """Whether it can name a node or be a value."""
        return self.kind in ("quoted", "word")

    def is_word(self, *words: str) -> bool:
        """Whether it is one of these keywords (in any letter case, not in quotes)."""
        return self.kind == "word" and self.text.lower() in words

    def is_sign(self, *signs: str) -> bool:
        """Whether it is one of these signs."""
        return self.kind == "sign" and self.text in signs


class Tokens:
    """The tokens of a text, with one to look ahead."""

    def __init__(self, text: str, where: str):
        self.text, self.where = text, where
        self.position, self.line = 0, 1
        self.last = Token("end", "", "line 1")
        self.next = self._read()

    def peek(self) -> Token:
        """The next token, which stays the next."""
        return self.next

    def take(self) -> Token:
        """The next token."""
        self.last, self.next = self.next, self.last
        if self.last.kind != "end":
            self.next = self._read()
        return self.last

    def expect(self, sign: str) -> None:
        """Take a token that must be this sign."""
        if not self.take().is_sign(sign):
            raise self.error(f"expected: {sign}")

    def name(self) -> Token:
        """Take a name; quoted texts joined by + are one."""
        token = self.take()
        if not token.is_name:
            raise self.error("expected: a name")
        while token.kind == "quoted" and self.next.is_sign("+"):
            self.take()
            if self.take().kind != "quoted":
                raise self.error("expected: a text in quotes after +")
            token = Token("quoted", token.text + self.last.text, token.place)
        return token

    def error(self, problem: str, remedy: str | None = None) -> InputError:
        """An error at the token taken last, for the caller to raise."""
        found = "the end of the file" if self.last.kind == "end" else repr(self.last.text)
        if problem.startswith("expected"):
            problem = f"found {found}, {problem}"
            remedy = remedy or "Put names with anything but letters, digits and _ in double quotes"
        return InputError(problem, where=f"{self.where}, {self.last.place}", remedy=remedy)

    def _read(self) -> Token:
        while self.position < len(self.text):
            place = f"line {self.line}"
            if self.text[self.position] == "<":
                return Token("quoted", self._markup(place), place)
            match = _TOKEN.match(self.text, self.position)
            if match is None:
                snippet = re.split(r"[\r\n]", self.text[self.position : self.position + 40])[0]
                raise InputError(
                    f"cannot read {snippet!r}",
                    where=f"{self.where}, {place}",
                    remedy="Put names with anything but letters, digits and _ in double quotes",
                )
            self.position, self.line = match.end(), self.line + match[0].count("\n")
            if match.lastgroup == "quoted":
                # Of the backslash sequences, only these two belong to DOT; the rest are the label's.
                inner = re.sub(r"\\\r?\n", "", match["quoted"]).replace('\\"', '"')
                return Token("quoted", inner, place)
            if match.lastgroup != "blank":
                return Token(match.lastgroup, match[match.lastgroup], place)
        return Token("end", "", f"line {self.line}")

    def _markup(self, place: str) -> str:
        depth, start = 0, self.position
        for match in re.finditer("[<>]", self.text[start:]):
            depth += 1 if match[0] == "<" else -1
            if depth == 0:
                self.position = start + match.end()
                self.line += self.text.count("\n", start, self.position)
                return self.text[start : self.position]
        raise InputError("a text in < > is not closed", where=f"{self.where}, {place}")
