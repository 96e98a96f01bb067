"""Money that arrives after a payment has expired and pays it, as two of our staff decide it in production."""

import json
import uuid

import pytest

from gateway.payments.models import Payment
from gateway.simulations.examples import ORDERS
from tests.support.api import Api
from tests.support.books import violations
from tests.support.companies import Shop
from tests.support.payments import a_payment, a_reference, pix
from tests.support.proposals import nothing_moves
from tests.support.webhooks import outcome
from webhooks.models import Event

CARDS = ("CREDIT_CARD", "DEBIT_CARD")


def expired(api: Api, body: dict[str, object]) -> str:
    payment = api.post("/payments", body).json()["data"]["id"]
    assert api.post(f"/simulations/payments/{payment}", {"status": "EXPIRED"}).status_code == 200
    return str(payment)


@pytest.mark.a_third_a_day
@pytest.mark.parametrize("way", [way for way in ORDERS if way[0] not in CARDS], ids="/".join)
def test_an_expired_payment_of_every_method_is_paid_late(api: Api, acme: Shop, way: tuple[str, str]) -> None:
    payment = expired(api, ORDERS[way] | {"reference": a_reference()})
    key = str(uuid.uuid4())

    paid, again = (api.post(f"/simulations/payments/{payment}/late-money", key=key) for _ in range(2))

    told = paid.json()["data"]
    assert (told["status"], again.content) == ("PAID", paid.content)
    assert told["paidAt"] > told["createdAt"]
    assert api.get(f"/payments/{payment}").json()["data"] == told
    events = Event.objects.filter(object_id=payment).order_by("sequence")
    assert [one.type for one in events][-2:] == ["payment.expired", "payment.paid"]
    assert json.loads(bytes(events[len(events) - 1].body))["data"]["paidAt"] == told["paidAt"]
    assert Payment.objects.get().net == round(told["netAmount"] * 100)
    assert not violations()


def test_late_money_pays_nothing_else(api: Api, globex_api: Api, acme: Shop) -> None:
    late = expired(api, pix(reference="order-7"))
    replaced = expired(api, pix(reference="order-8"))
    newer = api.post("/payments", pix(reference="order-8")).json()["data"]["id"]
    ended = {status: a_payment(acme.sandbox, status).id for status in ("PENDING", "PAID", "FAILED")}
    live = Api(acme.production_key)

    with nothing_moves():
        for payment in ended.values():
            refused = api.post(f"/simulations/payments/{payment}/late-money")
            assert outcome(refused) == (409, "ONP409_PAYMENT_STATE")
        taken = api.post(f"/simulations/payments/{replaced}/late-money")
        assert outcome(taken) == (409, "ONP409_DUPLICATE_REFERENCE")
        assert taken.json()["error"]["paymentId"] == newer
        assert outcome(globex_api.post(f"/simulations/payments/{late}/late-money")) == (404, "ONP404_PAYMENT")
        assert outcome(live.post(f"/simulations/payments/{late}/late-money")) == (403, "ONP403_SANDBOX_ONLY")
    assert not violations()
