"""A card order, and the payer's browser that types a card into the fields of the SDK."""

import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection, transaction
from django.db.models.expressions import RawSQL
from django.http import HttpResponse
from django.test import Client

from ledger.models import Balance
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.payments import MARIA, a_reference
from webhooks.models import Event

BACK = "https://shop.example/thanks?a=b"
SHOP = "https://shop.example"
APPROVED, CHALLENGE = "4242424242424242", "4000000000003220"
REFUSED, CHALLENGE_REFUSED, TIMEOUT = "4000000000000002", "4000000000003063", "4000000000000119"
SECRETS = ("clientSecret", "sessionToken", "checkoutUrl")
DAY_S = 86_400


def order(method: str = "CREDIT_CARD", **members: Any) -> dict[str, Any]:
    """The body of a card payment of 200 reais; a member given as None is left out."""
    said = {"method": method, "amount": 200.00, "currency": "BRL", "reference": a_reference(), "payer": MARIA}
    return {name: value for name, value in (said | {"returnUrl": BACK} | members).items() if value is not None}


def browser() -> Client:
    """A browser on the SDK's origin; it shows a failure of ours as people would see it."""
    return Client(enforce_csrf_checks=True, HTTP_HOST=urlsplit(settings.SDK_URL).netloc, raise_request_exception=False)


def alone() -> AbstractContextManager[Any]:
    """A call is a transaction of its own: undone by itself, also inside the one of a test."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


@dataclass
class Session:
    """The fields of one payment, on the page of the shop (`origin` None: no page says where it is)."""

    payment: dict[str, Any]
    origin: str | None = SHOP

    @property
    def id(self) -> str:
        return str(self.payment["id"])

    @property
    def secret(self) -> str:
        return str(self.payment["nextAction"]["clientSecret"])

    @property
    def page(self) -> str:
        """The path of the hosted page."""
        return urlsplit(self.payment["nextAction"]["checkoutUrl"]).path

    def call(self, path: str, body: Any = None, *, secret: str | None = None, **headers: str) -> HttpResponse:
        """GET where there is no body."""
        sent = {"authorization": f"Bearer {self.secret if secret is None else secret}"} | headers
        if self.origin is not None:
            sent.setdefault("origin", self.origin)
        with alone():
            if body is None:
                return browser().get(f"/sdk/v1/{path}", headers=sent)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return browser().post(f"/sdk/v1/{path}", content, content_type="application/json", headers=sent)

    def type(self, number: str = APPROVED, cvc: str = "123", **members: Any) -> HttpResponse:
        return self.call("tokens", {"number": number, "expMonth": 12, "expYear": 2040, "cvc": cvc} | members)

    def token(self, number: str = APPROVED, cvc: str = "123") -> str:
        answer = self.type(number, cvc)
        assert answer.status_code == 201, answer.content
        return str(answer.json()["cardToken"])

    def confirm(self, token: str) -> HttpResponse:
        return self.call("confirm", {"cardToken": token})

    def pay(self, number: str = APPROVED, cvc: str = "123") -> HttpResponse:
        return self.confirm(self.token(number, cvc))


def opened(api: Api, method: str = "CREDIT_CARD", **members: Any) -> Session:
    answer = api.post("/payments", order(method, **members))
    assert answer.status_code == 202, answer.content
    return Session(answer.json()["data"])


def lookup(api: Api, payment: Session | str) -> Any:
    payment_id = payment.id if isinstance(payment, Session) else payment
    return api.get(f"/payments/{payment_id}").json()["data"]


def outcome(answer: HttpResponse) -> tuple[int, str]:
    """The status, and the code of the error or the status of the payment."""
    body = answer.json()
    return answer.status_code, body["error"]["code"] if "error" in body else body["payment"]["status"]


def refusal(answer: HttpResponse) -> tuple[int, str]:
    """How the API refused."""
    return answer.status_code, answer.json()["error"]["code"]


def events(shop: Shop) -> list[Any]:
    """In the order in which they were written."""
    found = Event.objects.filter(merchant=shop.sandbox).order_by("created_at", RawSQL("webhooks_event.ctid", []))
    return [json.loads(bytes(event.body)) for event in found]


def told(shop: Shop) -> list[str]:
    """The kinds of what was told about payments."""
    kinds = [event["type"] for event in events(shop)]
    return [kind.removeprefix("payment.") for kind in kinds if kind.startswith("payment.")]


def wait(api: Api, seconds: int) -> list[str]:
    """Lets time pass for the company; what happened to payments meanwhile."""
    answer = api.post("/simulations/clock", {"advanceBy": f"PT{seconds}S"})
    assert answer.status_code == 200, answer.content
    kinds = [one["type"] for one in answer.json()["data"]["fired"]]
    return [kind for kind in kinds if kind.startswith("payment.")]


def book(shop: Shop) -> dict[str, int]:
    """What the company's accounts hold, without the empty ones."""
    held = Balance.objects.filter(account__merchant=shop.sandbox).exclude(amount=0).select_related("account")
    return {str(balance.account): balance.amount for balance in held}


def a_card(api: Api, amount: float, method: str = "CREDIT_CARD", currency: str = "BRL") -> Any:
    body = {"method": method, "amount": amount, "currency": currency, "reference": a_reference(), "payer": MARIA}
    answer = api.post("/payments", body | {"paymentMethodToken": "pmt_sandbox_approved"})
    assert answer.status_code == 201, answer.content
    return answer.json()["data"]
