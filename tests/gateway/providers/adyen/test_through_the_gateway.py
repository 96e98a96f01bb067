"""Real money through the API of the gateway and Adyen: ordered, told by webhooks in any order, refunded, and forged."""

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from structlog.testing import capture_logs

from accounts.base.clock import utcnow
from gateway.methods.models import MethodRule
from gateway.payments.models import Payment
from gateway.providers.models import ProviderAccount, ProviderMessage
from gateway.refunds import due as due_refunds
from gateway.refunds.models import Refund
from gateway.suspense.models import SuspenseItem
from tests.support.adyen.account import entered
from tests.support.adyen.acquirer import Acquirer, open_acquirer
from tests.support.adyen.books import psp
from tests.support.adyen.webhooks import delivered, item, message, settled, told
from tests.support.companies import Shop
from tests.support.production import api_of, live, move, pass_time
from tests.support.providers import routed
from tests.support.suspense import balances, wait
from tests.support.threads import at_once
from webhooks.models import Event

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = {
    "street": "Rua Augusta", "number": "100", "district": "Consolação", "city": "São Paulo", "state": "SP",
    "postalCode": "01304-000",
}  # fmt: skip
PAYER = {
    "name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com", "phone": "912344567",
    "address": ADDRESS,
}  # fmt: skip


@pytest.fixture
def account(acme: Shop, acquirer: Acquirer) -> ProviderAccount:
    live(acme)
    account = entered(acquirer)
    for method, currency in account_methods():
        MethodRule.objects.filter(environment="PRODUCTION", method=method).update(enabled=True)
        routed(account, method=method, currency=currency)
    return account


def account_methods() -> list[tuple[str, str]]:
    return [("MB_WAY", "EUR"), ("BOLETO", "BRL"), ("PIX", "BRL")]


def ordered(shop: Shop, method: str = "PIX") -> Any:
    payer = dict(PAYER) if method != "MB_WAY" else {key: PAYER[key] for key in ("name", "email", "phone")}
    order = {"method": method, "amount": 150.00, "currency": dict(account_methods())[method], "payer": payer}
    due = {"dueDate": (utcnow() + timedelta(days=5)).date().isoformat()} if method == "BOLETO" else {}
    return api_of(shop).post("/payments", order | due | {"reference": f"order-{method}"})


def create(shop: Shop, method: str = "PIX") -> Payment:
    answer = ordered(shop, method)
    assert answer.status_code == 201, answer.json()
    return Payment.objects.get(pk=answer.json()["data"]["id"])


def now(payment: Payment) -> Payment:
    return Payment.objects.get(pk=payment.pk)


def events(payment: Payment) -> list[str]:
    return list(Event.objects.filter(object_id=payment.pk).order_by("created_at").values_list("type", flat=True))


def refunded(shop: Shop, payment: Payment, acquirer: Acquirer) -> Refund:
    """Half of it, as it was received by Adyen."""
    assert api_of(shop).post(f"/payments/{payment.pk}/refunds", {"amount": 75.00}).status_code == 201
    Refund.objects.update(ask_at=F("ask_at") - timedelta(minutes=2))
    due_refunds.run_due()
    assert acquirer.books.changes[-1].kind == "refunds"
    return Refund.objects.get()


@pytest.mark.parametrize("method", [method for method, _ in account_methods()])
def test_a_payment_is_ordered_told_paid_and_refunded_in_part(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, method: str
) -> None:
    payment = create(acme, method)
    assert (payment.status, pass_time(payment.pk, seconds=31).status) == ("PENDING", "PENDING")
    money = acquirer.books.newest()

    told(account, "AUTHORISATION", money)

    paid = now(payment)
    assert (paid.status, paid.rail_reference, paid.unclear_since) == ("PAID", money.psp, None)
    refund = refunded(acme, paid, acquirer)
    assert refund.status == "PROCESSING"
    settled(account, acquirer.books.changes[-1])
    refund.refresh_from_db()
    assert (refund.status, refund.end_to_end_id) == ("COMPLETED", acquirer.books.changes[-1].psp)


