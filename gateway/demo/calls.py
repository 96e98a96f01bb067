"""Requests of the demo company's backend, so that the page of requests has some: through the API itself."""

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from gateway.requests import log

SANDBOX, CREATED = "simulations", 201
PAYER = {"name": "Maria Silva", "taxId": "52998224725"}
ORDER = {"method": "PIX", "amount": 89.90, "currency": "BRL", "reference": "demo-order-1", "payer": PAYER}


MOST_TRIES = 8


@dataclass(frozen=True, slots=True)
class Backend:
    """The demo company's, with its key."""

    client: Client

    @classmethod
    def of(cls, key: str) -> "Backend":
        host = urlsplit(settings.BASE_URL).hostname or "localhost"
        headers = {"x-api-key": key, "user-agent": "loja-exemplo/1.4"}
        return cls(Client(SERVER_NAME=host, headers=headers, raise_request_exception=False))

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/v2/{path}", secure=_is_secure())

    def post(self, path: str, body: dict[str, Any], key: uuid.UUID | None = None) -> Any:
        headers = {"idempotency-key": str(key or uuid.uuid4())}
        sent = json.dumps(body)
        return self.client.post(f"/api/v2/{path}", sent, "application/json", headers=headers, secure=_is_secure())


def make_calls(key: str, company_id: str) -> None:
    """Reads, an order and its repetition, and refusals that a developer meets on the first day."""
    backend, order = Backend.of(key), uuid.uuid4()
    backend.post("payments", ORDER, order)
    backend.post("payments", ORDER, order)
    backend.post("payments", ORDER | {"amount": -1})
    backend.post("payments", ORDER | {"payer": PAYER | {"taxId": "1"}})
    for path in ("payments?limit=5", f"companies/{company_id}/balances", "payments/pay_unknown", "refunds"):
        backend.get(path)
    log.flush()


def be_checked(key: str) -> None:
    """A readiness check of a shop that repeats well, and releases an order twice."""
    backend = Backend.of(key)
    [endpoint] = backend.get("webhooks?pageSize=1").json()["data"]
    check = backend.post(f"{SANDBOX}/readiness-checks", {"endpointId": endpoint["id"]}).json()["data"]["id"]
    for number, times in enumerate((1, 2, 1, 1)):
        payment = _ordered(backend, ORDER | {"reference": f"checked-{number}-{check[-6:]}"})
        backend.post(f"{SANDBOX}/payments/{payment}", {"status": "PAID"})
        for _ in range(times):
            backend.post(f"{SANDBOX}/releases", {"paymentId": payment})
    log.flush()
    backend.post(f"{SANDBOX}/readiness-checks/{check}/finish", {})


def _ordered(backend: Backend, order: dict[str, Any]) -> str:
    """The id of the payment, which chaos mode makes a little harder to get."""
    key = uuid.uuid4()
    for _ in range(MOST_TRIES):
        answer = backend.post("payments", order, key)
        if answer.status_code == CREATED:
            break
        time.sleep(float(answer.get("Retry-After", 0)))
    return str(answer.json()["data"]["id"])


def _is_secure() -> bool:
    return bool(settings.SECURE_SSL_REDIRECT)
