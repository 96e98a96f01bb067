"""Migrates the tables as their owner."""

from typing import Any

from django.core.management.commands import migrate

from gateway.database.owner import as_owner


class Command(migrate.Command):
    help = (
        "Updates the tables, connected as ONPAY_MIGRATIONS_DATABASE_URL says, and grants the service its part of them."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        with as_owner(options["database"]):
            super().handle(*args, **options)
