"""Moves the merchants of a company to another cell, or back to `public`, while they sell (docs/scaling.md)."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.base import cells
from accounts.base.ranges.briefly import Busy
from accounts.cells import SETTLES_S
from accounts.models import Company
from gateway.cells.moving import LONGEST_PAUSE_S, CannotMove, Move, move
from gateway.database.owner import as_owner

PUBLIC = "public"
TELLS_EVERY_S = 2.0


class Command(BaseCommand):
    help = (
        "Moves both merchants of a company to another cell, or back to public, while they sell. Whatever fails leaves "
        "them where they are."
    )

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("company", help="cmp_…")
        parser.add_argument("cell", help="cell_01, cell_02, …, or public")
        parser.add_argument(
            "--longest-pause",
            type=float,
            default=LONGEST_PAUSE_S,
            metavar="SECONDS",
            help="for how long nobody may write rows of the company; what takes longer is given up (2)",
        )
        parser.add_argument(
            "--settles",
            type=float,
            default=SETTLES_S,
            metavar="SECONDS",
            help="how long requests may take that began before the move (5)",
        )

    def handle(self, *args: Any, company: str, cell: str, longest_pause: float, settles: float, **options: Any) -> None:
        if settings.DATABASE_POOLER and not settings.DATABASE_OWNER:
            raise CommandError("A pooler does not carry this: set ONPAY_MIGRATIONS_DATABASE_URL past it.")
        target = cells.FIRST if cell == PUBLIC else cell
        self._next = time.monotonic() + TELLS_EVERY_S
        with as_owner("default"):
            found = Company.objects.filter(pk=company).first()
            if found is None:
                raise CommandError(f"There is no company {company}. Nothing was changed.")
            try:
                made = move(found, target, self._tell, longest_pause_s=longest_pause, settles_s=settles)
            except CannotMove as reason:
                raise CommandError(f"{reason} Nothing was changed.") from reason
            except Busy as reason:
                raise CommandError(f"{reason} was in use each time. Nothing was changed.") from reason
        self._report(made)

    def _tell(self, what: str) -> None:
        """What is being done, for what takes longer than two seconds."""
        if time.monotonic() >= self._next:
            self.stdout.write(f"  {what} …")
            self._next = time.monotonic() + TELLS_EVERY_S

    def _report(self, made: Move) -> None:
        widest = max(map(len, made.rows), default=0)
        for name, rows in made.rows.items():
            self.stdout.write(f"{name:<{widest}}  {rows:>12,}")
        self.stdout.write(
            f"{made.company.pk} moved from {made.source or PUBLIC} to {made.target or PUBLIC}: "
            f"{sum(made.rows.values()):,} rows, {made.pause_s:.2f} s in which nobody could write them, "
            f"{made.took_s:.1f} s altogether. The books are right."
        )
