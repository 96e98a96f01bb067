"""The lines of a file as they were meant, however it was saved on its way: encoding, line endings, end marks."""

from collections.abc import Iterable

from django.utils.translation import gettext_noop as _

from gateway.bank_files.shapes import UnreadableFile

_BOM = b"\xef\xbb\xbf"
_END_MARKS = "\x1a\x00"
MOST_LINES = 300_000
"""More than a file of full lines has within `MAX_BYTES`. Short lines are filled up, and would take far more memory."""


def lines_of(content: bytes, width: int) -> list[tuple[int, str]]:
    """Each line that is not blank with its number from 1, filled up with blanks to `width`. Raises UnreadableFile."""
    found: list[tuple[int, str]] = []
    for number, line in _split(decoded(content), width):
        if not line.strip():
            continue
        if len(found) == MOST_LINES:
            raise UnreadableFile(_("The file has more than %(most)s lines."), number, most=MOST_LINES)
        found.append((number, _filled(line, number, width)))
    return found


def decoded(content: bytes) -> str:
    """UTF-8 if it is, otherwise Latin-1, which is what banks write."""
    content = content.removeprefix(_BOM)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def first_line(content: bytes) -> str:
    """Without what editors add in front."""
    for line in decoded(content[:2000]).replace("\r", "\n").split("\n"):
        if line.strip():
            return line
    return ""


def _split(text: str, width: int) -> Iterable[tuple[int, str]]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for mark in _END_MARKS:
        text = text.replace(mark, "")
    lines = text.split("\n")
    if len(lines[0]) > width and not any(line.strip() for line in lines[1:]):  # without line breaks
        lines = [lines[0][start : start + width] for start in range(0, len(lines[0]), width)]
    return enumerate(lines, 1)


def _filled(line: str, number: int, width: int) -> str:
    if line[width:].strip():
        raise UnreadableFile(_("The line is longer than %(width)s characters."), number, width=width)
    return line[:width].ljust(width)
