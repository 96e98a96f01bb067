"""Container health check: whether worker, beat or dispatcher of this machine is alive."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.heartbeats import is_alive_here

PARTS = ("worker", "beat", "dispatcher")


class Command(BaseCommand):
    help = "Exits with 0 if the process has sent a heartbeat on this machine within a minute, else with 1."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("part", choices=PARTS)
        parser.add_argument("--within", type=int, default=60, metavar="SECONDS")

    def handle(self, *args: Any, part: str, within: int, **options: Any) -> None:
        if not is_alive_here(part, timedelta(seconds=within)):
            raise CommandError(f"{part} has sent no heartbeat for {within} s.")
        self.stdout.write(f"{part} is alive.")
