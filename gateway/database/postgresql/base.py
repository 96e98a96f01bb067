"""The backend. Django finds it by the name of this module."""

import select
from collections.abc import Callable
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection
from psycopg_pool import ConnectionPool

from accounts.base import statements


class DatabaseWrapper(base.DatabaseWrapper):
    _connection_pools: dict[str, ConnectionPool[Any]]
    _configure_connection: Callable[[Connection[Any]], bool]

    @property
    def pool(self) -> ConnectionPool[Any] | None:
        """Django's own pool, but for its check, which is a round trip for each request."""
        options = self.settings_dict["OPTIONS"].get("pool")
        if options and self.alias not in self._connection_pools and self.settings_dict["CONN_HEALTH_CHECKS"]:
            pool: ConnectionPool[Any] = ConnectionPool(
                kwargs={**self.get_connection_params(), "autocommit": True},
                open=False,
                configure=self._configure_connection,  # type: ignore[arg-type]
                check=require_open,
                **options,
            )
            self._connection_pools.setdefault(self.alias, pool)
        return super().pool  # type: ignore[no-any-return]

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
