"""The load: keep-alive connections from a process of its own, each sending its next request when the answer is in.

A plan comes as JSON on standard input, what was measured leaves as JSON on standard output.
"""

import asyncio
import itertools
import json
import os
import random
import statistics
import string
import sys
import time
import uuid
from collections.abc import Iterator
from typing import Any

import uvloop

PAYERS = 1000
FIRST_CPF = 52_998_224_000
CREATE = (
    '{"method":"PIX","amount":150.00,"currency":"BRL","reference":"%s-%08d",'
    '"payer":{"name":"Maria Silva","taxId":"%011d","email":"maria@example.com"}}'
)
WITHDRAW = (
    '{"companyId":"%s","amount":1.00,"currency":"BRL","reference":"%s-%08d",'
    '"pixKey":"maria@example.com","pixKeyType":"EMAIL"}'
)
PAID = b'{"status":"PAID"}'
INTENT = b"amount=15000&currency=brl&payment_method_types%5B%5D=card"
NAMES_A_PAYMENT = b'"data":{"id":"'


def requests(plan: dict[str, Any]) -> Iterator[bytes]:
    """The requests of the plan as they go over the wire; endless, unless the plan gives the payments to act on."""
    kind, ids = plan["kind"], plan["ids"]
    if kind == "get":
        wires = [_wire(plan, "GET", f"/payments/{payment}") for payment in ids]
        return iter(lambda: random.choice(wires), None)
    if kind == "paid":
        return (_wire(plan, "POST", f"/simulations/payments/{payment}", PAID) for payment in ids)
    if kind == "intent":
        return itertools.repeat(_intent(plan), plan["at_most"])
    return _withdrawals(plan) if kind == "withdraw" else _creations(plan)


def _creations(plan: dict[str, Any]) -> Iterator[bytes]:
    run = _letters()
    for n in itertools.islice(itertools.count(), plan["at_most"]):
        yield _wire(plan, "POST", "/payments", (CREATE % (run, n, FIRST_CPF + n % PAYERS)).encode())


def _withdrawals(plan: dict[str, Any]) -> Iterator[bytes]:
    """All out of one wallet."""
    run = _letters()
    for n in itertools.count():
        yield _wire(plan, "POST", "/withdrawals/pix", (WITHDRAW % (plan["company"], run, n)).encode())


def _letters() -> str:
    """They tell the references of one run from those of others. Digits could make a card number, which is refused."""
    return "".join(random.choices(string.ascii_lowercase, k=12))


def _intent(plan: dict[str, Any]) -> bytes:
    """As Stripe's clients create a payment."""
    head = f"POST /v1/payment_intents HTTP/1.1\r\nHost: 127.0.0.1:{plan['port']}\r\nAuthorization: Bearer {plan['key']}"
    kind = "Content-Type: application/x-www-form-urlencoded"
    return f"{head}\r\n{kind}\r\nContent-Length: {len(INTENT)}\r\n\r\n".encode() + INTENT


def _wire(plan: dict[str, Any], method: str, path: str, body: bytes = b"") -> bytes:
    head = f"{method} /api/v2{path} HTTP/1.1\r\nHost: 127.0.0.1:{plan['port']}\r\nx-api-key: {plan['key']}\r\n"
    if method == "POST":
        head += f"idempotency-key: {uuid.uuid4()}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


class Run:
    """What all connections share: the requests to send, and what came of them."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.requests = requests(plan)
        self.until = time.perf_counter() + plan["seconds"]
        self.latencies: list[float] = []
        self.refused = 0
        self.refusal = ""
        self.created: list[str] = []
        self.charged = 0
        self.open = plan["connections"]
        self.finished = asyncio.get_running_loop().create_future()

    def answered(self, answer: bytes, took: float) -> bytes | None:
        """What the same caller sends next, if that follows from the answer."""
        self.latencies.append(took)
        if answer[9:10] != b"2":
            self.refused += 1
            self.refusal = answer.decode()
        elif self.plan["kind"] in ("create", "charge"):
            begins = answer.index(NAMES_A_PAYMENT) + len(NAMES_A_PAYMENT)
            payment = answer[begins : begins + 30].decode()
            if self.plan["kind"] == "create":
                self.created.append(payment)
            elif answer[9:12] == b"201":
                return _wire(self.plan, "POST", f"/simulations/payments/{payment}", PAID)
            else:
                self.charged += 1
        return None

    def closed(self) -> None:
        self.open -= 1
        if not self.open:
            self.finished.set_result(None)


class Connection(asyncio.Protocol):
    """One caller: a request, its answer, the next request."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.answer = b""
        self.missing = 0
        self.waits = False

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._send()

    def _send(self, request: bytes | None = None) -> None:
        if request is None and time.perf_counter() < self.run.until:
            request = next(self.run.requests, None)
        if request is None:
            self.transport.close()
            return
        self.waits = True
        self.sent_at = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.answer += data
        head, found, body = self.answer.partition(b"\r\n\r\n")
        if not found or len(body) < length(head):
            return
        following = self.run.answered(self.answer, time.perf_counter() - self.sent_at)
        self.answer, self.waits = b"", False
        self._send(following)

    def connection_lost(self, trouble: Exception | None) -> None:
        self.run.refused += self.waits  # hung up on us instead of answering
        self.run.closed()


def length(head: bytes) -> int:
    """Of the body that follows."""
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


async def measure(plan: dict[str, Any]) -> dict[str, Any]:
    run = Run(plan)
    loop = asyncio.get_running_loop()
    began, cpu_before = time.perf_counter(), sum(os.times()[:2])
    for _ in range(plan["connections"]):
        await loop.create_connection(lambda: Connection(run), "127.0.0.1", plan["port"])
    await run.finished
    took = time.perf_counter() - began
    latencies = sorted(run.latencies) or [0.0]
    return {
        "rate": len(run.latencies) / took,
        "p50_ms": statistics.median(latencies) * 1000,
        "p99_ms": latencies[int(len(latencies) * 0.99)] * 1000,
        "refused": run.refused,
        "refusal": run.refusal,  # the last one
        "cpu": (sum(os.times()[:2]) - cpu_before) / took,
        "created": run.created,
        "sent": len(run.latencies),
        "charged": run.charged,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(uvloop.run(measure(json.load(sys.stdin)))))
