"""Worlds that the services build once in each process: later tests find them again, written in one statement."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from itertools import count
from typing import Any, Generic, TypeVar

from django.db import connection, transaction

T = TypeVar("T")
_numbers = count()
# PostgreSQL forgets every plan of the connection with it: for tables whose triggers would do their work twice, only.
WITHOUT_TRIGGERS, WITH_TRIGGERS = "SET session_replication_role = replica", "SET session_replication_role = DEFAULT"
NEW_ROWS = "SELECT json_agg(made)::text FROM {table} made WHERE made.xmin::text::bigint > %s"
AGAIN = """
    INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE
    SELECT {columns} FROM json_populate_recordset(NULL::{table}, {rows})
    ON CONFLICT ({key}) DO UPDATE SET ({columns}) = ROW({excluded})
"""
TABLES = """
    SELECT quote_ident(kind.relname),
           (SELECT array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_attribute
             WHERE attrelid = kind.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''),
           (SELECT array_agg(quote_ident(attname)) FROM pg_attribute
              JOIN (SELECT indrelid, indkey FROM pg_index WHERE indrelid = kind.oid AND indisunique
                     ORDER BY NOT indisprimary LIMIT 1) key ON attrelid = indrelid AND attnum = ANY (indkey)),
           EXISTS (SELECT FROM pg_trigger
                    WHERE tgrelid = kind.oid AND NOT tgisinternal AND (tgtype & 4 > 0 OR tgtype & 17 = 16))
      FROM pg_class kind
     WHERE kind.relnamespace = 'public'::regnamespace AND kind.relkind IN ('r', 'p') AND NOT kind.relispartition
       AND kind.relname <> 'django_migrations'
"""


class Recording(Generic[T]):
    """What `build` made, and the rows that it wrote.

    `build` is given copies of what the recordings that it stands on made. It is called outside of any transaction,
    where nothing but the seeds is in the database, and nothing stays there until `again` writes the rows as they were:
    triggers and constraints saw them the first time.
    """

    def __init__(self, build: Callable[..., T], *on: "Recording[Any]") -> None:
        assert not connection.in_atomic_block
        with _as_in_a_test():
            stands_on = [recording.again() for recording in on]
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_current_xact_id()::text")
                began = int(cursor.fetchone()[0])
            with _as_in_a_test():  # rows written from here on have another number
                self._made = build(*stands_on)
                statement = rows_since(began)
            transaction.set_rollback(True)
        # In a function the database plans it once. A column may be named as a variable that every function has.
        self._again = f"proof.recording_{next(_numbers)}"
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE FUNCTION {self._again}() RETURNS void LANGUAGE plpgsql"
                f" AS $again$ #variable_conflict use_column\nBEGIN {statement}; END $again$"
            )

    def again(self) -> T:
        """Writes the rows in the database of this test, and gives it objects of its own."""
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {self._again}()")
        return deepcopy(self._made)


@contextmanager
def _as_in_a_test() -> Iterator[None]:
    """A transaction in which services may do what they do alone."""
    block = transaction.atomic()
    block._from_testcase = True
    with block:
        yield


def rows_since(began: int) -> str:
    """Writes again every row of a later transaction than that number, and changes those that are there."""
    parts, has_triggers = [], False
    for _, statement, fires in statements_since(began):
        parts.append(statement)
        has_triggers |= fires
    return ";".join([WITHOUT_TRIGGERS, *parts, WITH_TRIGGERS] if has_triggers else parts)


def statements_since(began: int, schema: str = "") -> Iterator[tuple[str, str, bool]]:
    """The same of each table that has such rows: its name, the statement, and whether triggers see it. `schema`: of the
    tables that are there, not of those in the cell that is open.
    """
    with connection.cursor() as cursor:
        for table, columns, key, fires in tables(cursor):
            table = f"{schema}.{table}" if schema else table
            cursor.execute(NEW_ROWS.format(table=table), [began])
            if rows := cursor.fetchone()[0]:
                statement = AGAIN.format(
                    table=table,
                    columns=", ".join(columns),
                    excluded=", ".join(f"excluded.{name}" for name in columns),
                    key=", ".join(key),
                    rows="'" + rows.replace("'", "''") + "'",
                )
                yield table, statement, fires


def tables(cursor: Any) -> list[tuple[str, list[str], list[str], bool]]:
    """Every table of ours, its columns but those that the database works out, its key, and whether triggers see rows
    that are inserted or statements that update.
    """
    cursor.execute(TABLES)
    found: list[tuple[str, list[str], list[str], bool]] = cursor.fetchall()
    return found
