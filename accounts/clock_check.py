"""Whether the clock of this host is right: the clock of the database decides.

A worker that is ahead would release money, expire payments and close days too early. Time is never taken back from what
was decided by a wrong clock, so nothing is decided by it.
"""

import time
from threading import Lock

import structlog
from django.db import connection

from accounts.base.clock import utcnow

log = structlog.get_logger()
FURTHEST_S = 10.0
"""Hosts are expected to keep their clocks by NTP, within milliseconds."""
EVERY_S = 30.0
SET_S = 1.0
"""Whoever sets the clock of the host by more than this is noticed at once."""


class ClockCheck:
    """Compares the clocks every half a minute, and after the clock of the host was set."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._next = 0.0
        self._running = 0.0
        self._ahead_s = 0.0

    def is_right(self) -> bool:
        """Costs a statement only if it is time to compare. Raises OperationalError if the database is down then."""
        with self._turn:
            since_start = utcnow().timestamp() - time.monotonic()
            if time.monotonic() >= self._next or abs(since_start - self._running) > SET_S:
                self._ahead_s = ahead_s()
                self._next, self._running = time.monotonic() + EVERY_S, since_start
                if abs(self._ahead_s) > FURTHEST_S:
                    log.critical("clock.differs", ahead_s=round(self._ahead_s, 1))
        return abs(self._ahead_s) <= FURTHEST_S


def ahead_s() -> float:
    """Seconds by which this host is ahead of the database, as exact as half of the time that the statement takes."""
    began = utcnow().timestamp()
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
        ((there,),) = cursor.fetchall()
    return (began + utcnow().timestamp()) / 2 - float(there)


clock_check = ClockCheck()
"""Of this process."""
