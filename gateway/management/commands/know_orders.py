"""Lets an account send again after a restore."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import audit
from accounts.base.errors import Refusal
from accounts.cells import all_cells
from gateway.providers.errors import CallFailed
from gateway.restoring import services
from gateway.restoring.errors import NotListedYet, NotRestored


class Command(BaseCommand):
    help = (
        "Lets a provider account send again after a restore. Its orders since then are read from the institution's "
        "list; where there is none, run this once two people have compared the institution's own pages with ours."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", help="its id, as after_restore lists it")
        parser.add_argument("--note", required=True, help="who compared what, for the audit")

    def handle(self, *args: Any, account: str, note: str, **options: Any) -> None:
        try:
            with all_cells():
                lost = services.know_orders(account, audit.note_on_host(note, "know_orders"))
        except NotRestored as refused:
            raise CommandError("There is no such account that waits.") from refused
        except (NotListedYet, CallFailed, Refusal) as refused:
            raise CommandError(str(refused)) from refused
        for one in lost:
            self.stdout.write(f"{one.pk}  {one.amount} {one.currency} (minor units) is lost here")
        self.stdout.write(self.style.SUCCESS(f"{account} sends again."))
