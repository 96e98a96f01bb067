"""Every value that is stored, in `public` and in cells, for tests of what must be nowhere."""

from collections.abc import Iterator

from django.db import connection

_COLUMNS = """
    SELECT c.table_schema, c.table_name, c.column_name FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE (c.table_schema = 'public' OR c.table_schema ~ '^cell_[0-9]+$') AND t.table_type = 'BASE TABLE'
     ORDER BY c.table_schema, c.table_name, c.ordinal_position
"""


def everything_stored() -> Iterator[tuple[str, str]]:
    """`(table.column, value)` of every row of every table, bytes as they are."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        for schema, table, column in cursor.fetchall():
            cursor.execute(f'SELECT "{column}" FROM {schema}."{table}" WHERE "{column}" IS NOT NULL')
            for (value,) in cursor.fetchall():
                yield f"{table}.{column}", _text(value)


def _text(value: object) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
