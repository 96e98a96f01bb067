"""Delivery after the commit: signs, sends, retries for three days.

The database is the queue, so a crash of broker, worker or web process loses nothing. Any number of dispatchers can
run: each claims its own rows, in the cells that it serves. Without a dispatcher the worker delivers by the same rules.
"""

import asyncio
import contextlib
import resource
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import structlog
from cryptography.fernet import InvalidToken
from django.db import Error, close_old_connections, transaction

from accounts import heartbeats
from accounts.base.clock import utcnow
from accounts.base.tracing import following, span
from accounts.cells import each_of, served
from accounts.clock_check import clock_check
from webhooks import holds, queue, recording
from webhooks.client import AttemptFailure, AttemptResponse, Sender
from webhooks.messages import message

log = structlog.get_logger()
T = TypeVar("T")

IN_FLIGHT = 2048
FILES = 4 * IN_FLIGHT
"""Connections of attempts in flight, and those that are kept for the next ones. Usual are 1,024."""
SENT_TOGETHER = 64
"""Attempts of `deliver_due` at once: all of them may be at one endpoint."""
LOOK_EVERY_S = 0.2
GATHER_S, MANY = 0.04, 64
"""What falls due and what is answered in this time, or until there are so many answers, is claimed and recorded
together: one costs as much as many.
"""
QUICK_MS = 20
"""An endpoint that takes longer is kept at work by few in hand, and many would wait for long."""
BEAT_EVERY_S = 5.0
LONGEST_REST_S = 10.0


UNSIGNED = AttemptResponse(status=None, error=AttemptFailure.UNFORESEEN, retry_after=None, excerpt="", elapsed_ms=0)
"""An unsigned request is never sent."""


async def attempt(sender: Sender, claimed: queue.Claimed) -> queue.Tried:
    """One signed POST and its result."""
    with following(claimed.request_id):
        return await _attempt(sender, claimed)


async def _attempt(sender: Sender, claimed: queue.Claimed) -> queue.Tried:
    started_at = utcnow()
    try:
        secrets = claimed.secrets()
    except InvalidToken:
        log.exception("dispatch.secret_not_opened", endpoint=claimed.endpoint_id)
        return queue.Tried(claimed, started_at, UNSIGNED)
    sent = message(
        claimed.id,
        claimed.attempt,
        claimed.event_id,
        claimed.event_type,
        claimed.body,
        secrets,
        int(started_at.timestamp()),
        claimed.disturbance,
    )
    about = {"onpay.delivery": claimed.id, "onpay.event": claimed.event_id, "onpay.endpoint": claimed.endpoint_id}
    with span(f"webhook {claimed.event_type}", about, kind="client") as told:
        answer = await sender.post(
            claimed.url,
            sent.body,
            sent.headers,
            owner=str(claimed.merchant_id),
            loopback_allowed=claimed.loopback_allowed,
        )
        told({"http.response.status_code": answer.status, "error.type": answer.error}, failed=not answer.is_success)
    if not answer.is_success:
        log.info(
            "webhook.refused",
            delivery=claimed.id,
            event_id=claimed.event_id,
            endpoint=claimed.endpoint_id,
            attempt=claimed.attempt,
            status=answer.status,
            error=answer.error,
            elapsed_ms=answer.elapsed_ms,
        )
    return queue.Tried(claimed, started_at, answer)


def deliver_due() -> int:
    """Makes one attempt for everything due and records it; returns the number of attempts."""

    async def send(batch: list[queue.Claimed]) -> list[queue.Tried]:
        async with Sender() as sender:
            return await asyncio.gather(*(attempt(sender, claimed) for claimed in batch))

    made = 0
    for _ in each_of(served()):
        while batch := queue.claim(SENT_TOGETHER):
            recording.record(asyncio.run(send(batch)))
            made += len(batch)
    return made


STARTS_WITHIN_S = queue.LEASE_S / 2
"""An attempt that starts later could outlive its lease, and another process would repeat it."""


@dataclass(slots=True)
class Lane:
    """What is claimed for one endpoint: attempted eight at once, and not at all after a failure."""

    waiting: deque[tuple[queue.Claimed, float]] = field(default_factory=deque)
    """Each with the time until which its attempt may start."""
    at_work: int = 0
    failed: bool = False

    async def attempt(
        self, sender: Sender, holder: holds.Holder, claimed: queue.Claimed, until: float
    ) -> queue.Tried | queue.Claimed:
        """The result, or the delivery itself if it was not attempted: it may be another's by now."""
        if self.failed or time.monotonic() > until or not holder.covers(claimed.lease):
            return claimed
        tried = await attempt(sender, claimed)
        self.failed |= claimed.counts and not tried.answer.is_success
        return tried


