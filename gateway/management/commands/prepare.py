"""Prepares the database of a local service in one command, since starting Django takes a second."""

from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Creates the roles, migrates the tables, drops old data and creates the demo company if it is missing."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DATABASE_ADMIN:
            call_command("prepare_database", stdout=StringIO())
        call_command("migrate", interactive=False, verbosity=0)
        call_command("keep_ranges", stdout=StringIO())
        call_command("demo")
