"""A process that pays payments of one merchant as a web process does, without HTTP: several at a time.

The merchant's key and the payments come as JSON on standard input. It says that it is ready, waits for a line, and
prints how long it took.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import django


def main() -> None:
    django.setup()
    from accounts.base.garbage import spare_what_is_loaded
    from accounts.selectors import find_key
    from gateway.database.postgresql.base import keep_connection
    from gateway.serving.batches import MOST, THREADS
    from tests.support.rsgi import Request, Sent, together

    asked = json.loads(sys.stdin.readline())
    assert find_key(asked["key"])
    path = "/api/v2/simulations/payments"
    sent = [
        Sent(Request(asked["key"], "POST", f"{path}/{payment}", {"status": "PAID"}, "127.0.0.1", host="localhost"))
        for payment in asked["payments"]
    ]

    def batches(some: Sequence[Sent]) -> Iterator[Sequence[Sent]]:
        return (some[start : start + MOST] for start in range(0, len(some), MOST))

    def pay(some: Sequence[Sent]) -> None:
        assert all(together(some))

    with ThreadPoolExecutor(THREADS, initializer=keep_connection) as threads:
        warm_up, rest = sent[: 10 * MOST], sent[10 * MOST :]
        list(threads.map(pay, batches(warm_up)))
        spare_what_is_loaded()
        print("ready", flush=True)
        sys.stdin.readline()
        began = time.time()
        list(threads.map(pay, batches(rest)))
        print(json.dumps({"began": began, "ended": time.time(), "paid": len(rest)}))


if __name__ == "__main__":
    main()
