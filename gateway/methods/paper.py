"""Shared by all PDFs: standard fonts, lines, and text on a page."""

import unicodedata

from reportlab.pdfgen.canvas import Canvas


class Paper:
    """Draws from the upper left corner, downwards, as a page is read; `unit` is a length in points."""

    def __init__(self, canvas: Canvas, unit: float, height: float) -> None:
        self.canvas, self.unit, self.height = canvas, unit, height

    def put(self, x: int, y: int, text: str, *, size: int, font: str, right: bool = False) -> None:
        """One line whose baseline is at `y`; with `right` it ends at `x`."""
        self.canvas.setFont(font, size)
        draw = self.canvas.drawRightString if right else self.canvas.drawString
        draw(x * self.unit, self.height - y * self.unit, printable(text))


def printable(text: str) -> str:
    """Characters that the fonts of every PDF reader have; other letters lose accents, other scripts become `?`."""
    return "".join(_letter(c) for c in unicodedata.normalize("NFC", text))


def _letter(letter: str) -> str:
    if not letter.isprintable():
        return " "
    for candidate in (letter, unicodedata.normalize("NFKD", letter)[0]):
        if candidate.encode("cp1252", "ignore"):
            return candidate
    return "?"
