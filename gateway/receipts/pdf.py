"""The receipt as PDF: one A4 page, from the amount to the verification code."""

import io
from base64 import b64decode
from collections.abc import Sequence

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from gateway.methods import qr
from gateway.methods.paper import Paper, printable
from gateway.receipts.facts import ReceiptFacts, ReceiptRow

PLAIN, BOLD, _FIXED = "Helvetica", "Helvetica-Bold", "Courier-Bold"
_INK, QUIET, _LINE, _TINT = HexColor("#1c2733"), HexColor("#5b6b7c"), HexColor("#dfe6ed"), HexColor("#f5f8fb")
_LINK, _GREEN, _RED = HexColor("#0b5cad"), HexColor("#14612a"), HexColor("#b3261e")
_MARK = HexColor("#f4d9d7")
_HEIGHT = int(A4[1])
LEFT, RIGHT, VALUES = 57, 538, 195
"""Points, as all lengths here, from the upper left corner: the margins, and the start of row values."""
WIDTH = RIGHT - LEFT
FOOT, FOOT_HEIGHT, QR_SIZE = 660, 136, 112
AMOUNT, STEP, GAP = 320, 14, 8
LOGO = (132, 44)


def render(facts: ReceiptFacts) -> bytes:
    """The PDF; deterministic for the same facts."""
    file = io.BytesIO()
    words = facts.words
    canvas = Canvas(file, pagesize=A4, invariant=1, lang=words.tag)
    canvas.setTitle(words.title)
    canvas.setAuthor(printable(facts.company))
    paper = A4Paper(canvas)
    if facts.is_sandbox:  # first, so that it is below everything else
        for middle in (290, 530):
            paper.mark(words.no_value, middle)
    y = _header(paper, facts)
    for row in facts.rows:
        y = paper.row(y, row)
    if facts.refunds:
        _refunds(paper, y, facts)
    _footer(paper, facts)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def _header(paper: "A4Paper", facts: ReceiptFacts) -> int:
    """Who was paid, how much and when; returns the position of the first row."""
    words = facts.words
    paper.text(LEFT, 62, words.title, size=11, colour=QUIET)
    if facts.is_sandbox:
        paper.text(RIGHT, 62, words.no_value, size=11, font=BOLD, colour=_RED, right=True)
    y = 64
    if facts.logo:
        paper.logo(bytes(facts.logo.content))
    for line in wrapped(facts.company, WIDTH - (LOGO[0] + GAP if facts.logo else 0), BOLD, 20, 2):
        y += 24
        paper.text(LEFT, y, line, size=20, font=BOLD)
    paper.line(y + 16)
    y += 58
    size = next(size for size in (34, 28, 22) if stringWidth(facts.amount, BOLD, size) < AMOUNT or size == 22)
    paper.text(LEFT, y, facts.amount, size=size, font=BOLD)
    if facts.is_refunded:
        paper.stamp(facts.status.upper(), y - 12)
    else:
        paper.text(RIGHT, y, facts.status, size=16, font=BOLD, colour=_GREEN, right=True)
    y += 22
    paper.text(LEFT, y, f"{words.paid_at} {facts.paid_at}", size=10, colour=QUIET)
    if facts.refunded:
        y += 18
        paper.text(LEFT, y, f"{words.refunded_amount}: {facts.refunded}", size=11, font=BOLD, colour=_RED)
    paper.line(y + 16)
    return y + 38


