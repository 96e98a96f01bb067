"""The HTTP client for webhooks: one POST, one result, whatever the receiver does."""

import asyncio
import errno
import logging
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from types import TracebackType
from typing import Any, Self
from weakref import WeakValueDictionary

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from django.conf import settings
from typing_extensions import Buffer
from yarl import URL

from accounts.base import addresses
from accounts.models import Environment

MOST_BODY_BYTES = 4096
MOST_ANSWER_BYTES = 64 * 1024
MOST_BYTES_AT_ONCE = 16 * 1024
MOST_HEADERS = 64
LONGEST_HEADER_BYTES = 8190
LONGEST_RETRY_AFTER = 64
OUR_HEADERS = {
    "User-Agent": "Onpay-Webhooks/2",
    "Content-Type": "application/json",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
}

logger = logging.getLogger(__name__)


def is_loopback_allowed(environment: str) -> bool:
    """Only if the operator runs the service locally, and only in the sandbox (contract §13.1)."""
    return bool(settings.LOCAL) and environment == Environment.SANDBOX


class AttemptFailure(StrEnum):
    """Why an attempt got no complete response."""

    CONNECTION_REFUSED = "CONNECTION_REFUSED"
    CONNECTION_RESET = "CONNECTION_RESET"
    DNS = "DNS"
    FORBIDDEN_ADDRESS = "FORBIDDEN_ADDRESS"
    INVALID_RESPONSE = "INVALID_RESPONSE"
    TIMEOUT = "TIMEOUT"
    TLS = "TLS"
    UNFORESEEN = "UNFORESEEN"
    UNREACHABLE = "UNREACHABLE"


@dataclass(frozen=True, slots=True)
class AttemptResponse:
    """The result of an attempt: a status, a failure, or both if reading the body failed."""

    status: int | None
    error: AttemptFailure | None
    retry_after: str | None
    excerpt: str
    elapsed_ms: int

    @property
    def is_success(self) -> bool:
        """True for a complete 2xx; a body over 4096 bytes is cut and counts as complete."""
        return self.error is None and self.status is not None and 200 <= self.status < 300


class Sender:
    """Posts webhooks over keep-alive connections to vetted addresses only.

    Use as an async context manager, one per event loop. The caller limits how many posts run at once. `limit_per_host`
    (0 = none) and `lookups_at_once` of one owner queue the surplus, and that wait counts as connecting. The loop is
    asyncio's own: uvloop would read past our sockets and their limit.
    """

    def __init__(
        self,
        *,
        connect_timeout_s: float = 5.0,
        total_timeout_s: float = 15.0,
        keep_alive_s: float = 15.0,
        limit_per_host: int = 0,
        lookups_at_once: int = 8,
        ssl_context: ssl.SSLContext | None = None,
        lookup: addresses.Lookup = socket.getaddrinfo,
    ) -> None:
        self._connect_timeout_s = connect_timeout_s
        self._total_timeout_s = total_timeout_s
        self._keep_alive_s = keep_alive_s
        self._limit_per_host = limit_per_host
        self._lookups_at_once = lookups_at_once
        self._ssl_context = ssl_context or _verifying_context()
        self._lookup = lookup
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._resolvers: list[_VettingResolver] = []

    async def __aenter__(self) -> Self:
        assert isinstance(asyncio.get_running_loop(), asyncio.SelectorEventLoop), "another loop reads past our sockets"
        # A connection opened under one rule must never be reused under the other, so each rule has its own pool.
        self._sessions = {allowed: self._open_session(allowed) for allowed in (False, True)}
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()
        for resolver in self._resolvers:
            await resolver.close()

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, loopback_allowed: bool
    ) -> AttemptResponse:
        """Makes one attempt and returns its result within the total time; raises only when cancelled.

        Lookups for one owner's URLs never wait for those of another.
        """
        _owner.set(owner)
        session = self._sessions[loopback_allowed]
        started = time.monotonic()
        heard = _Heard()
        _heard.set(heard)
        try:
            target = addresses.parse_url(url, loopback_allowed=loopback_allowed)
            async with asyncio.timeout(self._total_timeout_s):
                await _exchange(session, target, body, headers, heard)
            error = None
        except (aiohttp.ClientError, OSError, addresses.ForbiddenAddress) as trouble:
            error = _failure(trouble)
        except Exception:
            logger.exception("A webhook attempt failed in an unforeseen way.")
            error = AttemptFailure.UNFORESEEN
        elapsed_ms = round((time.monotonic() - started) * 1000)
        return AttemptResponse(heard.status, error, heard.retry_after, _readable(heard.body), elapsed_ms)

    def _open_session(self, loopback_allowed: bool) -> aiohttp.ClientSession:
        self._resolvers.append(_VettingResolver(self._lookup, self._lookups_at_once, loopback_allowed))
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                resolver=self._resolvers[-1],
                use_dns_cache=False,
                socket_factory=_RationedSocket.open,
                ssl=self._ssl_context,
                limit=0,
                limit_per_host=self._limit_per_host,
                keepalive_timeout=self._keep_alive_s,
            ),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._connect_timeout_s),
            headers=OUR_HEADERS,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            read_bufsize=MOST_BODY_BYTES,
            max_line_size=LONGEST_HEADER_BYTES,
            max_field_size=LONGEST_HEADER_BYTES,
            max_headers=MOST_HEADERS,
        )


