"""What a local service needs in its database before it starts; one command, for starting Django takes a second."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Brings the tables up to date and makes sure of the demo company."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        call_command("demo")