def _refunds(paper: "A4Paper", y: int, facts: ReceiptFacts) -> None:
    """Draws as many rows as fit, and the number of the others."""
    room = max(1, (FOOT - GAP - y) // STEP)
    shown = [wrapped(text, RIGHT - VALUES, PLAIN, 8, 1)[0] for text in facts.refunds]
    if len(shown) > room:
        shown = [*shown[: room - 1], facts.words.more.format(len(shown) - room + 1)]
    paper.row(y, ReceiptRow(facts.words.refunds, shown), size=8)


def _footer(paper: "A4Paper", facts: ReceiptFacts) -> None:
    """How to verify it: the QR code, the code and the address in letters."""
    paper.box(FOOT, FOOT_HEIGHT)
    paper.qr(LEFT + 12, FOOT + 12, facts.link)
    x = LEFT + QR_SIZE + 28
    room = RIGHT - 14 - x
    paper.text(x, FOOT + 28, facts.words.code, size=9, colour=QUIET)
    paper.text(x, FOOT + 46, facts.code, size=16, font=_FIXED)
    y = FOOT + 70
    for line in wrapped(facts.words.check, room, PLAIN, 9, 2):
        paper.text(x, y, line, size=9, colour=QUIET)
        y += 12
    address, _, query = facts.link.partition("?")
    for line in (*wrapped(address, room, PLAIN, 9, 2), f"?{query}"):  # the code is not truncated
        paper.text(x, y + 2, line, size=9, colour=_LINK)
        y += 12
    paper.link(x, FOOT + 80, facts.link)


class A4Paper(Paper):
    """A page of a receipt or a pack, measured in points."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas, 1, _HEIGHT)

    def text(
        self,
        x: int,
        y: int,
        text: str,
        *,
        size: int = 10,
        font: str = PLAIN,
        colour: HexColor = _INK,
        right: bool = False,
    ) -> None:
        self.canvas.setFillColor(colour)
        self.put(x, y, text, size=size, font=font, right=right)

    def line(self, y: int) -> None:
        self.canvas.setStrokeColor(_LINE)
        self.canvas.setLineWidth(1)
        self.canvas.line(LEFT, _HEIGHT - y, RIGHT, _HEIGHT - y)

    def row(self, y: int, row: ReceiptRow, size: int = 10) -> int:
        """Label at the left, text at the right; returns the position of the next row."""
        self.text(LEFT, y, row.title, colour=QUIET)
        for text in row.lines:
            for line in wrapped(text, RIGHT - VALUES, PLAIN, size, 4):
                self.text(VALUES, y, line, size=size)
                y += STEP
        return y + GAP

    def box(self, y: int, height: int) -> None:
        self.canvas.setFillColor(_TINT)
        self.canvas.setStrokeColor(_LINE)
        self.canvas.roundRect(LEFT, _HEIGHT - y - height, WIDTH, height, 6, fill=1)

    def logo(self, image: bytes) -> None:
        """At the right, beside the company's name."""
        width, height = LOGO
        at = (RIGHT - width, _HEIGHT - 68 - height)
        drawn = ImageReader(io.BytesIO(image))
        self.canvas.drawImage(drawn, *at, width, height, mask="auto", preserveAspectRatio=True, anchor="ne")

    def qr(self, x: int, y: int, text: str) -> None:
        image = ImageReader(io.BytesIO(b64decode(qr.data_uri(text).partition(",")[2])))
        self.canvas.drawImage(image, x, _HEIGHT - y - QR_SIZE, QR_SIZE, QR_SIZE)

    def link(self, x: int, y: int, address: str) -> None:
        """Links the area down to the end of the footer to the URL."""
        self.canvas.linkURL(address, (x, _HEIGHT - FOOT - FOOT_HEIGHT, RIGHT, _HEIGHT - y))

    def mark(self, text: str, y: int) -> None:
        """Large letters across the page, centered at `y`."""
        self.canvas.saveState()
        self.canvas.translate(A4[0] / 2, _HEIGHT - y)
        self.canvas.rotate(24)
        self.canvas.setFillColor(_MARK)
        self.canvas.setFont(BOLD, 42)
        self.canvas.drawCentredString(0, -15, text)
        self.canvas.restoreState()

    def stamp(self, text: str, y: int) -> None:
        """A stamp at the right, centered at `y`."""
        half = int(stringWidth(text, BOLD, 18)) // 2 + 12
        self.canvas.saveState()
        self.canvas.translate(RIGHT - half, _HEIGHT - y)
        self.canvas.rotate(6)
        self.canvas.setFillColor(_RED)
        self.canvas.setStrokeColor(_RED)
        self.canvas.setLineWidth(2)
        self.canvas.roundRect(-half, -16, 2 * half, 32, 6)
        self.canvas.setFont(BOLD, 18)
        self.canvas.drawCentredString(0, -6, text)
        self.canvas.restoreState()


def wrapped(text: str, width: int, font: str, size: int, most: int) -> list[str]:
    """Wraps at words, and inside words longer than a line; the excess ends with an ellipsis."""
    found: list[str] = []
    for line in simpleSplit(printable(text), font, size, width):
        while stringWidth(line, font, size) > width:
            fits = next(n for n in range(len(line), 0, -1) if stringWidth(line[:n], font, size) <= width)
            found.append(line[:fits])
            line = line[fits:]
        found.append(line)
    return _shortened(found, width, font, size, most)


def _shortened(lines: Sequence[str], width: int, font: str, size: int, most: int) -> list[str]:
    if len(lines) <= most:
        return list(lines)
    rest = " ".join(lines[most - 1 :])
    while stringWidth(rest + "…", font, size) > width:
        rest = rest[:-1]
    return [*lines[: most - 1], rest.rstrip() + "…"]
