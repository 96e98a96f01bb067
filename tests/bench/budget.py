"""What each part of POST /payments costs, in Python and in PostgreSQL.

Python is sampled by its own CPU clock, which slows nothing down: a sample belongs to the innermost part on the stack.
"""

import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.db import connection

from accounts.base import statements
from tests.bench.profiling import send, warm_up
from tests.bench.scale import scaled
from tests.bench.trees import cpu_s

REQUESTS = scaled(5_000, 50)
EVERY_S = 0.001
"""Linux looks at this clock with each of its own ticks, which may come less often."""
PARTS = {
    "rest_framework": "dispatch of DRF",
    "django/dispatch": "signals of Django",
    "django/db": "connection and transaction of Django",
    "django/": "request and response of Django",
    "structlog": "log",
    "logging": "log",
    "accounts/base/statements": "statements: values, libpq, answers",
    "accounts/base/sealing": "sealing of the stored response",
    "accounts/base/wire": "JSON",
    "accounts/": "key, merchant, company",
    "gateway/api/authentication": "key, merchant, company",
    "gateway/api/throttling": "limits",
    "gateway/api/inputs": "validation",
    "gateway/api/fast_path": "fast path",
    "gateway/api/middleware": "middleware and headers",
    "gateway/serving": "middleware and headers",
    "gateway/health": "middleware and headers",
    "gateway/api/": "operation",
    "gateway/customers": "customer",
    "gateway/methods/qr": "QR code",
    "gateway/methods": "terms, price, rules of the method",
    "gateway/payments/payloads": "payload",
    "gateway/payments": "payment",
    "gateway/providers": "payment",
    "gateway/requests/idempotency": "idempotency",
    "gateway/requests": "request log",
    "webhooks/": "event",
}
"""Of a path, the first that fits. What fits none, such as a library, belongs to whoever called it."""
REST = "what no part called"


def measure(key: str) -> str:
    """Payments one after the other, in one process."""
    warm_up(key)
    connection.ensure_connection()
    database = connection.connection.info.backend_pid
    cpu, wall, spent = time.process_time(), time.perf_counter(), cpu_s(database)
    send(key, REQUESTS)
    cpu, wall, spent = time.process_time() - cpu, time.perf_counter() - wall, cpu_s(database) - spent
    with timed() as waits:
        send(key, REQUESTS)
    with _sampled() as seen:
        send(key, REQUESTS)
    lines = [f"POST /payments, µs a request of {REQUESTS:,} one after the other in one process"]
    lines.append(_line("from request to response", wall / REQUESTS))
    lines.append(_line("PostgreSQL, CPU", spent / REQUESTS))
    lines += [_line(f"  {name}, from call to answer", took / REQUESTS) for name, took in waits.items()]
    lines.append(_line("Python, CPU", cpu / REQUESTS))
    lines += [_line(f"  {part}", cpu / REQUESTS * n / seen.total()) for part, n in seen.most_common()]
    return "\n".join(lines)


def _line(what: str, took_s: float) -> str:
    return f"  {what:<76} {took_s * 1e6:>8,.0f}"


@contextmanager
def _sampled() -> Iterator[Counter[str]]:
    """How often each part is seen at work, in the CPU time of this process."""
    seen: Counter[str] = Counter()
    before = signal.signal(signal.SIGPROF, lambda _, frame: seen.update([_part(frame)]))
    signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)
    try:
        yield seen
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _part(frame: FrameType | None) -> str:
    while frame is not None:
        path = frame.f_code.co_filename
        if part := next((part for place, part in PARTS.items() if place in path), None):
            return part
        frame = frame.f_back
    return REST


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """How long each statement took."""
    took: dict[str, float] = defaultdict(float)
    watched: Any = statements._Session
    run, run_in_groups = watched.run, watched.run_in_groups

    def timed(session: Any, text: bytes, params: Any) -> Any:
        began = time.perf_counter()
        try:
            return run(session, text, params)
        finally:
            took[_beginning(text)] += time.perf_counter() - began

    def timed_together(session: Any, groups: Any) -> Any:
        began = time.perf_counter()
        try:
            return run_in_groups(session, groups)
        finally:
            took[" and ".join(_beginning(text)[:22] for text, _ in groups[0])] += time.perf_counter() - began

    watched.run, watched.run_in_groups = timed, timed_together
    try:
        yield took
    finally:
        watched.run, watched.run_in_groups = run, run_in_groups


def _beginning(text: bytes) -> str:
    return " ".join(text.decode().split())[:48]
