"""CSV by a mapping: read exactly as staff said, or not at all."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gateway.bank_files.csv_statement import CsvMapping
from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Statement, UnreadableFile

MAPPING = CsvMapping("BRL", "Data", amount="Valor", balance="Saldo", text=("Histórico",), skipped_lines=2)
ROWS = '05/10/2026;PIX RECEBIDO;1.000,50;1.100,50\n06/10/2026;"TARIFA; MENSAL";-0,50;1.100,00\n'
FILE = f"Banco de Todos\nConta 1234\nData;Histórico;Valor;Saldo\n{ROWS}"


def statement(content: str = FILE, mapping: CsvMapping = MAPPING) -> Statement:
    (found,) = read(content.encode(mapping.encoding), mapping)
    assert isinstance(found, Statement)
    return found


def test_columns_by_title_with_a_running_balance() -> None:
    found = statement()

    assert [(line.amount, str(line.booked_on), line.text) for line in found.lines] == [
        (Decimal("1000.50"), "2026-10-05", "PIX RECEBIDO"),
        (Decimal("-0.50"), "2026-10-06", "TARIFA; MENSAL"),
    ]
    assert (found.opening, found.closing, found.currency) == (Decimal("100.00"), Decimal("1100.00"), "BRL")


def test_the_newest_row_may_stand_first() -> None:
    titles, rows = FILE.split("Saldo\n")
    turned = f"{titles}Saldo\n" + "\n".join(reversed(rows.strip().split("\n")))

    assert statement(turned) == statement()


def test_columns_by_number_in_another_encoding() -> None:
    mapping = replace(
        MAPPING, booked_on="1", amount="3", balance="4", text=("2",), has_titles=False, skipped_lines=3,
        encoding="cp1252",
    )  # fmt: skip

    assert statement(mapping=mapping) == statement()


SIDES: dict[str, tuple[str, dict[str, Any]]] = {
    "two columns": ("05/10/2026;10,00;\n05/10/2026;;4,00\n", {"credit": "2", "debit": "3"}),
    "two columns with signs": ("05/10/2026;10,00;0,00\n05/10/2026;0,00;-4,00\n", {"credit": "2", "debit": "3"}),
    "C and D": ("05/10/2026;10,00 C\n05/10/2026;4,00D\n", {"amount": "2"}),
    "parentheses": ("05/10/2026;R$ 10,00\n05/10/2026;(R$ 4,00)\n", {"amount": "2"}),
    "a minus behind": ("05/10/2026;10,00\n05/10/2026;4,00-\n", {"amount": "2"}),
    "words": (
        "05/10/2026;10,00;Entrada\n05/10/2026;4,00;Saída\n",
        {"amount": "2", "direction": "3", "words_for_out": ("saída",)},
    ),
    "a card's view": ("05/10/2026;-10,00\n05/10/2026;4,00\n", {"amount": "2", "is_out_positive": True}),
}


@pytest.mark.parametrize("name", SIDES)
def test_each_way_to_say_which_way_the_money_went(name: str) -> None:
    content, columns = SIDES[name]
    mapping = CsvMapping("BRL", "1", has_titles=False, **columns)

    assert [line.amount for line in statement(content, mapping).lines] == [10, -4]


def test_balances_and_totals_among_the_rows_are_no_movements() -> None:
    mapping = CsvMapping(
        "BRL", "1", amount="3", text=("2",), has_titles=False,
        opening_words=("saldo anterior",), closing_words=("SALDO FINAL",), ignored_words=("total",),
    )  # fmt: skip
    rows = "01/10/2026;Saldo anterior;5,00\n02/10/2026;PIX;1,00\n;Total do mês;1,00\n31/10/2026;Saldo final;6,00\n"

    found = statement(rows, mapping)

    assert (found.opening, found.closing, len(found.lines)) == (5, 6, 1)
    with pytest.raises(UnreadableFile):
        statement(rows.replace(";6,00", ";6,01"), mapping)


REFUSED = {
    "a row is missing": (FILE.replace("06/10/2026", "06/10/2026;PIX;1,00;9,00\n06/10/2026"), 5),
    "a cent": (FILE.replace("1.100,50", "1.100,51"), 5),
    "the other decimal mark": (FILE.replace("1.000,50", "1,000.50"), 4),
    "another date": (FILE.replace("06/10/2026", "2026-10-06"), 5),
    "a date that is none": (FILE.replace("06/10/2026", "31/02/2026"), 5),
    "no date": (FILE.replace("06/10/2026", ""), 5),
    "no amount": (FILE.replace("-0,50", ""), 5),
    "half a cent": (FILE.replace("1.000,50", "1.000,505").replace("1.100,5", "1.100,505"), 4),
    "another title": (FILE.replace("Valor", "Importe"), 3),
    "a title twice": (FILE.replace("Histórico", "Valor"), 3),
    "a quote without end": (FILE + '07/10/2026;"x;1,00;9,00\n', 6),
    "no rows": ("Banco\nConta\nData;Histórico;Valor;Saldo\n", 0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_the_mapping_is_refused_with_its_line(name: str) -> None:
    content, near = REFUSED[name]

    with pytest.raises(UnreadableFile) as refused:
        statement(content)

    assert abs(refused.value.line - near) <= 1


def test_an_encoding_that_is_not_the_files_is_refused() -> None:
    with pytest.raises(UnreadableFile):
        read(FILE.encode("cp1252"), MAPPING)


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "no amount": {},
    "both": {"amount": "2", "credit": "3", "debit": "4"},
    "one side": {"credit": "3"},
    "a direction without words": {"amount": "2", "direction": "3"},
    "a mark that is none": {"amount": "2", "decimal_mark": ";"},
    "a title without titles": {"amount": "Valor", "has_titles": False},
    "words without a text": {"amount": "2", "ignored_words": ("Total",)},
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_mapping_by_which_no_file_can_be_read_is_none(name: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        CsvMapping("BRL", "1", **CONTRADICTIONS[name])
