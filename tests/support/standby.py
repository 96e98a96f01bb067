"""A streaming replica of the server of the tests."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, connections

from accounts.base.counters import REPLICA_READS
from accounts.base.rows import first
from gateway.database.replica import REPLICA, RESTS_S
from gateway.local.errors import LocalError
from gateway.local.postgres import SETTINGS, USER, Postgres


class Standby(Postgres):
    """Copied from the server of the tests, and kept up to date by it."""

    @property
    def socket_folder(self) -> str:
        return str(self.sockets)

    def complete(self) -> None:
        """It has what its primary has."""

    def command(self) -> list[str | Path]:
        return [*super().command(), "-c", "wal_receiver_status_interval=100ms"]

    def _make_cluster(self) -> None:
        primary = connection.get_connection_params()
        fresh = self.data.with_suffix(".new")
        shutil.rmtree(fresh, ignore_errors=True)
        place = ["-h", str(primary["host"]), "-p", str(primary.get("port") or SETTINGS["port"]), "-U", USER]
        made = self._run("pg_basebackup", "-D", fresh, *place, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        if made.returncode:
            raise LocalError(f"pg_basebackup: {made.stderr.strip()}")
        fresh.rename(self.data)


def rested() -> None:
    time.sleep(RESTS_S + 0.1)


def counted() -> dict[str, float]:
    return {who: REPLICA_READS.labels(who)._value.get() for who in ("replica", "primary")}


def answered_by(read: Callable[[], object]) -> str:
    """Whose answer it was, of one read."""
    before = counted()
    read()
    grown = {who: count - before[who] for who, count in counted().items() if count != before[who]}
    assert sum(grown.values()) <= 1
    return next(iter(grown), "")


def is_replica() -> bool:
    return bool((first("SELECT pg_is_in_recovery()") or (None,))[0])


def on_standby(sql: str) -> None:
    with connections[REPLICA].cursor() as cursor:
        cursor.execute(sql)


@contextmanager
def dying_at(standby: Standby, words: str) -> Iterator[list[str]]:
    """The replica is stopped when it is asked for a statement with these words; the list tells which."""
    asked: list[str] = []

    def stop(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if words in sql:
            asked.append(sql)
            standby.stop()
        return execute(sql, params, many, context)

    with connections[REPLICA].execute_wrapper(stop):
        yield asked
