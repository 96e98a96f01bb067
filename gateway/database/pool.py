"""What the connection pool of this process tells Prometheus."""

from threading import Lock
from time import monotonic

from django.db import connection

from accounts.base.counters import POOL_CONNECTIONS, POOL_TIMEOUTS, POOL_WAIT_SECONDS, POOL_WAITS

EVERY_S = 1.0


class PoolCounts:
    """Counted after each request, but at most once a second."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._next = 0.0

    def take(self) -> None:
        """Returns at once if it is too early, or another thread counts."""
        if monotonic() < self._next or not self._turn.acquire(blocking=False):
            return
        try:
            self._next = monotonic() + EVERY_S
            if pool := connection.pool:  # type: ignore[attr-defined]
                _count(pool.pop_stats())
        finally:
            self._turn.release()


def _count(since: dict[str, int]) -> None:
    idle = since["pool_available"]
    POOL_CONNECTIONS.labels("idle").set(idle)
    POOL_CONNECTIONS.labels("used").set(since["pool_size"] - idle)
    POOL_WAITS.inc(since.get("requests_queued", 0))
    POOL_WAIT_SECONDS.inc(since.get("requests_wait_ms", 0) / 1000)
    POOL_TIMEOUTS.inc(since.get("requests_errors", 0))
