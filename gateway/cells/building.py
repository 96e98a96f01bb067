"""Makes a cell: a schema with tables like those of `public`, as the migrations left them.

What is read of `public` is its catalogue, not the migrations: a cell is then what `public` is, whenever it is made. Ids
come from the sequences of `public`, so that no two cells ever give the same one and a merchant can be moved with his.
"""

from collections.abc import Callable, Iterator
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from accounts.base import cells
from accounts.base.database_code import looking_in
from accounts.base.rows import columns, every, table
from accounts.cells import beside_the_first, forget
from accounts.models import Cell
from gateway.cells.placement import models_in_cells
from gateway.cells.spreading import is_spread, spread
from gateway.database.turns import in_turn

_PARENTS = """
    SELECT relname, relkind = 'p', pg_get_partkeydef(oid) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relname = ANY(%s) ORDER BY relname
"""
_RANGES = """
    SELECT parent.relname, child.relname, pg_get_expr(child.relpartbound, child.oid)
      FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent JOIN pg_class child ON child.oid = inhrelid
     WHERE parent.relname = ANY(%s) AND parent.relnamespace = 'public'::regnamespace ORDER BY 2
"""
_OPTIONS = """
    SELECT relname, array_to_string(reloptions, ', ') FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL AND relname = ANY(%s) ORDER BY relname
"""
_NUMBERED = """
    SELECT relname, attname, pg_get_serial_sequence(format('public.%%I', relname), attname)
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attidentity <> '' AND relnamespace = 'public'::regnamespace AND relname = ANY(%s)
"""
_OWN_NUMBERS = """
    SELECT format('ALTER TABLE %%1$I.%%2$I ALTER %%3$I DROP IDENTITY, ALTER %%3$I SET DEFAULT nextval(%%4$L)', nspname,
                  relname, attname, pg_get_serial_sequence(format('public.%%I', relname), attname))
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE attidentity <> '' AND nspname = %s
"""
# They keep their names, by which later migrations know them. Those that others refer to come first.
_KEYS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(pg_constraint.oid)
      FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype IN ('p', 'u', 'x', 'f') AND conparentid = 0 AND NOT relispartition
       AND relnamespace = 'public'::regnamespace AND relname = ANY(%(tables)s)
       AND NOT EXISTS (SELECT FROM pg_class t WHERE t.oid = confrelid AND t.relname <> ALL(%(tables)s))
     ORDER BY contype = 'f', 1, 2
"""
_KEYS_TO_PUBLIC = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(pg_constraint.oid), confrelid::regclass::text
      FROM pg_constraint JOIN pg_class t ON t.oid = conrelid JOIN pg_class target ON target.oid = confrelid
     WHERE contype = 'f' AND conparentid = 0 AND NOT t.relispartition
       AND t.relnamespace = 'public'::regnamespace AND t.relname = ANY(%(tables)s) AND target.relname <> ALL(%(tables)s)
     ORDER BY 1, 2
"""
_INDEXES = """
    SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE relnamespace = 'public'::regnamespace AND relname = ANY(%s)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
     ORDER BY 1
"""
_VIEWS = """
    SELECT format('DROP VIEW %%I.%%I', nspname, relname) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = %s AND relkind = 'v' ORDER BY relname
"""
_AWAY = "SELECT 'migrations are running' AS views_are_away WHERE 1 / 0 = 1"
_FUNCTIONS = """
    SELECT pg_get_functiondef(oid) FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
       AND (starts_with(proname, 'ledger_') OR starts_with(proname, 'gateway_') OR starts_with(proname, 'webhooks_'))
"""
_TRIGGERS = """
    SELECT pg_get_triggerdef(pg_trigger.oid, true), tgenabled = 'D', tgname, relname
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE NOT tgisinternal AND tgparentid = 0 AND relnamespace = 'public'::regnamespace AND relname = ANY(%s)
       AND tgfoid <> 'accounts_is_let_through'::regproc  -- gates are about who leaves, and none leaves a new cell
     ORDER BY relname, tgname
"""


class NotSpread(Exception):
    """A cell was made, and is on no node yet. What makes it can be run again."""


def build(name: str, let_in: Callable[[], object] = lambda: None, *, is_open: bool = True) -> Cell:
    """Makes the cell and, if it is open, lets new merchants live in it. Run as the owner of the tables, with what
    grants the service its part of them. Atomic, but where the database has Citus: there it is distributed afterwards.
    A cell that is closed and in which nobody lives was interrupted: it goes on. It is never taken back, for processes
    know of it already, and would find the tables of `public` instead.

    Who writes to the tables of `public` waits for milliseconds, at the end, when keys are made that lead to them.

    Raises ValueError if the name is none of a cell or is taken, OperationalError if one of these tables was in use all
    the time, and NotSpread.
    """
    if not cells.NAME.fullmatch(name):
        raise ValueError(f"{name} is no name of a cell: cell_01, cell_02, …")
    with cells.opened(cells.FIRST):
        is_whole, began = not is_spread(), Cell.objects.filter(name=name, is_open=False, merchants=None).first()
        keys = every(_KEYS_TO_PUBLIC, {"tables": _tables()}) if is_whole else []
        cell = began or _build(name, keys, let_in, is_open=is_open and is_whole)
        if not is_whole:
            _spread(name)
        cell.is_open = is_open
        cell.save(update_fields=["is_open"])
    return cell


