"""Withdrawals over every rail, the money for them, and everything that may move or must not."""

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

from accounts.models import Company, Merchant
from gateway.payouts.models import PayoutRule
from gateway.simulations.examples import ORDERS, WITHDRAWALS
from gateway.withdrawals.models import Withdrawal
from ledger.books.models import Transfer
from ledger.holds.models import Hold
from tests.support.api import Api
from tests.support.cards import book
from tests.support.companies import Shop
from tests.support.payments import a_reference
from tests.support.tables import held_in
from webhooks.models import Event

Rail = tuple[str, str]

PIX: Rail = ("PIX", "BRL")
SPEI: Rail = ("SPEI", "MXN")
ARS: Rail = ("BANK_TRANSFER", "ARS")
COP: Rail = ("BANK_TRANSFER", "COP")
BRL: Rail = ("BANK_TRANSFER", "BRL")
USDT: Rail = ("CRYPTO", "USDT")
BTC: Rail = ("CRYPTO", "BTC")
RAILS = (PIX, SPEI, ARS, COP, BRL, USDT, BTC)
FIAT = (PIX, SPEI, ARS, COP, BRL)
PATHS = {"PIX": "pix", "SPEI": "spei", "BANK_TRANSFER": "bank-transfer", "CRYPTO": "crypto"}
PAID_IN_BY = {
    "BRL": ("PIX", 250_000),
    "MXN": ("SPEI", 1_000_000),
    "ARS": ("BANK_TRANSFER", 10_000_000),
    "COP": ("BANK_TRANSFER", 50_000_000),
    "EUR": ("MB_WAY", 5_000),
}
GATES = (
    "PERMISSION",
    "REGISTERED_IP",
    "COMPANY_ACTIVE",
    "WITHDRAWAL_ENABLED",
    "NO_WAIT",
    "BODY",
    "OWN_COMPANY",
    "RAIL",
    "RATE",
    "LIMITS",
    "BENEFICIARY",
    "OWN_LIMITS",
    "REFERENCE",
    "BALANCE",
)
_numbers = itertools.count(1)


def register(shop: Shop, address: str | None) -> None:
    Company.objects.filter(pk=shop.company.pk).update(withdrawal_ip=address)


def change(shop: Shop, **terms: Any) -> None:
    """What staff decide about the company's sandbox."""
    Merchant.objects.filter(pk=shop.sandbox.pk).update(**terms)


def price(rail: Rail, **terms: Any) -> None:
    """Terms of a rail for everybody in the sandbox; amounts in minor units."""
    assert PayoutRule.objects.filter(
        merchant=None, environment="SANDBOX", rail=rail[0], currency=rail[1]
    ).update(**terms)  # fmt: skip


def fund(api: Api, currency: str = "BRL", amount: float | None = None) -> None:
    """A payment of the currency that was paid: the largest there is, where nothing else is said."""
    method, most = PAID_IN_BY[currency]
    order = ORDERS[method, currency] | {"amount": amount or most, "reference": a_reference()}
    created = api.post("/payments", order)
    assert created.status_code == 201, created.content
    paid = api.post(f"/simulations/payments/{created.json()['data']['id']}", {"status": "PAID"})
    assert paid.status_code == 200, paid.content


def body(shop: Shop, rail: Rail = PIX, **members: Any) -> dict[str, Any]:
    """A withdrawal over the rail with a reference of its own; a member given as None is left out."""
    example = WITHDRAWALS[rail] | {"companyId": shop.company.id, "reference": f"wd-{next(_numbers)}"}
    return {name: value for name, value in (example | members).items() if value is not None}


def send(api: Api, rail: Rail, content: Any, *, dry: bool = False, **options: Any) -> HttpResponse:
    return api.post(f"/withdrawals/{PATHS[rail[0]]}" + ("?dryRun=true" if dry else ""), content, **options)


def ask(api: Api, shop: Shop, rail: Rail = PIX, *, key: str | None = None, **members: Any) -> HttpResponse:
    """The answer to a withdrawal."""
    return send(api, rail, body(shop, rail, **members), key=key)


def withdrawn(api: Api, shop: Shop, rail: Rail = PIX, **members: Any) -> dict[str, Any]:
    """A withdrawal that was accepted."""
    answer = ask(api, shop, rail, **members)
    assert answer.status_code == 201, answer.content
    return exact(answer)


def rehearsed(api: Api, shop: Shop, rail: Rail = PIX, **members: Any) -> dict[str, Any]:
    """What the preflight says of a withdrawal."""
    answer = send(api, rail, body(shop, rail, **members), dry=True)
    assert answer.status_code == 200, answer.content
    return exact(answer)


def exact(answer: HttpResponse) -> Any:
    """The data of an answer, its numbers as decimals."""
    return json.loads(answer.content, parse_float=Decimal, parse_int=Decimal)["data"]


def refusal(answer: HttpResponse) -> tuple[int, str]:
    return answer.status_code, answer.json()["onpayCode"]


def fields(answer: HttpResponse) -> dict[str, str]:
    """What was wrong with which member."""
    return {one["field"]: one["code"] for one in answer.json()["error"]["fields"]}


def looked_up(api: Api, withdrawal: dict[str, Any] | str) -> dict[str, Any]:
    withdrawal_id = withdrawal if isinstance(withdrawal, str) else withdrawal["id"]
    answer = api.get(f"/withdrawals/{withdrawal_id}")
    assert answer.status_code == 200, answer.content
    return dict(exact(answer))


def wait(api: Api, seconds: int) -> None:
    """Time passes for the company, and what falls due happens."""
    answer = api.post("/simulations/clock", {"advanceBy": f"PT{seconds}S"})
    assert answer.status_code == 200, answer.content


def decide(api: Api, withdrawal: dict[str, Any], status: str, **members: Any) -> HttpResponse:
    return api.post(f"/simulations/withdrawals/{withdrawal['id']}", {"status": status} | members)


def wallet(api: Api, shop: Shop, currency: str = "BRL") -> tuple[Decimal, Decimal, Decimal]:
    """Available, releasing and blocked."""
    found = exact(api.get(f"/companies/{shop.company.id}/balance", currency=currency))["balances"]
    return tuple(found[0][name] for name in ("available", "releasing", "blocked"))  # type: ignore[return-value]


def blocks(api: Api, shop: Shop) -> list[tuple[str, str, Decimal, str]]:
    """Why, of what, how much and for which withdrawal money is blocked."""
    listed = exact(api.get(f"/companies/{shop.company.id}/balances/blocked"))
    return [(one["reason"], one["currency"], one["amount"], one["withdrawalId"]) for one in listed]


def told(shop: Shop) -> list[dict[str, Any]]:
    """What was announced about withdrawals, in order, numbers as decimals."""
    found = Event.objects.filter(merchant=shop.sandbox, type__startswith="withdrawal.").order_by("created_at", "id")
    return [json.loads(bytes(event.body), parse_float=Decimal, parse_int=Decimal) for event in found]


def kinds(shop: Shop) -> list[str]:
    return [event["type"] for event in told(shop)]


def everything(shop: Shop) -> list[Any]:
    """All that a withdrawal could touch."""
    return [*held_in(Withdrawal, Hold, Transfer, Event, of=[shop.sandbox, shop.production]), book(shop)]


@contextmanager
def nothing_moves(*shops: Shop) -> Iterator[None]:
    before = [everything(shop) for shop in shops]
    yield
    assert [everything(shop) for shop in shops] == before
