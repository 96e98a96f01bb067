"""The workbook of a month: a frame of sheets with their titles and the sums, which the rows are put into."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font

from gateway.months import words
from gateway.months.figures import CATEGORY, Category, Figures
from gateway.months.rows import COLUMNS, FORMATS, MOST_ROWS, NUMBER, sheet
from ledger.closings.models import TOTAL
from ledger.money import to_decimal

_END_OF_ROWS = b"</sheetData>"


class MonthBook:
    """`counts`: rows by category."""

    def __init__(self, zone: ZoneInfo, counts: dict[str, int]) -> None:
        self.book = Workbook(write_only=True)
        self.summary = self.book.create_sheet(_("Summary"))
        self.styled = [self._formatted(form) for form in FORMATS]
        assert [cell.style_id for cell in self.styled] == [1, 2, 3], "the styles that rows name"
        self.pieces: dict[str, str] = {}
        for category, titles in _titles(zone).items():
            for number in range(1 + max(0, counts.get(category, 0) - 1) // MOST_ROWS):
                self._sheet(*titles)
                self.pieces[f"xl/worksheets/sheet{len(self.book.worksheets)}.xml"] = sheet(category, number)
        self.fees = self._sheet(_("Fees"), _("Charged for"), _("Currency"), _("Number"), _("Base"), _("Fee"))

    def write(
        self,
        path: Path,
        head: Sequence[str],
        figures: Figures,
        balances: dict[str, Any],
        rows: Callable[[str], Iterable[bytes]],
    ) -> None:
        """`balances` by currency: opening and ending of each bucket. `rows` of a sheet, a piece at a time."""
        self._sum_up(head, figures, balances)
        frame = BytesIO()
        self.book.save(frame)
        with ZipFile(frame) as empty, ZipFile(path, "w", ZIP_DEFLATED) as filled:
            for name in empty.namelist():
                before, end, after = empty.read(name).partition(_END_OF_ROWS)
                entry = ZipInfo(name)
                entry.compress_type = ZIP_DEFLATED
                with filled.open(entry, "w", force_zip64=True) as file:
                    file.write(before)
                    for piece in rows(self.pieces[name]) if name in self.pieces else ():
                        file.write(piece)
                    file.write(end + after)

    def _sheet(self, title: str, *columns: str) -> Any:
        made = self.book.create_sheet(title)
        made.freeze_panes = "A2"
        for letter, _column in zip(COLUMNS, columns, strict=False):
            made.column_dimensions[letter].width = 20
        made.append([self._bold(column) for column in columns])
        return made

    def _sum_up(self, head: Sequence[str], figures: Figures, balances: dict[str, Any]) -> None:
        for line in head:
            self.summary.append([self._bold(line)])
        currencies = list(balances)
        self.summary.column_dimensions["A"].width = 32
        for letter, _currency in zip(COLUMNS[1:], currencies, strict=False):
            self.summary.column_dimensions[letter].width = 18
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
                about = [words.fee_line(group, name), currency, charged.count]
                self.fees.append([*about, self._amount(base), self._amount(fee)])

    def _line(self, title: str, amounts: Sequence[tuple[str, int]]) -> None:
        self.summary.append([title, *(self._amount(to_decimal(minor, currency)) for currency, minor in amounts)])

    def _amount(self, value: Decimal) -> Any:
        cell = self._formatted(NUMBER)
        cell.value = value
        return cell

    def _formatted(self, form: str) -> Any:
        cell = WriteOnlyCell(self.summary, value=0)
        cell.number_format = form
        return cell

    def _bold(self, text: str) -> Any:
        cell = WriteOnlyCell(self.summary, value=text)
        cell.data_type = "s"  # never a formula
        cell.font = Font(bold=True)
        return cell


def _titles(zone: ZoneInfo) -> dict[Category, tuple[str, ...]]:
    """Of each sheet: its name, and its columns."""
    at, about = f"({zone.key})", [_("Currency"), _("Amount")]
    return {
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
