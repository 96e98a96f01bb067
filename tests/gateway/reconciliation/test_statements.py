"""Statements continue each other to the cent. What does not is refused as a whole, with its cause."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from accounts.base.clock import utcnow
from gateway.bank_files.shapes import Statement
from gateway.reconciliation.handlers import DocumentRefused
from gateway.reconciliation.models import BankLine, BankStatement
from ledger.verify import verify
from tests.support.bank_accounts import TODAY, a_bank_account, booked, imported, line, lines_of, statement

pytestmark = pytest.mark.django_db
TOMORROW = TODAY + timedelta(days=1)
LATER = {"opened_on": TOMORROW, "closed_on": TOMORROW}


def the_first() -> Statement:
    return statement(line("100.00", reference="A  1"), line("-30.00"), opening="50.00", number="7")


def test_two_statements_follow_each_other() -> None:
    account = a_bank_account()

    imported(account, the_first())
    imported(account, statement(line("5.00"), opening="120.00", number="8", **LATER))

    assert [one.amount for one in lines_of(account)] == [10000, -3000, 500]
    closings = BankStatement.objects.order_by("position").values_list("closing", flat=True)
    assert list(closings) == [12000, 12500]


def test_a_file_with_known_statements_adds_the_new_ones() -> None:
    account = a_bank_account()
    imported(account, the_first())

    imported(account, statement(line("5.00"), opening="120.00", number="8", **LATER), the_first())

    assert BankLine.objects.count() == 3


@pytest.mark.parametrize(
    ("again", "cause"),
    [
        (the_first(), "KNOWN"),
        (statement(line("1.00"), opening="120.00", number="7", **LATER), "ALTERED"),
        (statement(line("1.00"), opening="1.00", opened_on=date(2026, 11, 1), closed_on=date(2026, 11, 1)), "OLD"),
        (statement(line("100.00", reference="A  1"), line("-30.00"), opening="120.00"), "OLD"),
        (statement(line("1.00"), opening="50.00"), "OLD"),
        (statement(line("1.00"), opening="121.00", **LATER), "GAP"),
    ],
)
def test_what_does_not_continue_the_account_takes_no_effect(again: Statement, cause: str) -> None:
    account = a_bank_account()
    imported(account, the_first())
    before = booked(account)

    with pytest.raises(DocumentRefused) as refused:
        imported(account, again)

    assert refused.value.cause == cause
    assert BankStatement.objects.count() == 1
    assert BankLine.objects.count() == 2
    assert booked(account) == before


def test_an_account_that_is_emptied_each_night_is_not_booked_twice() -> None:
    account = a_bank_account()
    day = line("100.00", text="Ana"), line("-100.00", text="Sweep")
    imported(account, statement(*day))

    other_order = statement(*reversed(day))
    week = statement(*(replace(one, text="") for one in day), line("7.00"), opened_on=TODAY - timedelta(days=4))
    for again in (other_order, week):
        with pytest.raises(DocumentRefused) as refused:
            imported(account, again)
        assert refused.value.cause == "OLD"
    imported(account, statement(line("3.00"), line("-3.00")))

    assert [one.amount for one in lines_of(account)] == [10000, -10000, 300, -300]


def test_a_first_statement_without_a_balance_is_refused() -> None:
    account = a_bank_account()

    with pytest.raises(DocumentRefused) as refused:
        imported(account, replace(statement(line("1.00")), opening=None, closing=None))

    assert refused.value.cause == "NO_BALANCE"
    assert not BankStatement.objects.exists()


def test_lines_that_move_no_money_are_left_out() -> None:
    account = a_bank_account()

    imported(account, statement(line("0.00", text="IOF"), line("5.00"), line("-0.00", text="SALDO")))

    assert [one.amount for one in lines_of(account)] == [500]
    assert (BankStatement.objects.get().lines, booked(account), verify()) == (1, 500, [])


@pytest.mark.parametrize("wrong", [date(1, 1, 1), date(9999, 12, 31), utcnow().date() + timedelta(days=40)])
def test_a_day_of_no_statement_blocks_no_statement_that_follows(wrong: date) -> None:
    account = a_bank_account()
    days = {"opened_on": min(wrong, TODAY), "closed_on": max(wrong, TODAY)}

    for impossible in (statement(line("5.00"), **days), statement(line("5.00", booked_on=wrong))):
        with pytest.raises(DocumentRefused, match="is no day of a statement"):
            imported(account, impossible)

    assert not BankStatement.objects.exists()
