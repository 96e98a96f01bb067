"""Migrations that hold their locks only while PostgreSQL carries them out, and keep nobody waiting for their turn.

Between two operations Django makes the models of that moment again, which takes longer than most of the operations. So
the statements of a migration are written down first, and sent as one message, which PostgreSQL carries out and commits
as a whole: however slow this process is, no lock waits for it.

Whoever asks for a table after a migration waits behind it, also while the migration itself still waits. So it gives up
soon, and tries again.
"""

import time
from collections.abc import Iterable
from typing import Any

from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from psycopg import sql
from psycopg.errors import LockNotAvailable

TURN_MS = 25
"""How long a migration waits for a lock. What changes several tables waits for each of them."""
PAUSE_S = 0.1
TRIES = 3000
"""At least five minutes: an autovacuum of a large table may take that long."""


class BriefExecutor(MigrationExecutor):
    """Migrations with code in Python are applied as always."""

    def apply_migration(self, state: Any, migration: Migration, fake: bool = False, fake_initial: bool = False) -> Any:
        if fake or fake_initial or not all(one.reduces_to_sql for one in migration.operations):
            return super().apply_migration(state, migration, fake, fake_initial)
        self._tell("apply_start", migration)
        with self.connection.schema_editor(collect_sql=True, atomic=False) as written:
            state = migration.apply(state, written, collect_sql=True)
        statements = [one for one in written.collected_sql if not _is_remark(one)]
        if migration.atomic:
            self._carry_out([*statements, *self._recorded(migration)])
        else:
            for statement in statements:
                self._carry_out([statement])
            self.record_migration(migration)  # type: ignore[call-arg, arg-type]  # the stubs are of an older Django
        self._tell("apply_success", migration)
        return state

    def _carry_out(self, statements: list[str]) -> None:
        """In one transaction. An index that is built concurrently keeps nobody waiting, and has its usual time."""
        if not any("CONCURRENTLY" in one for one in statements):
            statements = [f"SET LOCAL lock_timeout = {TURN_MS}", *statements]
        message = "\n".join(f"{one.rstrip().removesuffix(';')}\n;" for one in statements)
        for left in reversed(range(TRIES)):
            try:
                with self.connection.cursor() as cursor:
                    cursor.execute(message)
                return
            except OperationalError as error:
                is_busy = isinstance(error.__cause__, LockNotAvailable)
                if not (is_busy and left) or self.connection.in_atomic_block or "CONCURRENTLY" in message:
                    raise
                time.sleep(PAUSE_S)

    def _recorded(self, migration: Migration) -> Iterable[str]:
        for app, name in migration.replaces or [(migration.app_label, migration.name)]:
            into = "INSERT INTO django_migrations (app, name, applied) VALUES ({}, {}, clock_timestamp())"
            yield sql.SQL(into).format(app, name).as_string()

    def _tell(self, what: str, migration: Migration) -> None:
        if self.progress_callback:
            self.progress_callback(what, migration, False)


def _is_remark(statement: str) -> bool:
    return statement.startswith("--") and "\n" not in statement
