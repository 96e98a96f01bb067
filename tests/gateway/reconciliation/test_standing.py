"""How bank accounts stand: the last statement against the books, and statements that do not come."""

from datetime import date, timedelta

import pytest
from django.conf import LazySettings
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from accounts.operator import operator
from gateway.reconciliation.models import BankAccount, BankStatement
from gateway.reconciliation.standing import banking_days, booked_until, standings, watch
from ledger.books.services import Move, Side, post
from ledger.chart import AccountKind
from tests.support.bank_accounts import TODAY, a_bank_account, imported, line, statement

pytestmark = pytest.mark.django_db
TOMORROW = TODAY + timedelta(days=1)


def test_the_books_equal_each_statement_and_lines_in_suspense_are_counted() -> None:
    account = a_bank_account()
    imported(account, statement(line("100.00", reference="A1"), line("-2.00", code="TAR"), opening="50.00"))
    later = {"opened_on": TOMORROW, "closed_on": TOMORROW}
    imported(account, statement(line("-30.00", reference="A2"), opening="148.00", **later))

    (one,) = standings()

    assert (one.closing, one.booked, one.waiting, one.difference) == (11800, 11800, 0, 0)
    assert (one.held, one.held_sum, one.held_since is not None) == (2, 7000, True)
    first, second = BankStatement.objects.order_by("position")
    assert (booked_until(first), booked_until(second)) == (14800, 11800)


def test_a_posting_that_no_statement_tells_of_is_a_difference() -> None:
    account = a_bank_account()
    imported(account, statement(line("-2.00", code="TAR"), opening="50.00"))

    bank, fees = Side(AccountKind.BANK, account.code, "BRL"), Side(AccountKind.BANK_FEES, "", "BRL")
    post(operator(), "bank.sent", "bpo_by_hand", [Move(1, fees, bank)], utcnow())

    assert [one.difference for one in standings()] == [1]


def test_an_account_without_statements_stands_empty() -> None:
    a_bank_account()

    (one,) = standings()

    assert (one.statement_id, one.booked, one.difference, one.held) == (None, 0, 0, 0)


@pytest.mark.parametrize(
    ("after", "before", "days"),
    [
        (date(2026, 11, 19), date(2026, 11, 20), 0),  # Thursday, seen on Friday
        (date(2026, 11, 19), date(2026, 11, 23), 1),  # on Monday: Friday is missing
        (date(2026, 11, 19), date(2026, 11, 26), 4),
        (date(2026, 11, 20), date(2026, 11, 20), 0),
        (date(2026, 11, 21), date(2026, 11, 20), 0),  # the bank's day is ahead
    ],
)
def test_weekends_are_no_banking_days(after: date, before: date, days: int) -> None:
    assert banking_days(after, before) == days


def test_a_missing_statement_is_one_alarm_until_it_has_come(settings: LazySettings) -> None:
    settings.STATEMENTS_LATE_AFTER_DAYS = 3
    account, closed = a_bank_account(), a_bank_account("OLD-BRL-1", is_closed=True, numbers={"account": "1"})
    today = utcnow().date()
    for one, days in ((account, 10), (closed, 30)):
        BankAccount.objects.filter(pk=one.pk).update(created_at=utcnow() - timedelta(days=days))

    with capture_logs() as told:
        assert [watch(), watch()] == [1, 1]

    alarms = [one for one in told if one["log_level"] == "critical"]
    assert [(one["event"], one["account"]) for one in alarms] == [("bank_statement.missing", account.code)]
    assert list(BankAccount.objects.filter(missing_since__isnull=False)) == [account]

    imported(account, statement(line("1.00"), opening="5.00", opened_on=today, closed_on=today))
    assert watch() == 0
    assert not BankAccount.objects.filter(missing_since__isnull=False).exists()


def test_an_account_that_was_just_entered_misses_nothing() -> None:
    a_bank_account()

    assert watch() == 0
