"""Creates the database roles. Run it before the first `migrate`, and whenever a password changes."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from psycopg import Error

from gateway.database.roles import SameRole, prepare


class Command(BaseCommand):
    help = (
        "Makes the roles that own and that use the tables, with their rights and time-outs. Doing it again is harmless."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        admin, owner = settings.DATABASE_ADMIN, settings.DATABASE_OWNER
        if not admin or not owner:
            raise CommandError("Set ONPAY_ADMIN_DATABASE_URL and ONPAY_MIGRATIONS_DATABASE_URL.")
        try:
            prepare(admin, owner, settings.DATABASES["default"], settings.DATABASE_LIMITS)
        except SameRole:
            raise CommandError("The three URLs must name three different roles.") from None
        except Error as error:
            raise CommandError(f"PostgreSQL refused: {error}") from error
        self.stdout.write(f"{settings.DATABASES['default']['USER']} serves, {owner['USER']} owns the tables.")
