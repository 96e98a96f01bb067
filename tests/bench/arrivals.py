"""Load that does not wait for answers: requests leave at constant intervals, whatever became of those before.

How long a request took counts from when it was due, so that a server that stalls is charged for everybody who would
have come meanwhile (no coordinated omission). Plan and answer are JSON on standard input and output.
"""

import asyncio
import json
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from tests.bench.load import length, requests

CONNECTIONS = 64
"""More requests than that wait for one to be free, and it counts."""
PATIENCE_S = 30


class Arrivals:
    """All that is due, and what came of it."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.idle: deque[Caller] = deque()  # in turn, so that none is hung up on because it says nothing
        self.waiting: deque[tuple[float, bytes]] = deque()
        self.latencies: list[float] = []
        self.refused = 0

    async def run(self) -> None:
        loop, port = asyncio.get_running_loop(), self.plan["port"]
        for _ in range(CONNECTIONS):
            _, caller = await loop.create_connection(lambda: Caller(self), "127.0.0.1", port)
            self.idle.append(caller)
        total = int(self.plan["arrivals"] * self.plan["seconds"])
        began = time.perf_counter()
        for number, request in zip(range(total), self._requests(), strict=False):
            due = began + number / self.plan["arrivals"]
            if (early := due - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            self.waiting.append((due, request))
            self.go_on()
        last = time.perf_counter() + PATIENCE_S
        while len(self.latencies) + self.refused < total and time.perf_counter() < last:
            await asyncio.sleep(0.01)
        self.refused += total - len(self.latencies) - self.refused

    def _requests(self) -> Iterator[bytes]:
        return requests(self.plan)

    def go_on(self) -> None:
        while self.waiting and self.idle:
            self.idle.popleft().ask(*self.waiting.popleft())


class Caller(asyncio.Protocol):
    """One connection: a request and its answer, whenever there is one to send."""

    def __init__(self, arrivals: Arrivals) -> None:
        self.arrivals = arrivals
        self.answer = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def ask(self, due: float, request: bytes) -> None:
        self.due = due
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.answer += data
        head, found, body = self.answer.partition(b"\r\n\r\n")
        if not found or len(body) < length(head):
            return
        if self.answer[9:10] == b"2":
            self.arrivals.latencies.append(time.perf_counter() - self.due)
        else:
            self.arrivals.refused += 1
        self.answer = b""
        self.arrivals.idle.append(self)
        self.arrivals.go_on()


def measure(plan: dict[str, Any]) -> dict[str, Any]:
    arrivals = Arrivals(plan)
    asyncio.run(arrivals.run())
    sorted_ms = sorted(took * 1000 for took in arrivals.latencies) or [0.0]
    shares = {"p50_ms": 0.5, "p99_ms": 0.99, "p999_ms": 0.999}
    found = {name: sorted_ms[min(len(sorted_ms) - 1, int(len(sorted_ms) * share))] for name, share in shares.items()}
    return found | {"answered": len(arrivals.latencies), "refused": arrivals.refused, "max_ms": sorted_ms[-1]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(json.load(sys.stdin))))
