"""Rate limits: exact sliding windows, shared by all processes through Valkey (contract §2.9).

One script call decides, counts and returns the rest. A library would need two calls for each limit (one to hit, one for
the headers), which together cost more than the payment's own database work.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import local
from typing import Any

import redis
import structlog
from django.conf import settings
from redis.exceptions import NoScriptError

from gateway.database.addresses import CLUSTERS
from gateway.valkey import WAITS_S, Resting, asked, cluster

log = structlog.get_logger()

# A list of the window's hits in microseconds, oldest first. A refused hit is not counted.
_SCRIPT = """
local now = redis.call('TIME')
local at = now[1] * 1000000 + now[2]
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000000
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= at - window do
    redis.call('LPOP', KEYS[1])
    oldest = redis.call('LINDEX', KEYS[1], 0)
end
local used = redis.call('LLEN', KEYS[1])
local admitted = 0
if used < limit then
    redis.call('RPUSH', KEYS[1], string.format('%.0f', at))
    redis.call('PEXPIRE', KEYS[1], window / 1000 + 1000)
    used, admitted = used + 1, 1
end
local reset = window
if oldest then reset = tonumber(oldest) + window - at end
return {admitted, limit - used, math.ceil(reset / 1000000)}
"""
_DIGEST = hashlib.sha1(_SCRIPT.encode(), usedforsecurity=False).hexdigest()
"""Valkey's name for the script."""


@dataclass(frozen=True, slots=True)
class RateLimitVerdict:
    """`remaining` calls in the window; `reset_s`: whole seconds until its oldest call expires, at least 1."""

    scope: str
    admitted: bool
    remaining: int
    reset_s: int


@lru_cache(maxsize=1)
def _valkey(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=WAITS_S, socket_connect_timeout=WAITS_S)


class _Own(local):
    """The connection of this thread, and to where. Through a client each call would take twice as long."""

    url = ""
    connection: Any = None


_own = _Own()


def _count(url: str, *arguments: str | int) -> list[int]:
    """Runs the script on one Valkey. Raises RedisError."""
    return asked(url, partial(_count_there, url, *arguments))


def _count_there(url: str, *arguments: str | int) -> list[int]:
    if _own.url != url:
        _own.url, _own.connection = url, _valkey(url).connection_pool.make_connection()
    try:
        return _run(_own.connection, *arguments)
    except redis.ConnectionError:  # it was closed since: Valkey restarted
        return _run(_own.connection, *arguments)


def _run(connection: Any, *arguments: str | int) -> list[int]:
    try:
        connection.send_command("EVALSHA", _DIGEST, 1, *arguments)
        found: list[int] = connection.read_response()
    except NoScriptError:
        connection.send_command("EVAL", _SCRIPT, 1, *arguments)
        found = connection.read_response()
    return found


def _count_in_cluster(url: str, *arguments: str | int) -> list[int]:
    """The same on the master that has the key, which is the only one of the script."""
    found = cluster(url)
    try:
        return found.evalsha(_DIGEST, 1, *arguments)  # type: ignore[no-any-return]
    except NoScriptError:
        return found.eval(_SCRIPT, 1, *arguments)  # type: ignore[no-any-return]


def hit(scope: str, who: str) -> RateLimitVerdict:
    """Counts one call of `who` in the scope's window, unless it is full.

    While Valkey is down every call is admitted: a limit that cannot be counted must not stop payments. Of a cluster
    that is about the master that has the window.
    """
    limit, url = settings.RATE_LIMITS[scope], settings.CACHE_URL
    try:
        admitted, remaining, reset_s = (_count_in_cluster if url.startswith(CLUSTERS) else _count)(
            url, f"onpay:limit:{scope}:{who}", limit, settings.RATE_LIMIT_WINDOW_S
        )
    except Resting:
        return RateLimitVerdict(scope, True, limit, 1)
    except redis.RedisError as error:
        log.warning("rate_limit.not_counted", error=type(error).__name__)
        return RateLimitVerdict(scope, True, limit, 1)
    return RateLimitVerdict(scope, bool(admitted), remaining, max(1, reset_s))


def headers(verdicts: list[RateLimitVerdict]) -> dict[str, str]:
    """`RateLimit-Policy` and `RateLimit`, the narrowest scope first."""
    window = settings.RATE_LIMIT_WINDOW_S
    return {
        "RateLimit-Policy": ", ".join(f'"{v.scope}";q={settings.RATE_LIMITS[v.scope]};w={window}' for v in verdicts),
        "RateLimit": ", ".join(f'"{v.scope}";r={v.remaining};t={v.reset_s}' for v in verdicts),
    }


def is_up() -> bool:
    """Whether Valkey answers."""
    try:
        url = settings.CACHE_URL
        return cluster(url).is_up() if url.startswith(CLUSTERS) else bool(_valkey(url).ping())
    except redis.RedisError:
        return False
