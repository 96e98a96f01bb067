"""What the preflight says is what the real call says next: the same code, and accepted where it says so."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Company
from tests.support.api import Api
from tests.support.companies import Shop
from tests.support.withdrawals import (
    BTC,
    PIX,
    SPEI,
    USDT,
    Rail,
    body,
    change,
    exact,
    price,
    register,
    send,
    withdrawn,
)

ELSEWHERE = "203.0.113.77"
SITUATIONS: dict[str, tuple[Rail, dict[str, Any], Callable[[Shop], Any] | None]] = {
    "good": (PIX, {}, None),
    "all there is": (PIX, {"amount": 9899.99}, None),
    "a cent more": (PIX, {"amount": 9900.00}, None),
    "no mexican money": (SPEI, {}, None),
    "dust": (PIX, {"amount": 0.5}, None),
    "too much": (PIX, {"amount": 100_000.01}, None),
    "text for a number": (PIX, {"amount": "1"}, None),
    "other currency": (PIX, {"currency": "ARS"}, None),
    "no reference": (PIX, {"reference": None}, None),
    "used reference": (PIX, {"reference": "taken"}, None),
    "used reference, too much": (PIX, {"reference": "taken", "amount": 100_001}, None),
    "used reference, no money": (PIX, {"reference": "taken", "amount": 20_000}, None),
    "wrong key": (PIX, {"pixKey": "x"}, None),
    "wrong clabe, other company": (SPEI, {"clabe": "x", "companyId": "cmp_x"}, None),
    "other company": (PIX, {"companyId": "cmp_x", "amount": 100_001}, None),
    "wrong address": (USDT, {"address": "x"}, None),
    "wrong network": (USDT, {"network": "BITCOIN"}, None),
    "crypto": (BTC, {"amount": 5_000}, None),
    "too few satoshi": (BTC, {"amount": 1}, None),
    "worse rate": (USDT, {"minimumAssetAmount": 178.65}, None),
    "exact rate": (USDT, {"minimumAssetAmount": 178.649}, None),
    "worse rate, no money": (USDT, {"minimumAssetAmount": 1e6, "amount": 20_000}, None),
    "worse rate, dust": (USDT, {"minimumAssetAmount": 175, "amount": 1}, None),
    "suspended": (PIX, {}, lambda shop: Company.objects.filter(pk=shop.company.pk).update(status="SUSPENDED")),
    "closed, wrong": (PIX, {"amount": 0}, lambda shop: Company.objects.update(status="CLOSED")),
    "not enabled": (PIX, {"pixKey": "x"}, lambda shop: change(shop, withdrawal_enabled=False)),
    "rail off": (USDT, {"amount": 20_000}, lambda shop: price(USDT, enabled=False)),
    "rail off, wrong": (PIX, {"companyId": "cmp_x"}, lambda shop: price(PIX, enabled=False)),
    "elsewhere": (PIX, {"amount": 0}, lambda shop: register(shop, ELSEWHERE)),
    "nowhere": (PIX, {}, lambda shop: register(shop, None)),
    "dearer": (PIX, {"amount": 9899.99}, lambda shop: price(PIX, fee_fixed=1)),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_first_gate_that_does_not_hold_is_what_the_real_call_says(out: Api, acme: Shop, situation: str) -> None:
    withdrawn(out, acme, reference="taken", amount=1)
    rail, members, arrange = SITUATIONS[situation]
    if arrange:
        arrange(acme)
    asked = body(acme, rail, **members)

    data = exact(send(out, rail, asked, dry=True))
    real = send(out, rail, asked)

    first = next((gate["code"] for gate in data["gates"] if gate["holds"] is not True), None)
    assert data["wouldBeAccepted"] == (real.status_code == 201)
    assert first == (None if real.status_code == 201 else real.json()["onpayCode"])
