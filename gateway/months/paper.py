"""The month on paper: a page for each currency, with the fees that were charged."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from accounts.base.market import locale
from accounts.models import Environment, Merchant
from gateway.methods.paper import Paper, printable
from gateway.months import words
from gateway.months.figures import CATEGORY, Category, Figures
from ledger.chart import BUCKETS, AccountKind
from ledger.closings.models import TOTAL
from ledger.money import to_decimal
from ledger.notation import counted, written

_PLAIN, _BOLD = "Helvetica", "Helvetica-Bold"
_INK, _QUIET, _LINE, _RED = HexColor("#1c2733"), HexColor("#5b6b7c"), HexColor("#dfe6ed"), HexColor("#b3261e")
LEFT, RIGHT, STEP, BOTTOM = 57, 538, 18, 780
COLUMNS = (300, 420, RIGHT)


def write(path: Path, merchant: Merchant, first: datetime, figures: Figures, balances: dict[str, Any]) -> None:
    """One page for each currency; more if there are many fees."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1, lang=locale().replace("_", "-"))
    title = _("Month %(month)s") % {"month": date_format(first, "YEAR_MONTH_FORMAT")}
    canvas.setTitle(printable(title))
    canvas.setAuthor(printable(merchant.company.legal_name))
    for currency, known in balances.items():
        _Sheet(canvas, merchant, title, currency).draw(figures, known)
        canvas.showPage()
    canvas.save()


class _Sheet:
    """The page of one currency, from top to bottom."""

    def __init__(self, canvas: Canvas, merchant: Merchant, title: str, currency: str) -> None:
        self.paper, self.currency = Paper(canvas, 1, A4[1]), currency
        self.merchant, self.title, self.y = merchant, title, 0
        self._head()

    def draw(self, figures: Figures, balances: dict[str, Any]) -> None:
        wallet = figures.wallets[self.currency]
        opening, ending = balances["opening"], balances["ending"]
        self._row([_("Opening balance"), "", "", self._money(opening[TOTAL])], font=_BOLD)
        for category in Category:
            moved = wallet.movements[category]
            number = counted(moved.count) if moved.count else ""
            self._row([str(CATEGORY[category]), "", number, self._money(moved.amount)])
        self._row([_("Ending balance"), "", "", self._money(ending[TOTAL])], font=_BOLD)
        for kind in BUCKETS:
            self._row([f"   {_bucket(kind)}", "", "", self._money(ending[kind])], colour=_QUIET)
        if wallet.earlier.count:
            late = [_("Of earlier months, written late"), "", counted(wallet.earlier.count)]
            self._row([*late, self._money(wallet.earlier.amount)], colour=_QUIET)
        self._fees(figures)

    def _fees(self, figures: Figures) -> None:
        self.y += STEP
        self._row([_("Fees charged"), _("Number"), _("Base"), _("Fee")], font=_BOLD)
        total = 0
        for (group, name), line in sorted(figures.wallets[self.currency].fees.items()):
            base = self._money(line.base) if line.base else "-"
            self._row([words.fee_line(group, name), counted(line.count), base, self._money(line.fee)])
            total += line.fee
        self._row([_("Total"), "", "", self._money(total)], font=_BOLD)

    def _head(self) -> None:
        company = self.merchant.company
        self._text(LEFT, 62, self.title, size=18, font=_BOLD)
        self._text(RIGHT, 62, self.currency, size=18, font=_BOLD, right=True)
        tax_id = " ".join(filter(None, (company.tax_id_type, company.tax_id)))
        self._text(LEFT, 82, " · ".join(filter(None, (company.legal_name, tax_id))), colour=_QUIET)
        if self.merchant.environment == Environment.SANDBOX:
            self._text(RIGHT, 82, words.not_money(), font=_BOLD, colour=_RED, right=True)
        self.y = 118

    def _row(self, cells: Sequence[str], *, font: str = _PLAIN, colour: HexColor = _INK) -> None:
        if self.y > BOTTOM:
            self.paper.canvas.showPage()
            self._head()
        self._text(LEFT, self.y, cells[0], font=font, colour=colour)
        for x, text in zip(COLUMNS, cells[1:], strict=True):
            self._text(x, self.y, text, font=font, colour=colour, right=True)
        self.paper.canvas.setStrokeColor(_LINE)
        self.paper.canvas.line(LEFT, A4[1] - self.y - 6, RIGHT, A4[1] - self.y - 6)
        self.y += STEP

    def _text(
        self, x: int, y: int, text: str, *, size: int = 10, font: str = _PLAIN, colour: HexColor = _INK,
        right: bool = False,
    ) -> None:  # fmt: skip
        self.paper.canvas.setFillColor(colour)
        self.paper.put(x, y, text, size=size, font=font, right=right)

    def _money(self, minor: int) -> str:
        return written(to_decimal(minor, self.currency), self.currency).replace("−", "-")


def _bucket(kind: AccountKind) -> str:
    return {
        AccountKind.AVAILABLE: _("Available"),
        AccountKind.RELEASING: _("Releasing"),
        AccountKind.BLOCKED: _("Blocked"),
    }[kind]
