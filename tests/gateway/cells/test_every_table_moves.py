"""No table is forgotten: whatever a cell has of a merchant is moved with him."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from psycopg import sql

from accounts.base import cells
from accounts.base.rows import every
from accounts.models import Merchant
from gateway.cells.leading import MERCHANT, OF_ALL, Lead, leads
from ledger.verify import all_invariants, verify
from tests.support.lives import ACMES, GLOBEXES, Lives, moved

_TABLES = """
    SELECT relname FROM pg_class
     WHERE relnamespace = %s::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
_CHECKS = """
    SELECT DISTINCT conrelid::regclass::text, conname FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype = 'c' AND conparentid = 0 AND NOT relispartition AND connamespace = ANY(%s::regnamespace[])
"""
_COLUMNS = """
    SELECT attname, format_type(atttypid, atttypmod), attname = ANY(%(given)s) OR attnotnull
      FROM pg_attribute WHERE attrelid = %(name)s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""
VALUES = {
    "bigint": "0", "integer": "0", "smallint": "0", "boolean": "false", "bytea": "'\\x00'", "jsonb": "'{}'",
    "timestamp with time zone": "now()", "date": "current_date", "interval": "'0'", "numeric": "1",
    "inet": "'10.0.0.1'", "double precision": "0", "uuid": "gen_random_uuid()", "xid8": "'0'",
}  # fmt: skip


def tables(cell: str) -> set[str]:
    return {name for (name,) in every(_TABLES, [cell])}


def test_every_table_of_a_cell_leads_to_a_merchant_or_is_passed_on_with_the_books(lives: Lives) -> None:
    """A new model that is in cells fails here until a key of it leads to its merchant."""
    led = {lead.model._meta.db_table for lead in leads()}
    passed_on = {model._meta.db_table for model in OF_ALL}
    assert tables(ACMES) == tables(GLOBEXES) == led | passed_on
    assert led.isdisjoint(passed_on)


def test_a_row_of_every_table_is_moved(lives: Lives) -> None:
    """Made up by their types, past all checks and keys: nobody has to think of a new table here."""
    with connection.cursor() as cursor:
        make_rows(cursor, lives.acme.sandbox.pk)
    assert [name for name, here, there in found() if (here, there) != (1, 0)] == []

    moved(lives.acme, GLOBEXES)

    assert [name for name, here, there in found() if (here, there) != (0, 1)] == []


def test_a_row_anywhere_but_where_its_merchant_lives_is_found(lives: Lives) -> None:
    """Each table that says itself whose its rows are: one is left behind, and nothing else is wrong with it."""
    merchant = lives.acme.sandbox.pk
    wanted = {lead.model._meta.db_table for lead in leads() if lead.to is None}
    with bent_rows(merchant):
        assert strays(ACMES) == set()
        Merchant.objects.filter(pk=merchant).update(cell_id=GLOBEXES)
        assert strays(ACMES) == wanted and len(wanted) > 30
        assert strays(GLOBEXES) == set()
        Merchant.objects.filter(pk=merchant).update(cell_id=ACMES)
    with cells.opened(ACMES):
        assert "I48" not in {one.invariant.number for one in verify()}


def strays(cell: str) -> set[str]:
    """Tables of which I48 says that they have a row of somebody who lives elsewhere."""
    (known,) = (one for one in all_invariants() if one.number == "I48")
    with cells.opened(cell):
        return {str(row[2]) for query in known.queries for row in every(query.on())}


@contextmanager
def bent_rows(merchant: int) -> Iterator[None]:
    """A made up row of every table of acme's cell, undone afterwards."""
    with transaction.atomic(), connection.cursor() as cursor:
        make_rows(cursor, merchant)
        yield
        transaction.set_rollback(True)


def make_rows(cursor: Any, merchant: int) -> None:
    for name, check in every(_CHECKS, [[ACMES, GLOBEXES]]):
        cursor.execute(f"ALTER TABLE {name} DROP CONSTRAINT {check}")
    cursor.execute("SET LOCAL session_replication_role = replica")
    for lead in leads():
        _make(cursor, lead, merchant)
    cursor.execute("SET LOCAL session_replication_role = origin")


def found() -> list[tuple[str, int, int]]:
    """How many rows each table has here and there."""
    names = [lead.model._meta.db_table for lead in leads()]
    return [(one, *_count(one)) for one in names]


def _count(name: str) -> Any:
    return every(f"SELECT (SELECT count(*) FROM {ACMES}.{name}), (SELECT count(*) FROM {GLOBEXES}.{name})")[0]


def _make(cursor: Any, lead: Lead, merchant: int) -> None:
    """One row, all of whose keys are of its type's first value: that is how it leads to the merchant."""
    name = f"{ACMES}.{lead.model._meta.db_table}"
    given = {f"{MERCHANT}_id": str(merchant)}
    fields = [column for column in every(_COLUMNS, {"name": name, "given": [*given, lead.column]}) if column[2]]
    values = [given.get(column) or _value(kind) for column, kind, _ in fields]
    columns = sql.SQL(", ").join(sql.Identifier(column) for column, *_ in fields)
    cursor.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.SQL(name), columns, sql.SQL(", ").join(map(sql.SQL, values))
        )
    )


def _value(kind: str) -> str:
    if kind.endswith("[]"):
        return f"'{{}}'::{kind}"
    return VALUES.get(kind.partition("(")[0], "'x'") + f"::{kind}"
