"""What Granian calls for each request: its body is read on the event loop, then Django runs on a thread.

A thread is taken by complete requests only: who sends slowly costs a connection and nothing else.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.handlers.wsgi import WSGIHandler

from gateway.serving.bodies import Body, Reader
from gateway.serving.environ import environ_of

Headers = list[tuple[str, str]]
NAMELESS = ("server", "")
"""Where nothing is said here, Granian names itself."""


class Application:
    """A WSGI application as an RSGI one."""

    def __init__(self, django: WSGIHandler) -> None:
        self.django = django
        self.reader = Reader(processes=int(os.environ.get("ONPAY_WEB_WORKERS", "2")))
        self.threads = ThreadPoolExecutor(int(os.environ.get("ONPAY_WEB_THREADS", "4")), thread_name_prefix="web")

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        body = await self.reader.read(scope, protocol)
        try:
            await self.loop.run_in_executor(self.threads, self._answer, scope, protocol, body)
        finally:
            self.reader.give_back(body)

    def _answer(self, scope: Any, protocol: Any, body: Body) -> None:
        """Runs Django. What it makes while it is sent (a file of many rows) is sent piece by piece."""
        started: list[Any] = []

        def start_response(status: str, headers: Headers, *_: Any) -> Callable[[bytes], object]:
            started[:] = int(status[:3]), [*headers, NAMELESS]
            return started.append  # the old way to write, which Django has never used

        response = self.django(environ_of(scope, body), start_response)
        try:
            if getattr(response, "streaming", False):
                stream = protocol.response_stream(*started)
                for piece in response:
                    stream.send_bytes(piece)
            else:
                protocol.response_bytes(*started, b"".join(response))
        finally:
            response.close()