@dataclass(slots=True)
class _Heard:
    """The part of the response received so far, kept even if the deadline ends the attempt."""

    status: int | None = None
    retry_after: str | None = None
    body: bytearray = field(default_factory=bytearray)
    over_kept_connection: bool = False


_heard: ContextVar[_Heard] = ContextVar("heard")
"""The attempt for which a connection may be opened."""
_owner: ContextVar[str] = ContextVar("owner")
"""Whose URL is being called: aiohttp tells its resolver only the host."""


class _VettingResolver(AbstractResolver):
    """Gives aiohttp the vetted addresses of a name, from a lookup made for the connection.

    A lookup that its callers have given up goes on until the system's resolver gives up, and counts as its owner's
    until then. So an owner has a limited number of threads, and each name only one.
    """

    def __init__(self, lookup: addresses.Lookup, at_once: int, loopback_allowed: bool) -> None:
        self._lookup = lookup
        self._at_once = at_once
        self._loopback_allowed = loopback_allowed
        self._under_way: dict[tuple[str, str, int], asyncio.Task[list[str]]] = {}
        self._gates: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        key = (_owner.get(), host, port)
        if key not in self._under_way:
            self._under_way[key] = asyncio.create_task(self._find(*key))
            self._under_way[key].add_done_callback(partial(self._forget, key))
        vetted = await asyncio.shield(self._under_way[key])
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in vetted
        ]

    async def close(self) -> None:
        for task in self._under_way.values():
            task.cancel()

    async def _find(self, owner: str, host: str, port: int) -> list[str]:
        gate = self._gates.setdefault(owner, asyncio.Semaphore(self._at_once))
        async with gate:
            return await asyncio.wrap_future(
                addresses.resolving(host, port, loopback_allowed=self._loopback_allowed, lookup=self._lookup)
            )

    def _forget(self, key: tuple[str, str, int], found: asyncio.Task[list[str]]) -> None:
        del self._under_way[key]
        if not found.cancelled():
            found.exception()  # the callers may be gone


