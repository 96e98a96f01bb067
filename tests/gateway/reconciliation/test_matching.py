"""Every line is explained by what it names, or in suspense with its cause; the books equal the bank to the cent."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from accounts.base.clock import utcnow
from accounts.base.ids import new_id
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments.models import Payment
from gateway.payouts.rail import FailureCode, PayoutOutcome, PayoutResult
from gateway.providers.models import ProviderAccount
from gateway.reconciliation.leftovers import MOST
from gateway.reconciliation.models import BankAccount, BankLine
from gateway.refunds import due as refunds
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from gateway.withdrawals.models import Withdrawal
from ledger.models import Balance, Entry
from ledger.verify import verify
from tests.support import bank_accounts as bank
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.manual_provider import connected, ordered
from tests.support.paying_out import accepted, swept, with_real_money
from tests.support.providers import active, paid_out_by
from tests.support.refunds import now, refunded
from tests.support.scripted_provider import Script, rewritten

pytestmark = pytest.mark.django_db(transaction=True)

SENT = PayoutOutcome(PayoutResult.SENT, reference="B-1")
DECLINED = PayoutOutcome(PayoutResult.DECLINED, failure=FailureCode.INVALID_DESTINATION.failure)
E2E = "E60701190202611201200{:011d}"


@pytest.fixture
def script(db: None) -> Script:
    return rewritten()


@pytest.fixture
def rich(acme: Shop, address: str, script: Script) -> Api:
    return with_real_money(acme, address)


@pytest.fixture
def payer(script: Script) -> ProviderAccount:
    account = active("pays out")
    paid_out_by(account)
    return account


@pytest.fixture
def account(payer: ProviderAccount) -> BankAccount:
    return bank.a_bank_account("ITAU-BRL-1", payer)


def on_its_way(rich: Api, acme: Shop, script: Script, **members: Any) -> Withdrawal:
    script.answers["send"] = [SENT]
    return swept(accepted(rich, acme, **members).pk)


def debit(withdrawal: Withdrawal, amount: str = "", **members: Any) -> Any:
    named = {"text": f"PIX ENVIADO {withdrawal.pk}"}
    return bank.line(amount or f"-{withdrawal.amount_exact}", **(named | members))


def states(account: BankAccount) -> list[tuple[str, str]]:
    return [(one.state, one.kind) for one in bank.lines_of(account)]


def causes() -> list[str]:
    return list(SuspenseItem.objects.exclude(line_id="").order_by("pk").values_list("cause", flat=True))


def closes_right(account: BankAccount, closing: str) -> bool:
    assert verify() == []
    return bank.booked(account) == int(Decimal(closing) * 100)


def test_a_transfer_between_two_accounts_of_ours_is_nobodys_in_either_order(account: BankAccount) -> None:
    other = {"bank": "001", "branch": "7", "account": "99", "account_digit": "1"}
    second = bank.a_bank_account("BB-BRL-1", numbers=other)
    ours, theirs = (bank.Party("Onpay", **numbers) for numbers in (bank.NUMBERS, other))

    bank.imported(second, bank.statement(bank.line("300.00", counterparty=ours), account=theirs))
    assert Balance.objects.get(account__kind="TRANSIT").amount == 30000
    bank.imported(account, bank.statement(bank.line("-300.00", counterparty=theirs), opening="500.00"))

    assert Balance.objects.get(account__kind="TRANSIT").amount == 0
    assert states(account) == states(second) == [("EXPLAINED", "TRANSFER")]
    assert closes_right(account, "200.00")


def test_lines_that_name_nothing_are_matched_by_amounts_that_fit_only_once(
    rich: Api, acme: Shop, script: Script, account: BankAccount
) -> None:
    script.answers["ask payout"] = [PayoutOutcome(PayoutResult.DONE)]
    amounts = (100, 200.10, 55, 55, 70, 81)
    paid = [swept(on_its_way(rich, acme, script, amount=amount).pk, minutes=2) for amount in amounts]
    assert {one.status for one in paid} == {"COMPLETED"}
    today = {"booked_on": utcnow().date()}

    told = [bank.line(amount, **today) for amount in ("-100.00", "-55.00", "-151.00", "-3.33")]
    days = {"opened_on": utcnow().date(), "closed_on": utcnow().date()}
    bank.imported(account, bank.statement(*told, opening="1000.00", **days))

    explained = [state for state, _ in states(account)]
    parts = [[part.object_id for part in one.parts.order_by("pk")] for one in bank.lines_of(account)]
    assert explained == ["EXPLAINED", "SUSPENSE", "EXPLAINED", "SUSPENSE"]
    assert parts == [[paid[0].pk], [], [paid[4].pk, paid[5].pk], []], "70 and 81 went to one beneficiary"
    assert causes() == ["UNKNOWN", "UNKNOWN"]
    assert closes_right(account, "690.67")


@pytest.mark.parametrize("other", ["a refund", "one of thousands"])
def test_a_line_that_may_be_something_else_as_well_is_not_matched_by_its_amount(
    rich: Api, acme: Shop, script: Script, account: BankAccount, other: str
) -> None:
    script.answers["ask payout"] = [PayoutOutcome(PayoutResult.DONE)]
    paid = swept(on_its_way(rich, acme, script, amount=100).pk, minutes=2)
    if other == "a refund":
        account.provider_accounts.add(*ProviderAccount.objects.all())
        script.answers["refund"] = [PaymentOutcome(PaymentResult.DONE, reference="E0R")]
        refund = refunded(rich, Payment.objects.get().pk, amount=100)
        Refund.objects.update(ask_at=utcnow() - timedelta(minutes=1))
        refunds.run_due()
        assert now(rich, refund)["status"] == "COMPLETED"
    else:
        amounts = [*range(200_000, 200_000 + MOST), paid.payout_amount]
        given = {field.attname: getattr(paid, field.attname) for field in Withdrawal._meta.concrete_fields}
        more = [
            Withdrawal(**given | {"id": one, "reference": one, "amount": minor, "payout_amount": minor})
            for one, minor in zip(sorted(new_id("wdr") for _ in amounts), amounts, strict=True)
        ]
        Withdrawal.objects.bulk_create(more, 500)
    today = {"opened_on": utcnow().date(), "closed_on": utcnow().date()}

    bank.imported(account, bank.statement(bank.line("-100.00", booked_on=utcnow().date()), opening="500.00", **today))

    assert (states(account), causes()) == ([("SUSPENSE", "")], ["UNKNOWN"])
    Withdrawal.objects.exclude(pk=paid.pk).delete()


def an_hour_later() -> None:
    BankLine.objects.filter(due_at__isnull=False).update(due_at=F("due_at") - timedelta(hours=1, seconds=1))
    bank.sweep()


def test_what_is_recorded_later_explains_lines_in_suspense(
    rich: Api, acme: Shop, script: Script, account: BankAccount
) -> None:
    alike = [on_its_way(rich, acme, script, amount=55) for _ in range(2)]
    late = accepted(rich, acme, amount=100)
    today = utcnow().date()
    days = {"opened_on": today, "closed_on": today}
    told = [debit(late, "-100.00"), bank.line("-55.00"), bank.line("-3.33"), bank.line("4.00", is_reversal=True)]
    bank.imported(account, bank.statement(*(replace(one, booked_on=today) for one in told), opening="500.00", **days))
    before = Entry.objects.count()
    an_hour_later()
    assert [state for state, _ in states(account)] == ["SUSPENSE"] * 4
    assert Entry.objects.count() == before

    swept(late.pk)
    script.answers["ask payout"] = [PayoutOutcome(PayoutResult.DONE)]
    swept(alike[0].pk, minutes=2)
    an_hour_later()

    assert [state for state, _ in states(account)] == ["EXPLAINED", "EXPLAINED", "SUSPENSE", "SUSPENSE"]
    late.refresh_from_db()
    assert late.status == "COMPLETED"
    assert bank.lines_of(account)[1].parts.get().object_id == alike[0].pk
    assert closes_right(account, "345.67")


def test_lines_in_suspense_are_looked_at_hourly_for_a_week_and_then_daily(account: BankAccount) -> None:
    bank.imported(account, bank.statement(bank.line("-3.33"), bank.line("3.33", is_reversal=True)))
    line, reversal = bank.lines_of(account)
    assert line.due_at and line.matched_at
    assert (line.due_at - line.matched_at, reversal.due_at) == (timedelta(hours=1), None)

    for days, pause in ((6, timedelta(hours=1)), (2, timedelta(days=1))):
        earlier = timedelta(days=days)
        BankLine.objects.filter(pk=line.pk).update(due_at=utcnow(), matched_at=F("matched_at") - earlier)
        bank.sweep()
        line.refresh_from_db()
        assert abs(line.due_at - utcnow() - pause) < timedelta(minutes=1)
    assert causes() == ["UNKNOWN", "UNKNOWN"]


def test_what_arrives_at_a_manual_account_pays_its_payment_or_is_held_for_it(
    acme: Shop, address: str, account: BankAccount
) -> None:
    from tests.support.manual_provider import live

    receives = connected(acme, "BRL")
    account.provider_accounts.add(receives)
    api = live(acme, address)
    exact, short, twice = (Payment.objects.get(pk=ordered(api, "PIX")["id"]) for _ in range(3))
    lines = [
        bank.line("1500.00", end_to_end_id=E2E.format(1), text=f"PIX RECEBIDO {exact.pk[4:]}"),
        bank.line("1499.99", end_to_end_id=E2E.format(2), text=f"PIX RECEBIDO {short.pk[4:]}"),
        bank.line("1500.00", end_to_end_id=E2E.format(3), text=f"PIX RECEBIDO {twice.pk[4:]}"),
        bank.line("1500.00", end_to_end_id=E2E.format(4), text=f"PIX RECEBIDO {twice.pk[4:]}"),
        bank.line("1500.00", end_to_end_id=E2E.format(5), text="PIX RECEBIDO"),
    ]

    bank.imported(account, bank.statement(*lines))

    kinds = [kind for _, kind in states(account)]
    assert kinds == ["PAYMENT", "SUSPENSE", "PAYMENT", "SUSPENSE", ""]
    for one, status in ((exact, "PAID"), (short, "PENDING"), (twice, "PAID")):
        one.refresh_from_db()
        assert one.status == status
    held = SuspenseItem.objects.order_by("pk").values_list("cause", "payment", "amount")
    assert set(held) == {
        ("OTHER_AMOUNT", short.pk, 149999),
        ("PAID_TWICE", twice.pk, 150000),
        ("UNKNOWN", None, 150000),
    }
    assert closes_right(account, "7499.99")
