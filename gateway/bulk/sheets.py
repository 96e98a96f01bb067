"""Reads the first sheet of an uploaded CSV or XLSX as rows of cells. Pure: knows no columns, no money, no database.

XLSX stores a number as the text of a double with up to 17 digits. Its shortest text that is the same double is what
the person typed, for all numbers of up to 15 digits; longer ones are refused. Formulas are refused: what they show
depends on the program that computed them last.
"""

import csv
import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from openpyxl import load_workbook

from gateway.bulk.errors import UnreadableSheet

LARGEST = 5 * 1024 * 1024
LARGEST_UNPACKED = 60 * 1024 * 1024
MOST_PARTS = 200
MOST_TAGS = 500_000
MOST_OTHER_TAGS = 50_000
"""Of all parts together, and of those that hold no cells: reading costs time and memory for each tag, and a small file
can hold millions.
"""
_WITH_CELLS = ("xl/worksheets/", "xl/sharedStrings.xml")
_READ_AT_ONCE = 1024 * 1024
MOST_ROWS = 5_000
LAST_ROW = 20_000
MOST_COLUMNS = 40
LONGEST_CELL = 500
MOST_DIGITS = 15
_ZIP = b"PK\x03\x04"
_SEPARATORS = ";,\t"


class Unreadable(StrEnum):
    """Why a file cannot be read as a whole."""

    TOO_LARGE = "TOO_LARGE"
    TOO_MANY_ROWS = "TOO_MANY_ROWS"
    FORMAT = "FORMAT"
    EMPTY = "EMPTY"


class CellProblem(StrEnum):
    """Why a cell has no value."""

    FORMULA = "FORMULA"
    DATE = "DATE"
    ERROR = "ERROR"
    PRECISION = "PRECISION"
    TOO_LONG = "TOO_LONG"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as text, and as an exact number if it is one."""

    text: str = ""
    number: Decimal | None = None
    problem: CellProblem | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its number in the file, counted from 1."""

    number: int
    cells: Sequence[Cell]


def read(content: bytes) -> list[Row]:
    """The rows that are not empty, the first of them the titles. Raises ONP400_BULK_FILE with its `reason`."""
    if len(content) > LARGEST:
        raise UnreadableSheet(reason=Unreadable.TOO_LARGE)
    rows = list(_limited(_xlsx(content) if content.startswith(_ZIP) else _csv(content)))
    if len(rows) < 2:
        raise UnreadableSheet(reason=Unreadable.EMPTY)
    return rows


def _limited(rows: Iterable[Row]) -> Iterator[Row]:
    found = 0
    for row in rows:
        width = max((n for n, cell in enumerate(row.cells, start=1) if cell != Cell()), default=0)
        found += bool(width)
        if found > MOST_ROWS + 1 or row.number > LAST_ROW:
            raise UnreadableSheet(reason=Unreadable.TOO_MANY_ROWS)
        if width:
            yield Row(row.number, row.cells[:width])


def _csv(content: bytes) -> Iterator[Row]:
    text = _decoded(content)
    first = text.lstrip("\r\n").partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            yield Row(reader.line_num, [_of_text(cell) for cell in cells[:MOST_COLUMNS]])
    except csv.Error:
        raise UnreadableSheet(reason=Unreadable.FORMAT) from None


def _decoded(content: bytes) -> str:
    """UTF-8, or what spreadsheets in Latin America save instead."""
    if b"\x00" in content:
        raise UnreadableSheet(reason=Unreadable.FORMAT)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _xlsx(content: bytes) -> Iterator[Row]:
    _require_small(content)
    try:
        book = load_workbook(io.BytesIO(content), read_only=True, keep_links=False, data_only=False)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # a file that states too few rows would lose the others
        for number, cells in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1):
            yield Row(number, [_of_xlsx(cell) for cell in cells])
    except UnreadableSheet:
        raise
    except Exception:  # noqa: BLE001  the library raises whatever a broken part makes it raise
        raise UnreadableSheet(reason=Unreadable.FORMAT) from None


def _require_small(content: bytes) -> None:
    """The directory of the archive tells the sizes before anything is unpacked; unpacking more than it says fails."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        parts = archive.infolist()
        if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > LARGEST_UNPACKED:
            raise UnreadableSheet(reason=Unreadable.TOO_LARGE)
        tags = {part.filename: _tags(archive, part) for part in parts}
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, EOFError):
        raise UnreadableSheet(reason=Unreadable.FORMAT) from None
    others = sum(count for name, count in tags.items() if not name.startswith(_WITH_CELLS))
    if sum(tags.values()) > MOST_TAGS or others > MOST_OTHER_TAGS:
        raise UnreadableSheet(reason=Unreadable.TOO_LARGE)


def _tags(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> int:
    with archive.open(part) as unpacked:
        return sum(chunk.count(b"<") for chunk in iter(lambda: unpacked.read(_READ_AT_ONCE), b""))


def _of_xlsx(cell: Any) -> Cell:
    value = cell.value
    if value is None:
        return Cell()
    if cell.data_type == "f":
        return Cell(problem=CellProblem.FORMULA)
    if cell.data_type == "e":
        return Cell(problem=CellProblem.ERROR)
    if isinstance(value, datetime | date | time | timedelta):
        return Cell(problem=CellProblem.DATE)
    if isinstance(value, bool | str):
        return _of_text(str(value))
    return _of_number(Decimal(repr(value)))


def _of_number(number: Decimal) -> Cell:
    if not number.is_finite() or len(number.normalize().as_tuple().digits) > MOST_DIGITS or abs(number) >= 10**20:
        return Cell(problem=CellProblem.PRECISION)
    plain = number.quantize(Decimal(1)) if number == number.to_integral_value() else number.normalize()
    return Cell(format(plain, "f"), plain)


def _of_text(text: str) -> Cell:
    trimmed = text.strip()
    return Cell(problem=CellProblem.TOO_LONG) if len(trimmed) > LONGEST_CELL else Cell(trimmed)