DISPATCHER, STAND_IN = "dispatcher", "stand-in"
"""Heartbeat names: the dispatcher process, or the worker in its place."""
STAND_IN_TURN_S = 20.0
SILENT_FOR = timedelta(seconds=BEAT_EVERY_S + 2)
"""Who was killed is not waited for any longer. Two that deliver at once do no harm."""


def deliver_without_dispatcher() -> None:
    """Delivers due events in the cells in which no dispatcher is alive, one worker at a time and for a limited time."""
    holds.watch()
    alone = {*served()}.intersection(*(heartbeats.silent(part, SILENT_FOR) for part in (DISPATCHER, STAND_IN)))
    if not alone:
        return
    asyncio.run(Dispatcher(alone).run_for(STAND_IN_TURN_S))
    heartbeats.end(STAND_IN, alone)


def _claim(
    room: int, holder: holds.Holder, cells: Collection[str], quick: Collection[str]
) -> tuple[list[queue.Claimed], list[Error]]:
    """What is claimed is held from the same commit on. And what failed, each in one cell, where others did not.

    Receivers refuse what is signed by a wrong clock.
    """
    if not clock_check.is_right():
        return [], []
    claimed: list[queue.Claimed] = []
    failed: list[Error] = []
    asked = 0
    for _ in each_of(cells):
        if len(claimed) < room:
            asked += 1
            try:
                with transaction.atomic():
                    found = queue.claim(room - len(claimed), holder.id, quick)
                    if found and not holder.lasts:
                        holder.renew()
                claimed += found
            except Error as error:
                failed.append(error)
    if failed and len(failed) == asked:
        raise failed[0]
    return claimed, failed


