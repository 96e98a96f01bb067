"""Migrations of tables in ranges. Each is of a migration with `atomic = False`."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.migrations import AddIndex
from django.db.migrations.operations.base import Operation
from django.db.models import Index

from accounts.base.clock import utcnow
from accounts.base.ids import earliest, made_at
from accounts.base.ranges.briefly import briefly

_FOREIGN_KEYS = """
    SELECT conname, conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND %s::regclass IN (conrelid, confrelid) ORDER BY conname
"""
_IS_IN_RANGES = "SELECT relkind = 'p' FROM pg_class WHERE oid = %s::regclass"
_INDEXES = """
    SELECT relname, pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE indrelid = %s::regclass ORDER BY relname
"""
_PARTS = """
    SELECT relname, relnamespace::regnamespace::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = %s::regclass
"""


class MakeRanges(Operation):
    """Makes a table the first of the ranges of a new one, under its name. No row is moved.

    Its foreign keys go, those that point to it as well: with them each range would be locked together with the tables
    that they name, and dropped only after a search for what points to it. `unique` are the columns that tell its rows
    apart, which begin with the column of the ranges; `without` are indexes that the new table does not need; `counted`
    is a column that PostgreSQL counts up.
    """

    reversible = False

    def __init__(
        self,
        table: str,
        prefix: str,
        column: str = "id",
        *,
        unique: str = "",
        without: tuple[str, ...] = (),
        counted: str = "",
    ) -> None:
        self.table, self.prefix, self.column = table, prefix, column
        self.unique, self.without, self.counted = unique, without, counted

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Models know nothing of ranges."""

    def describe(self) -> str:
        return f"Puts {self.table} into ranges"

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        on = schema_editor.connection
        with on.cursor() as cursor:
            cursor.execute(_IS_IN_RANGES, [self.table])
            if cursor.fetchone() == (True,):
                return  # it was broken off after its last statement
            cursor.execute(_FOREIGN_KEYS, [self.table])
            for name, table, other in cursor.fetchall():
                briefly(on, sorted({table, other}), [f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'])
            cut = self._cut(cursor)
            bound = f"'{earliest(self.prefix, cut)}'"
            within = f"{self.table}_is_within"
            promise = f"ALTER TABLE {self.table} ADD CONSTRAINT {within} CHECK ({self.column} < {bound}) NOT VALID"
            briefly(on, [self.table], [f"ALTER TABLE {self.table} DROP CONSTRAINT IF EXISTS {within}", promise])
            cursor.execute("SET statement_timeout = 0")
            cursor.execute(f"ALTER TABLE {self.table} VALIDATE CONSTRAINT {within}")
            cursor.execute("RESET statement_timeout")
            briefly(on, [self.table], self._statements(cursor, cut, bound, within))

    def _cut(self, cursor: Any) -> datetime:
        """A midnight that is later than every id, also of those that are written meanwhile."""
        cursor.execute(f"SELECT max({self.column}) FROM {self.table}")
        (newest,) = cursor.fetchone()
        after = max(utcnow(), made_at(newest)) if newest else utcnow()
        return datetime.combine(after.date() + timedelta(days=2), datetime.min.time(), UTC)

    def _statements(self, cursor: Any, cut: datetime, bound: str, within: str) -> list[str]:
        table, first = self.table, f"{self.table}_until_{cut:%Y%m%d}"
        key = self.unique or f"{table}_pkey PRIMARY KEY ({self.column})"
        cursor.execute(_INDEXES, [table])
        known = cursor.fetchall()
        return [
            f"ALTER TABLE {table} RENAME TO {first}",
            *(f'ALTER INDEX "{name}" RENAME TO "{name[:56]}_before"' for name, _ in known),
            *([f"ALTER TABLE {first} ALTER COLUMN {self.counted} DROP IDENTITY"] if self.counted else []),
            f"CREATE TABLE {table} (LIKE {first} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)"
            f" PARTITION BY RANGE ({self.column})",
            f"ALTER TABLE {table} DROP CONSTRAINT {within}",
            f"ALTER TABLE {table} ADD CONSTRAINT {key}",
            *(_again(definition, table) for name, definition in known if self._is_needed(name, key)),
            f"ALTER TABLE {table} ATTACH PARTITION {first} FOR VALUES FROM (MINVALUE) TO ({bound})",
            f"ALTER TABLE {first} DROP CONSTRAINT {within}",
            f"CREATE TABLE {table}_from_{cut:%Y%m%d} PARTITION OF {table} FOR VALUES FROM ({bound}) TO (MAXVALUE)",
            *(self._counter() if self.counted else []),
        ]

    def _is_needed(self, index: str, key: str) -> bool:
        """Not for LIKE, which an index of a column with the collation C serves as it is."""
        known = (f"{self.table}_pkey", key.partition(" ")[0], *self.without)
        return index not in known and not index.endswith("_like")

    def _counter(self) -> list[str]:
        """A sequence, since PostgreSQL 15 and 16 know no identity in ranges."""
        counter, column = f"{self.table}_{self.counted}_seq", f"{self.table}.{self.counted}"
        return [
            f"CREATE SEQUENCE {counter} OWNED BY {column}",
            f"SELECT setval('{counter}', (SELECT coalesce(max({self.counted}), 0) + 1 FROM {self.table}))",
            f"ALTER TABLE {self.table} ALTER COLUMN {self.counted} SET DEFAULT nextval('{counter}')",
        ]


class AddIndexToRanges(AddIndex):
    """Adds an index to a table in ranges: range by range, beside its writers, and then to the table."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        on, table, index = schema_editor.connection, model._meta.db_table, self.index
        with on.cursor() as cursor:
            statement = str(index.create_sql(model, schema_editor))
            cursor.execute(_PARTS, [table])
            parts = cursor.fetchall()
            names = {part: f"{index.name}{part.removeprefix(table)}" for part, _ in parts}
            for part, schema in parts:
                name = names[part]
                cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {schema}.{name}")
                cursor.execute(_at(statement, index, table, f"CONCURRENTLY {name} ON {part}"))
        attach = [f"ALTER INDEX {index.name} ATTACH PARTITION {name}" for name in names.values()]
        briefly(on, [table], [_at(statement, index, table, f"{index.name} ON ONLY {table}"), *attach])


def _again(definition: str, table: str) -> str:
    return re.sub(r" ON (?:ONLY )?\S+ USING ", f" ON {table} USING ", definition, count=1)


def _at(statement: str, index: Index, table: str, place: str) -> str:
    return statement.replace(f'INDEX "{index.name}" ON "{table}"', f"INDEX {place}", 1)
