"""Makes a cell, in which merchants who come later live: on a developer's machine so far (docs/scaling.md)."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gateway.cells.building import build
from gateway.database.owner import as_owner


class Command(BaseCommand):
    help = (
        "Makes a cell: a schema with tables of its own for merchants who come later. On a developer's machine only so "
        "far: files of banks and acquirers are not yet taken in for merchants in several cells."
    )

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("name", help="cell_01, cell_02, …")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        if not settings.LOCAL:
            raise CommandError("Real money cannot be in cells yet (docs/scaling.md). Nothing was changed.")
        with as_owner("default"):
            try:
                build(name)
            except ValueError as error:
                raise CommandError(f"{error} Nothing was changed.") from error
        self.stdout.write(f"{name} is there; new merchants go to the emptiest cell.")
