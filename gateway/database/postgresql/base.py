"""The backend. Django finds it by the name of this module."""

import select
from collections.abc import Callable
from time import monotonic
from typing import Any

import psycopg
from django.db import connections
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool

from accounts.base import cells, statements
from accounts.base.statements import Connection
from gateway.database.nodes import watch

STAYS_S = 10.0


class _Driver:
    """psycopg, but for what it connects with."""

    connect = staticmethod(Connection.connect)

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)


class _Cursor(CursorWrapper):
    """Statements are prepared for the cell that is open, and work there outside a transaction as well."""

    def _execute(self, sql: Any, params: Any, *ignored: Any) -> Any:
        if isinstance(sql, str):
            sql = cells.told_apart(sql, cells.current())
        with self.db.wrap_database_errors:
            statements.require_awake(sql if isinstance(sql, str) else "")
        with self.db.wrap_database_errors, self.db.connection.alone_in_its_cell():
            return super()._execute(sql, params, *ignored)  # type: ignore[misc]

    def _executemany(self, sql: Any, param_list: Any, *ignored: Any) -> Any:
        with self.db.wrap_database_errors, self.db.connection.alone_in_its_cell():
            return super()._executemany(sql, param_list, *ignored)  # type: ignore[misc]


class _DebugCursor(CursorDebugWrapper, _Cursor):
    """The same, when queries are logged."""


class DatabaseWrapper(base.DatabaseWrapper):
    Database = _Driver()  # type: ignore[assignment]
    _connection_pools: dict[str, ConnectionPool[Connection]]
    _configure_connection: Callable[[Connection], bool]

    @property
    def pool(self) -> ConnectionPool[Connection] | None:
        """Like Django's own, but for its check, which is a round trip for each request, and for its connections."""
        options = self.settings_dict["OPTIONS"].get("pool")
        if options and self.alias not in self._connection_pools:
            pool: ConnectionPool[Connection] = ConnectionPool(
                connection_class=Connection,
                kwargs={**self.get_connection_params(), "autocommit": True},
                open=False,
                configure=self._configure_connection,  # type: ignore[arg-type]
                check=require_open if self.settings_dict["CONN_HEALTH_CHECKS"] else None,
                **options,
            )
            self._connection_pools.setdefault(self.alias, pool)
        return super().pool  # type: ignore[no-any-return]

    stays_s = 0.0

    def close_if_unusable_or_obsolete(self) -> None:
        """Called before and after each request."""
        if not self.in_atomic_block and not self._is_well():
            super().close_if_unusable_or_obsolete()

    def _is_well(self) -> bool:
        return (
            self.connection is not None
            and not self.errors_occurred
            and self.get_autocommit() == self.settings_dict["AUTOCOMMIT"]
            and self.connection.pgconn.transaction_status == TransactionStatus.IDLE
            and monotonic() < self._stays_until
            and not has_news(self.connection)
        )

    def connect(self) -> None:
        super().connect()
        self._stays_until = monotonic() + self.stays_s

    def get_new_connection(self, conn_params: Any) -> Connection:
        connection: Connection = super().get_new_connection(conn_params)
        if self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):  # there is a pooler
            connection.kept = None
        return connection

    def make_cursor(self, cursor: Any) -> _Cursor:
        return _Cursor(cursor, self)

    def make_debug_cursor(self, cursor: Any) -> _DebugCursor:
        return _DebugCursor(cursor, self)

    def move_to_cell(self) -> None:
        """Lets the rest of a transaction that has begun work in the cell that is open."""
        if cells.current():
            watch()
        if self.connection is not None:
            with self.wrap_database_errors:
                self.connection.move_to_its_cell()

    def _savepoint_rollback(self, sid: str) -> None:
        """It may lead to another cell than the one that is open now."""
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        self.move_to_cell()

    def _commit(self) -> None:
        if self.connection is None or self.queries_logged:
            super()._commit()  # type: ignore[misc]
            return
        with self.wrap_database_errors:
            statements.commit(self.connection)


def require_open(connection: Connection) -> None:
    """Raises OperationalError if the server has closed the connection.

    A server that goes says so, or the end of its stream does: either can be read. Nothing else can, between two
    statements, so that only then the server is asked.
    """
    if has_news(connection):
        ConnectionPool.check_connection(connection)


def has_news(connection: Connection) -> bool:
    """Whether something can be read from the server, which nobody has asked."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLPRI)
    return bool(poll.poll(0))


def keep_connection() -> None:
    """Lets this thread, which serves request after request, keep its connection for a while, if it is well: to take one
    from the pool takes Django longer than a statement takes. A thread that ends would take it along.
    """
    connections["default"].stays_s = STAYS_S  # type: ignore[attr-defined]
