"""The rows of the workbook of a month as XML of their sheets, so that they can be written a slice at a time."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape  # nosec B406 (writes only)
from zoneinfo import ZoneInfo

from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.utils.datetime import to_excel

from gateway.months import words
from gateway.months.books import Part
from gateway.months.figures import CATEGORY, Category, Subjects, subject_id
from ledger.closings.models import TOTAL
from ledger.money import to_decimal

TIME, NUMBER, RATE = FORMATS = ("yyyy-mm-dd hh:mm:ss", "#,##0.00", "0.00########")
"""Formats of cells; the style of each is its place here, from 1."""
MOST_ROWS = 1_000_000
"""Of a sheet: programs read 1,048,576 at most. What is more goes into a sheet of its own."""
COLUMNS = "ABCDEFGHIJKL"


def sheet(category: str, number: int) -> str:
    """The name of a sheet's pieces: those of a category are numbered from 0."""
    return f"{category}-{number}"


class Rows:
    """Rows by sheet. `counts` by category: how many there are already."""

    def __init__(self, zone: ZoneInfo, counts: dict[str, int]) -> None:
        self.zone = zone
        self.counts = counts
        self.written: dict[str, list[str]] = defaultdict(list)

    def add(self, part: Part, subjects: Subjects) -> None:
        """A row for what moved the wallet as a whole."""
        if part.bucket != TOTAL or not (part.net or part.fee or part.advance_fee):
            return
        category = subjects.category(part)
        if category == Category.SALES:
            row = _sale(part, subjects)
        elif category in (Category.REFUNDS, Category.DISPUTES):
            row = _refund(part, subjects)
        elif part.reference in subjects.withdrawals:
            row = _payout(part, subjects)
        elif part.reference in subjects.conversions:
            row = _conversion(part, subjects)
        else:
            kind = str(CATEGORY[category]) if category == Category.ADVANCES else part.kind
            category = Category.OTHER
            fee = _money(part, part.fee + part.advance_fee)
            row = [part.posted_at, kind, part.reference, part.currency, _money(part, part.amount), fee]
        self._append(category, row)

    def _append(self, category: Category, row: Sequence[Any]) -> None:
        count = self.counts.get(category, 0)
        number, above = divmod(count, MOST_ROWS)
        at = above + 2  # below the titles
        cells = "".join(self._cell(f"{COLUMNS[n]}{at}", value) for n, value in enumerate(row))
        self.written[sheet(category, number)].append(f'<row r="{at}">{cells}</row>')
        self.counts[str(category)] = count + 1

    def _cell(self, at: str, value: Any) -> str:
        if value is None or value == "":
            return ""
        if isinstance(value, str):  # never a formula
            text = escape(ILLEGAL_CHARACTERS_RE.sub(" ", value))
            return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
        if isinstance(value, datetime):
            return f'<c r="{at}" s="{_style(TIME)}"><v>{to_excel(words.local(value, self.zone))}</v></c>'
        assert isinstance(value, Decimal)
        style = _style(NUMBER if value == round(value, 2) else RATE)
        return f'<c r="{at}" s="{style}"><v>{value:f}</v></c>'


def _style(form: str) -> int:
    return FORMATS.index(form) + 1


def _sale(part: Part, subjects: Subjects) -> list[Any]:
    payment = subjects.payments[part.reference]
    charged = to_decimal(payment.amount, payment.currency)
    return [
        part.posted_at, payment.pk, payment.reference, words.method(payment.method), part.currency,
        _money(part, part.amount), _money(part, part.fee), _money(part, part.net),
        payment.release_at or part.posted_at, charged, payment.currency,
    ]  # fmt: skip


def _refund(part: Part, subjects: Subjects) -> list[Any]:
    refund = subjects.refunds[subject_id(part)]
    found = [part.posted_at, refund.pk, refund.payment_id, refund.payment.reference, part.currency]
    return [*found, _money(part, part.amount)]


def _payout(part: Part, subjects: Subjects) -> list[Any]:
    withdrawal = subjects.withdrawals[part.reference]
    who = withdrawal.destination.get("beneficiaryName") or next(iter(withdrawal.destination.values()), "")
    return [
        part.posted_at, withdrawal.pk, withdrawal.reference, words.method(withdrawal.rail),
        withdrawal.rail_reference, who, part.currency, _money(part, part.amount), _money(part, part.fee),
    ]  # fmt: skip


def _conversion(part: Part, subjects: Subjects) -> list[Any]:
    """One of its two rows: each wallet has one, with what the other wallet got or gave."""
    done = subjects.conversions[part.reference]
    sides = ((done.source_currency, -done.source_amount), (done.destination_currency, done.destination_amount))
    [(currency, amount)] = [side for side in sides if side[0] != part.currency]
    moved = [part.posted_at, done.pk, part.currency, _money(part, part.amount)]
    return [*moved, currency, to_decimal(amount, currency), done.applied_rate]


def _money(part: Part, minor: int) -> Decimal:
    return to_decimal(minor, part.currency)
