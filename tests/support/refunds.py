"""Paid payments of every method, their refunds, and everything that may move or must not."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F
from django.http import HttpResponse

from accounts.models import Merchant
from gateway.payments.models import Payment
from gateway.refunds.models import Evidence, Refund, Response
from ledger.holds import services as holds
from ledger.holds.models import Hold
from ledger.receivables.models import Receivable
from tests.support.api import Api
from tests.support.cards import book, events, opened
from tests.support.companies import Shop
from tests.support.orders import order
from tests.support.tables import held_in
from webhooks.models import Event

COLOMBIAN = {"amount": 50_000, "currency": "COP", "payer": {"name": "Ana Gómez", "taxId": "1032456789"}}
CARDS = ("CREDIT_CARD", "DEBIT_CARD")
PDF = b"%PDF-1.7\nproof of delivery"


def paid(api: Api, method: str = "PIX", **members: Any) -> str:
    """The id of a payment that was paid: of 150 reais where nothing else is said of a PIX, of 200 by card."""
    if method in CARDS:
        session = opened(api, method, **members)
        assert session.pay().json()["payment"]["status"] == "PAID"
        return session.id
    if method in ("PSE", "NEQUI", "BRE_B"):
        members = COLOMBIAN | members
    if method == "PIX":
        members = {"amount": 150.00} | members
    created = api.post("/payments", order(method, **members))
    assert created.status_code == 201, created.content
    payment_id = str(created.json()["data"]["id"])
    assert api.post(f"/simulations/payments/{payment_id}", {"status": "PAID"}).status_code == 200
    return payment_id


def ask(api: Api, payment_id: str, **body: Any) -> HttpResponse:
    """The answer to a request for a refund."""
    return api.post(f"/payments/{payment_id}/refunds", body)


def refunded(api: Api, payment_id: str, **body: Any) -> dict[str, Any]:
    """A refund by the will of the company."""
    return made(ask(api, payment_id, **body))


def disputed(api: Api, payment_id: str, **wish: Any) -> dict[str, Any]:
    """A refund at the demand of the payer."""
    return made(api.post(f"/simulations/payments/{payment_id}/refund-requests", wish))


def claimed(api: Api, payment_id: str, **wish: Any) -> dict[str, Any]:
    """A refund that the payer's institution claims through MED."""
    return disputed(api, payment_id, disputeKind="MED", **wish)


def answered(api: Api, refund: dict[str, Any], answer: str, **members: Any) -> HttpResponse:
    said = {"message": "Delivered on 2026-11-10."} if answer == "CONTEST" else {}
    return api.post(f"/refunds/{refund['id']}/responses", {"answer": answer} | said | members)


def decided(api: Api, refund: dict[str, Any], status: str) -> HttpResponse:
    return api.post(f"/simulations/refunds/{refund['id']}", {"status": status})


def made(answer: HttpResponse) -> dict[str, Any]:
    assert answer.status_code in (200, 201), answer.content
    return dict(answer.json()["data"])


def now(api: Api, refund: dict[str, Any]) -> dict[str, Any]:
    """The refund as it is looked up."""
    return made(api.get(f"/refunds/{refund['id']}"))


def later(shop: Shop, **time: float) -> None:
    """The company's time goes on, and no worker has looked yet."""
    Merchant.objects.filter(pk=shop.sandbox.pk).update(clock_offset=F("clock_offset") + timedelta(**time))
    shop.sandbox.refresh_from_db()


def withdraw_all_but(shop: Shop, minor: int, currency: str = "BRL") -> Hold:
    """Leaves so much available; the rest cannot be used any more."""
    available = wallet(shop, currency)[0]
    return holds.place(shop.sandbox, currency, available - minor, "COMPLIANCE", note="An invoice is missing")


def wallet(shop: Shop, currency: str = "BRL") -> tuple[int, int, int]:
    """Available, releasing and blocked, in minor units."""
    held = {(name.split()[0], name.split()[-1]): amount for name, amount in book(shop).items()}
    return tuple(held.get((kind, currency), 0) for kind in ("AVAILABLE", "RELEASING", "BLOCKED"))  # type: ignore[return-value]


def blocks(api: Api, shop: Shop) -> list[tuple[str, float, str, str | None]]:
    """What is blocked for refunds: the reason, the amount, for which, and until when it is expected."""
    listed = api.get(f"/companies/{shop.company.id}/balances/blocked").json()["data"]
    found = [one for one in listed if one["refundId"]]
    return [(one["reason"], one["amount"], one["refundId"], one["expectedReleaseAt"]) for one in found]


def kinds(shop: Shop) -> list[str]:
    """What was announced after the payments were paid, in order."""
    known = ("payment.paid", "payment.action_required", "payment.authorized")
    return [event["type"] for event in events(shop) if event["type"] not in known]


def announced(shop: Shop, kind: str) -> dict[str, Any]:
    """The last event of a kind."""
    return dict([event for event in events(shop) if event["type"] == kind][-1])


def refusal(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, answer.json()["onpayCode"]


def moment(text: str | None) -> datetime:
    assert text is not None
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def everything(shop: Shop) -> list[Any]:
    """All that a refund could touch."""
    mine = held_in(Payment, Refund, Hold, Receivable, Event, of=[shop.sandbox])
    return [*mine, *held_in(Response, Evidence), book(shop)]


@contextmanager
def nothing_moves(shop: Shop) -> Iterator[None]:
    before = everything(shop)
    yield
    assert everything(shop) == before
