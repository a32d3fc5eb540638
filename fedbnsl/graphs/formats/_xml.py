"""A small XML tree that knows its line numbers; entity declarations are refused."""

from collections.abc import Iterator
from xml.parsers import expat

from fedbnsl.errors import InputError


class Element:
    """One element: local name, attributes by local name, children, text and line."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int):
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[Element] = []
        self.text = ""

    def all(self, tag: str) -> "list[Element]":
        """The children of this name."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> "Element | None":
        """The first child of this name, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> "Iterator[Element]":
        """This element and all below it, in document order."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    @property
    def place(self) -> str:
        """``line k``."""
        return f"line {self.line}"


def parse_xml(content: bytes, where: str, root: str, format_name: str) -> Element:
    """The root element, which must have the local name ``root``.

    Nothing outside the file is read, and a file that declares entities is refused: they could name
    other files or grow without bound.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text, parser.buffer_size = True, 1 << 20
    top = Element("", {}, 0)
    stack = [top]

    def start(tag, attributes):
        local = {key.rsplit(" ", 1)[-1]: value for key, value in attributes.items()}
        element = Element(tag.rsplit(" ", 1)[-1], local, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def text(data):
        stack[-1].text += data

    def entity(name, *_):
        raise InputError(
            f"the file declares the XML entity {name!r}",
            where=f"{where}, line {parser.CurrentLineNumber}",
            remedy="Write its value out",
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise InputError(
            f"the file is not XML ({expat.ErrorString(error.code)})", where=f"{where}, line {error.lineno}"
        ) from None
    found = top.children[0]
    if found.tag.lower() != root.lower():
        raise InputError(
            f"the outermost element is <{found.tag}>, but that of {format_name} is <{root}>",
            where=f"{where}, {found.place}",
        )
    return found