def _open_as_many_as_allowed(files: int) -> None:
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files if most == resource.RLIM_INFINITY else min(files, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class Dispatcher:
    """Polls for due deliveries five times a second, and more often while there are some; has up to 2,048 in flight.

    `cells`: in which it does; by default all that this process serves, also those that are added meanwhile.
    """

    def __init__(self, cells: Collection[str] | None = None) -> None:
        _open_as_many_as_allowed(FILES)
        self._cells = cells
        self._database = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._holding = ThreadPoolExecutor(1, thread_name_prefix="holding")
        self._holder = holds.Holder()
        self._lanes: dict[str, Lane] = defaultdict(Lane)
        self._workers: set[asyncio.Task[None]] = set()
        self._in_flight = 0
        self._tried: list[queue.Tried] = []
        self._untried: list[queue.Claimed] = []
        self._quick: set[str] = set()
        self._enough = 0
        self._is_enough = asyncio.Event()
        self._is_idle = False
        self._is_partly_away = False
        self._next_beat = 0.0
        self._rest_s = 0.0

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until `stop`; attempts that have begun are finished and recorded, and what waits is given back."""
        async with Sender(limit_per_host=0) as sender, self._held():
            while not stop.is_set():
                await self._guarded(self._round, sender)
                await self._guarded(self._beat, DISPATCHER)
                if self._is_idle:
                    await asyncio.sleep(LOOK_EVERY_S)
            await self._finish()
            await self._guarded(self._in_thread, partial(heartbeats.end, DISPATCHER))

    async def run_for(self, seconds: float) -> None:
        """Runs until nothing is due or the time is up; ends like `run`."""
        ends = time.monotonic() + seconds
        async with Sender(limit_per_host=0) as sender, self._held():
            while not self._is_idle and time.monotonic() < ends:
                await self._guarded(self._round, sender)
                if self._in_flight:
                    await self._guarded(self._beat, STAND_IN)
            await self._finish()

    @contextlib.asynccontextmanager
    async def _held(self) -> AsyncIterator[None]:
        """Keeps the hold, in a connection of its own: a slow claim or a slow result costs it nothing."""
        beating = asyncio.create_task(self._keep())
        try:
            yield
        finally:
            beating.cancel()
            await self._guarded(self._in_thread, self._holder.end, self._holding)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(holds.BEAT_EVERY_S)
            with contextlib.suppress(Error):  # the rounds say that the database is away
                await self._in_thread(self._holder.renew, self._holding)

    async def _finish(self) -> None:
        for lane in self._lanes.values():
            self._untried += [claimed for claimed, _ in lane.waiting]
            lane.waiting.clear()
        await self._guarded(self._write_down)
        if self._workers:
            await asyncio.wait(self._workers)
        await self._guarded(self._write_down)

    async def _guarded(self, step: Callable[..., Any], *arguments: Any) -> None:
        """If the database is down it waits: leases expire, and attempts are repeated."""
        try:
            await step(*arguments)
            self._rest_s = 0.0
        except Error as error:
            self._rest_s = min(LONGEST_REST_S, self._rest_s * 2 or 0.5)
            log.warning("dispatch.database_away", error=type(error).__name__, rests_s=self._rest_s)
            await asyncio.sleep(self._rest_s)

    async def _round(self, sender: Sender) -> None:
        began = time.monotonic()
        await self._write_down()
        room = IN_FLIGHT - self._in_flight
        claimed, failed = await self._in_thread(partial(self._claimed, room)) if room else ([], [])
        if bool(failed) != self._is_partly_away:
            self._is_partly_away = bool(failed)
            log.warning("dispatch.cell_away", errors=[type(error).__name__ for error in failed])
        self._hand_out(claimed, sender)
        self._is_idle = not (self._in_flight or self._tried or self._untried)
        if not self._is_idle:
            await self._answered(1, LOOK_EVERY_S)
            await self._answered(MANY, began + GATHER_S - time.monotonic())

    def _hand_out(self, claimed: list[queue.Claimed], sender: Sender) -> None:
        until = time.monotonic() + STARTS_WITHIN_S
        self._in_flight += len(claimed)
        for one in claimed:
            lane = self._lanes[one.endpoint_id]
            lane.waiting.append((one, until))
            if lane.at_work < queue.AT_ONCE:
                lane.at_work += 1
                worker = asyncio.create_task(self._work(lane, sender))
                self._workers.add(worker)
                worker.add_done_callback(self._workers.discard)

    async def _work(self, lane: Lane, sender: Sender) -> None:
        while lane.waiting:
            claimed, until = lane.waiting.popleft()
            try:
                result = await lane.attempt(sender, self._holder, claimed, until)
            except Exception:
                log.exception("dispatch.attempt_broke")  # it is sent again after its lease
            else:
                if isinstance(result, queue.Tried):
                    self._tried.append(result)
                else:
                    self._untried.append(result)
            self._in_flight -= 1
            if len(self._tried) >= self._enough:
                self._is_enough.set()
        lane.at_work -= 1

    async def _answered(self, enough: int, within_s: float) -> None:
        """Waits until there are so many answers that are not recorded. What was not sent goes back with the next ones:
        where an attempt hangs in a lane that has failed, it would be claimed again at once, and go back again.
        """
        self._enough = enough
        self._is_enough.clear()
        if len(self._tried) < enough:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_enough.wait(), within_s)

    def _claimed(self, room: int) -> tuple[list[queue.Claimed], list[Error]]:
        return _claim(room, self._holder, served() if self._cells is None else self._cells, self._quick)

    async def _beat(self, part: str) -> None:
        if time.monotonic() >= self._next_beat:
            self._next_beat = time.monotonic() + BEAT_EVERY_S
            heartbeats.touch(part)
            await self._in_thread(partial(heartbeats.beat, part, self._cells))

    async def _write_down(self) -> None:
        tried, self._tried, untried, self._untried = self._tried, [], self._untried, []
        for one in tried:
            change = self._quick.add if one.answer.elapsed_ms <= QUICK_MS else self._quick.discard
            change(one.claimed.endpoint_id)
        if tried:
            await self._in_thread(partial(recording.record, tried))
        if untried:
            await self._in_thread(partial(queue.give_back, untried))
        self._lanes = defaultdict(Lane, {key: lane for key, lane in self._lanes.items() if lane.at_work})

    async def _in_thread(self, question: Callable[[], T], thread: ThreadPoolExecutor | None = None) -> T:
        def ask() -> T:
            close_old_connections()
            try:
                return question()
            finally:
                with contextlib.suppress(Error):
                    close_old_connections()

        return await asyncio.get_running_loop().run_in_executor(thread or self._database, ask)
