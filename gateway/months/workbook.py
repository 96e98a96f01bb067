"""The workbook of a month: typed cells on a sheet each, written as the books are read."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font

from gateway.months import words
from gateway.months.books import Part
from gateway.months.figures import CATEGORY, Category, Figures, Subjects, subject_id
from ledger.closings.models import TOTAL
from ledger.money import to_decimal

_NUMBER, _TIME, _BOLD = "#,##0.00", "yyyy-mm-dd hh:mm:ss", Font(bold=True)
_RATE = "0.00########"
MOST_ROWS = 1_000_000
"""Of a sheet: programs read 1,048,576 at most. What is more goes into a sheet of its own."""


class MonthBook:
    """Rows go to their sheet at once; the summary, which is first, is written last."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self.book = Workbook(write_only=True)
        at = f"({zone.key})"
        self.summary = self.book.create_sheet(_("Summary"))
        about = [_("Currency"), _("Amount")]
        self.titles: dict[Category, tuple[str, ...]] = {
            Category.SALES: (
                _("Sales"), f"{_('Paid')} {at}", _("Payment"), _("Reference"), _("Method"), _("Currency"),
                _("Gross"), _("Fee"), _("Net"), f"{_('Available from')} {at}", _("Charged"), _("Charged in"),
            ),
            **{
                category: (
                    str(CATEGORY[category]), f"{_('Time')} {at}", _("Refund"), _("Payment"), _("Reference"), *about
                )
                for category in (Category.REFUNDS, Category.DISPUTES)
            },
            Category.PAYOUTS: (
                _("Payouts"), f"{_('Time')} {at}", _("Withdrawal"), _("Reference"), _("Rail"), _("Id at the bank"),
                _("Beneficiary"), *about, _("Fee"),
            ),
            Category.CONVERSIONS: (
                _("Conversions"), f"{_('Time')} {at}", _("Conversion"), *about, _("Converted currency"),
                _("Converted amount"), _("Rate"),
            ),
            Category.OTHER: (
                _("Other movements"), f"{_('Time')} {at}", _("Type"), _("Id"), *about, _("Fee")
            ),
        }  # fmt: skip
        self.sheets = {category: self._sheet(*titles) for category, titles in self.titles.items()}
        self.rows = dict.fromkeys(self.sheets, 0)
        self.fees = self._sheet(_("Fees"), _("Charged for"), _("Currency"), _("Number"), _("Base"), _("Fee"))

    def _sheet(self, title: str, *columns: str) -> Any:
        sheet = self.book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for number, _column in enumerate(columns):
            sheet.column_dimensions[chr(65 + number)].width = 20
        sheet.append([self._bold(column) for column in columns])
        return sheet

    def add(self, part: Part, subjects: Subjects) -> None:
        """A row for what moved the wallet as a whole."""
        if part.bucket != TOTAL or not (part.net or part.fee or part.advance_fee):
            return
        category = subjects.category(part)
        if category == Category.SALES:
            row = self._sale(part, subjects)
        elif category in (Category.REFUNDS, Category.DISPUTES):
            row = self._refund(part, subjects)
        elif part.reference in subjects.withdrawals:
            row = self._payout(part, subjects)
        elif part.reference in subjects.conversions:
            row = self._conversion(part, subjects)
        else:
            kind = str(CATEGORY[category]) if category == Category.ADVANCES else part.kind
            category = Category.OTHER
            row = [part.posted_at, kind, part.reference, part.currency, self._money(part, part.amount)]
            row.append(self._money(part, part.fee + part.advance_fee))
        self._append(category, row)

    def _append(self, category: Category, row: Sequence[Any]) -> None:
        if self.rows[category] == MOST_ROWS:
            self.sheets[category], self.rows[category] = self._sheet(*self.titles[category]), 0
        self.sheets[category].append([self._cell(value) for value in row])
        self.rows[category] += 1

    def _sale(self, part: Part, subjects: Subjects) -> list[Any]:
        payment = subjects.payments[part.reference]
        charged = to_decimal(payment.amount, payment.currency)
        return [
            part.posted_at, payment.pk, payment.reference, words.method(payment.method), part.currency,
            self._money(part, part.amount), self._money(part, part.fee), self._money(part, part.net),
            payment.release_at or part.posted_at, charged, payment.currency,
        ]  # fmt: skip

    def _refund(self, part: Part, subjects: Subjects) -> list[Any]:
        refund = subjects.refunds[subject_id(part)]
        found = [part.posted_at, refund.pk, refund.payment_id, refund.payment.reference, part.currency]
        return [*found, self._money(part, part.amount)]

    def _payout(self, part: Part, subjects: Subjects) -> list[Any]:
        withdrawal = subjects.withdrawals[part.reference]
        who = withdrawal.destination.get("beneficiaryName") or next(iter(withdrawal.destination.values()), "")
        return [
            part.posted_at, withdrawal.pk, withdrawal.reference, words.method(withdrawal.rail),
            withdrawal.rail_reference, who, part.currency, self._money(part, part.amount), self._money(part, part.fee),
        ]  # fmt: skip

    def _conversion(self, part: Part, subjects: Subjects) -> list[Any]:
        """One of its two rows: each wallet has one, with what the other wallet got or gave."""
        done = subjects.conversions[part.reference]
        sides = ((done.source_currency, -done.source_amount), (done.destination_currency, done.destination_amount))
        [(currency, amount)] = [side for side in sides if side[0] != part.currency]
        moved = [part.posted_at, done.pk, part.currency, self._money(part, part.amount)]
        return [*moved, currency, to_decimal(amount, currency), done.applied_rate]

    def finish(self, path: Path, head: Sequence[str], figures: Figures, balances: dict[str, Any]) -> None:
        """`balances` by currency: opening and ending of each bucket."""
        for line in head:
            self.summary.append([self._bold(line)])
        self.summary.column_dimensions["A"].width = 32
        currencies = sorted(balances)
        for number in range(len(currencies)):
            self.summary.column_dimensions[chr(66 + number)].width = 18
        self.summary.append([])
        self.summary.append([self._bold(_("Currency")), *map(self._bold, currencies)])
        self._line(_("Opening balance"), [(one, balances[one]["opening"][TOTAL]) for one in currencies])
        for category in Category:
            moved = [(one, figures.wallets[one].movements[category].amount) for one in currencies]
            self._line(str(CATEGORY[category]), moved)
        self._line(_("Ending balance"), [(one, balances[one]["ending"][TOTAL]) for one in currencies])
        for currency in currencies:
            for (group, name), charged in sorted(figures.wallets[currency].fees.items()):
                base, fee = to_decimal(charged.base, currency), to_decimal(charged.fee, currency)
                row = [words.fee_line(group, name), currency, charged.count, base, fee]
                self.fees.append([self._cell(value) for value in row])
        self.book.save(path)

    def _line(self, title: str, amounts: Sequence[tuple[str, int]]) -> None:
        self.summary.append([title, *(self._cell(to_decimal(minor, currency)) for currency, minor in amounts)])

    def _money(self, part: Part, minor: int) -> Decimal:
        return to_decimal(minor, part.currency)

    def _bold(self, text: str) -> Any:
        cell = self._cell(text)
        cell.font = _BOLD
        return cell

    def _cell(self, value: Any) -> Any:
        if isinstance(value, datetime):
            value = words.local(value, self.zone)
        elif isinstance(value, str):
            value = ILLEGAL_CHARACTERS_RE.sub(" ", value)
        cell = WriteOnlyCell(self.summary, value=value)
        if isinstance(value, datetime):
            cell.number_format = _TIME
        elif isinstance(value, Decimal):
            cell.number_format = _NUMBER if value == round(value, 2) else _RATE
        elif isinstance(value, str):
            cell.data_type = "s"  # never a formula
        return cell
