"""Real pesos through the API of the gateway and STP: paid, refunded, held, withdrawn, returned, told by anybody."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F
from structlog.testing import capture_logs

from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount, ProviderMessage
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from gateway.suspense.recovery import recover
from tests.support.companies import Shop
from tests.support.production import api_of, pass_time
from tests.support.stp.books import PAYER, deposit_message, state_message
from tests.support.stp.service import ADDRESS, Stp
from tests.support.stp.telling import create, tell
from tests.support.suspense import balances, wait

pytestmark = pytest.mark.django_db(transaction=True)


def test_money_that_stp_tells_of_pays_at_once_and_once(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    told = deposit_message(stp.books.deposit(clabe, "150.00"))

    assert [tell(account, told) for _ in range(2)] == [(200, {"mensaje": "confirmar"})] * 2

    paid = Payment.objects.get()
    assert paid.status == "PAID"
    assert balances(shop) == {"AVAILABLE": paid.net, "FEE_INCOME": paid.fee, "CLEARING": -15_000}
    assert ProviderMessage.objects.get().repeats == 1


@pytest.mark.parametrize(
    ("other", "peer", "status"),
    [
        ({}, "203.0.113.99", 401),
        ({"empresa": "GLOBEX"}, ADDRESS, 401),
        ({}, ADDRESS, 200),
        ({"monto": 1_000_000}, ADDRESS, 200),
    ],
)
def test_a_forged_deposit_pays_nothing(
    shop: Shop, account: ProviderAccount, stp: Stp, other: dict[str, Any], peer: str, status: int
) -> None:
    """Even from STP's own address: STP lists no such money."""
    _, clabe = create(shop)
    told = deposit_message(stp.books.deposit(clabe, "150.00"), **other)
    stp.books.received.clear()

    assert tell(account, told, peer)[0] == status

    assert Payment.objects.get().status == "PENDING"
    assert balances(shop) == {}


def test_what_a_message_says_of_the_amount_does_not_count(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "1.00"), monto=150))

    assert Payment.objects.get().status == "PENDING"
    assert balances(shop) == {"CLEARING": -100, "SUSPENSE": 100}


def test_another_amount_is_held_and_goes_back_to_its_sender(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "149.99")))

    wait(hours=1)
    stp.books.settle()
    wait(minutes=2)

    assert (SuspenseItem.objects.get().state, stp.books.paid(PAYER)) == ("RETURNED", Decimal("149.99"))
    assert balances(shop) == {}


def test_late_money_and_money_of_no_payment_are_held(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    payment, clabe = create(shop)
    assert pass_time(payment.pk, days=4).status == "EXPIRED"
    stp.books.deposit(clabe, "150.00")
    unissued = deposit_message(stp.books.deposit(account.shown["clabe"], "7.00"))

    assert tell(account, unissued) == (200, {"mensaje": "confirmar"})
    recover()
    recover()

    assert sorted(SuspenseItem.objects.values_list("cause", flat=True)) == ["LATE", "UNKNOWN_CHARGE"]
    assert Payment.objects.get().status == "EXPIRED"


def test_a_deposit_that_nobody_told_of_is_found_and_pays(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    _, clabe = create(shop)
    stp.books.deposit(clabe, "150.00")

    recover()

    assert Payment.objects.get().status == "PAID"


def test_a_refund_goes_to_the_payers_account(shop: Shop, account: ProviderAccount, stp: Stp) -> None:
    payment, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "150.00")))
    answer = api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 50})
    assert answer.status_code == 201, answer.json()
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    assert Refund.objects.get().status == "PROCESSING"
    stp.books.settle()

    assert tell(account, state_message(stp.books.sent[0])) == (200, {"mensaje": "recibido"})

    assert (Refund.objects.get().status, stp.books.paid(PAYER)) == ("COMPLETED", Decimal("50.00"))


def refunded(shop: Shop, account: ProviderAccount, stp: Stp) -> dict[str, Any]:
    """STP's order of a refund of 50.00 that was paid."""
    payment, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "150.00")))
    assert api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 50}).status_code == 201
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    stp.books.settle()
    tell(account, state_message(stp.books.sent[0]))
    assert Refund.objects.get().status == "COMPLETED"
    return stp.books.sent[0]


@pytest.mark.parametrize("told", [True, False])
def test_a_refund_that_is_sent_back_rings_and_waits_for_people(
    shop: Shop, account: ProviderAccount, stp: Stp, told: bool
) -> None:
    order, before = refunded(shop, account, stp), balances(shop)
    stp.books.send_back(order)

    with capture_logs() as logs:
        for _ in range(2):
            tell(account, state_message(order)) if told else recover()

    assert [one["log_level"] for one in logs if one["event"] == "refund.told_otherwise"][:1] == ["critical"]
    item = SuspenseItem.objects.get()
    assert (item.state, item.cause, item.amount, item.return_at) == ("HELD", "REVERSED", 5_000, None)
    held = balances(shop)
    assert (held["SUSPENSE"], held["CLEARING"]) == (5_000, before["CLEARING"] - 5_000)
    wait(hours=72)
    assert (balances(shop), len(stp.books.sent), Refund.objects.get().status) == (held, 1, "COMPLETED")


def test_money_given_back_that_its_bank_sends_back_is_held_again(
    shop: Shop, account: ProviderAccount, stp: Stp
) -> None:
    _, clabe = create(shop)
    tell(account, deposit_message(stp.books.deposit(clabe, "149.99")))
    wait(hours=1)
    stp.books.settle()
    wait(minutes=2)
    assert SuspenseItem.objects.get().state == "RETURNED"
    stp.books.send_back(stp.books.sent[0])

    with capture_logs() as logs:
        tell(account, state_message(stp.books.sent[0]))

    assert any(one["event"] == "suspense.told_otherwise" for one in logs)
    assert sorted(SuspenseItem.objects.values_list("state", "cause")) == [
        ("HELD", "REVERSED"),
        ("RETURNED", "OTHER_AMOUNT"),
    ]
    assert balances(shop) == {"CLEARING": -14_999, "SUSPENSE": 14_999}
    wait(hours=72)
    assert len(stp.books.sent) == 1
