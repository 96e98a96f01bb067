"""Granian's entry for each request: its body is read on the event loop, then Django runs on a thread.

Threads are used by complete requests only: a slow sender costs just a connection.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from typing import Any

import structlog
from django.core.handlers.wsgi import WSGIHandler

from accounts.base.ids import new_id
from gateway.requests.envelope import body_of
from gateway.requests.traced import RATE_LIMITS, REQUEST_ID
from gateway.serving.batches import Batches
from gateway.serving.bodies import Body, Reader
from gateway.serving.environ import environ_of
from gateway.serving.errors import NoAnswerInTime
from gateway.serving.limits import API, PROBES, web_processes, web_threads
from gateway.serving.processors import Processors

log = structlog.get_logger()
Headers = list[tuple[str, str]]
NAMELESS = ("server", "")
"""Otherwise Granian adds its own name."""
IN_MEMORY = 256 * 1024
LIVE = "/health/live"
"""Answered by a thread that never waits for the database: a process whose database hangs is not to be restarted."""
OPENED_WITHIN_S = 10.0
"""Granian opens the file by name a moment later."""


@dataclass(frozen=True, slots=True)
class FastPath:
    """`look`: what a request is on the fast path; None: it goes to Django. `answer_all`: whether each was answered.

    What was not has had no effect.
    """

    look: Callable[[Any, Body, "Client"], Any] = lambda *request: None
    answer_all: Callable[[Sequence[Any]], list[bool]] = lambda calls: [False] * len(calls)


class Application:
    """A WSGI application as an RSGI one. What the fast path takes and does not decline is answered there."""

    def __init__(self, django: WSGIHandler, fast_path: FastPath = FastPath()) -> None:
        self.django, self.fast_path = django, fast_path
        self.batches = Batches(fast_path.answer_all)
        self.reader = Reader(processes=web_processes())
        self.processors = Processors(web_processes())
        self.threads = ThreadPoolExecutor(web_threads(), thread_name_prefix="web")
        self.probes = ThreadPoolExecutor(PROBES, thread_name_prefix="probe")
        self.within_s = float(os.environ.get("ONPAY_ANSWERED_WITHIN_S", "50"))

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.processors.take()
        self.batches.begin(loop)

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        body = await self.reader.read(scope, protocol)
        threads = self.probes if scope.path == LIVE else self.threads
        client = Client(protocol)
        is_call = scope.path.startswith(API)
        late = self.loop.call_later(self.within_s, _apologize, scope.path, client) if is_call else None
        try:
            call = self.fast_path.look(scope, body, client)
            if call is None or not await self.batches.answered(call):
                await self.loop.run_in_executor(threads, self._answer, scope, client, body)
        finally:
            if late:
                late.cancel()
            self.reader.give_back(body)

    def _answer(self, scope: Any, client: "Client", body: Body) -> None:
        """Runs Django, unless nobody waits for the answer any more."""
        if client.is_answered:
            return
        started: list[Any] = []

        def start_response(status: str, headers: Headers, *_: Any) -> Callable[[bytes], object]:
            started[:] = int(status[:3]), [*headers, NAMELESS]
            return started.append  # the deprecated `write` callable, which Django never uses

        environ = environ_of(scope, body)
        environ[REQUEST_ID], environ[RATE_LIMITS] = client.request_id, client.rate_limits
        response = self.django(environ, start_response)
        try:
            if getattr(response, "streaming", False):
                self._send_as_file(client, started[0], started[1], response)
            else:
                client.send(client.protocol.response_bytes, *started, b"".join(response))
        finally:
            response.close()

    def _send_as_file(self, client: "Client", status: int, headers: Headers, pieces: Iterable[bytes]) -> None:
        """Sends a streamed response after it is complete: a truncated file would look complete.

        It is buffered on disk: Granian keeps in memory what a slow reader has not received yet.
        """
        with ExitStack() as stack:
            whole = stack.enter_context(tempfile.TemporaryFile(buffering=IN_MEMORY))
            whole.writelines(pieces)
            size = whole.tell()
            if size == 0:
                client.send(client.protocol.response_bytes, status, headers, b"")
                return
            whole.seek(0)
            if not any(name.lower() == "content-length" for name, _ in headers):
                headers = [*headers, ("content-length", str(size))]
            client.send(client.protocol.response_file, status, headers, f"/dev/fd/{whole.fileno()}")
            opened = stack.pop_all()
        self.loop.call_soon_threadsafe(self.loop.call_later, OPENED_WITHIN_S, opened.close)


class Client:
    """Who waits for the answer to a request. The first one is sent."""

    __slots__ = ("_first", "protocol", "rate_limits", "request_id")

    def __init__(self, protocol: Any) -> None:
        self.protocol, self.request_id = protocol, new_id("req")
        self.rate_limits: dict[str, Any] = {}
        """What the request was counted by, and the verdicts: the narrowest first."""
        self._first = Lock()

    @property
    def is_answered(self) -> bool:
        return self._first.locked()

    def send(self, way: Callable[..., object], *answer: Any) -> bool:
        """Whether it was the first answer; another is dropped."""
        is_first = self._first.acquire(blocking=False)
        if is_first:
            way(*answer)
        return is_first


def _apologize(path: str, client: Client) -> None:
    """The request goes on: PostgreSQL cannot be told to stop waiting for a standby with a commit, for example. Whoever
    repeats it under its key learns what became of it.
    """
    refusal = NoAnswerInTime()
    headers = [
        ("content-type", "application/json"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("requestid", client.request_id),
        ("retry-after", str(refusal.retry_after_s)),
        NAMELESS,
    ]
    if client.send(client.protocol.response_bytes, refusal.status, headers, body_of(refusal, client.request_id)):
        log.critical("request.unanswered", path=path, request_id=client.request_id)
