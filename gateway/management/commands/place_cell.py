"""Moves a cell to another node of Citus while its merchants sell (docs/scaling.md)."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from gateway.cells.spreading import Node, place
from gateway.database.owner import as_admin


class Command(BaseCommand):
    help = "Moves a cell to another node. Its merchants go on selling; their writes wait for the last moment of it."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("cell", help="cell_01, cell_02, …")
        parser.add_argument("node", help="HOST:PORT, as citus_add_node was told")

    def handle(self, *args: Any, cell: str, node: str, **options: Any) -> None:
        host, _, port = node.rpartition(":")
        if not host or not port.isdecimal():
            raise CommandError(f"{node} is no HOST:PORT. Nothing was changed.")
        with as_admin("default"):
            try:
                was = place(cell, Node(host, int(port)))
            except ValueError as error:
                raise CommandError(f"{error} Nothing was changed.") from error
        self.stdout.write(f"{cell} was on {was}, and is on {node}.")
