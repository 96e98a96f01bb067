"""XML of banks as a small tree: without entities, without namespaces and within limits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.parsers.expat import ExpatError  # nosec B406

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from django.utils.translation import gettext_noop as _

from gateway.bank_files.shapes import UnreadableFile

DEEPEST = 50
"""No message of the standard is nested as deeply."""

TEXT_AT_ONCE = 1024 * 1024
"""The text of an element comes in pieces of at most so many characters."""


class Node:
    """An element: its name, its text, the currency that it names, what is below it, and what was made of that."""

    __slots__ = ("children", "currency", "made", "tag", "text")

    def __init__(self, tag: str, currency: str = "") -> None:
        self.tag, self.text, self.currency = tag, "", currency
        self.children: list[Node] | tuple[()] = ()
        self.made: list[Any] | tuple[()] = ()

    def find(self, path: str) -> "Node | None":
        """The first at the path."""
        node = self
        for tag in path.split("/"):
            for child in node.children:
                if child.tag == tag:
                    node = child
                    break
            else:
                return None
        return node

    def all(self, path: str) -> "Sequence[Node]":
        """Each at the path, in order."""
        nodes = [self]
        for tag in path.split("/"):
            nodes = [child for node in nodes for child in node.children if child.tag == tag]
        return nodes


Maker = Callable[[Node, Node], Any]
"""Makes something of a part of the node above it, which is complete up to there."""


def documents(content: bytes, makers: Mapping[str, Maker]) -> Iterator[tuple[str, Node]]:
    """Each Document of the file with its namespace. Parts that a maker takes are not kept. Raises UnreadableFile."""
    parser = DefusedXMLParser(forbid_dtd=True).parser
    builder = _Builder(makers)
    parser.DefaultHandlerExpand = None
    parser.buffer_text, parser.buffer_size = True, TEXT_AT_ONCE
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(content, True)
    except ExpatError as error:
        raise UnreadableFile(_("The file is not well-formed XML."), error.lineno) from None
    except DefusedXmlException:
        raise UnreadableFile(_("The file declares a document type, which no bank's file does.")) from None
    except UnreadableFile as error:
        error.line = error.line or parser.CurrentLineNumber
        raise
    except (ValueError, LookupError):
        raise UnreadableFile(_("The file is not written in the encoding that it names.")) from None
    yield from builder.documents


class _Builder:
    """What the parser calls."""

    def __init__(self, makers: Mapping[str, Maker]) -> None:
        self.makers = makers
        self.documents: list[tuple[str, Node]] = []
        self._open = [Node("")]
        self._names: dict[str, str] = {}

    def start(self, name: str, attributes: list[str]) -> None:
        tag = self._names.get(name) or self._names.setdefault(name, name.rpartition("}")[2])
        node = Node(tag)
        if attributes and "Ccy" in attributes:
            node.currency = attributes[attributes.index("Ccy") + 1]
        if tag == "Document":
            self.documents.append((name.rpartition("}")[0], node))
        if len(self._open) > DEEPEST:
            raise UnreadableFile(_("The file is nested too deeply."))
        self._open.append(node)

    def end(self, name: str) -> None:
        node = self._open.pop()
        above = self._open[-1]
        maker = self.makers.get(node.tag)
        if maker is not None:
            made = maker(above, node)
            if above.made:
                above.made.append(made)
            else:
                above.made = [made]
        elif above.children:
            above.children.append(node)
        else:
            above.children = [node]

    def data(self, text: str) -> None:
        self._open[-1].text += text
