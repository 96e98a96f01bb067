"""A shop as the guides describe it: its receiver is the one of the guide. Mistakes are subclasses of it."""

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

from django.db.models import F
from django.http import HttpResponse

from accounts.base.rows import retry_on_deadlock
from gateway.api.reference.samples import FOLDER
from gateway.chaos.models import ChaosRun, DisturbedRequest
from gateway.readiness.models import ReadinessCheck, ReportedRelease
from gateway.requests import log
from tests.support.api import V2, Api
from tests.support.payments import pix
from webhooks.dispatch import deliver_due
from webhooks.models import Attempt, Delivery, Endpoint, Event

RECEIVER = SimpleNamespace()
exec(compile((FOLDER / "receiver.py").read_text(), "receiver.py", "exec"), vars(RECEIVER))
MOVED = (
    (Attempt, "started_at"), (ChaosRun, "started_at"), (Delivery, "created_at"), (Delivery, "next_attempt_at"),
    (DisturbedRequest, "at"), (Endpoint, "disturbed_since"), (Event, "created_at"), (ReadinessCheck, "started_at"),
    (ReportedRelease, "created_at"),
)  # fmt: skip


def time_passes(seconds: float) -> None:
    """Everything that a check looks at is so much older."""
    if not seconds:
        return
    by = timedelta(seconds=seconds)
    for model, column in MOVED:
        rows = model._default_manager.exclude(**{column: None})
        retry_on_deadlock(partial(rows.update, **{column: F(column) - by}))  # a dispatcher locks them in its own order
    log.flush()
    with closing(log.separate_connection()) as own, own.cursor() as cursor:
        cursor.execute("UPDATE gateway_apirequest SET created_at = created_at - %s", [by])


@dataclass
class SampleShop:
    """Answers deliveries at once and works on them afterwards; every order has a stored key."""

    api: Api
    secret: str = ""
    url: str = ""
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    payments: dict[str, str] = field(default_factory=dict)
    """The newest payment of each reference."""
    released: set[str] = field(default_factory=set)

    # ── Its receiver ──────────────────────────────────────────────────────────────────────────────────────────────
    def answer(self, headers: dict[str, str], body: bytes) -> int:
        """The status of the response."""
        try:
            self.verified(headers, body)
        except ValueError:
            return 401
        self.came.append((headers, body))
        return 200

    def verified(self, headers: dict[str, str], body: bytes) -> dict[str, Any]:
        return dict(RECEIVER.verified(body, headers, self.secret))

    def work(self) -> None:
        """What was queued."""
        while self.came:
            headers, body = self.came.pop(0)
            self.handle(headers, json.loads(body))

    def handle(self, headers: dict[str, str], event: dict[str, Any]) -> None:
        RECEIVER.handle(event, self.known, self.release)

    def release(self, reference: str) -> None:
        if reference not in self.released:
            self.released.add(reference)
            self.ship(reference)

    def ship(self, reference: str) -> None:
        self.api.post("/simulations/releases", {"paymentId": self.payments[reference]})

    # ── Its client ────────────────────────────────────────────────────────────────────────────────────────────────
    def send(self, path: str, body: dict[str, Any]) -> HttpResponse:
        key = str(uuid.uuid4())
        while True:
            answer = self.once(path, body, key)
            if not (wait_s := self.waits_s(answer)):
                return answer
            key = self.key_after(answer, key)
            time_passes(wait_s)

    def once(self, path: str, body: dict[str, Any], key: str) -> HttpResponse:
        headers = {"x-api-key": str(self.api.key), "idempotency-key": key}
        return self.api.http.post(V2 + path, json.dumps(body), content_type="application/json", headers=headers)

    def waits_s(self, answer: HttpResponse) -> float:
        """Until it repeats the request; 0: it does not."""
        if answer["Content-Type"] != "application/json":
            return 1
        error = answer.json().get("error", {})
        return float(error.get("retryAfter", 1)) if error.get("retryable") else 0

    def key_after(self, answer: HttpResponse, key: str) -> str:
        return key

    def order(self, reference: str, amount: float = 150.00) -> str:
        """Begins to be paid; the payment's id."""
        answer = self.send("/payments", pix(reference=reference, amount=amount)).json()
        found = answer["data"]["id"] if answer["success"] else answer["error"].get("paymentId", "")
        self.payments[reference] = found
        return str(found)

    def refund(self, payment_id: str, **members: Any) -> None:
        refund = self.send(f"/payments/{payment_id}/refunds", members).json()["data"]["id"]
        self.api.post(f"/simulations/refunds/{refund}", {"status": "COMPLETED"})

    def refused_order(self) -> None:
        self.send("/payments", pix(reference="refused", amount=911.00))

    def another_way(self, reference: str) -> None:
        first = self.order(reference)
        self.api.post(f"/payments/{first}/expire")
        self.order(reference)

    def look(self, payment_id: str) -> None:
        """It relies on webhooks."""

    # ── What people do in it ──────────────────────────────────────────────────────────────────────────────────────
    def pays(self, reference: str, status: str = "PAID") -> str:
        payment = self.order(reference)
        self.api.post(f"/simulations/payments/{payment}", {"status": status})
        return payment

    def is_tried(self) -> None:
        """Everything that the page of a check asks for."""
        for number in range(4):
            self.refund(self.pays(f"partly-{number}"), amount=10.00)
        for number in range(2):
            self.refund(self.pays(f"wholly-{number}"))
        self.pays("declined", "FAILED")
        self.pays("expired", "EXPIRED")
        self.another_way("another")
        self.refused_order()
        self.look(self.payments["partly-0"])
        for seconds in (0, 3, 20, 61):
            time_passes(seconds)
            self.receive()
        time_passes(61)

    def receive(self) -> None:
        deliver_due()
        self.work()


@contextmanager
def open_shop(shop: SampleShop) -> Iterator[SampleShop]:
    """Its receiver listens on loopback as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            self.send_response(shop.answer({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 512  # as many come at once

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    shop.url = f"http://127.0.0.1:{server.server_port}/hooks"
    try:
        yield shop
    finally:
        server.shutdown()
        server.server_close()
