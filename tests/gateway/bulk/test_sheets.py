"""What a CSV and an XLSX say, exactly, and which files are refused whole."""

import io
import zipfile
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import Workbook

from gateway.bulk import sheets
from gateway.bulk.errors import UnreadableSheet
from gateway.bulk.sheets import Cell, CellProblem, Unreadable, read
from tests.support.rows import rows


def xlsx(*lines: list[Any]) -> bytes:
    book = Workbook()
    for line in lines:
        book.active.append(line)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def rewritten(content: bytes, before: str, after: str) -> bytes:
    """The file with another text in its first sheet."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for part in old.infolist():
            text = old.read(part)
            if part.filename == "xl/worksheets/sheet1.xml":
                assert before.encode() in text
                text = text.replace(before.encode(), after.encode())
            new.writestr(part, text)
    return made.getvalue()


def refused(content: bytes) -> str:
    with pytest.raises(UnreadableSheet) as refusal:
        read(content)
    return str(refusal.value.details["reason"])


@rows("separator", [",", ";", "\t"])
def test_a_csv_is_read_with_any_separator(separator: str) -> None:
    text = f'a{separator}b\r\n"1{separator}2"{separator} x \r\n\r\n3{separator}4\r\n'

    found = read(text.encode("utf-8-sig"))

    assert [(row.number, [cell.text for cell in row.cells]) for row in found] == [
        (1, ["a", "b"]), (2, [f"1{separator}2", "x"]), (4, ["3", "4"]),
    ]  # fmt: skip


def test_a_csv_of_an_old_spreadsheet_is_read() -> None:
    assert read("Beneficiário;Valor\nJosé;1,50\n".encode("cp1252"))[1].cells[0].text == "José"


@rows(
    ("stored", "number"),
    [
        ("1234.5", "1234.5"),
        ("4.3499999999999996", "4.35"),  # as spreadsheets store 4.35
        ("0.30000000000000004", None),
        ("1E5", "100000"),
        ("999999999999.99", "999999999999.99"),
        ("1.005", "1.005"),
        ("12345678901234567", None),
    ],
)
def test_a_number_of_an_xlsx_is_what_was_typed(stored: str, number: str | None) -> None:
    content = rewritten(xlsx(["amount"], [77]), "<v>77</v>", f"<v>{stored}</v>")

    [cell] = read(content)[1].cells

    if number is None:
        assert cell == Cell(problem=CellProblem.PRECISION)
    else:
        assert cell == Cell(number, Decimal(number))


def test_formulas_dates_and_errors_of_an_xlsx_are_no_values() -> None:
    cells = read(xlsx(["a", "b", "c", "d"], ["=1+1", date(2026, 11, 22), "#N/A", "0012"]))[1].cells

    assert [cell.problem for cell in cells] == [CellProblem.FORMULA, CellProblem.DATE, CellProblem.ERROR, None]
    assert cells[3].text == "0012"


@rows(
    ("content", "reason"),
    [
        (b"", Unreadable.EMPTY),
        (b"a;b\n", Unreadable.EMPTY),
        (b"a;b\n\x00\x01", Unreadable.FORMAT),
        (b'a;b\n"open', Unreadable.FORMAT),
        (b"PK\x03\x04 no archive", Unreadable.FORMAT),
        (b"x" * (sheets.LARGEST + 1), Unreadable.TOO_LARGE),
        (b"a\n" * (sheets.MOST_ROWS + 2), Unreadable.TOO_MANY_ROWS),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(content: bytes, reason: str) -> None:
    assert refused(content) == reason


def test_a_zip_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * (sheets.LARGEST_UNPACKED + 1))
    assert len(bomb.getvalue()) < 100_000

    assert refused(bomb.getvalue()) == Unreadable.TOO_LARGE


@rows(
    ("part", "tags"),
    [("xl/worksheets/sheet1.xml", sheets.MOST_TAGS), ("xl/styles.xml", sheets.MOST_OTHER_TAGS)],
)
def test_a_small_file_with_millions_of_empty_cells_or_styles_is_refused_unread(part: str, tags: int) -> None:
    content = io.BytesIO(xlsx(["a"], ["x"]))
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(part, b"<c/>" * (tags + 1))

    assert refused(content.getvalue()) == Unreadable.TOO_LARGE


def test_an_xlsx_with_a_line_far_below_is_refused() -> None:
    content = rewritten(xlsx(["a"], ["x"]), '<row r="2"', '<row r="1000000"')

    assert refused(content) == Unreadable.TOO_MANY_ROWS


def test_entities_of_an_xlsx_are_refused_instead_of_expanded() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    content = rewritten(xlsx(["a"], [77]), "<worksheet", f'<!DOCTYPE x [<!ENTITY e0 "ha">{bomb}]><worksheet')

    assert refused(rewritten(content, "<v>77</v>", "<v>&e9;</v>")) == Unreadable.FORMAT
