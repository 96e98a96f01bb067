"""Writes the request log: entries are handed over in memory, redacted and written by a thread of their own.

No request waits for its row or fails because of it. While the database is down entries are buffered; the oldest are
dropped if there are too many. Those of a cell that rests wait for it, and nobody else with them. A process that ends
gives up what it cannot write then, and says how many; one that is killed loses its buffer. Money and audit do not
depend on it.
"""

import os
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.util import Finalize
from threading import Event, Lock, Thread

import orjson
import structlog
from django.conf import settings
from django.db import DatabaseError, DataError, IntegrityError, InterfaceError
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.base import cells
from accounts.base.retryable import is_refused_by_move, is_retryable
from accounts.base.rows import columns, table
from accounts.base.tracing import request_id
from accounts.cells import LIVING
from gateway.database.connections import separate_connection
from gateway.requests.facts import RequestFacts, row_of
from gateway.requests.models import ApiRequest

log = structlog.get_logger()
MOST = 10_000
MOST_BYTES = 64 * 1024 * 1024
"""Buffer limit per process."""
BATCH = 500
EVERY_S, LONGEST_PAUSE_S = 0.2, 10.0

# PostgreSQL parses the rows, in its own process. The commit of this statement does not wait for the disk; that is not
# an option of the connection, because a pooler keeps none.
_INSERT = f"""
    WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO {table(ApiRequest)} ({{columns}})
    SELECT {{columns}} FROM unhurried, json_populate_recordset(NULL::{table(ApiRequest)}, %s::json)
        ON CONFLICT (id) DO NOTHING
"""


