"""Nodes of Citus that do not answer: their cells rest, so that nobody else waits with them.

A node that hangs closes no connection, and Citus waits for it without end: it cancels a statement that has taken too
long there, and then waits until the node has heard of it. So each process looks itself. As soon as a statement has
waited for a while, its process asks each node; who waits for one that does not answer is released by the loss of the
connection, and nothing is asked of its cells until it answers again.
"""

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from re import Pattern
from threading import Lock, Thread
from typing import Any

import psycopg
import structlog
from django.db import connections

from accounts.base import cells, statements
from accounts.base.rows import first, table

log = structlog.get_logger()
LOOKS_EVERY_S = 0.25
WAITS_S = 0.5
"""A statement that has waited for so long lets its process ask the nodes."""
ASKS_AGAIN_S = 0.75
"""So long after it has asked, a process asks again at the earliest."""
ANSWERS_WITHIN_MS = 1500
"""A node that accepts no new connection for so long does not answer."""
_IS_CITUS = "SELECT FROM pg_extension WHERE extname = 'citus'"
# A connection that is kept would wait without end for a node that hangs; one that is made is given up.
_BRIEFLY = (
    f"SET LOCAL citus.node_connection_timeout = {ANSWERS_WITHIN_MS}",
    "SET LOCAL citus.max_cached_conns_per_worker = 0",
)
_SILENT = """
    WITH asked AS MATERIALIZED (
        SELECT groupid, citus_check_connection_to_node(nodename, nodeport) AS answers FROM pg_dist_node
         WHERE groupid <> 0 AND noderole = 'primary' AND isactive
    )
    SELECT DISTINCT coalesce(schemaid::regnamespace::text, %s) FROM asked
      LEFT JOIN (pg_dist_schema JOIN pg_dist_partition USING (colocationid) JOIN pg_dist_shard USING (logicalrelid)
                 JOIN pg_dist_placement USING (shardid)) USING (groupid)
     WHERE NOT answers
"""
# Who waits for a node waits for what comes through a connection of PostgreSQL's own.
_WAITING = """
    SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND wait_event = 'ClientRead'
"""


@cache
def has_nodes() -> bool:
    """Whether cells may be on other servers."""
    return first(_IS_CITUS) is not None


class Watch:
    """The thread of one process that looks whether its statements wait for a node."""

    def __init__(self) -> None:
        self._beginning = Lock()
        self._thread: Thread | None = None
        self._own: psycopg.Connection | None = None

    def begin(self) -> None:
        """Returns at once. It ends by itself where there are no nodes."""
        if self._thread is not None:
            return
        with self._beginning:
            if self._thread is None:
                thread = Thread(target=self._look, name="nodes", daemon=True)
                with suppress(RuntimeError):  # the process is ending or has no free thread: the next one tries again
                    thread.start()
                    self._thread = thread

    def _look(self) -> None:
        while True:
            time.sleep(LOOKS_EVERY_S)
            if not cells.resting() and not any(one.waits_s > WAITS_S for one in statements.in_use()):
                continue
            try:
                if not self._ask():
                    return
            except psycopg.Error as error:
                log.warning("cells.not_asked", error=type(error).__name__)
                self._own = None
            time.sleep(ASKS_AGAIN_S)

    def _ask(self) -> bool:
        """Lets the cells of nodes that do not answer rest. False: there are no nodes."""
        if self._own is None:
            self._own = _connected()
            if self._own.execute(_IS_CITUS).fetchone() is None:
                self._own.close()
                return False
        with self._own.transaction():
            for setting in _BRIEFLY:
                self._own.execute(setting)
            silent = {name for (name,) in self._own.execute(_SILENT, [cells.FIRST])}
            waiting = {pid for (pid,) in self._own.execute(_WAITING)} if silent else set()
        resting = silent - {cells.FIRST}
        if resting != cells.resting():
            log.warning("cells.rest", cells=sorted(resting))
        cells.rest(resting, waits_for_all)
        for one in statements.in_use() if silent else ():
            is_elsewhere = one.waits_s > WAITS_S and one.pgconn.backend_pid in waiting
            if is_elsewhere or (one.waits_s and one.cell in resting):
                one.lose()
        return True


def waits_for_all(cell: str, statement: str) -> bool:
    """Whether it reads what is in all cells, or changes what is on every node."""
    return bool(_changes().search(statement)) or (cell == cells.ALL and bool(_reads().search(statement)))


@cache
def _reads() -> Pattern[str]:
    from gateway.cells.placement import models_in_cells  # noqa: PLC0415  there are no models yet when this is imported

    return _named(r"\b({})\b", (table(model) for model in models_in_cells()))


@cache
def _changes() -> Pattern[str]:
    from gateway.cells.spreading import on_every_node  # noqa: PLC0415

    return _named(r'^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?({})\b', on_every_node())


def _named(pattern: str, tables: Iterable[str]) -> Pattern[str]:
    return re.compile(pattern.format("|".join(tables)))


def _connected() -> psycopg.Connection:
    parameters: dict[str, Any] = connections["default"].get_connection_params()
    return psycopg.connect(**parameters, autocommit=True)


_watch = Watch()


def watch() -> None:
    """Begins to look, if this process does not yet."""
    _watch.begin()


def _reset_after_fork() -> None:
    """A forked process has neither the thread nor the connection of its parent, and finds out by itself who rests."""
    global _watch
    _watch = Watch()
    cells.rest([], waits_for_all)


os.register_at_fork(after_in_child=_reset_after_fork)
