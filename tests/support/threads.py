"""Calls that come at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection, connections
from django.http import HttpResponse

from gateway.local.processes import wait_until

Call = Callable[[], HttpResponse]
_WAITING = """
    SELECT count(DISTINCT waits.pid) FROM pg_locks waits JOIN pg_locks known USING (pid)
      JOIN pg_database d ON d.oid = known.database
     WHERE d.datname = current_database() AND NOT waits.granted
"""


def at_once(*calls: Call) -> list[HttpResponse]:
    """The answers to the calls, each made in a thread of its own at the same moment."""
    start = threading.Barrier(len(calls), timeout=20)

    def one(call: Call) -> HttpResponse:
        try:
            start.wait()
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(one, calls))


def waiters() -> int:
    """How many wait for a lock of the database."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        return int(cursor.fetchone()[0])


def wait_for_waiters(number: int = 1) -> None:
    """Returns when so many wait for a lock of the database."""
    assert wait_until(lambda: waiters() >= number, 20), f"{number} should wait for a lock"