class _RationedSocket(socket.socket):
    """Accepts at most 64 KiB of response after each write.

    The body limit does not apply to data that never becomes a body: a stream of `100 Continue` or of chunk extensions
    would keep the event loop busy until the deadline.
    """

    ration = MOST_ANSWER_BYTES

    @classmethod
    def open(cls, info: aiohttp.AddrInfoType) -> Self:
        _heard.get().over_kept_connection = False
        family, kind, protocol, _, _ = info
        return cls(family, kind, protocol)

    def send(self, data: Buffer, flags: int = 0, /) -> int:
        self.ration = MOST_ANSWER_BYTES
        return super().send(data, flags)

    def sendmsg(self, buffers: Iterable[Buffer], *rest: Any) -> int:
        self.ration = MOST_ANSWER_BYTES
        return super().sendmsg(buffers, *rest)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        data = super().recv(self._portion(size), flags)
        self.ration -= len(data)
        return data

    def recv_into(self, buffer: Buffer, nbytes: int = 0, flags: int = 0) -> int:
        size = super().recv_into(buffer, self._portion(nbytes or memoryview(buffer).nbytes), flags)
        self.ration -= size
        return size

    def _portion(self, size: int) -> int:
        if self.ration == 0:
            raise OSError(errno.EMSGSIZE, "The answer is too long")
        return min(size, self.ration, MOST_BYTES_AT_ONCE)


async def _exchange(
    session: aiohttp.ClientSession, url: URL, body: bytes, headers: Mapping[str, str], heard: _Heard
) -> None:
    response = await _request(session, url, body, headers, heard)
    try:
        heard.status = response.status
        heard.retry_after = _readable_header(response.headers.get("Retry-After"))
        while (room := MOST_BODY_BYTES - len(heard.body)) and (chunk := await response.content.read(room)):
            heard.body += chunk
    finally:
        _close_unless_finished(response)


async def _request(
    session: aiohttp.ClientSession, url: URL, body: bytes, headers: Mapping[str, str], heard: _Heard
) -> aiohttp.ClientResponse:
    while True:
        heard.over_kept_connection = True
        try:
            return await session.post(url, data=body, headers=headers, allow_redirects=False)
        except aiohttp.ClientConnectorError:
            raise  # a new connection
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            # The server may close a kept connection just as we reuse it. That is not an answer: connect again.
            if not heard.over_kept_connection:
                raise


def _close_unless_finished(response: aiohttp.ClientResponse) -> None:
    connection = response.connection
    if connection is None:
        return
    # A TLS close handshake would let the server hold the socket for another half minute.
    if connection.transport is not None:
        connection.transport.abort()
    response.close()


def _failure(trouble: Exception) -> AttemptFailure:
    connecting = isinstance(trouble, aiohttp.ClientConnectorError)
    cause = trouble.os_error if isinstance(trouble, aiohttp.ClientConnectorError) else trouble
    for kinds, failure in _FAILURES:
        if isinstance(cause, kinds):
            return failure
    if isinstance(cause, OSError) and cause.errno == errno.EMSGSIZE:
        return AttemptFailure.INVALID_RESPONSE
    return AttemptFailure.UNREACHABLE if connecting else AttemptFailure.CONNECTION_RESET


_FAILURES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], AttemptFailure], ...] = (
    (addresses.UnknownHost, AttemptFailure.DNS),
    ((addresses.ForbiddenAddress, aiohttp.InvalidURL), AttemptFailure.FORBIDDEN_ADDRESS),
    (TimeoutError, AttemptFailure.TIMEOUT),
    (ssl.SSLError, AttemptFailure.TLS),
    (ConnectionRefusedError, AttemptFailure.CONNECTION_REFUSED),
    (ConnectionError, AttemptFailure.CONNECTION_RESET),
    ((aiohttp.ClientResponseError, aiohttp.ClientPayloadError), AttemptFailure.INVALID_RESPONSE),
)


def _readable(body: bytes | bytearray) -> str:
    """The body as text for database and pages: no control characters except line breaks and tabs."""
    text = body.decode("utf-8", "replace")
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\t\r\n" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _readable_header(header: str | None) -> str | None:
    return header[:LONGEST_RETRY_AFTER] if header and header.isprintable() else None


@cache
def _verifying_context() -> ssl.SSLContext:
    """One in each process: reading the trusted certificates takes 60 ms."""
    context = ssl.create_default_context()
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    return context
