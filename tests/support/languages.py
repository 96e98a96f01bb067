"""Translated texts marked as such, so that a page shows what nobody translates."""

import gettext
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from string import ascii_letters
from typing import Any

from django.utils.translation import trans_real

_MARKED = str.maketrans({letter: chr(ord(letter) + 0xFEE0) for letter in ascii_letters})
"""Full-width letters: ａ for a."""
_PLACEHOLDER = re.compile(r"(%\(\w+\)[sd]|%[sd]|{\w*})")
_NAMED_IN = {"button", "h2", "h3", "label", "legend", "th"}
"""What these say is never data on the pages of staff: titles of groups and columns, names of fields, buttons."""
_ICON = "material-symbols"


class Marked(gettext.NullTranslations):
    """A catalogue whose translations are written in full-width letters."""

    def __init__(self, catalogue: Any) -> None:
        super().__init__()
        self.catalogue = catalogue

    def __getattr__(self, name: str) -> Any:
        return getattr(self.catalogue, name)

    def gettext(self, message: str) -> str:
        return self._marked(self.catalogue.gettext(message)) if self._knows(message) else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        told = self.catalogue.ngettext(msgid1, msgid2, n)
        return self._marked(told) if told not in (msgid1, msgid2) else str(told)

    def _knows(self, message: str) -> bool:
        return self.catalogue._catalog.get(message) is not None

    def _marked(self, text: str) -> str:
        parts = _PLACEHOLDER.split(text)
        return "".join(part if place % 2 else part.translate(_MARKED) for place, part in enumerate(parts))


@contextmanager
def marked(language: str) -> Iterator[None]:
    """Texts of this language are told apart from what no catalogue knows."""
    kept = trans_real.translation(language)
    trans_real._translations[language] = Marked(kept)
    try:
        yield
    finally:
        trans_real._translations[language] = kept


class _Names(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        of = dict(attrs)
        is_name = tag in _NAMED_IN and (tag != "th" or of.get("scope") == "col")
        if is_name or (tag == "span" and _ICON in (of.get("class") or "")):
            self.open.append(tag)
        self.found += [of[name] for name in ("placeholder", "aria-label") if of.get(name)]

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in _NAMED_IN:
            self.found.append(data)


def untranslated(page: str) -> set[str]:
    """The names on pages, marked, with a word that no catalogue knows."""
    parser = _Names()
    parser.feed(page)
    return {text.strip() for text in parser.found if any(map(_is_a_word, _words(text)))}


def _words(text: str) -> list[str]:
    return [word.strip(".,:;()…“”'?!*") for word in text.split()]


def _is_a_word(text: str) -> bool:
    return text.isascii() and text.isalpha() and len(text) > 1 and not text.isupper()
