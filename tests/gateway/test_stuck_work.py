"""What raised is named and put off, whatever finds it; once its cause is gone it can be tried at once."""

import json
from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.due import try_again
from accounts.models import StuckWork
from gateway.payments.due import EXPIRY
from gateway.refunds.due import FILL
from gateway.refunds.models import Refund
from gateway.simulations.services import RAISED_AT_ONCE
from ledger.holds.models import Hold
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.refunds import disputed, later, paid, withdraw_all_but
from tests.support.sweeps import broken, repaired
from tests.support.withdrawals import register
from webhooks.due import CHECK, check_endpoints
from webhooks.models import Endpoint

pytestmark = pytest.mark.django_db


def said(text: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, filter(None, text.splitlines())) if line["level"] in ("error", "critical")]


@pytest.fixture
def lacking(api: Api, acme: Shop, address: str) -> list[str]:
    """Two refunds that lack money, and a wallet that has some: they were in somebody else's hand as it came."""
    register(acme, address)
    payments = [paid(api) for _ in range(2)]
    withdraw_all_but(acme, 0)
    refunds = [disputed(api, payment, amount=50)["id"] for payment in payments]
    held = Hold.objects.filter(refund_id__in=refunds)
    held.update(amount=1, missing=0)
    a_payment(acme.sandbox, "PAID", "200.00")
    held.update(amount=0, missing=5_000)
    return refunds


def test_a_refund_that_cannot_be_filled_is_put_off_and_holds_up_no_other(lacking: list[str], capfd: Any) -> None:
    broken("gateway_refund", lacking[:1])
    capfd.readouterr()

    assert FILL.sweep() == 1

    assert [one.shortfall for one in Refund.objects.filter(pk__in=lacking).order_by("pk")] == [5_000, 0]
    stuck = StuckWork.objects.get()
    assert (stuck.kind, stuck.object_id, stuck.times) == (FILL.kind, lacking[0], 1)
    [line] = said(capfd.readouterr().err)
    assert (line["event"], line["id"]) == ("sweep.stuck", lacking[0])
    assert FILL.sweep() == 0
    assert said(capfd.readouterr().err) == []


def test_an_endpoint_that_cannot_be_checked_is_put_off_and_named(api: Api, capfd: Any) -> None:
    for number in (7, 8):
        body = {"url": f"https://192.0.43.{number}/hook", "events": ["*"]}
        assert api.post("/webhooks", body).status_code == 201
    Endpoint.objects.update(failing_since=utcnow() - timedelta(days=2))
    first, second = Endpoint.objects.order_by("pk")
    broken("webhooks_endpoint", [first.pk])
    capfd.readouterr()

    assert check_endpoints() == 1

    assert Endpoint.objects.get(pk=second.pk).warned_at is not None
    assert [one.object_id for one in CHECK.stuck(10)] == [first.pk]
    [line] = said(capfd.readouterr().err)
    assert (line["event"], line["kind"], line["id"]) == ("sweep.stuck", CHECK.kind, first.pk)
    assert check_endpoints() == 0
    assert said(capfd.readouterr().err) == []


def test_what_is_put_off_for_an_hour_is_tried_at_once_when_its_cause_is_gone(acme: Shop) -> None:
    payment = a_payment(acme.sandbox).pk
    broken("gateway_payment", [payment])
    later(acme, days=2)
    assert EXPIRY.sweep() == 0
    StuckWork.objects.update(times=9, until=utcnow() + timedelta(hours=1))
    repaired("gateway_payment")
    assert EXPIRY.sweep() == 0

    assert try_again(EXPIRY.kind, payment)

    assert EXPIRY.sweep() == 1
    assert not StuckWork.objects.exists()
    assert not try_again(EXPIRY.kind, payment)


def test_the_sandbox_clock_stops_after_so_many_that_raise(api: Api, acme: Shop) -> None:
    payments = [a_payment(acme.sandbox).pk for _ in range(RAISED_AT_ONCE + 1)]
    broken("gateway_payment", payments)

    answer = api.post("/simulations/clock", {"advanceBy": "P2D"})

    assert answer.status_code == 200, answer.content
    assert StuckWork.objects.filter(times=1).count() == RAISED_AT_ONCE
    acme.sandbox.refresh_from_db()
    assert acme.sandbox.clock_offset < timedelta(days=2)

    assert api.post("/simulations/clock", {"advanceBy": "P2D"}).status_code == 200
    assert StuckWork.objects.filter(times=1).count() == RAISED_AT_ONCE + 1
