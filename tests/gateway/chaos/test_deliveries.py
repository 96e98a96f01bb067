"""What a receiver meets while its deliveries are disturbed, and what it never does."""

import base64
import hmac
import json
import time
from datetime import timedelta
from typing import Any

import pytest

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.chaos.models import ChaosRun
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.books import violations
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Received, Receiver, listening
from tests.support.webhooks import Hook, fails_in_a_row, later, outcome, registered
from webhooks.chaos import cancel_late
from webhooks.dispatch import deliver_due
from webhooks.disturbances import EXTRA, STRANGE, UNTRUE
from webhooks.due import check_endpoints
from webhooks.health import health
from webhooks.inspection import sent
from webhooks.models import Delivery, Endpoint


@pytest.fixture
def receiver(settings: Any) -> Any:
    settings.LOCAL = True
    with listening() as found:
        yield found


@pytest.fixture
def hook(api: Api, receiver: Receiver) -> Hook:
    return registered(api, receiver.url)


def ends(shop: Shop, status: str) -> Payment:
    """A payment of the company as it is now in the database."""
    shop.sandbox.refresh_from_db()
    return a_payment(shop.sandbox, status)


def is_right(message: Received, secret: str) -> bool:
    """What a receiver checks: one of the signatures, and the age."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    at = message.headers["webhook-timestamp"]
    content = f"{message.headers['webhook-id']}.{at}.".encode() + message.body
    ours = "v1," + base64.b64encode(hmac.digest(key, content, "sha256")).decode()
    return ours in message.headers["webhook-signature"].split(" ") and abs(time.time() - int(at)) < 300


def delivered(hook: Hook, receiver: Receiver) -> dict[str | None, Received]:
    """Disturbance → what arrived."""
    deliver_due()
    kinds = {one["id"]: one["disturbance"] for one in hook.deliveries()}
    return {kinds[one.headers["x-onpay-delivery"]]: one for one in receiver.received}


@pytest.mark.parametrize("kind", EXTRA)
def test_an_additional_delivery_is_what_its_name_says(
    kind: str, api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    api.post("/simulations/chaos", {"disturbances": [kind]})

    payment = ends(acme, "EXPIRED")

    arrived = delivered(hook, receiver)
    genuine, other = arrived[None], arrived[kind]
    told, said = json.loads(genuine.body), json.loads(other.body)
    assert told["type"] == "payment.expired"
    assert is_right(genuine, hook.secret)
    assert is_right(other, hook.secret) is (kind not in UNTRUE)
    assert said["data"]["id"] == payment.id
    assert set(other.headers) == set(genuine.headers)
    assert other.headers["webhook-id"] == said["id"]
    is_new = kind in ("FORGED", "UNKNOWN_TYPE", "UNKNOWN_VALUES")
    assert (said["id"] != told["id"]) is is_new
    assert (other.body == genuine.body) is (kind in ("DUPLICATE", "OLD", "TWO_SECRETS"))
    if kind in ("FORGED", "TAMPERED"):
        assert (said["type"], said["data"]["status"]) == ("payment.paid", "PAID")
        assert said["data"]["paidAt"]
    if kind == "UNKNOWN_TYPE":
        assert other.headers["x-onpay-event"] == said["type"] == "payment.insight_ready"
    if kind == "UNKNOWN_VALUES":
        assert said["data"]["method"] == "WALLET_QR"
        assert said["data"]["insights"]
    if kind == "TWO_SECRETS":
        assert len(other.headers["webhook-signature"].split(" ")) == 2
    shown = Delivery.objects.get(disturbance=kind)
    attempt = shown.tries.get()
    if kind != "OLD":  # the second of signing may differ from that of the row
        assert sent(shown, attempt).body == other.body


def test_five_paid_orders_meet_everything(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    run = api.post("/simulations/chaos").json()["data"]

    for _ in range(5):
        ends(acme, "PAID")

    met = set(Delivery.objects.exclude(disturbance=None).values_list("disturbance", flat=True))
    assert met == {one for one in run["disturbances"] if one in {*EXTRA, "LOST", "REORDER", "DELAY"}}
    assert len(met) == 10
    assert not violations()


def test_a_lost_event_is_sent_when_the_run_ends(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    api.post("/simulations/chaos", {"disturbances": ["LOST"]})
    payment = ends(acme, "PAID")
    refund = api.post(f"/payments/{payment.id}/refunds", {"amount": 50}).json()["data"]["id"]
    api.post(f"/simulations/refunds/{refund}", {"status": "COMPLETED"})
    deliver_due()
    assert "payment.paid" not in receiver.types
    follows = next(
        json.loads(one.body) for one in receiver.received if one.headers["x-onpay-event"] == "payment.updated"
    )
    assert follows["data"]["paidAt"]
    api.post("/simulations/clock", {"advanceBy": "P2D"})
    deliver_due()
    assert "payment.paid" not in receiver.types

    ended = api.request("DELETE", "/simulations/chaos").json()["data"]

    assert ended["endedAt"]
    deliver_due()
    assert receiver.types.count("payment.paid") == 1


@pytest.mark.parametrize("kind", ["REORDER", "DELAY"])
def test_an_event_is_held_back_for_seconds(kind: str, api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    api.post("/simulations/chaos", {"disturbances": [kind]})
    ends(acme, "PAID")
    assert deliver_due() == 0

    row = Delivery.objects.get()

    assert row.next_attempt_at
    assert timedelta(seconds=2) <= row.next_attempt_at - row.created_at <= timedelta(seconds=20)
    later()
    assert deliver_due() == 1
    assert receiver.types == ["payment.paid"]


def test_a_later_event_overtakes_a_disordered_one(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    api.post("/simulations/chaos", {"disturbances": ["REORDER"]})
    payment = ends(acme, "PAID")
    refund = api.post(f"/payments/{payment.id}/refunds", {"amount": 50}).json()["data"]["id"]
    api.post(f"/simulations/refunds/{refund}", {"status": "COMPLETED"})

    deliver_due()
    later()
    deliver_due()

    of_payment = [kind for kind in receiver.types if kind.startswith("payment.")]
    assert of_payment == ["payment.updated", "payment.paid"]
    assert not violations()


def test_refusing_what_must_be_refused_never_hurts_the_endpoint(
    api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    api.post("/simulations/chaos", {"disturbances": [*UNTRUE, *STRANGE]})
    for _ in range(6):
        ends(acme, "PAID")
    before = hook.shown()
    Delivery.objects.filter(disturbance=None).update(status="CANCELED", next_attempt_at=None)
    for _ in range(12):
        receiver.will_answer(410)

    assert deliver_due() == 12

    assert hook.shown() == before
    row = hook.row()
    assert (row.status, row.failures, row.pauses, row.failing_since, row.open_until) == ("ACTIVE", 0, 0, None, None)
    assert {(one["status"], one["attempts"]) for one in hook.deliveries() if one["disturbance"]} == {("FAILED", 1)}
    Endpoint.objects.update(failing_since=utcnow() - timedelta(days=6), warned_at=utcnow())
    check_endpoints()
    assert hook.row().status == "ACTIVE"
    well = health(acme.sandbox)[hook.id]
    assert (well.tried, well.waiting, well.failed_at) == (0, 0, None)


def test_additional_deliveries_do_not_hide_how_the_event_ended(
    api: Api, acme: Shop, hook: Hook, receiver: Receiver
) -> None:
    api.post("/simulations/chaos", {"disturbances": ["FORGED"]})
    ends(acme, "PAID")
    Delivery.objects.filter(disturbance="FORGED").update(status="FAILED", next_attempt_at=None)
    deliver_due()

    failed = hook.post("replays", {"lastStatus": "FAILED", "dryRun": True}).json()["data"]
    arrived = hook.post("replays", {"lastStatus": "DELIVERED", "dryRun": True}).json()["data"]

    assert (failed["matched"], arrived["matched"]) == (0, 1)


def test_nothing_is_disturbed_after_the_end(api: Api, acme: Shop, hook: Hook, receiver: Receiver) -> None:
    api.post("/simulations/chaos", {"minutes": 1})
    ends(acme, "PAID")
    over = utcnow() - timedelta(seconds=1)
    Endpoint.objects.update(disturbed_until=over)
    Merchant.objects.filter(pk=acme.sandbox.pk).update(disturbed_until=over)
    ChaosRun.objects.update(ends_at=over)
    acme.sandbox.refresh_from_db()

    ends(acme, "PAID")

    deliver_due()
    cancel_late()
    assert receiver.types == ["payment.paid"] * 2
    assert all(is_right(one, hook.secret) for one in receiver.received)
    assert set(Delivery.objects.filter(disturbance__in=EXTRA).values_list("status", flat=True)) == {"CANCELED"}
    assert outcome(api.get("/simulations/chaos")) == (404, "ONP404_CHAOS")


def test_another_company_and_another_endpoint_are_left_in_peace(
    api: Api, globex_api: Api, acme: Shop, globex: Shop, hook: Hook, receiver: Receiver
) -> None:
    with listening() as other:
        theirs, quiet = registered(globex_api, other.url), registered(api, other.url)
        api.post("/simulations/chaos", {"endpointId": hook.id, "disturbances": ["FORGED", "LOST"]})

        a_payment(globex.sandbox, "PAID")
        ends(acme, "PAID")
        deliver_due()

        assert other.types == ["payment.paid"] * 2
        assert receiver.types == ["payment.paid"]
        assert [one["disturbance"] for one in [*theirs.deliveries(), *quiet.deliveries()]] == [None, None]


def test_a_production_company_cannot_be_disturbed(
    acme: Shop, api: Api, address: str, globex_api: Api, hook: Hook
) -> None:
    live_api = Api(acme.production_key, address)
    assert outcome(live_api.post("/simulations/chaos")) == (403, "ONP403_SANDBOX_ONLY")
    assert outcome(live_api.get("/simulations/chaos")) == (403, "ONP403_SANDBOX_ONLY")
    assert outcome(globex_api.post("/simulations/chaos", {"endpointId": hook.id})) == (404, "ONP404_WEBHOOK")
    hook.change({"status": "INACTIVE"})
    assert outcome(api.post("/simulations/chaos", {"endpointId": hook.id})) == (409, "ONP409_WEBHOOK_STATE")

    assert not ChaosRun.objects.exists()
    assert not Endpoint.objects.exclude(disturbed_until=None).exists()
    assert not Merchant.objects.exclude(disturbed_until=None).exists()


def test_genuine_failures_still_count(acme: Shop, api: Api, hook: Hook, receiver: Receiver) -> None:
    api.post("/simulations/chaos", {"disturbances": ["RATE_LIMITED"]})

    fails_in_a_row(acme, receiver, 3)

    assert hook.row().failures == 3
