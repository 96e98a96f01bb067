"""What a database holds before any test: put back after each test that commits.

Django truncates every table instead and makes permissions, content types and seeds again, which takes longer than most
tests.
"""

from django.db import connection

from tests.support.recording import WITH_TRIGGERS, WITHOUT_TRIGGERS, rows_since, tables


class Seeds:
    """Taken once, of a database in which no test has run."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            names = [name for name, *_ in tables(cursor)]
        self._rows = rows_since(0)
        self._written = " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names)

    def put_back(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(self._written)
            emptied = [f"DELETE FROM {name}" for (name,) in cursor.fetchall()]
            cursor.execute(";".join([WITHOUT_TRIGGERS, *emptied, WITH_TRIGGERS, self._rows]))
