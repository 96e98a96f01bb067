"""The pack as PDF: A4 pages of titled sections."""

import io

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from gateway.evidence.facts import Line, PackFacts, Section
from gateway.methods.paper import printable
from gateway.receipts.pdf import BOLD, LEFT, PLAIN, QUIET, RIGHT, STEP, VALUES, A4Paper, wrapped

BOTTOM, FIRST = 780, 150
MOST_LINES = 12
"""Of one value: longer ones end with an ellipsis."""


def render(facts: PackFacts) -> bytes:
    """The PDF; deterministic for the same facts."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1, lang=facts.tag)
    canvas.setTitle(f"{facts.title} {facts.subject}")
    canvas.setAuthor(printable(facts.company))
    pages = _Pages(canvas, facts)
    for section in facts.sections:
        pages.add(section)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


class _Pages:
    """Writes downwards, and goes on on another page where one is full."""

    def __init__(self, canvas: Canvas, facts: PackFacts) -> None:
        self.canvas, self.facts, self.number = canvas, facts, 0
        self._begin()
        self._head()

    def add(self, section: Section) -> None:
        """A title never stands alone at the end of a page."""
        self._make_room(4 * STEP)
        self.paper.text(LEFT, self.y, section.title, size=12, font=BOLD)
        self.paper.line(self.y + 6)
        self.y += 24
        for line in section.lines:
            self._write(line)
        self.y += STEP

    def _write(self, line: Line) -> None:
        labels = wrapped(line.label, VALUES - LEFT - 10, PLAIN, 9, 3)
        texts = wrapped(line.text, RIGHT - VALUES, PLAIN, 10, MOST_LINES) or [""]
        height = max(len(labels), len(texts))
        self._make_room(height * STEP)
        for at, label in enumerate(labels):
            self.paper.text(LEFT, self.y + at * STEP, label, size=9, colour=QUIET)
        for at, text in enumerate(texts):
            self.paper.text(VALUES, self.y + at * STEP, text)
        self.y += height * STEP + 3

    def _make_room(self, height: int) -> None:
        if self.y + height > BOTTOM:
            self.canvas.showPage()
            self._begin()

    def _begin(self) -> None:
        self.paper, self.number, self.y = A4Paper(self.canvas), self.number + 1, 80
        if self.facts.mark:  # first, so that it is below everything else
            self.paper.mark(self.facts.mark, 420)
        self.paper.text(LEFT, 50, self.facts.subject, size=9, colour=QUIET)
        number = self.facts.page.format(number=self.number)
        self.paper.text(RIGHT, 50, number, size=9, colour=QUIET, right=True)

    def _head(self) -> None:
        self.paper.text(LEFT, 84, self.facts.title, size=20, font=BOLD)
        for line in wrapped(self.facts.company, RIGHT - LEFT - 150, PLAIN, 11, 1):
            self.paper.text(LEFT, 106, line, size=11)
        self.paper.text(RIGHT, 106, self.facts.amount, size=14, font=BOLD, right=True)
        self.paper.line(120)
        self.y = FIRST
