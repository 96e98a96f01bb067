"""Statements as CSV, by a mapping that staff save for each bank."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Self

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from gateway.bank_files.checks import checked
from gateway.bank_files.money import Malformed, with_mark
from gateway.bank_files.shapes import Party, Statement, StatementLine, UnreadableFile
from gateway.bank_files.texts import decoded, joined

_SYMBOLS = str.maketrans(dict.fromkeys("$€R \u00a0\u202f\u2009", ""))


@dataclass(frozen=True, slots=True)
class CsvMapping:
    """Where a bank's CSV has what. A column is named by its title, or by its number from 1; "" is none.

    The amount is one column, signed by itself (-, parentheses, or C and D behind it) or by `direction`, of which
    `words_for_out` mean money out; or two columns, `credit` and `debit`. Rows whose text begins with one of
    `opening_words` or `closing_words` hold a balance, in the balance's column if there is one, else in the amount's;
    those that begin with one of `ignored_words` hold nothing.
    """

    currency: str
    booked_on: str
    amount: str = ""
    credit: str = ""
    debit: str = ""
    direction: str = ""
    words_for_out: tuple[str, ...] = ()
    is_out_positive: bool = False
    balance: str = ""
    text: tuple[str, ...] = ()
    reference: str = ""
    order_number: str = ""
    end_to_end_id: str = ""
    counterparty_name: str = ""
    counterparty_account: str = ""
    date_format: str = "%d/%m/%Y"
    delimiter: str = ";"
    encoding: str = "utf-8"
    decimal_mark: str = ","
    skipped_lines: int = 0
    has_titles: bool = True
    opening_words: tuple[str, ...] = ()
    closing_words: tuple[str, ...] = ()
    ignored_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError for a mapping by which no file can be read."""
        if bool(self.amount) == bool(self.credit and self.debit) or bool(self.credit) != bool(self.debit):
            raise ValueError(gettext("Either one column has the amount, or one has credits and another debits."))
        if self.direction and not (self.amount and self.words_for_out):
            raise ValueError(gettext("The words that mean money out belong to one column of amounts."))
        if self.decimal_mark not in {",", "."} or len(self.delimiter) != 1:
            raise ValueError(gettext("The decimal mark is a comma or a point, the delimiter one character."))
        if not self.booked_on or not self.currency:
            raise ValueError(gettext("The column of the date and the currency are needed."))
        if not self.has_titles and any(name and not name.isdigit() for name in self.columns()):
            raise ValueError(gettext("Without a line of titles columns are named by their numbers."))
        if (self.opening_words or self.closing_words or self.ignored_words) and not self.text:
            raise ValueError(gettext("Words that begin a row are looked for in the columns of the text."))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """From its stored form. Raises ValueError."""
        members: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in values.items()}
        try:
            return cls(**members)
        except TypeError:
            raise ValueError(gettext("The mapping has members that no mapping has.")) from None

    def columns_of_money(self) -> set[str]:
        """Those without which a row says nothing, or may be cut off."""
        return {self.booked_on, self.amount, self.credit, self.debit, self.balance, self.direction}

    def columns(self) -> list[str]:
        """Each column that it names."""
        return [
            name
            for name in (
                self.booked_on, self.amount, self.credit, self.debit, self.direction, self.balance, *self.text,
                self.reference, self.order_number, self.end_to_end_id, self.counterparty_name,
                self.counterparty_account,
            )
            if name
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    """A movement, with the line where it stands and the balance after it, if the bank says it."""

    number: int
    line: StatementLine
    balance: Decimal | None


def read(content: bytes, mapping: CsvMapping) -> list[Statement]:
    """The statement. Raises UnreadableFile, with the line, for whatever does not fit the mapping."""
    reader = _Reader(mapping)
    for number, cells in _cells(decoded(content, mapping.encoding), mapping):
        reader.take(number, cells)
    return [reader.statement()]


def _cells(text: str, mapping: CsvMapping) -> Iterator[tuple[int, list[str]]]:
    lines = text.split("\n")[mapping.skipped_lines :]
    found = csv.reader(lines, delimiter=mapping.delimiter, strict=True)
    try:
        for cells in found:
            if any(cell.strip() for cell in cells):
                yield found.line_num + mapping.skipped_lines, cells
    except csv.Error:
        raise UnreadableFile(_("The line is no CSV."), found.line_num + mapping.skipped_lines) from None


class _Reader:
    """Rows, one after the other."""

    def __init__(self, mapping: CsvMapping) -> None:
        self.mapping = mapping
        self.rows: list[_Row] = []
        self.opening: Decimal | None = None
        self.closing: Decimal | None = None
        self._at: dict[str, int] | None = None if mapping.has_titles else self._numbered()
        self._days: dict[str, date] = {}

    def take(self, number: int, cells: Sequence[str]) -> None:
        """The titles first, then each row. Raises UnreadableFile."""
        if self._at is None:
            self._at = self._titled(number, cells)
            return
        text = joined(*(self._cell(number, cells, name) for name in self.mapping.text))
        if _begins(text, self.mapping.ignored_words):
            return
        if _begins(text, self.mapping.opening_words):
            if self.opening is not None:
                raise UnreadableFile(_("The file has two opening balances."), number)
            self.opening = self._balance_row(number, cells)
        elif _begins(text, self.mapping.closing_words):
            self.closing = self._balance_row(number, cells)
        else:
            self.rows.append(self._row(number, cells, text))

    def statement(self) -> Statement:
        """Of all rows. Raises UnreadableFile if the balances do not follow from them."""
        if not self.rows and self.opening is None and self.closing is None:
            raise UnreadableFile(_("The file has no movement and no balance."))
        if not self.rows:
            raise UnreadableFile(_("The file has no movement, so that it names no day."))
        rows, opening, closing = _in_order(self.rows)
        if self.opening is not None and opening not in {None, self.opening}:
            raise UnreadableFile(_("The opening balance is not the one that the rows begin with."), rows[0].number)
        if self.closing is not None and closing not in {None, self.closing}:
            raise UnreadableFile(_("The closing balance is not the one that the rows end with."), rows[-1].number)
        days = [row.line.booked_on for row in rows]
        return checked(
            Statement(
                format="CSV",
                account=Party(""),
                currency=self.mapping.currency,
                opened_on=min(days),
                closed_on=max(days),
                lines=[row.line for row in rows],
                opening=self.opening if self.opening is not None else opening,
                closing=self.closing if self.closing is not None else closing,
            ),
            rows[-1].number,
        )

    def _row(self, number: int, cells: Sequence[str], text: str) -> _Row:
        mapping = self.mapping
        name, account = (
            self._cell(number, cells, one) for one in (mapping.counterparty_name, mapping.counterparty_account)
        )
        line = StatementLine(
            amount=self._amount(number, cells),
            booked_on=self._day(number, self._cell(number, cells, mapping.booked_on)),
            reference=self._cell(number, cells, mapping.reference),
            order_number=self._cell(number, cells, mapping.order_number),
            end_to_end_id=self._cell(number, cells, mapping.end_to_end_id),
            text=text,
            counterparty=Party(name, account=account) if name or account else None,
        )
        balance = self._cell(number, cells, mapping.balance)
        return _Row(number, line, self._number(number, balance) if balance else None)

    def _amount(self, number: int, cells: Sequence[str]) -> Decimal:
        mapping = self.mapping
        if mapping.amount:
            amount = self._number(number, self._cell(number, cells, mapping.amount))
            if mapping.direction:
                is_out = _begins(self._cell(number, cells, mapping.direction), mapping.words_for_out)
                return -abs(amount) if is_out else abs(amount)
            return -amount if mapping.is_out_positive else amount
        sides = [self._cell(number, cells, name) for name in (mapping.credit, mapping.debit)]
        credit, debit = (abs(self._number(number, side)) if side else Decimal(0) for side in sides)
        if bool(credit) == bool(debit):
            raise UnreadableFile(_("A row needs a credit or a debit, and not both."), number)
        return credit - debit

    def _balance_row(self, number: int, cells: Sequence[str]) -> Decimal:
        written = self._cell(number, cells, self.mapping.balance) or self._cell(number, cells, self.mapping.amount)
        return self._number(number, written)

    def _cell(self, number: int, cells: Sequence[str], name: str) -> str:
        if not name:
            return ""
        assert self._at is not None
        at = self._at[name]
        if at >= len(cells):
            if name in self.mapping.columns_of_money():
                raise UnreadableFile(_("The row has too few columns."), number)
            return ""
        return cells[at].strip()

    def _number(self, number: int, written: str) -> Decimal:
        """An amount with a sign, parentheses, or C and D for credit and debit."""
        bare, sign = written.translate(_SYMBOLS), 1
        if bare[-1:] in {"C", "D", "-", "+"}:
            bare, sign = bare[:-1], -1 if bare[-1] in "D-" else 1
        elif bare.startswith("(") and bare.endswith(")"):
            bare, sign = bare[1:-1], -1
        try:
            return with_mark(bare, self.mapping.decimal_mark) * sign
        except Malformed:
            raise UnreadableFile(
                _("An amount is no number: %(written)s."), number, written=repr(written[:30])
            ) from None

    def _day(self, number: int, written: str) -> date:
        found = self._days.get(written)
        if found is None:
            try:
                found = self._days[written] = datetime.strptime(written, self.mapping.date_format).date()  # noqa: DTZ007
            except ValueError:
                raise UnreadableFile(
                    _("A date is not written as the mapping says: %(written)s."), number, written=repr(written[:30])
                ) from None
        return found

    def _titled(self, number: int, cells: Sequence[str]) -> dict[str, int]:
        titles = [cell.strip().casefold() for cell in cells]
        found = {}
        for name in self.mapping.columns():
            if name.isdigit() and name not in titles:
                found[name] = int(name) - 1
            elif titles.count(name.strip().casefold()) == 1:
                found[name] = titles.index(name.strip().casefold())
            else:
                raise UnreadableFile(_("No one column has the title %(title)s."), number, title=repr(name))
        return found

    def _numbered(self) -> dict[str, int]:
        return {name: int(name) - 1 for name in self.mapping.columns()}


def _begins(text: str, words: Sequence[str]) -> bool:
    return bool(words) and text.casefold().startswith(tuple(word.casefold() for word in words))


def _in_order(rows: list[_Row]) -> tuple[list[_Row], Decimal | None, Decimal | None]:
    """The rows from old to new with their opening and closing balance, as their running balances prove.

    Banks write the newest first or last; where running balances fit neither way a row is missing.
    """
    wrong = 0
    for ordered in (rows, rows[::-1]):
        opening, closing, wrong = _running(ordered)
        if not wrong:
            return ordered, opening, closing
        if ordered is rows:
            first_wrong = wrong
    raise UnreadableFile(_("The running balance does not follow from the rows before."), first_wrong)


def _running(rows: Sequence[_Row]) -> tuple[Decimal | None, Decimal | None, int]:
    """The balances before and after, and the number of the first line that does not fit, or 0."""
    opening: Decimal | None = None
    moved = Decimal(0)
    for row in rows:
        moved += row.line.amount
        if row.balance is None:
            continue
        if opening is None:
            opening = row.balance - moved
        elif opening + moved != row.balance:
            return None, None, row.number
    return opening, opening + moved if opening is not None else None, 0
