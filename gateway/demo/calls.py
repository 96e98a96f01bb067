"""Requests of the demo company's backend, so that the page of requests has some: through the API itself."""

import json
import uuid
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from gateway.requests import log

PAYER = {"name": "Maria Silva", "taxId": "52998224725"}
ORDER = {"method": "PIX", "amount": 89.90, "currency": "BRL", "reference": "demo-order-1", "payer": PAYER}


def make_calls(key: str, company_id: str) -> None:
    """Reads, an order, the same order again, and refusals that a developer meets on the first day."""
    address = urlsplit(settings.BASE_URL)
    backend = Client(
        SERVER_NAME=address.hostname or "localhost",
        headers={"x-api-key": key, "user-agent": "loja-exemplo/1.4"},
        raise_request_exception=False,
    )

    def post(path: str, body: dict[str, Any], key: uuid.UUID) -> None:
        sent = json.dumps(body)
        backend.post(path, sent, "application/json", headers={"idempotency-key": str(key)}, secure=_is_secure())

    order = uuid.uuid4()
    post("/api/v2/payments", ORDER, order)
    post("/api/v2/payments", ORDER, order)
    post("/api/v2/payments", ORDER | {"amount": -1}, uuid.uuid4())
    post("/api/v2/payments", ORDER | {"payer": PAYER | {"taxId": "1"}}, uuid.uuid4())
    for path in ("payments?limit=5", f"companies/{company_id}/balances", "payments/pay_unknown", "refunds"):
        backend.get(f"/api/v2/{path}", secure=_is_secure())
    log.flush()


def _is_secure() -> bool:
    return bool(settings.SECURE_SSL_REDIRECT)
