"""Run it once after a backup was restored, before any process of the service is started."""

from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import audit
from accounts.base.clock import utcnow
from accounts.cells import all_cells
from gateway.restoring import outside, services


class Command(BaseCommand):
    help = (
        "Prepares a restored database for what happened outside after the restored moment: what may have been sent is "
        "asked about, accounts send nothing new (see know_orders), and what to compare with the outside is listed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", required=True, type=datetime.fromisoformat, help="the moment, as 2026-11-24T02:00Z")
        parser.add_argument("--skip-numbers", type=int, default=10_000, help="of each series, given out since then")
        parser.add_argument("--note", default="", help="the reason, for the audit")
        parser.add_argument("--list", action="store_true", help="only list: it was prepared before")

    def handle(self, *args: Any, to: datetime, note: str, **options: Any) -> None:
        to = to if to.tzinfo else to.replace(tzinfo=UTC)
        if to > utcnow():
            raise CommandError("This moment is still to come.")
        if not (note or options["list"]):
            raise CommandError("Give the reason with --note, or only --list.")
        if not options["list"]:
            services.begin(to, audit.note_on_host(note, "after_restore"), skip=options["skip_numbers"])
        with all_cells():
            for title, lines in outside.listed(to):
                self.stdout.write(self.style.MIGRATE_HEADING(title))
                for line in lines or ["nothing"]:
                    self.stdout.write(f"  {line}")
