"""Makes a cell, in which merchants who come later live (docs/scaling.md)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Cell
from gateway.cells.building import NotSpread, build
from gateway.database.owner import as_owner


class Command(BaseCommand):
    help = (
        "Makes a cell: a schema with tables of its own for merchants who come later. Once somebody lives there, there "
        "is no way back to a version that knows no cells."
    )

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("name", help="cell_01, cell_02, …")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        """Nobody lives there before the service may use its tables, nor before the nodes of Citus have them.
        Interrupted, it is run once more.
        """
        with as_owner("default") as let_in:
            try:
                build(name, let_in, is_open=False)
            except ValueError as error:
                raise CommandError(f"{error} Nothing was changed.") from error
            except NotSpread as error:
                raise CommandError(f"{error}\nRun it again once that is mended.") from error
        Cell.objects.filter(name=name).update(is_open=True)
        self.stdout.write(f"{name} is there; new merchants go to the emptiest cell.")
