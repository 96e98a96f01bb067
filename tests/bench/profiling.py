"""Where the time of POST /payments goes: by function, and in the statements that it runs."""

import cProfile
import io
import logging
import pstats
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from gateway.database.postgresql.base import keep_connection
from tests.bench import stage
from tests.bench.load import CREATE, FIRST_CPF, PAYERS
from tests.bench.scale import scaled
from tests.support.rsgi import Request, Sent, together

WARM_UP = scaled(100, 10)
TOP = scaled(45, 3)


def profile(key: str, requests: int) -> str:
    """Plain first, then with the statements timed, then under cProfile, which makes Python look slower than it is."""
    warm_up(key)
    cpu, wall = time.process_time(), time.perf_counter()
    send(key, requests)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    with _timed_statements() as statements:
        send(key, requests)
    profiler = cProfile.Profile()
    profiler.runcall(send, key, requests)
    count = sum(len(took) for took in statements.values()) / requests
    said = [
        f"POST /payments, {requests} requests one after the other in one process",
        f"  {wall / requests * 1e6:,.0f} µs a request, of which {cpu / requests * 1e6:,.0f} µs CPU of this process",
        f"  {count:.1f} statements a request, BEGIN and COMMIT apart:",
    ]
    said += [f"  {sum(took) / requests * 1e6:>8,.0f} µs  {sql}" for sql, took in statements.items()]
    return "\n".join([*said, "", _top(profiler, "tottime"), _top(profiler, "cumulative")])


def warm_up(key: str) -> None:
    """From here on the log is written to memory, and this thread is as one of the web server."""
    keep_connection()
    logging.getLogger().handlers[0].stream = io.StringIO()  # type: ignore[attr-defined]
    send(key, WARM_UP)
    stage.settle()


def send(key: str, count: int) -> None:
    """Has so many payments created, one after the other, by the whole of the service in this process."""
    run = uuid.uuid4().hex[:12].translate(str.maketrans("0123456789", "ghijklmnop"))  # digits may be a card number
    for n in range(count):
        body = (CREATE % (run, n, FIRST_CPF + n % PAYERS)).encode()
        sent = Sent(Request(key, "POST", body=body, address="127.0.0.1", host="localhost"))
        if not all(together([sent])):
            sent.through_django()
        assert sent.answer
        assert sent.answer.status == 201, sent.answer.body


@contextmanager
def _timed_statements() -> Iterator[dict[str, list[float]]]:
    """How long each statement took, from the call to the answer."""
    took: dict[str, list[float]] = defaultdict(list)

    def timed(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            took[_without_number(sql)].append(time.perf_counter() - began)

    with connection.execute_wrapper(timed):
        yield took


def _without_number(sql: str) -> str:
    return re.sub(r"(SAVEPOINT ).*|\s+", r"\1 ", sql).strip()[:90]


def _top(profiler: cProfile.Profile, order: str) -> str:
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).strip_dirs().sort_stats(order).print_stats(TOP)
    return text.getvalue()
