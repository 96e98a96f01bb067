"""Money comes late at the moment in which a new payment takes the reference."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connections, transaction

from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.books import violations
from tests.support.companies import Shop
from tests.support.payments import pix
from tests.support.webhooks import outcome


@pytest.mark.django_db(transaction=True)
def test_late_money_waits_for_a_new_payment_and_finds_the_reference_taken(acme: Shop) -> None:
    api, other = Api(acme.sandbox_key), Api(acme.sandbox_key)
    late = api.post("/payments", pix(reference="order-7")).json()["data"]["id"]
    api.post(f"/simulations/payments/{late}", {"status": "EXPIRED"})
    made, told = Event(), Event()

    def creates() -> str:
        try:
            with transaction.atomic():
                payment = other.post("/payments", pix(reference="order-7")).json()["data"]["id"]
                made.set()
                told.wait(1)  # it cannot be told before the new payment is there for all
            return str(payment)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads:
        creating = threads.submit(creates)
        made.wait(10)
        refused = api.post(f"/simulations/payments/{late}/late-money")
        told.set()

    assert outcome(refused) == (409, "ONP409_DUPLICATE_REFERENCE")
    statuses = dict(Payment.objects.values_list("pk", "status"))
    assert statuses == {late: "EXPIRED", creating.result(): "PENDING"}
    assert not violations()
