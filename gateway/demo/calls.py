"""Requests of the demo company's backend, so that the page of requests has some: through the API itself."""

import json
import time
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from gateway.requests import log

SANDBOX, CREATED = "/api/v2/simulations", 201
PAYER = {"name": "Maria Silva", "taxId": "52998224725"}
ORDER = {"method": "PIX", "amount": 89.90, "currency": "BRL", "reference": "demo-order-1", "payer": PAYER}


def make_calls(key: str, company_id: str) -> None:
    """Reads, an order and its repetition, refusals that a developer meets on the first day, and a readiness check."""
    address = urlsplit(settings.BASE_URL)
    backend = Client(
        SERVER_NAME=address.hostname or "localhost",
        headers={"x-api-key": key, "user-agent": "loja-exemplo/1.4"},
        raise_request_exception=False,
    )

    def post(path: str, body: dict[str, Any], key: uuid.UUID) -> Any:
        sent = json.dumps(body)
        return backend.post(path, sent, "application/json", headers={"idempotency-key": str(key)}, secure=_is_secure())

    order = uuid.uuid4()
    post("/api/v2/payments", ORDER, order)
    post("/api/v2/payments", ORDER, order)
    post("/api/v2/payments", ORDER | {"amount": -1}, uuid.uuid4())
    post("/api/v2/payments", ORDER | {"payer": PAYER | {"taxId": "1"}}, uuid.uuid4())
    for path in ("payments?limit=5", f"companies/{company_id}/balances", "payments/pay_unknown", "refunds"):
        backend.get(f"/api/v2/{path}", secure=_is_secure())
    [endpoint] = backend.get("/api/v2/webhooks?pageSize=1", secure=_is_secure()).json()["data"]
    _be_checked(endpoint["id"], post)
    log.flush()


def _be_checked(endpoint_id: str, post: Callable[..., Any]) -> None:
    """A readiness check of a shop that repeats well, and releases an order twice."""
    check = post(f"{SANDBOX}/readiness-checks", {"endpointId": endpoint_id}, uuid.uuid4()).json()["data"]["id"]
    for number, times in enumerate((1, 2, 1, 1)):
        key, order = uuid.uuid4(), ORDER | {"reference": f"demo-checked-{number}"}
        while (answer := post("/api/v2/payments", order, key)).status_code != CREATED:
            time.sleep(float(answer.get("Retry-After", 0)))
        payment = answer.json()["data"]["id"]
        post(f"{SANDBOX}/payments/{payment}", {"status": "PAID"}, uuid.uuid4())
        for _ in range(times):
            post(f"{SANDBOX}/releases", {"paymentId": payment}, uuid.uuid4())
    log.flush()
    post(f"{SANDBOX}/readiness-checks/{check}/finish", {}, uuid.uuid4())


def _is_secure() -> bool:
    return bool(settings.SECURE_SSL_REDIRECT)
