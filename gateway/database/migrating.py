"""Migrations that hold their locks only while PostgreSQL carries them out, and keep nobody waiting for their turn.

Between two operations Django makes the models of that moment again, which takes longer than most of the operations. So
the statements of a migration are written down first, and sent as one message, which PostgreSQL carries out and commits
as a whole: however slow this process is, no lock waits for it. Citus takes statements one by one, in one transaction.

What is about tables in cells is done in `public` and in each cell, in the same transaction.
"""

import time
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from django.db import OperationalError, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from psycopg import sql
from psycopg.errors import LockNotAvailable

from accounts.base import cells
from accounts.cells import beside_the_first
from gateway.cells.spreading import is_spread
from gateway.database.on_nodes import BEFORE, THEN, OnNodes
from gateway.database.turns import PAUSE_S, TRIES, TURN_MS


class BriefExecutor(MigrationExecutor):
    """Migrations with code in Python are applied as always, in cells first."""

    def __init__(self, connection: Any, *given: Any) -> None:
        super().__init__(connection, *given)
        self.is_spread = is_spread()
        if self.is_spread:
            connection.SchemaEditorClass = OnNodes

    def apply_migration(self, state: Any, migration: Migration, fake: bool = False, fake_initial: bool = False) -> Any:
        if fake or fake_initial:
            return super().apply_migration(state, migration, fake, fake_initial)
        others = beside_the_first()
        if not all(one.reduces_to_sql for one in migration.operations):
            with transaction.atomic(self.connection.alias) if migration.atomic else nullcontext():
                for cell in others:
                    with cells.opened(cell), self.connection.schema_editor(atomic=migration.atomic) as editor:
                        migration.apply(state.clone(), editor)
                return super().apply_migration(state, migration, fake, fake_initial)
        self._tell("apply_start", migration)
        in_cells = {cell: self._statements(migration, state.clone(), cell) for cell in others}
        statements = self._statements(migration, state, cells.FIRST)
        if migration.atomic:
            for cell, own in in_cells.items():
                statements += [cells.sees(cell), cells.is_seen(cell), *own, cells.sees(cells.FIRST)] if own else []
            self._carry_out([*statements, *self._recorded(migration)])
        else:
            for cell, own in {cells.FIRST: statements, **in_cells}.items():
                with cells.opened(cell):
                    for statement in own:
                        self._carry_out([statement])
            self.record_migration(migration)  # type: ignore[call-arg, arg-type]  # the stubs are of an older Django
        self._tell("apply_success", migration)
        return state

    def _statements(self, migration: Migration, state: Any, cell: str) -> list[str]:
        """What the migration does there. `state` is changed to what it is after it."""
        with cells.opened(cell), self.connection.schema_editor(collect_sql=True, atomic=False) as written:
            migration.apply(state, written, collect_sql=True)
        return [one for one in written.collected_sql if not _is_remark(one)]

    def _carry_out(self, statements: list[str]) -> None:
        """In one transaction. An index that is built concurrently keeps nobody waiting, and has its usual time."""
        is_brief = not any("CONCURRENTLY" in one for one in statements)
        if is_brief:
            waits = f"SET LOCAL lock_timeout = {TURN_MS}"
            statements = [*([*BEFORE, waits, THEN] if self.is_spread else [waits]), *statements]
        message = "\n".join(f"{one.rstrip().removesuffix(';')}\n;" for one in statements)
        for left in reversed(range(TRIES)):
            try:
                if self.is_spread and is_brief:
                    self._carry_out_in_order(statements)
                else:
                    with self.connection.cursor() as cursor:
                        cursor.execute(message)
                return
            except OperationalError as error:
                is_busy = isinstance(error.__cause__, LockNotAvailable)
                if not (is_busy and left) or self.connection.in_atomic_block or not is_brief:
                    raise
                time.sleep(PAUSE_S)

    def _carry_out_in_order(self, statements: list[str]) -> None:
        with transaction.atomic(self.connection.alias), self.connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def _recorded(self, migration: Migration) -> Iterable[str]:
        for app, name in migration.replaces or [(migration.app_label, migration.name)]:
            into = "INSERT INTO django_migrations (app, name, applied) VALUES ({}, {}, clock_timestamp())"
            yield sql.SQL(into).format(app, name).as_string()

    def _tell(self, what: str, migration: Migration) -> None:
        if self.progress_callback:
            self.progress_callback(what, migration, False)


def _is_remark(statement: str) -> bool:
    return statement.startswith("--") and "\n" not in statement
