"""Migrations that hold their locks for as long as PostgreSQL needs, and not while Django thinks.

Between two operations Django makes the models of that moment again, which takes longer than most of the operations. So
the statements of a migration are written down first, and then carried out in one transaction.
"""

from typing import Any

from django.db import transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration


class BriefExecutor(MigrationExecutor):
    """Migrations with code in Python, and those without a transaction, are applied as always."""

    def apply_migration(self, state: Any, migration: Migration, fake: bool = False, fake_initial: bool = False) -> Any:
        if fake or fake_initial or not (migration.atomic and all(one.reduces_to_sql for one in migration.operations)):
            return super().apply_migration(state, migration, fake, fake_initial)
        self._tell("apply_start", migration)
        with self.connection.schema_editor(collect_sql=True, atomic=False) as written:
            state = migration.apply(state, written, collect_sql=True)
        with transaction.atomic(using=self.connection.alias), self.connection.cursor() as cursor:
            for statement in written.collected_sql:
                if not _is_remark(statement):
                    cursor.execute(statement)
            self.record_migration(migration)  # type: ignore[call-arg, arg-type]  # the stubs are of an older Django
        self._tell("apply_success", migration)
        return state

    def _tell(self, what: str, migration: Migration) -> None:
        if self.progress_callback:
            self.progress_callback(what, migration, False)


def _is_remark(statement: str) -> bool:
    return statement.startswith("--") and "\n" not in statement