def test_text_that_no_database_can_store_hides_no_outcome(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment = create(acme)
    told(account, "AUTHORISATION", acquirer.books.newest(), paymentMethod="p\0ix", reason="\0")
    refund = refunded(acme, now(payment), acquirer)
    told(account, "REFUND", acquirer.books.changes[-1], success=False, reason="No\0 money")

    refund.refresh_from_db()
    assert (refund.status, refund.failure_message) == ("FAILED", "No money")


def test_told_five_times_and_with_old_news_it_is_paid_once(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = create(acme), acquirer.books.newest()
    for _ in range(3):
        told(account, "AUTHORISATION", money)
    told(account, "AUTHORISATION", money, eventDate="2026-11-22T13:00:00+01:00")  # sent again, not quite the same
    told(account, "OFFER_CLOSED", money)
    told(account, "AUTHORISATION", money, success=False, pspReference=psp())  # an attempt before

    assert now(payment).status == "PAID"
    assert [kind for kind in events(payment) if kind != "payment.updated"] == ["payment.paid"]
    assert not SuspenseItem.objects.exists()
    assert ProviderMessage.objects.filter(repeats=2).count() == 1


def test_told_by_five_messages_at_once_it_is_paid_once(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = create(acme), acquirer.books.newest()
    bodies = [message(item("AUTHORISATION", money, eventDate=f"2026-11-22T12:00:0{n}+01:00")) for n in range(5)]

    at_once(*(partial(delivered, account, body) for body in bodies))
    delivered(account, bodies[0])

    assert now(payment).status == "PAID"
    assert [kind for kind in events(payment) if kind != "payment.updated"] == ["payment.paid"]
    assert not SuspenseItem.objects.exists()


def test_what_contradicts_paid_money_changes_nothing_and_rings(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = create(acme), acquirer.books.newest()
    told(account, "AUTHORISATION", money)
    before = balances(acme)
    with capture_logs() as logs:
        told(account, "AUTHORISATION", money, success=False)
        told(account, "CANCELLATION", money)

    assert (now(payment).status, balances(acme)) == ("PAID", before)
    assert [line["log_level"] for line in logs if line["event"] == "payment.told_otherwise"] == ["critical"] * 2


def test_another_amount_and_a_second_payment_are_held_and_given_back(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment, money = create(acme), acquirer.books.newest()
    told(account, "AUTHORISATION", money, amount={"value": 14900, "currency": "BRL"})
    assert (now(payment).status, balances(acme)) == ("PENDING", {"CLEARING": -14900, "SUSPENSE": 14900})

    wait(hours=1)
    settled(account, acquirer.books.changes[-1])

    item = SuspenseItem.objects.get()
    assert (item.state, item.return_reference) == ("RETURNED", acquirer.books.changes[-1].psp)
    assert (now(payment).status, balances(acme)) == ("PENDING", {})


def test_the_payers_refusal_fails_it_and_a_closed_offer_expires_it(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    refused = create(acme, "MB_WAY")
    told(account, "AUTHORISATION", acquirer.books.newest(), success=False)
    closed = create(acme, "PIX")
    told(account, "OFFER_CLOSED", acquirer.books.newest())

    assert (now(refused).status, now(refused).failure_code) == ("FAILED", "PAYMENT_REFUSED")
    assert now(closed).status == "EXPIRED"
    told(account, "AUTHORISATION", acquirer.books.newest())  # paid in the last second
    assert (now(closed).status, SuspenseItem.objects.get().cause) == ("EXPIRED", "LATE")


def test_past_its_time_it_is_canceled_at_adyen_before_it_expires(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment = create(acme)

    unsure = pass_time(payment.pk, days=1, minutes=1)
    assert (unsure.status, unsure.unclear_since is not None) == ("PENDING", True)
    pass_time(payment.pk, minutes=1)
    assert [change.kind for change in acquirer.books.changes] == ["cancels"]
    settled(account, acquirer.books.changes[0], success=False)
    assert now(payment).status == "PENDING"
    told(account, "CANCELLATION", acquirer.books.changes[0])

    assert (now(payment).status, now(payment).unclear_since) == ("EXPIRED", None)


def test_an_amount_that_adyen_does_not_take_is_too_small(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.will("422 amount", on="/payments$")
    answer = ordered(acme, "MB_WAY")

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "ONP422_MB_WAY_AMOUNT_TOO_SMALL")
    assert Payment.objects.get().status == "FAILED"


def test_an_unclear_order_is_paid_when_a_webhook_says_so(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.will("500 after")
    assert ordered(acme).status_code == 503
    [payment] = Payment.objects.all()
    assert payment.unclear_since

    told(account, "AUTHORISATION", acquirer.books.newest())

    assert (now(payment).status, now(payment).unclear_since) == ("PAID", None)
    assert len(acquirer.books.payments) == 1


def test_an_unclear_order_is_sent_again_and_is_one_payment(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.will("500 after", on="/payments$")
    ordered(acme)
    [payment] = Payment.objects.all()

    assert "pixCopyPaste" in pass_time(payment.pk, minutes=1).details
    assert len(acquirer.books.payments) == 1


def test_a_refusal_fails_over_to_the_next_account_and_late_money_of_the_first_is_noticed(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    acquirer.books.results = [{"resultCode": "Error", "refusalReasonCode": "4"}]
    with open_acquirer() as other:
        other.books.merchant_account = "OnpayBR"
        second = entered(other, "Adyen 2")
        routed(account, second)
        payment = create(acme)
    assert (payment.account, payment.details["pixCopyPaste"][:4]) == (second, "0002")

    with capture_logs() as logs:
        told(account, "AUTHORISATION", acquirer.books.newest())
    assert now(payment).status == "PENDING"
    assert [line["log_level"] for line in logs if line["event"] == "payment.told_elsewhere"] == ["critical"]
    told(second, "AUTHORISATION", other.books.newest(), merchantAccountCode="OnpayBR")
    assert now(payment).status == "PAID"


def test_forged_replayed_and_foreign_messages_move_nothing(
    acme: Shop, globex: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    other = entered(acquirer, "Another", hmac_key="ab" * 32)
    payment, money = create(acme), acquirer.books.newest()
    good = item("AUTHORISATION", money)
    forged = json.loads(message(item("AUTHORISATION", money, success=False)))
    forged["notificationItems"][0]["NotificationRequestItem"]["success"] = "true"

    assert delivered(account, json.dumps(forged).encode()) == 401
    assert delivered(account, message(good, key="ab" * 32)) == 401
    assert delivered(account, message(good, live="false")) == 401
    assert delivered(other, message(good)) == 401  # replayed at another account
    assert delivered(other, message(good, key="ab" * 32)) == 200
    assert delivered(account, message(item("AUTHORISATION", money, account="OnpayBR"))) == 200
    assert delivered(account, message(item("AUTHORISATION", money, merchantReference="pay_" + "0" * 26))) == 200

    assert (now(payment).status, balances(acme), events(payment)) == ("PENDING", {}, ["payment.updated"])


@pytest.mark.parametrize("event", ["REFUND", "REFUND_FAILED"])
def test_a_refund_that_adyen_cannot_make_gives_the_money_back(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer, event: str
) -> None:
    payment = create(acme)
    told(account, "AUTHORISATION", acquirer.books.newest())
    before = balances(acme)
    refund = refunded(acme, payment, acquirer)

    told(account, event, acquirer.books.changes[-1], success=event == "REFUND_FAILED", reason="Account closed")

    refund.refresh_from_db()
    assert (refund.status, refund.failure_message, balances(acme)) == ("FAILED", "Account closed", before)


def test_a_refund_told_with_another_amount_or_failed_afterwards_rings_and_changes_nothing(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment = create(acme)
    told(account, "AUTHORISATION", acquirer.books.newest())
    refund = refunded(acme, payment, acquirer)
    change = acquirer.books.changes[-1]
    with capture_logs() as logs:
        told(account, "REFUND", change, amount={"value": 7499, "currency": "BRL"})
        refund.refresh_from_db()
        assert refund.status == "PROCESSING"
        for _ in range(2):
            told(account, "REFUND", change)
        told(account, "REFUND_FAILED", change)

    refund.refresh_from_db()
    assert refund.status == "COMPLETED"
    assert len([line for line in logs if line["event"] == "refund.told_otherwise"]) == 2


def test_a_refund_with_a_lost_answer_is_sent_again_and_made_once(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment = create(acme)
    told(account, "AUTHORISATION", acquirer.books.newest())
    acquirer.will("500 after", on="/refunds$")
    refund = refunded(acme, payment, acquirer)
    assert refund.unclear_since

    Refund.objects.update(ask_at=F("ask_at") - timedelta(hours=1), leased_until=None)
    due_refunds.run_due()

    assert [change.kind for change in acquirer.books.changes] == ["refunds"]
    settled(account, acquirer.books.changes[0])
    refund.refresh_from_db()
    assert refund.status == "COMPLETED"


def test_a_webhook_before_the_answer_to_the_order_pays_it_once(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    def tell() -> None:
        told(account, "AUTHORISATION", acquirer.books.newest())
        connection.close()

    acquirer.meanwhile = tell
    assert ordered(acme).json()["data"]["status"] == "PAID"
    assert Payment.objects.get().status == "PAID"
    assert not SuspenseItem.objects.exists()


def test_an_answer_that_comes_after_its_webhook_changes_nothing(
    acme: Shop, account: ProviderAccount, acquirer: Acquirer
) -> None:
    payment = create(acme)
    move(payment.pk, minutes=1)
    told(account, "AUTHORISATION", acquirer.books.newest())
    assert pass_time(payment.pk, days=2).status == "PAID"
    assert acquirer.books.changes == []
