"""Requests that wait at the same time are answered together, by a thread of their own."""

import asyncio
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

import structlog

from gateway.database.postgresql.base import keep_connection

log = structlog.get_logger()
C = TypeVar("C")
MOST = 16
"""Requests that are answered together."""
THREADS = 1
"""Two would prepare some while others are stored, but in batches half as large, and take a tenth longer for all."""
Waiting = tuple[C, "asyncio.Future[bool]"]


class Batches(Generic[C]):
    """`answer` says of each whether it was answered, and raises nothing. Whoever comes alone waits for nobody."""

    def __init__(self, answer: Callable[[Sequence[C]], list[bool]]) -> None:
        self._answer = answer
        self._waiting: SimpleQueue[Waiting[C]] = SimpleQueue()

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Starts the threads, in the process that is to have them."""
        self._loop = loop
        for number in range(THREADS):
            Thread(target=self._work, name=f"batch-{number}", daemon=True).start()

    async def answered(self, one: C) -> bool:
        done: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.put((one, done))
        return await done

    def _work(self) -> None:
        keep_connection()
        while True:
            some = self._gathered()
            try:
                answers = self._answer([one for one, _ in some])
            except Exception as error:  # noqa: BLE001  without its threads a process answers nobody any more
                log.warning("fast_path.failed", error=type(error).__name__, requests=len(some))
                answers = [False] * len(some)
            self._loop.call_soon_threadsafe(_tell, [done for _, done in some], answers)

    def _gathered(self) -> list[Waiting[C]]:
        some = [self._waiting.get()]
        try:
            while len(some) < MOST:
                some.append(self._waiting.get_nowait())
        except Empty:
            pass
        return some


def _tell(waiting: Sequence["asyncio.Future[bool]"], answers: Sequence[bool]) -> None:
    for done, is_answered in zip(waiting, answers, strict=True):
        if not done.done():
            done.set_result(is_answered)
