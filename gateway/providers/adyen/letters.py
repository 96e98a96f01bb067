"""The company's words as a PDF, since a defense at Adyen consists of documents."""

import io

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from gateway.methods.paper import printable

_FONT, _SIZE, _MARGIN, _STEP = "Helvetica", 11, 57, 15


def letter(text: str) -> bytes:
    """As many A4 pages as it needs; deterministic for the same text."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1)
    width, height = A4
    y = height
    for line in _lines(text, width - 2 * _MARGIN):
        if y < 2 * _MARGIN:
            canvas.showPage()
            y = height
        if y == height:
            canvas.setFont(_FONT, _SIZE)
            y -= _MARGIN
        y -= _STEP
        canvas.drawString(_MARGIN, y, line)
    canvas.save()
    return file.getvalue()


def _lines(text: str, width: float) -> list[str]:
    paragraphs = (simpleSplit(printable(one), _FONT, _SIZE, width) for one in text.split("\n"))
    return [line for paragraph in paragraphs for line in paragraph or [""]]
