"""Orders that break one rule of the contract (§4.3), for every method: what is said, and that nothing is made."""

import uuid
from copy import deepcopy
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from gateway.customers.models import Customer
from gateway.payments.models import Payment
from tests.support.api import Api
from tests.support.payments import a_reference
from webhooks.models import Event

LEFT_OUT = object()
"""The value of a member that is not sent at all."""


Faults = list[tuple[str, str]]


Changes = dict[str, Any]


ADDRESS = {
    "street": "Rua das Flores", "number": "100", "district": "Centro", "city": "São Paulo", "state": "SP",
    "postalCode": "01001-000",
}  # fmt: skip


BRAZILIAN = {"name": "Maria Silva", "taxId": "52998224725", "email": "maria@example.com"}


COLOMBIAN = {"name": "Camila Rojas", "taxId": "1018760936"}


ORDERS: dict[str, dict[str, Any]] = {
    "PIX": {"currency": "BRL", "amount": 150, "payer": {"name": "Maria Silva", "taxId": "52998224725"}},
    "BOLETO": {"currency": "BRL", "amount": 150, "payer": BRAZILIAN | {"address": ADDRESS}},
    "SPEI": {"currency": "MXN", "amount": 2500, "payer": {"name": "Juan Perez"}},
    "ARS": {"currency": "ARS", "amount": 85000, "payer": {"name": "Juan Perez", "taxId": "20123456786"}},
    "COP": {"currency": "COP", "amount": 90000, "payer": COLOMBIAN},
    "PSE": {"currency": "COP", "amount": 90000, "payer": COLOMBIAN},
    "NEQUI": {"currency": "COP", "amount": 90000, "payer": COLOMBIAN},
    "BRE_B": {"currency": "COP", "amount": 90000, "payer": COLOMBIAN},
    "MB_WAY": {"currency": "EUR", "amount": 40, "payer": {"name": "Ana Costa", "phone": "+351912344567"}},
}


METHODS = list(ORDERS)


COLOMBIA = ["COP", "PSE", "NEQUI", "BRE_B"]


NO_CHECKOUT = [method for method in METHODS if method not in COLOMBIA]


def in_days(days: int) -> str:
    """A due date, on the calendar of São Paulo."""
    return str(datetime.now(ZoneInfo("America/Sao_Paulo")).date() + timedelta(days=days))


def order(method: str, changes: Changes | None = None) -> dict[str, Any]:
    """A right order by this method, with some members (`payer.taxId`) put otherwise."""
    sent = deepcopy(ORDERS[method]) | {"reference": a_reference()}
    sent["method"] = "BANK_TRANSFER" if method in ("ARS", "COP") else method
    if method == "BOLETO":
        sent["dueDate"] = in_days(5)
    for path, value in (changes or {}).items():
        *parents, name = path.split(".")
        place = sent
        for parent in parents:
            place = place[parent]
        if value is LEFT_OUT:
            del place[name]
        else:
            place[name] = value
    return sent


def nothing_was_made() -> bool:
    return (Payment.objects.count(), Customer.objects.count(), Event.objects.count()) == (0, 0, 0)


def said(answer: Any) -> Faults:
    return [(fault["field"], fault["code"]) for fault in answer.json()["error"]["fields"]]


def is_refused(api: Api, method: str, changes: Changes, code: str, faults: Faults) -> None:
    """The order gets this answer and makes nothing; put right, it succeeds with the same key."""
    key = str(uuid.uuid4())

    answer = api.post("/payments", order(method, changes), key=key)

    assert answer.status_code == 400, answer.content
    error = answer.json()["error"]
    assert (error["code"], said(answer), error["field"]) == (code, faults, faults[0][0])
    assert error["retryable"] is False
    assert nothing_was_made()
    assert api.post("/payments", order(method), key=key).status_code == 201


def is_taken(api: Api, method: str, changes: Changes) -> dict[str, Any]:
    """The order is right with these changes: one payment was made."""
    answer = api.post("/payments", order(method, changes))

    assert answer.status_code == 201, answer.content
    assert Payment.objects.count() == 1
    data: dict[str, Any] = answer.json()["data"]
    return data


def cases(methods: list[str], *rows: tuple[Any, ...]) -> list[Any]:
    """Each row for each of the methods."""
    return [
        pytest.param(method, *row, id=f"{method}-{number}") for method in methods for number, row in enumerate(rows)
    ]
