"""The payer's time ends by the merchant's own clock, once, and is announced."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction

from accounts.models import Merchant
from gateway.methods.errors import InvalidResponse
from gateway.methods.rail import PaymentOutcome, PaymentResult
from gateway.payments import services as payments
from gateway.payments.due import EXPIRY
from gateway.payments.errors import PaymentState
from gateway.payments.lifecycle import PaymentAction
from gateway.payments.models import Payment
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment, pix
from webhooks.models import Event

DAY = timedelta(days=1)


def later(shop: Shop, by: timedelta) -> None:
    """Moves the sandbox clock of the shop forward."""
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=shop.sandbox.clock_offset + by)
    shop.sandbox.refresh_from_db()


def statuses() -> dict[str, str]:
    return dict(Payment.objects.values_list("id", "status"))


def test_an_open_payment_expires_when_its_time_is_over_and_not_before(acme: Shop) -> None:
    payment = a_payment(acme.sandbox)

    assert EXPIRY.sweep() == 0
    later(acme, DAY)
    assert EXPIRY.sweep() == 1
    assert EXPIRY.sweep() == 0

    assert statuses() == {payment.id: "EXPIRED"}
    assert list(Event.objects.values_list("type", "object_id")) == [("payment.expired", payment.id)]
    assert Transfer.objects.count() == 0


def test_one_merchants_clock_moves_nobody_elses_payments(acme: Shop, globex: Shop) -> None:
    mine, theirs = a_payment(acme.sandbox), a_payment(globex.sandbox)

    later(acme, DAY)
    EXPIRY.sweep()

    assert statuses() == {mine.id: "EXPIRED", theirs.id: "PENDING"}


def test_a_paid_payment_does_not_expire(acme: Shop) -> None:
    payment = a_payment(acme.sandbox, "PAID")
    later(acme, 2 * DAY)

    assert EXPIRY.sweep() == 0

    assert statuses() == {payment.id: "PAID"}


def test_an_expired_payment_can_no_longer_be_paid(acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    later(acme, DAY)
    EXPIRY.sweep()

    with pytest.raises(PaymentState), transaction.atomic():
        payments.simulate(acme.sandbox, payment.id, "PAID")

    assert statuses() == {payment.id: "EXPIRED"}
    assert Transfer.objects.count() == 0


def test_expires_in_decides_and_the_reference_is_free_again(api: Api, acme: Shop) -> None:
    first = api.post("/payments", pix(reference="order-7", expiresIn=60)).json()["data"]
    assert api.post("/payments", pix(reference="order-7")).json()["error"]["paymentId"] == first["id"]

    later(acme, timedelta(seconds=61))
    EXPIRY.sweep()

    second = api.post("/payments", pix(reference="order-7"))
    assert second.status_code == 201
    assert api.get(f"/payments/{first['id']}").json()["data"]["status"] == "EXPIRED"


def test_a_batch_takes_the_oldest_first(acme: Shop) -> None:
    ids = [a_payment(acme.sandbox).id for _ in range(3)]
    later(acme, DAY)

    assert EXPIRY.sweep(limit=2) == 2

    assert [statuses()[id_] for id_ in ids] == ["EXPIRED", "EXPIRED", "PENDING"]


def test_one_payment_that_cannot_expire_holds_up_nobody(acme: Shop, globex: Shop) -> None:
    broken, fine = a_payment(acme.sandbox), a_payment(globex.sandbox)
    Payment.objects.filter(pk=broken.pk).update(details={"pixCopyPaste": "half of it"})
    later(acme, DAY)
    later(globex, DAY)

    assert EXPIRY.sweep() == 1

    assert statuses() == {broken.id: "PENDING", fine.id: "EXPIRED"}


def test_an_answer_about_other_money_is_refused_and_moves_nothing(acme: Shop) -> None:
    payment = a_payment(acme.sandbox)
    other = PaymentOutcome(PaymentResult.DONE, amount=Decimal("149.99"), currency="BRL")

    with pytest.raises(InvalidResponse), transaction.atomic():
        payments.finish(payments.lock(acme.sandbox, payment.id), PaymentAction.PAY, other, payment.created_at)

    assert statuses() == {payment.id: "PENDING"}
    assert Transfer.objects.count() == 0
