"""A statement of one bank account names what is of merchants in several cells."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction
from django.db.models import F
from django.test import Client

from accounts.cells import all_cells
from accounts.operator import operator
from gateway.payouts.rail import PayoutOutcome, PayoutResult
from gateway.reconciliation.models import BankAccount, BankLine, LinePart
from gateway.reconciliation.tasks import sweep_bank_files
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from tests.support import bank_accounts as bank
from tests.support.api import another_address
from tests.support.lives import ACMES, GLOBEXES, Lives, rows, violations
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.proposals import confirmed, proposed, refusal
from tests.support.providers import active, paid_out_by
from tests.support.scripted_provider import SCRIPT, rewritten

pytestmark = pytest.mark.a_third_a_day

AMOUNTS = (10.00, 25.50, 31.25)


@pytest.fixture
def account(lives: Lives) -> BankAccount:
    """Its institution was told to pay 10.00 for early, 25.50 for acme and 31.25 for globex."""
    rewritten()
    payer = active("pays out")
    backends = []
    for shop in lives.in_turn():
        backends.append(with_real_money(shop, another_address()))
    paid_out_by(payer)
    for shop, api, amount in zip(lives.in_turn(), backends, AMOUNTS, strict=True):
        SCRIPT.answers["send"] = [PayoutOutcome(PayoutResult.SENT, reference=f"B-{amount}")]
        assert swept(accepted(api, shop, amount=amount).pk).status == "PROCESSING"
    return bank.a_bank_account("ITAU-BRL-1", payer)


def statuses(lives: Lives) -> list[str]:
    return [Withdrawal.objects.get().status for _ in lives.in_turn()]


def told(lives: Lives, account: BankAccount, *further: str) -> list[BankLine]:
    """A statement of 1,000.00 less what was paid for each, and of further amounts that name nothing."""
    debits = [bank.line(f"-{one.amount_exact}", text=f"PIX {one.pk}") for one in _withdrawals(lives)]
    unnamed = [bank.line(amount, text="?") for amount in further]
    bank.imported(account, bank.statement(*debits, *unnamed, opening="1000.00"))
    sweep_bank_files()
    return bank.lines_of(account)


def _withdrawals(lives: Lives) -> Iterator[Withdrawal]:
    for _ in lives.in_turn():
        yield Withdrawal.objects.get()


def booked(account: BankAccount) -> int:
    with all_cells():
        return bank.booked(account)


def test_each_line_completes_the_withdrawal_that_it_names_in_its_cell(lives: Lives, account: BankAccount) -> None:
    lines = told(lives, account)
    assert [(one.state, one.kind) for one in lines] == [("EXPLAINED", "WITHDRAWAL")] * 3
    assert statuses(lives) == ["COMPLETED"] * 3
    assert rows("webhooks_event WHERE type = 'withdrawal.completed'") == [1, 1, 1]
    assert booked(account) == 100_000 - 6675
    assert violations() == [[], [], []]


def test_amounts_that_fit_once_over_all_cells_are_matched(lives: Lives, account: BankAccount) -> None:
    """The same amount in two cells fits twice."""
    SCRIPT.answers["ask payout"] = [PayoutOutcome(PayoutResult.DONE)]
    for one in _withdrawals(lives):
        assert swept(one.pk, minutes=2).status == "COMPLETED"
    today = Withdrawal.objects.get().completed_at.date()
    debits = [bank.line(amount, text="?", booked_on=today) for amount in ("-25.50", "-31.25")]
    days = {"opened_on": today, "closed_on": today}
    bank.imported(account, bank.statement(*debits, opening="1000.00", **days))
    assert [one.kind for one in bank.lines_of(account)] == ["WITHDRAWAL"] * 2
    assert violations() == [[], [], []]


def test_two_people_say_that_a_line_is_of_a_company_in_a_cell(
    lives: Lives, account: BankAccount, people: list[Client]
) -> None:
    *_, credit, debit = told(lives, account, "7.00", "-31.25")
    assert (credit.state, debit.state) == ("SUSPENSE", "SUSPENSE")
    confirmed(people[1], proposed(people[0], credit, "explain", meaning="COMPANY", target=lives.acme.company.id))
    with all_cells():
        told_twice = refusal(people[0], debit, "explain", meaning="OBJECT", target=_id_of(lives, 2))
    assert "It names" in told_twice
    for line in (credit, debit):
        line.refresh_from_db()
    assert (credit.state, credit.kind, debit.state) == ("EXPLAINED", "COMPANY", "SUSPENSE")
    assert LinePart.objects.get(line=credit).merchant == lives.acme.production
    assert violations() == [[], [], []]


def test_a_withdrawal_in_a_cell_is_named_by_two_people(
    lives: Lives, account: BankAccount, people: list[Client]
) -> None:
    bank.imported(account, bank.statement(bank.line("-31.25", text="?"), opening="1000.00"))
    (line,) = bank.lines_of(account)
    assert line.state == "SUSPENSE"
    confirmed(people[1], proposed(people[0], line, "explain", meaning="OBJECT", target=_id_of(lives, 2)))
    line.refresh_from_db()
    assert (line.state, line.kind) == ("EXPLAINED", "WITHDRAWAL")
    assert statuses(lives) == ["PROCESSING", "PROCESSING", "COMPLETED"]
    assert violations() == [[], [], []]


def _id_of(lives: Lives, number: int) -> str:
    return [one.pk for one in _withdrawals(lives)][number]


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_what_is_wrong_with_one_company_is_found_in_its_cell(lives: Lives, account: BankAccount) -> None:
    told(lives, account, "-3.33")
    acmes = LinePart.objects.filter(merchant=lives.acme.production)
    with undone():
        acmes.update(amount=F("amount") - 1)
        assert violations() == [["I41", "I42"], ["I22", "I43"], []]
    with undone():
        acmes.update(merchant=lives.globex.production)
        assert violations() == [[], ["I22", "I43"], ["I22", "I43"]]
    with undone():
        SuspenseItem.objects.update(amount=F("amount") - 1)
        found = dict(zip((None, ACMES, GLOBEXES), violations(), strict=True))
        assert [cell for cell, broken in found.items() if {"I27", "I43"} <= {*broken}] == [operator().cell_id]
    assert violations() == [[], [], []]
