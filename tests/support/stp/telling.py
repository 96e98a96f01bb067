"""A company that takes SPEI at STP, and what STP calls back."""

import json
from typing import Any

from django.test import Client

from gateway.payments.models import Payment
from gateway.providers import due as messages_due
from gateway.providers.models import ProviderAccount
from tests.support.companies import Shop
from tests.support.production import api_of
from tests.support.stp.service import ADDRESS

SPEI = {"method": "SPEI", "amount": 150.00, "currency": "MXN", "reference": "order-1", "payer": {"name": "María Silva"}}


def create(shop: Shop, **members: Any) -> tuple[Payment, str]:
    """The payment and its CLABE."""
    answer = api_of(shop).post("/payments", SPEI | members)
    assert answer.status_code == 201, answer.json()
    shown = answer.json()["data"]
    return Payment.objects.get(pk=shown["id"]), shown["bankDetails"]["clabe"]


def tell(account: ProviderAccount | str, told: dict[str, Any], peer: str = ADDRESS) -> tuple[int, Any]:
    """A callback; its status and answer. What was taken in is read at once."""
    address = account if isinstance(account, str) else account.pk
    body = json.dumps(told, default=float)
    answer = Client(REMOTE_ADDR=peer).post(f"/callbacks/{address}/abono", body, content_type="application/json")
    messages_due.run_due(100)
    return answer.status_code, json.loads(answer.content) if answer.content else None
