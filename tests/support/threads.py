"""Calls that come at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connections
from django.http import HttpResponse

Call = Callable[[], HttpResponse]


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
