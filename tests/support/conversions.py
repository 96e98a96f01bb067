"""Quotes and their confirmation, and everything that a conversion may move or must not."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import F
from django.http import HttpResponse

from accounts.models import Merchant
from gateway.conversions.models import Conversion
from ledger.books.models import Transfer
from tests.support.api import Api
from tests.support.cards import book, events
from tests.support.companies import Shop
from tests.support.payments import a_payment
from tests.support.tables import held_in

FUNDED = 990_099
"""What is left of ten thousand reais over PIX."""


def fund(shop: Shop, amount: str = "10000.00") -> None:
    """Reais that can be converted."""
    a_payment(shop.sandbox, "PAID", amount)


def change(shop: Shop, **terms: Any) -> None:
    """What staff decide about the company's sandbox."""
    Merchant.objects.filter(pk=shop.sandbox.pk).update(**terms)


def path(shop: Shop, what: str = "") -> str:
    return f"/companies/{shop.company.id}/wallets/conversions{what}"


def ask(api: Api, shop: Shop, *, key: str | None = None, **members: Any) -> HttpResponse:
    """The answer to a wish for a quote: a thousand reais into pesos of Mexico, where nothing else is said."""
    body = {"sourceMethod": "PIX", "destinationMethod": "SPEI", "sourceAmount": 1000} | members
    return api.post(path(shop, "/quote"), {name: value for name, value in body.items() if value is not None}, key=key)


def quoted(api: Api, shop: Shop, **members: Any) -> dict[str, Any]:
    answer = ask(api, shop, **members)
    assert answer.status_code == 200, answer.content
    return dict(exact(answer))


def confirm(api: Api, shop: Shop, token: Any, *, key: str | None = None) -> HttpResponse:
    return api.post(path(shop, "/confirm"), {"quoteToken": token}, key=key)


def converted(api: Api, shop: Shop, **members: Any) -> dict[str, Any]:
    """A conversion that was made."""
    answer = confirm(api, shop, quoted(api, shop, **members)["quoteToken"])
    assert answer.status_code == 201, answer.content
    return dict(exact(answer))


def exact(answer: HttpResponse) -> Any:
    """The data of an answer, its numbers as decimals."""
    return json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)["data"]


def refusal(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, answer.json()["onpayCode"]


def payload(token: str) -> dict[str, Any]:
    """What the token says, whoever signed it."""
    part = token.split(".")[1]
    return dict(json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4))))


def encoded(content: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(content, separators=(",", ":")).encode()).decode().rstrip("=")


def later(shop: Shop, **time: float) -> None:
    """The company's time goes on."""
    change(shop, clock_offset=F("clock_offset") + timedelta(**time))
    shop.sandbox.refresh_from_db()


def told(shop: Shop) -> list[dict[str, Any]]:
    """What was announced about conversions, in order."""
    return [event for event in events(shop) if event["type"].startswith("conversion.")]


def everything(shop: Shop) -> list[Any]:
    """All that a conversion could touch."""
    return [*held_in(Conversion, Transfer, of=[shop.sandbox, shop.production]), book(shop), events(shop)]


@contextmanager
def nothing_moves(*shops: Shop) -> Iterator[None]:
    before = [everything(shop) for shop in shops]
    yield
    assert [everything(shop) for shop in shops] == before
