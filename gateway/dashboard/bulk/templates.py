"""The files to fill in: titles in the reader's language, and in XLSX a second sheet that explains every column."""

import csv
import io

from django.utils import translation
from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from gateway.bulk.sheets import MOST_ROWS
from gateway.dashboard.bulk.columns import Column, columns_of

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_WIDTH = 24
_FORMATTED_ROWS = 500


def csv_template(way: str) -> bytes:
    """One line of titles, separated as spreadsheets in the reader's language expect it."""
    text = io.StringIO()
    separator = "," if (translation.get_language() or "en").startswith("en") else ";"
    csv.writer(text, delimiter=separator).writerow([_title(column) for column in columns_of(way)])
    return "\ufeff".encode() + text.getvalue().encode()


def xlsx_template(way: str) -> bytes:
    """Columns of numbers with leading zeros are formatted as text, so that spreadsheets keep them."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = _("Lines")
    sheet.append([_title(column) for column in columns_of(way)])
    sheet.freeze_panes = "A2"
    for number, column in enumerate(columns_of(way), start=1):
        letter = get_column_letter(number)
        sheet[f"{letter}1"].font = Font(bold=True)
        sheet.column_dimensions[letter].width = _WIDTH
        if column.is_text:
            for row in range(2, _FORMATTED_ROWS):
                sheet[f"{letter}{row}"].number_format = "@"
    _explain(book, way)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def _explain(book: Workbook, way: str) -> None:
    sheet = book.create_sheet(_("How to fill it in"))
    for line in (
        _("Fill in the first sheet, one line each, at most %(most)s lines. Only the first sheet is read.")
        % {"most": MOST_ROWS},
        _("Columns with * are required. Without a reference we create one."),
        _("Keep account numbers and documents as text: as numbers, spreadsheets drop their leading zeros."),
        _("Formulas and dates are rejected: paste values only."),
    ):
        sheet.append([line])
    sheet.append([])
    for column in columns_of(way):
        sheet.append([_title(column), ", ".join(f"{code} ({label})" for code, label in column.choices.items())])
    sheet.column_dimensions["A"].width = _WIDTH
    sheet.column_dimensions["B"].width = 4 * _WIDTH


def _title(column: Column) -> str:
    return f"{column.title} *" if column.is_required else str(column.title)
