"""Rate limits: exact sliding windows, shared by all processes through Valkey (contract §2.9).

One script call decides, counts and returns the rest, for all limits of a request that can be counted together. A
library would need two calls for each limit (one to hit, one for the headers), which together cost more than the
payment's own database work.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from threading import local
from typing import Any

import redis
import structlog
from django.conf import settings
from django.http import HttpRequest
from redis.exceptions import NoScriptError, ResponseError

from accounts.base.client_address import rate_limit_key
from gateway.database.addresses import CLUSTERS
from gateway.requests.traced import RATE_LIMITS
from gateway.valkey import WAITS_S, Resting, asked, cluster

log = structlog.get_logger()

# For each key a list of the window's hits in microseconds, oldest first. A refused hit is not counted, and neither is
# what comes after it.
_SCRIPT = """
local now = redis.call('TIME')
local at = now[1] * 1000000 + now[2]
local window = tonumber(ARGV[1]) * 1000000
local told = {}
for n, key in ipairs(KEYS) do
    local limit = tonumber(ARGV[n + 1])
    local oldest = redis.call('LINDEX', key, 0)
    while oldest and tonumber(oldest) <= at - window do
        redis.call('LPOP', key)
        oldest = redis.call('LINDEX', key, 0)
    end
    local used = redis.call('LLEN', key)
    local admitted = 0
    if used < limit then
        redis.call('RPUSH', key, string.format('%.0f', at))
        redis.call('PEXPIRE', key, window / 1000 + 1000)
        used, admitted = used + 1, 1
    end
    local reset = window
    if oldest then reset = tonumber(oldest) + window - at end
    told[n] = {admitted, limit - used, math.ceil(reset / 1000000)}
    if admitted == 0 then break end
end
return told
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


Arguments = tuple[str | int, ...]
"""Of the script: how many windows, their keys, their seconds, and the limit of each."""
Counted = list[list[int]]
"""For each window whether the call was admitted, how many calls are left in it, and for how many seconds."""


class _Own(local):
    """The connection of this thread, and to where. Through a client each call would take twice as long."""

    url = ""
    connection: Any = None


_own = _Own()


def _nothing() -> None: ...


def _count(
    url: str, calls: Sequence[Arguments], meanwhile: Callable[[], object] = _nothing
) -> list[Counted | ResponseError]:
    """Runs the script once for each call on one Valkey, all in one round trip. Raises RedisError; what Valkey refuses
    of one call is in its place.
    """
    return asked(url, partial(_count_there, url, calls, meanwhile))


def _count_there(
    url: str, calls: Sequence[Arguments], meanwhile: Callable[[], object]
) -> list[Counted | ResponseError]:
    if _own.url != url:
        _own.url, _own.connection = url, _valkey(url).connection_pool.make_connection()
    try:
        return _run(_own.connection, calls, meanwhile)
    except redis.ConnectionError:  # it was closed since: Valkey restarted
        return _run(_own.connection, calls, meanwhile)


def _run(connection: Any, calls: Sequence[Arguments], meanwhile: Callable[[], object]) -> list[Counted | ResponseError]:
    connection.send_packed_command(connection.pack_commands([("EVALSHA", _DIGEST, *call) for call in calls]))
    try:
        meanwhile()
    finally:  # or the answers would be read as those to later calls
        found = [_read(connection) for _ in calls]
    for n, call in enumerate(calls):
        if isinstance(found[n], NoScriptError):
            connection.send_command("EVAL", _SCRIPT, *call)
            found[n] = _read(connection)
    return found


def _read(connection: Any) -> Counted | ResponseError:
    """What comes next. An error is no reason to leave the rest: it would be read as the answer to later calls."""
    try:
        found: Counted = connection.read_response()
    except ResponseError as error:
        return error
    return found


def _count_in_cluster(url: str, calls: Sequence[Arguments]) -> list[Counted | ResponseError]:
    """The same on the masters that have the keys, of which a call has one."""
    return [_run_in_cluster(url, call) for call in calls]


def _run_in_cluster(url: str, call: Arguments) -> Counted:
    found = cluster(url)
    try:
        return found.execute_command("EVALSHA", _DIGEST, *call)  # type: ignore[no-any-return]
    except NoScriptError:
        return found.execute_command("EVAL", _SCRIPT, *call)  # type: ignore[no-any-return]


def hit(scope: str, who: str) -> RateLimitVerdict:
    """Counts one call of `who` in the scope's window, unless it is full.

    While Valkey is down every call is admitted: a limit that cannot be counted must not stop payments. Of a cluster
    that is about the master that has the window.
    """
    [[verdict]] = hit_each([([scope], who)])
    return verdict


def hit_each(
    calls: Sequence[tuple[Sequence[str], str]], meanwhile: Callable[[], object] = _nothing
) -> list[list[RateLimitVerdict]]:
    """Counts several calls, each in the windows of its scopes one after the other; those after a full one are left
    out.

    `meanwhile` is done while Valkey counts; once more if it has to be asked again, and not at all if it is not asked.
    """
    if settings.CACHE_URL.startswith(CLUSTERS):
        return [_hit_in_cluster(scopes, who) for scopes, who in calls]
    told = _told(partial(_count, meanwhile=meanwhile), calls)
    return [_verdicts(scopes, found) for (scopes, _), found in zip(calls, told, strict=True)]


def _hit_in_cluster(scopes: Sequence[str], who: str) -> list[RateLimitVerdict]:
    """Window by window: several masters may have them."""
    verdicts: list[RateLimitVerdict] = []
    for scope in scopes:
        verdicts += _verdicts([scope], _told(_count_in_cluster, [([scope], who)])[0])
        if not verdicts[-1].admitted:
            break
    return verdicts


def _told(
    count: Callable[[str, Sequence[Arguments]], list[Counted | ResponseError]],
    calls: Sequence[tuple[Sequence[str], str]],
) -> list[Counted]:
    """What each call is told. Who cannot be counted is admitted."""
    window, limits = settings.RATE_LIMIT_WINDOW_S, settings.RATE_LIMITS
    told: Sequence[Counted | redis.RedisError]
    try:
        told = count(
            settings.CACHE_URL,
            [
                (
                    len(scopes),
                    *(f"onpay:limit:{scope}:{who}" for scope in scopes),
                    window,
                    *(limits[scope] for scope in scopes),
                )
                for scopes, who in calls
            ],
        )
    except redis.RedisError as error:
        told = [error] * len(calls)
    failed = {type(one).__name__ for one in told if isinstance(one, redis.RedisError) and not isinstance(one, Resting)}
    for name in sorted(failed):
        log.warning("rate_limit.not_counted", error=name)
    return [
        [[True, limits[scope], 1] for scope in scopes] if isinstance(one, redis.RedisError) else one
        for (scopes, _), one in zip(calls, told, strict=True)
    ]


def _verdicts(scopes: Sequence[str], told: Counted) -> list[RateLimitVerdict]:
    return [
        RateLimitVerdict(scope, bool(admitted), remaining, max(1, reset_s))
        for scope, (admitted, remaining, reset_s) in zip(scopes, told, strict=False)
    ]


def counted(request: HttpRequest, scope: str) -> RateLimitVerdict:
    """The verdict about a request, which counts once in each window."""
    known: RateLimitVerdict | None = request.META.get(RATE_LIMITS, {}).get(scope)
    return known or hit(scope, rate_limit_key(request))


def headers(verdicts: Sequence[RateLimitVerdict]) -> dict[str, str]:
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
