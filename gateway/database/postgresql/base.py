"""The backend. Django finds it by the name of this module."""

import select
from collections.abc import Callable
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from psycopg import Connection
from psycopg_pool import ConnectionPool

from accounts.base import cells, statements


class InItsCell(Connection[Any]):
    """A connection whose transactions begin in the cell that is open."""

    def _start_query(self) -> Any:
        if cells.current():
            statements.begin_in_its_cell(self)
        return (yield from super()._start_query())


class _Driver:
    """psycopg, but for what it connects with."""

    connect = staticmethod(InItsCell.connect)

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)


class _Cursor(CursorWrapper):
    """Statements outside a transaction work in the cell that is open, too."""

    def _execute(self, sql: Any, params: Any, *ignored: Any) -> Any:
        if not (cell := cells.current()):
            return super()._execute(sql, params, *ignored)  # type: ignore[misc]
        if isinstance(sql, str):
            sql = cells.told_apart(sql, cell)
        with self.db.wrap_database_errors, statements.in_its_cell(self.db.connection):
            return super()._execute(sql, params, *ignored)  # type: ignore[misc]

    def _executemany(self, sql: Any, param_list: Any, *ignored: Any) -> Any:
        with self.db.wrap_database_errors, statements.in_its_cell(self.db.connection):
            return super()._executemany(sql, param_list, *ignored)  # type: ignore[misc]


class _DebugCursor(CursorDebugWrapper, _Cursor):
    """The same, when queries are logged."""


class DatabaseWrapper(base.DatabaseWrapper):
    Database = _Driver()  # type: ignore[assignment]
    _connection_pools: dict[str, ConnectionPool[Any]]
    _configure_connection: Callable[[Connection[Any]], bool]

    @property
    def pool(self) -> ConnectionPool[Any] | None:
        """Like Django's own, but for its check, which is a round trip for each request, and for its connections."""
        options = self.settings_dict["OPTIONS"].get("pool")
        if options and self.alias not in self._connection_pools:
            pool: ConnectionPool[Any] = ConnectionPool(
                connection_class=InItsCell,
                kwargs={**self.get_connection_params(), "autocommit": True},
                open=False,
                configure=self._configure_connection,  # type: ignore[arg-type]
                check=require_open if self.settings_dict["CONN_HEALTH_CHECKS"] else None,
                **options,
            )
            self._connection_pools.setdefault(self.alias, pool)
        return super().pool  # type: ignore[no-any-return]

    def make_cursor(self, cursor: Any) -> _Cursor:
        return _Cursor(cursor, self)

    def make_debug_cursor(self, cursor: Any) -> _DebugCursor:
        return _DebugCursor(cursor, self)

    def move_to_cell(self) -> None:
        """Lets the rest of a transaction that has begun work in the cell that is open."""
        if self.connection is not None:
            with self.wrap_database_errors:
                statements.move_to_its_cell(self.connection)

    def _commit(self) -> None:
        if self.connection is None or self.queries_logged:
            super()._commit()  # type: ignore[misc]
            return
        with self.wrap_database_errors:
            statements.commit(self.connection)


def require_open(connection: Connection[Any]) -> None:
    """Raises OperationalError if the server has closed the connection.

    A server that goes says so, or the end of its stream does: either can be read. Nothing else can, between two
    statements, so that only then the server is asked.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN | select.POLLPRI)
    if poll.poll(0):
        ConnectionPool.check_connection(connection)
