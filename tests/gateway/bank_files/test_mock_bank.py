"""A bank that others wrote takes our payment orders, and all that it writes is read to the end."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.bank_files.iso20022 import pain001
from gateway.bank_files.reading import read
from gateway.bank_files.shapes import (
    Document,
    Order,
    OrderOutcome,
    Party,
    PaymentFile,
    PaymentReturn,
    Statement,
    UnreadableFile,
    Way,
)
from tests.support.mock_bank import CLOSED, OURS, MockBank, mock_bank


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[MockBank]:
    with mock_bank(tmp_path) as running:
        yield running


def file(sequence: int, *orders: Order) -> bytes:
    return pain001.write(
        PaymentFile(
            sequence=sequence,
            made_at=datetime(2026, 10, 1, 8, 0, tzinfo=UTC),
            pay_on=date(2026, 10, 1),
            payer=Party("Acme", iban=OURS, bic="MOCKNL2A"),
            agreement="ACME",
            currency="EUR",
            orders=orders,
        )
    )


def order(number: str, amount: str, iban: str) -> Order:
    return Order(number, Way.TRANSFER, Decimal(amount), Party("Ana Núñez", iban=iban, bic="MOCKNL2A"), "Payout")


def ibans(bank: MockBank) -> dict[str, str]:
    return {account["id"]: account["iban"] for account in bank.ask("GET", "/_mock/accounts")}


def said(bank: MockBank) -> list[Document]:
    """All that it has written about our account, read."""
    return [document for name, content in bank.new_files().items() if "ACME" in name for document in read(content)]


def answers(documents: Sequence[Document]) -> dict[str, OrderOutcome]:
    found = [one for one in documents if isinstance(one, PaymentReturn)]
    return {answer.number: answer.outcome for one in found for answer in one.answers}


def statements(documents: Sequence[Document]) -> list[Statement]:
    return [one for one in documents if isinstance(one, Statement) and not one.is_notice]


def test_orders_go_out_and_come_back_to_the_cent(bank: MockBank) -> None:
    known = ibans(bank)
    first = file(1, order("W1", "12.50", known["GLOBEX"]), order("W2", "20.00", known[CLOSED]))

    assert [one["status"] for one in bank.take(first, "1.xml")["files"]] == ["PART"]
    day_one = said(bank)
    assert answers(day_one) == {"W1": OrderOutcome.ACCEPTED, "W2": OrderOutcome.REJECTED}
    assert {one.of_file for one in day_one if isinstance(one, PaymentReturn)} == {pain001.message_id("ACME", 1)}
    assert [one.is_notice for one in day_one if isinstance(one, Statement)] == [True]

    # The same file again: it is refused, which says nothing about the first.
    assert [one["reason"] for one in bank.take(first, "again.xml")["files"]] == ["DUPL"]
    (again,) = said(bank)
    assert isinstance(again, PaymentReturn)
    assert (again.answers, again.file_outcome) == ([], OrderOutcome.UNCERTAIN)

    # What settles comes back two days later; a stranger pays and calls it W1.
    bank.ask("PATCH", "/_mock/accounts/ACME", {"behaviour": "return-later", "parameters": {"days": 2}})
    bank.take(file(2, order("W3", "30.01", known["GLOBEX"])), "2.xml")
    stranger = {"name": "Stranger", "iban": known["GLOBEX"]}
    bank.ask("POST", "/_mock/credits", {"account": "ACME", "amount": 1180, "note": "W1", "debtor": stranger})
    bank.ask("POST", "/_mock/advance?days=6")
    later = said(bank)

    assert answers(later) == {"W3": OrderOutcome.RETURNED}
    days = statements(later)
    assert days[0].opening == Decimal("125000.00")
    assert [one.opening for one in days[1:]] == [one.closing for one in days[:-1]]
    lines = [(line.order_number, line.amount, line.is_reversal) for day in days for line in day.lines]
    assert lines == [
        ("W1", Decimal("-12.50"), False),
        ("W3", Decimal("-30.01"), False),
        ("", Decimal("11.80"), False),
        ("W3", Decimal("30.01"), True),
    ]
    assert days[-1].closing == Decimal("124999.30")


def test_an_order_after_the_cut_off_is_paid_the_next_business_day(tmp_path: Path) -> None:
    with mock_bank(tmp_path, clock="2026-10-01T15:30") as bank:
        bank.take(file(1, order("W1", "12.50", ibans(bank)["GLOBEX"])), "1.xml")
        bank.ask("POST", "/_mock/advance?days=4")
        (line,) = [line for day in statements(said(bank)) for line in day.lines]

    assert (line.order_number, str(line.booked_on)) == ("W1", "2026-10-02")


def test_a_statement_with_a_hole_is_not_believed(bank: MockBank) -> None:
    bank.take(file(1, order("W1", "12.50", ibans(bank)["GLOBEX"])), "1.xml")
    said(bank)
    bank.ask("PATCH", "/_mock/accounts/ACME", {"behaviour": "statement-gap"})
    bank.ask("POST", "/_mock/advance?days=1")

    (statement,) = [content for name, content in bank.new_files().items() if name.startswith("camt.053.001.08-ACME")]
    with pytest.raises(UnreadableFile):
        read(statement)
