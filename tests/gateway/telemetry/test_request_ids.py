"""The RequestId of a merchant's call is in the lines of the worker and the dispatcher that finish what it began."""

import json
from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.emails.outbox import SENDING
from accounts.models import Email
from gateway.payments.models import Payment
from gateway.payments.tasks import sweep_payments
from tests.support.api import Api
from tests.support.payments import pix
from tests.support.receiver import Receiver
from tests.support.sweeps import broken, repaired, the_delay_is_over
from webhooks.dispatch import deliver_due
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def lines(told: str, event: str) -> list[dict[str, Any]]:
    return [line for one in told.splitlines() if one[:1] == "{" and (line := json.loads(one))["event"] == event]


def test_a_worker_and_the_dispatcher_go_on_with_the_request(api: Api, shop: Receiver, capfd: Any) -> None:
    api.post("/webhooks", {"url": shop.url, "events": ["*"]})
    begun = api.post("/payments", pix())
    other = api.post("/payments", pix())
    one, second = (answer.json()["data"]["id"] for answer in (begun, other))
    Payment.objects.filter(pk__in=[one, second]).update(expires_at=utcnow() - timedelta(minutes=1))
    broken("gateway_payment", [one])

    sweep_payments()
    repaired("gateway_payment")
    the_delay_is_over()
    sweep_payments()
    shop.will_answer(500)
    shop.will_answer(500)
    deliver_due()

    output = capfd.readouterr().err
    [stuck] = lines(output, "sweep.stuck")
    assert (stuck["id"], stuck["request_id"]) == (one, begun["RequestId"])
    refused = {(line["event_id"], line["request_id"], line["status"]) for line in lines(output, "webhook.refused")}
    events = dict(Event.objects.filter(type="payment.expired").values_list("object_id", "pk"))
    assert refused == {(events[one], begun["RequestId"], 500), (events[second], other["RequestId"], 500)}


def test_what_no_request_has_caused_names_none(api: Api, capfd: Any) -> None:
    """Not even the one that the same thread served before."""
    api.get("/companies/me")
    due = Email.objects.create(kind="x", recipient="a@b.example", subject="x", text="x", next_attempt_at=utcnow())
    broken("accounts_email", [due.pk])
    capfd.readouterr()

    SENDING.sweep()

    [stuck] = lines(capfd.readouterr().err, "sweep.stuck")
    assert "request_id" not in stuck
