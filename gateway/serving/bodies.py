"""Reads bodies after the cheap checks, within a deadline and a memory limit."""

import asyncio
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from granian.rsgi import ProtocolClosed, ProtocolError

from accounts.base import client_address
from accounts.base.errors import Refusal, Unavailable
from accounts.services import KEY_PREFIX
from gateway.serving.errors import BodyIncomplete, BodyTooLarge, BodyTooSlow, TooManyUnfinished
from gateway.serving.limits import API, largest_body

AT_ONCE_S = 1.0
"""A body that is complete by then is not counted as unfinished."""
BASE_S, BYTES_A_SECOND = 10.0, 64 * 1024
"""Ten seconds per body, plus one for each 64 KiB allowed."""
SMALL = 64 * 1024
"""Smaller bodies are always read; connections limit their number."""
MOST_UNFINISHED = 8
MOST_IN_MEMORY = 128 * 1024 * 1024
_KEYS = tuple(KEY_PREFIX.values())


class Unread(io.RawIOBase):
    """The stream of an unread body. Reading it raises the reason."""

    def __init__(self, refusal: type[Refusal]) -> None:
        self.refusal = refusal

    def read(self, size: int = -1) -> NoReturn:
        raise self.refusal

    def readline(self, size: int | None = -1) -> NoReturn:
        raise self.refusal


@dataclass(slots=True)
class Body:
    """The body for Django. With a `refusal` the request is answered by it, without its content."""

    stream: Any
    length: int | None = None
    refusal: Refusal | None = None
    held: int = 0


class Reader:
    """Reads the bodies of one process. Limits how many of one address are unfinished for more than a second."""

    def __init__(self, processes: int) -> None:
        self.most = max(1, MOST_UNFINISHED // processes)
        self.unfinished: Counter[str] = Counter()
        self.in_memory = 0

    async def read(self, scope: Any, protocol: Any) -> Body:
        """The whole body, or why it was not read. Its `held` memory is released when the request is answered."""
        length = _declared(scope)
        if length == 0:
            return Body(io.BytesIO())
        largest = _largest(scope)
        if largest is None or (length or 0) > largest:
            return Body(Unread(BodyTooLarge), length or 1)
        try:
            with self._in_time(scope, largest if length is None else length):
                if length is None or length > SMALL:
                    return await self._read_chunks(protocol, length, largest)
                return _of(await protocol(), length)
        except BodyTooLarge:
            return Body(Unread(BodyTooLarge), largest + 1)
        except Refusal as refusal:
            return Body(Unread(BodyIncomplete), length or 1, refusal)
        except (ProtocolError, ProtocolClosed):
            return Body(Unread(BodyIncomplete), length or 1, BodyIncomplete())

    def give_back(self, body: Body) -> None:
        self.in_memory -= body.held

    async def _read_chunks(self, protocol: Any, length: int | None, largest: int) -> Body:
        """Granian signals end, abort and trailers alike with an empty piece; only the end comes alone."""
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in protocol:
                pieces.append(piece)
                size += len(piece)
                self.in_memory += len(piece)
                if size > largest:
                    raise BodyTooLarge
                if size > SMALL and self.in_memory > MOST_IN_MEMORY:
                    raise Unavailable
            if pieces.count(b"") != 1:
                raise BodyIncomplete
            return _of(b"".join(pieces), length, held=size)
        except BaseException:
            self.in_memory -= size
            raise

    @contextmanager
    def _in_time(self, scope: Any, size: int) -> Iterator[None]:
        """Raises BodyTooSlow, or TooManyUnfinished if the address has too many slow bodies."""
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task
        reading = Reading(task)
        timers = (
            loop.call_later(AT_ONCE_S, self._count, reading, scope),
            loop.call_later(BASE_S + size / BYTES_A_SECOND, reading.refuse, BodyTooSlow),
        )
        try:
            yield
        except asyncio.CancelledError:
            if reading.refusal is None:
                raise
            reading.task.uncancel()
            raise reading.refusal from None
        finally:
            for timer in timers:
                timer.cancel()
            self.unfinished.subtract(reading.counted_for)
            self.unfinished = +self.unfinished if reading.counted_for else self.unfinished

    def _count(self, reading: "Reading", scope: Any) -> None:
        address = client_address.rate_limit_key_of(scope.client.rpartition(":")[0], scope.headers)
        if self.unfinished[address] < self.most:
            self.unfinished[address] += 1
            reading.counted_for = [address]
        else:
            reading.refuse(TooManyUnfinished)


@dataclass(slots=True)
class Reading:
    """A body being read, with a way to abort it."""

    task: "asyncio.Task[Any]"
    refusal: type[Refusal] | None = None
    counted_for: Sequence[str] = ()

    def refuse(self, refusal: type[Refusal]) -> None:
        self.refusal = self.refusal or refusal
        self.task.cancel()


def _of(content: bytes, length: int | None, held: int = 0) -> Body:
    if length is not None and len(content) != length:
        raise BodyIncomplete
    return Body(io.BytesIO(content), len(content), held=held)


def _declared(scope: Any) -> int | None:
    """The declared length; None for a chunked body. No body: 0."""
    return None if "transfer-encoding" in scope.headers else int(scope.headers.get("content-length", "0"))


def _largest(scope: Any) -> int | None:
    """None if Django answers without the body: an unknown path or method, or no plausible key."""
    if scope.path.startswith(API) and not scope.headers.get("x-api-key", "").startswith(_KEYS):
        return None
    return largest_body(scope.method, scope.path)
