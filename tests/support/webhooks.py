"""A merchant's endpoint as its backend handles it, and ways to let time pass."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpResponse

from accounts.base.clock import utcnow
from accounts.base.ids import CROCKFORD
from accounts.models import Merchant
from tests.support.api import Api
from tests.support.cards import alone
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.receiver import Receiver
from webhooks.dispatch import deliver_due
from webhooks.models import Delivery, Endpoint
from webhooks.outbox import emit

OFF = (409, "ONP409_WEBHOOK_STATE")
NO_ENDPOINT, NO_DELIVERY, NO_EVENT = (404, "ONP404_WEBHOOK"), (404, "ONP404_DELIVERY"), (404, "ONP404_EVENT")


@dataclass
class Hook:
    """An endpoint with its first secret."""

    api: Api
    id: str
    secret: str

    @property
    def path(self) -> str:
        return f"/webhooks/{self.id}"

    def shown(self) -> dict[str, Any]:
        return dict(self.api.get(self.path).json()["data"])

    def change(self, members: dict[str, Any]) -> HttpResponse:
        with alone():
            return self.api.request("PATCH", self.path, data=json.dumps(members), content_type="application/json")

    def delete(self) -> HttpResponse:
        with alone():
            return self.api.request("DELETE", self.path)

    def post(self, what: str, body: Any = None, key: str | None = None) -> HttpResponse:
        return self.api.post(f"{self.path}/{what}", body, key=key)

    def deliveries(self, **query: Any) -> list[dict[str, Any]]:
        return list(self.api.get(f"{self.path}/deliveries", **query).json()["data"])

    def row(self) -> Endpoint:
        return Endpoint.objects.get(pk=self.id)


def registered(api: Api, url: str, events: Sequence[str] = ("*",)) -> Hook:
    answer = api.post("/webhooks", {"url": url, "events": list(events)})
    assert answer.status_code == 201, answer.content
    created = answer.json()["data"]
    return Hook(api, created["id"], created["secret"])


def outcome(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, answer.json()["onpayCode"]


def later() -> None:
    """So much time passes that whatever waits is due and no endpoint is kept from being called."""
    Endpoint.objects.update(open_until=None)
    Delivery.objects.filter(status="PENDING").update(next_attempt_at=utcnow(), leased_until=None)


def happens(merchant: Merchant, kind: str = "payment.updated", object_id: str = "pay_x") -> str:
    """Something is announced; returns the event's id."""
    return emit(merchant, kind, object_id, {"id": object_id}, utcnow())


def will_fail(receiver: Receiver, times: int) -> None:
    for _ in range(times):
        receiver.will_answer(500)


def ago(**how_long: float) -> datetime:
    return utcnow() - timedelta(**how_long)


def back_in_time(public_id: str, how_long: timedelta) -> str:
    """The same id as if it had been made so much earlier: an id begins with its time."""
    prefix, _, ulid = public_id.partition("_")
    value = 0
    for letter in ulid[:10]:
        value = value * 32 + CROCKFORD.index(letter)
    value -= int(how_long.total_seconds() * 1000)
    letters = "".join(CROCKFORD[value >> shift & 31] for shift in range(45, -1, -5))
    return f"{prefix}_{letters}{ulid[10:]}"


def fails_in_a_row(shop: Shop, receiver: Receiver, times: int) -> None:
    """One attempt after another, each for something that has just happened."""
    for _ in range(times):
        receiver.will_answer(500)
        a_payment(shop.sandbox, "PAID")
        deliver_due()
