"""What a database holds before any test: put back after each test that commits.

Django truncates every table instead and makes permissions, content types and seeds again, which takes longer than most
tests.
"""

import psycopg
from django.db import connection

from accounts.base import cells
from accounts.base.rows import table
from gateway.cells.placement import models_in_cells
from tests.support.recording import WITHOUT_TRIGGERS, statements_since, tables

CHANGED = "SELECT '{name}' WHERE EXISTS (SELECT FROM {name}{since}) OR (SELECT count(*) FROM {name}) <> {rows}"
SINCE = " WHERE xmin::text::bigint >= %(now)s"
NOW = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"


class Seeds:
    """Taken once, of a database in which no test has run.

    Put back over a connection of its own, because one that turns triggers off forgets its plans: to plan the proof of
    the books again takes longer than many tests.
    """

    def __init__(self) -> None:
        self._own = psycopg.connect(**connection.get_connection_params() | {"autocommit": True})
        if cell := cells.current():
            self._own.execute(f"SET search_path = {cell}, public")
        self._own.execute(f"SET statement_timeout = 0; {WITHOUT_TRIGGERS}")  # at night there are millions of rows
        with connection.cursor() as cursor:
            names = [name for name, *_ in tables(cursor)]
        self._rows = {name: statement for name, statement, _ in statements_since(0)}
        if cell:  # what is of no merchant is in the first one
            names += [f"public.{table(model)}" for model in models_in_cells()]
            self._rows |= {name: statement for name, statement, _ in statements_since(0, "public") if name in names}
        self._changed = " UNION ALL ".join(self._has_changed(name) for name in names)
        self._now = self._later()

    def put_back(self) -> None:
        changed = [name for (name,) in self._own.execute(self._changed, {"now": self._now}, prepare=True)]
        emptied = [f"DELETE FROM {name}" for name in changed]
        self._own.execute(";".join([*emptied, *(self._rows[name] for name in changed if name in self._rows)]))
        self._now = self._later()

    def close(self) -> None:
        self._own.close()

    def _has_changed(self, name: str) -> str:
        """A table with seeds has as many rows as before and none of a later transaction."""
        if name not in self._rows:
            return CHANGED.format(name=name, since="", rows=0)
        (rows,) = self._own.execute(f"SELECT count(*) FROM {name}").fetchone()  # type: ignore[misc]
        return CHANGED.format(name=name, since=SINCE, rows=rows)

    def _later(self) -> int:
        """The number of the next transaction."""
        (now,) = self._own.execute(NOW).fetchone()  # type: ignore[misc]
        return int(now)
