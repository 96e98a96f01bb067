"""Migrates the tables as their owner."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from gateway.cells.building import keep_alike, look_away
from gateway.database.migrating import BriefExecutor
from gateway.database.owner import as_owner

migrate.MigrationExecutor = BriefExecutor  # type: ignore[attr-defined]  # Django has no setting for it
BEFORE_0_2_0 = ("ledger", "0002_books_keep_themselves")


class Command(migrate.Command):
    help = (
        "Updates the tables, connected as ONPAY_MIGRATIONS_DATABASE_URL says, and grants the service its part of them."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DATABASE_POOLER and not settings.DATABASE_OWNER:
            raise CommandError("A pooler does not carry migrations: set ONPAY_MIGRATIONS_DATABASE_URL past it.")
        with as_owner(options["database"]):
            self._require_known(options["database"])
            if options["check_unapplied"] or options["plan"]:
                super().handle(*args, **options)
                return
            look_away()
            try:
                super().handle(*args, **options)
            finally:
                keep_alike()

    def _require_known(self, database: str) -> None:
        """Refuses a database created before the migrations were rewritten for 0.2.0."""
        if BEFORE_0_2_0 in MigrationRecorder(connections[database]).applied_migrations():
            raise CommandError(
                "This database is older than 0.2.0, the first version that can be upgraded. Create a new one: on a "
                "developer's machine remove the state folder (ONPAY_HOME, .local). Nothing was changed."
            )