def _spread(name: str) -> None:
    try:
        spread(name, [sequence for *_, sequence in every(_NUMBERED, [_tables()])])
    except (DatabaseError, RuntimeError) as error:
        raise NotSpread(f"{name} is on no node yet, and nobody lives there: {str(error).strip()}") from error


@transaction.atomic
def _build(name: str, keys: list[tuple[Any, ...]], let_in: Callable[[], object], *, is_open: bool) -> Cell:
    """`keys`: those that lead to `public`."""
    cell, is_new = Cell.objects.get_or_create(name=name, defaults={"is_open": is_open})
    if not is_new:
        raise ValueError(f"{name} is there already.")
    statements = [*_statements(name)]  # names of `public` are written without it as long as nothing hides them
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {name}")
        with cells.opened(name):
            for statement in statements:
                cursor.execute(statement)
        _join(name, keys, let_in)
    forget()
    return cell


def _join(cell: str, keys: list[tuple[Any, ...]], let_in: Callable[[], object]) -> None:
    """What others may have to wait for: the views over all cells, and keys that lead to `public`."""
    named = ", ".join(sorted({target for *_, target in keys}))
    made = "; ".join(f"ALTER TABLE {cell}.{name} ADD CONSTRAINT {key} {means}" for name, key, means, _ in keys)

    def join(cursor: Any) -> None:
        _look_over_all(cursor)
        let_in()
        if keys:
            cursor.execute(f"LOCK TABLE {named} IN SHARE ROW EXCLUSIVE MODE")
            with cells.opened(cell):
                cursor.execute(made)

    in_turn(join)


def keep_alike() -> None:
    """After migrations: ids of new tables come from `public`, and the views over all cells are as the tables are."""
    names = beside_the_first()
    if not names:
        return
    with transaction.atomic(), connection.cursor() as cursor:
        for cell in names:
            for statement in every(_OWN_NUMBERS, [cell]):
                cursor.execute(*statement)
        _look_over_all(cursor)


def look_away() -> None:
    """Before migrations: takes the views over all cells away, which would keep columns as they are.

    What stands in their place fails whoever reads it: without it statements would find the tables of `public`.
    """
    executor = MigrationExecutor(connection)
    if beside_the_first() and executor.migration_plan(executor.loader.graph.leaf_nodes()):
        with transaction.atomic(), connection.cursor() as cursor:
            _drop_views(cursor)
            for model in models_in_cells():
                cursor.execute(f"CREATE VIEW {cells.ALL}.{table(model)} AS {_AWAY}")


def _look_over_all(cursor: Any) -> None:
    """Makes the views over all cells."""
    names = ["public", *beside_the_first()]
    _drop_views(cursor)
    for model in models_in_cells():
        every = " UNION ALL ".join(f"SELECT {columns(model)} FROM {name}.{table(model)}" for name in names)
        cursor.execute(f"CREATE VIEW {cells.ALL}.{table(model)} AS {every}")


def _drop_views(cursor: Any) -> None:
    """The schema stays, with its grants: PostgreSQL passes over one that a role may not use, and over one that is not
    there.
    """
    cursor.execute(f"CREATE SCHEMA IF NOT EXISTS {cells.ALL}")
    for (statement,) in every(_VIEWS, [cells.ALL]):
        cursor.execute(statement)


def _tables() -> list[str]:
    return sorted(table(model) for model in models_in_cells())


def _statements(cell: str) -> Iterator[sql.Composed | str]:
    tables = _tables()
    for name, is_in_ranges, key in every(_PARENTS, [tables]):
        like = sql.SQL("CREATE TABLE {}.{} (LIKE public.{} INCLUDING ALL EXCLUDING IDENTITY EXCLUDING INDEXES)").format(
            sql.Identifier(cell), sql.Identifier(name), sql.Identifier(name)
        )
        yield like + sql.SQL(f" PARTITION BY {key}") if is_in_ranges else like
    for name, options in every(_OPTIONS, [tables]):
        yield f"ALTER TABLE {cell}.{name} SET ({options})"
    for parent, name, bounds in every(_RANGES, [tables]):
        yield sql.SQL("CREATE TABLE {0}.{1} PARTITION OF {0}.{2} ").format(
            sql.Identifier(cell), sql.Identifier(name), sql.Identifier(parent)
        ) + sql.SQL(bounds)
    for name, column, sequence in every(_NUMBERED, [tables]):
        yield sql.SQL("ALTER TABLE {}.{} ALTER {} SET DEFAULT nextval({})").format(
            sql.Identifier(cell), sql.Identifier(name), sql.Identifier(column), sequence
        )
    yield from _code(cell, tables)


def _code(cell: str, tables: list[str]) -> Iterator[sql.Composed | str]:
    for name, key, definition in every(_KEYS, {"tables": tables}):
        yield f"ALTER TABLE {cell}.{name} ADD CONSTRAINT {key} {definition}"
    for (definition,) in every(_INDEXES, [tables]):
        yield definition.replace(" ON ONLY public.", f" ON {cell}.", 1).replace(" ON public.", f" ON {cell}.", 1)
    for (definition,) in every(_FUNCTIONS):
        yield looking_in(cell, definition.replace(" public.", f" {cell}.", 1))
    for definition, is_off, name, on in every(_TRIGGERS, [tables]):
        yield definition
        if is_off:
            yield f"ALTER TABLE {cell}.{on} DISABLE TRIGGER {name}"
