"""Bytes of files as text."""

import codecs

from django.utils.translation import gettext_noop as _

from gateway.bank_files.shapes import UnreadableFile

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(content: bytes, encoding: str = "") -> str:
    """In the encoding, or in UTF-8, or else in Windows-1252, whatever the file calls itself: banks are often wrong
    about it. Line ends become newlines. Raises UnreadableFile for bytes that the given encoding does not have.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            content, encoding = content[len(mark) :], name
    try:
        text = content.decode(encoding or "utf-8")
    except (UnicodeDecodeError, LookupError):
        if encoding:
            raise UnreadableFile(_("The file is not written in %(encoding)s."), encoding=encoding) from None
        text = content.decode("cp1252", errors="replace")
    if "\0" in text:
        raise UnreadableFile(_("The file holds bytes that are no text."))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def joined(*parts: str) -> str:
    """Each part once, in order, with single spaces."""
    return " ".join(dict.fromkeys(" ".join(part.split()) for part in parts if part.strip()))