class RequestLog:
    """The log of one process. Its thread starts with the first request."""

    def __init__(self) -> None:
        self._waiting: deque[RequestFacts] = deque()
        self._size = 0
        self._given_up = 0
        self._queue = Lock()
        self._writing = Lock()
        self._news = Event()
        self._writer: Thread | None = None
        self._connection: BaseDatabaseWrapper | None = None
        self._was_refused = False

    def add(self, facts: RequestFacts) -> None:
        """Returns immediately; the oldest entries are dropped if the buffer is full."""
        with self._queue:
            self._waiting.append(facts)
            self._size += facts.size
            self._make_room()
            if self._writer is None or not self._writer.is_alive():
                self._start()
        self._news.set()

    def flush(self) -> bool:
        """Writes the buffer but for cells that rest. False: nothing can be written now, and the buffer is kept."""
        with self._writing:
            while batch := self._take():
                if not self._store(batch):
                    return False
            self._log_dropped()
        return True

    def close(self) -> None:
        """Writes the buffer, gives up what cannot be written now, and disconnects; the next request starts again."""
        self.flush()
        with self._writing:
            self._give_up()
            self._disconnect()

    def _store(self, batch: list[RequestFacts]) -> bool:
        """Writes the batch: together, or one by one where a row is refused. Only such a row is lost, and named.

        False: nothing can be written now, and what is not written is given back.
        """
        try:
            batch = self._located(batch)
            self._insert(batch)
        except (DataError, IntegrityError) as error:
            if len(batch) == 1:
                _lost(error, batch[0].id)
            else:
                for number, one in enumerate(batch):
                    if not self._store([one]):
                        self._give_back(batch[number + 1 :])
                        return False
        except Exception as error:  # noqa: BLE001  whatever it is, nothing is dropped before there are too many
            self._was_refused = is_refused_by_move(error)
            if is_retryable(error):
                log.warning("request_log.waits", error=type(error).__name__, requests=len(batch))
            else:
                log.error("request_log.refused", error=type(error).__name__, cause=type(error.__cause__).__name__)
            self._give_back(batch)
            self._disconnect()
            return False
        return True

    def _start(self) -> None:
        with suppress(RuntimeError):  # the process is ending or has no free thread: the next request tries again
            self._writer = Thread(target=self._write, name="request-log", daemon=True)
            self._writer.start()
            Finalize(self, self.close, exitpriority=1)  # at normal exit, also of forked processes

    def _write(self) -> None:
        pause = EVERY_S
        while True:
            self._news.wait()
            time.sleep(pause)
            self._news.clear()
            pause = EVERY_S if self.flush() else min(2 * pause, LONGEST_PAUSE_S)
            if self._waiting:
                self._news.set()

    def _take(self) -> list[RequestFacts]:
        """The oldest that can be written: those of a cell that rests stay where they are."""
        batch: list[RequestFacts] = []
        stay: list[RequestFacts] = []
        with self._queue:
            resting = cells.resting()
            while self._waiting and len(batch) < BATCH:
                facts = self._waiting.popleft()
                (stay if facts.cell in resting else batch).append(facts)
            self._waiting.extendleft(reversed(stay))
            self._size -= sum(facts.size for facts in batch)
            return batch

    def _give_back(self, batch: Iterable[RequestFacts]) -> None:
        with self._queue:
            for facts in reversed(list(batch)):
                self._waiting.appendleft(facts)
                self._size += facts.size
            self._make_room()

    def _make_room(self) -> None:
        while len(self._waiting) > MOST or self._size > MOST_BYTES:
            self._size -= self._waiting.popleft().size
            self._given_up += 1

    def _give_up(self) -> None:
        with self._queue:
            self._given_up += len(self._waiting)
            self._waiting.clear()
            self._size = 0
        self._log_dropped()

    def _log_dropped(self) -> None:
        with self._queue:
            given_up, self._given_up = self._given_up, 0
        if given_up:
            log.warning("request_log.given_up", requests=given_up)

    def _insert(self, batch: list[RequestFacts]) -> None:
        connection, rows = self._connected(), defaultdict[str, list[str]](list)
        for facts in batch:
            if row := _row(facts):
                rows[facts.cell].append(row)
        for cell, made in rows.items():
            with cells.opened(cell), connection.cursor() as cursor:
                cursor.execute(_INSERT.format(columns=columns(ApiRequest)), [f"[{','.join(made)}]"])
        self._was_refused = False

    def _located(self, batch: list[RequestFacts]) -> list[RequestFacts]:
        """The same in the cells in which the merchants live by now, after one of them has left that of its request."""
        if not self._was_refused:
            return batch
        with self._connected().cursor() as cursor:
            cursor.execute(LIVING, [[facts.merchant_id for facts in batch]])
            lives = {merchant: cell for merchant, cell, _ in cursor.fetchall()}
        return [facts._replace(cell=lives.get(facts.merchant_id, facts.cell)) for facts in batch]

    def _connected(self) -> BaseDatabaseWrapper:
        if self._connection is None:
            self._connection = separate_connection()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(DatabaseError, InterfaceError):
                self._connection.close()
            self._connection = None


_log = RequestLog()


def _reset_after_fork() -> None:
    """A forked process has neither the thread nor the connection of its parent."""
    global _log
    _log = RequestLog()


os.register_at_fork(after_in_child=_reset_after_fork)


def keep(facts: Callable[[], RequestFacts]) -> None:
    """Hands over a request with a valid key. Never raises."""
    if not settings.REQUEST_LOG_DAYS:
        return
    try:
        _log.add(facts())
    except Exception as error:  # noqa: BLE001  no request fails with its log
        _lost(error, request_id())


def _row(facts: RequestFacts) -> str | None:
    try:
        return orjson.dumps(row_of(facts)).decode()
    except Exception as error:  # noqa: BLE001  a row that cannot be made keeps no other from being written
        _lost(error, facts.id)
        return None


def _lost(error: Exception, request_id: str) -> None:
    log.error("request_log.lost", error=type(error).__name__, lost=request_id)


def flush() -> bool:
    """Writes this process's buffer now. False: the database is down."""
    return _log.flush()


def close() -> None:
    _log.close()
