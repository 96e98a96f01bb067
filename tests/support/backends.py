"""Backends of a shop while the service loses parts: each insists on every step, and keeps what it was answered."""

import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from tests.support.service import PATIENCE_S, Service, order

IN_PROGRESS = "ONP409_IDEMPOTENCY_IN_PROGRESS"


class Backends:
    """They create orders and pay them. Every answer is a success or a 503 that may be repeated.

    `undecided`: or it is 409, because what was begun under the key is decided only once a node is back (contract §2.7).
    """

    def __init__(self, service: Service, name: str, *, undecided: bool = False) -> None:
        self.service, self.prefix = service, f"{name}-{uuid.uuid4().hex[:8]}-"
        self.undecided = undecided
        self.answers: Counter[int] = Counter()
        self.over = threading.Event()
        self.made: list[str] = []
        self.last = (0.0, 0.0)
        """When the write that was begun last was begun and answered, by the monotonic clock."""
        self.longest_gap = 0.0
        """In seconds, between two writes that were answered one after the other."""
        self.calls: list[tuple[float, float]] = []
        """When each call that was answered was begun, by the monotonic clock, and how many seconds it took."""
        self._answered_at = 0.0
        self._counts = threading.Lock()
        self._working: list[Future[None]] = []

    @contextmanager
    def at_work(self, count: int = 4) -> Iterator[None]:
        """So many of them, until the end."""
        with ThreadPoolExecutor(count) as pool:
            self._working = [pool.submit(self._work, number) for number in range(count)]
            try:
                yield
            finally:
                self.over.set()
            for one in self._working:
                one.result()

    def back_after(self, moment: float) -> float:
        """How many seconds after that moment a write was answered that was begun after it."""
        self.service.until(lambda: self.last[0] > moment or any(one.done() for one in self._working), PATIENCE_S)
        for one in self._working:
            if one.done():
                one.result()
        return self.last[1] - moment

    def took(self, since: float, until: float) -> list[float]:
        """How many seconds the calls took that were begun between these moments, the shortest first."""
        with self._counts:
            return sorted(took for began, took in self.calls if since <= began < until)

    def _work(self, number: int) -> None:
        count = 0
        while not self.over.is_set():
            payment = str(self._insist("/api/v2/payments", order(f"{self.prefix}{number}-{count}"))["id"])
            self._insist(f"/api/v2/simulations/payments/{payment}", {"status": "PAID"})
            self.made.append(payment)
            count += 1

    def _insist(self, path: str, body: Any) -> Any:
        key, deadline = str(uuid.uuid4()), time.monotonic() + PATIENCE_S
        while True:
            began = time.monotonic()
            status, answer = self.service.call("POST", path, body, key)
            self._count(status, began)
            if status in (200, 201):
                return answer["data"]
            is_undecided = self.undecided and answer.get("onpayCode") == IN_PROGRESS
            assert (status == 503 or is_undecided) and answer["error"]["retryable"], (status, answer)
            assert time.monotonic() < deadline, answer
            time.sleep(answer["error"]["retryAfter"] if is_undecided else 0.1)

    def _count(self, status: int, began: float) -> None:
        now = time.monotonic()
        with self._counts:
            self.answers[status] += 1
            self.calls.append((began, now - began))
            if status in (200, 201):
                self.last = max(self.last, (began, now))
                self.longest_gap = max(self.longest_gap, now - (self._answered_at or now))
                self._answered_at = now
