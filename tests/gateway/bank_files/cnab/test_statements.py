"""Statements in segments E: the movements must lead from the opening balance to the closing one."""

from datetime import date
from decimal import Decimal

import pytest

from gateway.bank_files.reading import read
from gateway.bank_files.shapes import Statement, UnreadableFile
from tests.support.statements import extract


def test_a_statement_has_its_balances_and_movements() -> None:
    (found,) = read("\n".join(extract("10000C", "9475C", "1025D", "500C", debits="1025", credits="500")).encode())
    assert isinstance(found, Statement)
    assert (found.opening, found.closing, found.number) == (Decimal("100.00"), Decimal("94.75"), "12")
    assert (found.opened_on, found.closed_on) == (date(2026, 11, 22), date(2026, 11, 23))
    assert [line.amount for line in found.lines] == [Decimal("-10.25"), Decimal("5.00")]
    assert (found.lines[0].code, found.lines[0].reference, found.lines[0].text) == ("0470", "DOC1", "PIX ENVIADO DOC1")
    assert (found.account.branch, found.account.account, found.currency) == ("01234", "000000056789", "BRL")


def test_an_overdrawn_account_has_balances_below_zero() -> None:
    (found,) = read("\n".join(extract("100D", "1125D", "1025D")).encode())
    assert isinstance(found, Statement)
    assert (found.opening, found.closing) == (Decimal("-1.00"), Decimal("-11.25"))


def test_a_day_without_movements_is_a_statement() -> None:
    (found,) = read("\n".join(extract("10000C", "10000C")).encode())
    assert isinstance(found, Statement)
    assert (found.opening, found.closing, found.lines) == (Decimal("100.00"), Decimal("100.00"), ())


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (extract("10000C", "9476C", "1025D", "500C"), "lead to"),
        (extract("10000C", "9475D", "1025D", "500C"), "lead to"),
        (extract("10000C", "9475C", "1025D", "500X"), "neither credit nor debit"),
        (extract("10000C", "9475C", "1025D", "500C", debits="1026"), "debits"),
        (extract("10000C", "9475C", "1025D", "500C", credits="501"), "credits"),
    ],
)
def test_a_statement_that_does_not_add_up_is_refused(lines: list[str], reason: str) -> None:
    with pytest.raises(UnreadableFile, match=reason):
        read("\n".join(lines).encode())
