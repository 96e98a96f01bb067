"""The rows of an uploaded file by column, with every fault that has a row and a column."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gateway.bulk.sheets import Cell, CellProblem, Row
from gateway.dashboard.amounts import ExactAmountField
from gateway.dashboard.bulk.columns import Column, code_of, column_named, columns_of

PROBLEM: dict[str, Promise] = {
    CellProblem.FORMULA: gettext_lazy("A formula. Paste its value instead."),
    CellProblem.DATE: gettext_lazy("A date. Format the cell as text or number and enter the value again."),
    CellProblem.ERROR: gettext_lazy("The spreadsheet shows an error in this cell."),
    CellProblem.PRECISION: gettext_lazy("A number with too many digits: format the cell as text and enter it again."),
    CellProblem.TOO_LONG: gettext_lazy("The text is too long."),
}


@dataclass(frozen=True, slots=True)
class CellFault:
    """What is wrong in a row, and in which column; a fault of the whole row has none."""

    row: int
    column: str
    message: str


@dataclass(slots=True)
class Entry:
    """A row by column. `amount` is exact; None if the cell is empty."""

    row: int
    texts: dict[str, str] = field(default_factory=dict)
    amount: Decimal | None = None


def entries(way: str, rows: Sequence[Row], currency: str | None) -> tuple[list[Entry], list[CellFault]]:
    """The entries of all rows below the titles, and what is wrong with titles and cells.

    `currency` is that of the amounts; None if each row has another.
    """
    known, faults = _titles(way, rows[0])
    if faults:
        return [], faults
    reader = ExactAmountField(required=False)
    reader.currency = currency
    found = []
    for row in rows[1:]:
        entry = Entry(row.number)
        for column, cell in zip(known, [*row.cells, *[Cell()] * len(known)], strict=False):
            if column is not None:
                faults += _read(entry, way, column, cell, reader)
            elif cell.text or cell.problem:
                faults.append(CellFault(row.number, "", _("A value outside of the columns with a title.")))
        found.append(entry)
    return found, faults


def _titles(way: str, row: Row) -> tuple[list[Column | None], list[CellFault]]:
    """The columns in the order of the file; None for one without a title."""
    found: list[Column | None] = []
    faults = []
    for cell in row.cells:
        column = column_named(way, cell.text) if cell.text else None
        if cell.text and column is None:
            faults.append(CellFault(row.number, cell.text, _("This column is not known. Use the template.")))
        elif column is not None and column in found:
            faults.append(CellFault(row.number, cell.text, _("This column is there twice.")))
        found.append(column)
    faults += [
        CellFault(row.number, str(column.title), _("This column is missing."))
        for column in columns_of(way)
        if column.is_required and column not in found
    ]
    while found and found[-1] is None:
        found.pop()
    return [*found, None], faults


def _read(entry: Entry, way: str, column: Column, cell: Cell, reader: ExactAmountField) -> list[CellFault]:
    if cell.problem is not None:
        return [CellFault(entry.row, str(column.title), str(PROBLEM[cell.problem]))]
    if not cell.text:
        missing = [CellFault(entry.row, str(column.title), _("This field is required."))]
        return missing if column.is_required else []
    if column.name != "amount":
        entry.texts[column.name] = code_of(way, column, cell.text)
        return []
    try:
        entry.amount = _exact(cell.number, reader) if cell.number is not None else reader.clean(cell.text)
    except forms.ValidationError as error:
        return [CellFault(entry.row, str(column.title), message) for message in error.messages]
    return []


def _exact(number: Decimal, reader: ExactAmountField) -> Decimal:
    """A number of a spreadsheet has no separators that could be read in two ways."""
    if not 0 < number <= reader.most:
        raise forms.ValidationError(_("Must be above zero, and not larger than any amount."))
    if number != number.quantize(Decimal("0.01")):
        raise forms.ValidationError(_("At most %(decimals)s decimal places.") % {"decimals": 2})
    return number


def digest(way: str, found: Sequence[Entry]) -> bytes:
    """The same for the same rows, whatever program saved the file."""
    lines = [[sorted(one.texts.items()), None if one.amount is None else str(one.amount.normalize())] for one in found]
    return hashlib.sha256(json.dumps([way, lines]).encode()).digest()
