"""Lines that name an order of a payment file are its withdrawal, if the bank was to pay it."""

import pytest

from accounts.audit import Actor
from gateway.payout_batches import services
from gateway.payout_batches.models import BatchOrder
from gateway.reconciliation.matching import is_collected
from gateway.reconciliation.models import BankAccount, BankLine
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from ledger.verify import verify
from tests.support import bank_accounts as bank
from tests.support.batches import gathered, handed_over, manual_account, release, released
from tests.support.companies import Shop
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import NOTE, confirms
from tests.support.scripted_provider import rewritten

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def account(acme: Shop, address: str) -> BankAccount:
    """Whose provider account is told to pay 10.00 by file."""
    rewritten()
    api = with_real_money(acme, address)
    payer = manual_account()
    swept(accepted(api, acme, amount=10).pk)
    return bank.a_bank_account("ITAU-BRL-1", payer)


def told(account: BankAccount, *lines: bank.StatementLine) -> list[tuple[str, str]]:
    """What the lines are: their kinds, or why they are in suspense."""
    bank.imported(account, bank.statement(*lines, opening="100.00"))
    held = dict(SuspenseItem.objects.exclude(line_id="").values_list("line_id", "cause"))
    assert verify() == []
    assert bank.booked(account) == 10000 + sum(int(one.amount * 100) for one in lines)
    return [(one.state, held.get(one.pk, one.kind)) for one in bank.lines_of(account)]


@pytest.mark.parametrize("place", ["order_number", "end_to_end_id", "text"])
def test_a_debit_with_the_number_of_an_order_is_its_withdrawal(account: BankAccount, place: str) -> None:
    handed_over(released(account.provider_accounts.get()))
    number = BatchOrder.objects.get().number

    lines = [bank.line("-10.00", **{place: number}), bank.line("-10.00", **{place: number})]

    assert told(account, *lines) == [("EXPLAINED", "WITHDRAWAL"), ("SUSPENSE", "PAID_TWICE")]
    assert Withdrawal.objects.get().status == "COMPLETED"


def test_an_order_that_was_replaced_or_not_handed_over_pays_nothing(account: BankAccount) -> None:
    payer = account.provider_accounts.get()
    first = released(payer)
    services.cancel(Actor(confirms()), first.pk, NOTE)
    second = gathered(payer)
    release(second)
    numbers = [BatchOrder.objects.get(batch=batch).number for batch in (first, second)]

    lines = [bank.line(amount, order_number=number) for amount in ("-10.00", "10.00") for number in numbers]

    assert told(account, *lines) == [("SUSPENSE", "UNEXPECTED")] * 4
    assert Withdrawal.objects.get().status == "PROCESSING"


def test_a_direct_debit_that_others_collect_is_known_by_its_code() -> None:
    """See the night for what becomes of one."""
    codes = ("PMNT-RDDT-ESDD", "NDDT", "NDDT-105", "NTRF-104", "NMSC-106", "DIRECTDEBIT")

    assert [is_collected(BankLine(amount=-1000, code=code)) for code in codes] == [True] * len(codes)
    assert not is_collected(BankLine(amount=1000, code="NDDT")) and not is_collected(
        BankLine(amount=-1000, code="NTRF")
    )
