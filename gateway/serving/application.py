"""Granian's entry for each request: its body is read on the event loop, then Django runs on a thread.

Threads are used by complete requests only: a slow sender costs just a connection.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from django.core.handlers.wsgi import WSGIHandler

from gateway.serving.bodies import Body, Reader
from gateway.serving.environ import environ_of

Headers = list[tuple[str, str]]
NAMELESS = ("server", "")
"""Otherwise Granian adds its own name."""
IN_MEMORY = 256 * 1024
LIVE = "/health/live"
"""Answered by a thread that never waits for the database: a process whose database hangs is not to be restarted."""
OPENED_WITHIN_S = 10.0
"""Granian opens the file by name a moment later."""


class Application:
    """A WSGI application as an RSGI one."""

    def __init__(self, django: WSGIHandler) -> None:
        self.django = django
        self.reader = Reader(processes=int(os.environ.get("ONPAY_WEB_WORKERS", "2")))
        self.threads = ThreadPoolExecutor(int(os.environ.get("ONPAY_WEB_THREADS", "4")), thread_name_prefix="web")
        self.probes = ThreadPoolExecutor(1, thread_name_prefix="probe")

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        body = await self.reader.read(scope, protocol)
        threads = self.probes if scope.path == LIVE else self.threads
        try:
            await self.loop.run_in_executor(threads, self._answer, scope, protocol, body)
        finally:
            self.reader.give_back(body)

    def _answer(self, scope: Any, protocol: Any, body: Body) -> None:
        """Runs Django."""
        started: list[Any] = []

        def start_response(status: str, headers: Headers, *_: Any) -> Callable[[bytes], object]:
            started[:] = int(status[:3]), [*headers, NAMELESS]
            return started.append  # the deprecated `write` callable, which Django never uses

        response = self.django(environ_of(scope, body), start_response)
        try:
            if getattr(response, "streaming", False):
                self._send_as_file(protocol, started[0], started[1], response)
            else:
                protocol.response_bytes(*started, b"".join(response))
        finally:
            response.close()

    def _send_as_file(self, protocol: Any, status: int, headers: Headers, pieces: Iterable[bytes]) -> None:
        """Sends a streamed response after it is complete: a truncated file would look complete.

        It is buffered on disk: Granian keeps in memory what a slow reader has not received yet.
        """
        with ExitStack() as stack:
            whole = stack.enter_context(tempfile.TemporaryFile(buffering=IN_MEMORY))
            whole.writelines(pieces)
            size = whole.tell()
            if size == 0:
                protocol.response_bytes(status, headers, b"")
                return
            whole.seek(0)
            if not any(name.lower() == "content-length" for name, _ in headers):
                headers = [*headers, ("content-length", str(size))]
            protocol.response_file(status, headers, f"/dev/fd/{whole.fileno()}")
            opened = stack.pop_all()
        self.loop.call_soon_threadsafe(self.loop.call_later, OPENED_WITHIN_S, opened.close)
