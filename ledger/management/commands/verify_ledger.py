"""Proves the books, or reports what is wrong."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.cells import each_cell
from ledger.closings import replaced
from ledger.closings.models import Seal
from ledger.closings.seals import last_seal
from ledger.proofs.services import CONNECTIONS
from ledger.verify import Part, all_invariants, verify


class Command(BaseCommand):
    help = (
        "Checks every invariant of all books from their beginning, cell after cell; fails with counterexamples if one "
        "is violated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--seal",
            action="append",
            default=[],
            help="also fails unless this is the seal of a day, or was until a company moved, and can still be proved",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        wanted: set[str] = set(options["seal"])
        broken: set[str] = set()
        for cell in each_cell():
            if cell:
                self.stdout.write(f"{cell}:")
            violations = verify(self._report, connections=CONNECTIONS)
            for violation in violations:
                self.stderr.write(self.style.ERROR(str(violation)))
            broken |= {violation.invariant.number for violation in violations}
            wanted -= set(Seal.objects.filter(digest__in=wanted).values_list("digest", flat=True))
            if sealed := last_seal():
                self.stdout.write(f"Sealed through {sealed}")
        if broken:
            raise CommandError(f"{len(broken)} of {len(all_invariants())} invariants do not hold.")
        wanted -= {one for one in wanted if self._was_replaced(one)}
        if wanted:
            raise CommandError(f"No day has this seal: {', '.join(sorted(wanted))}")
        self.stdout.write(self.style.SUCCESS(f"All {len(all_invariants())} invariants hold."))

    def _was_replaced(self, digest: str) -> bool:
        """Whether a move replaced the seal, and what it sealed is still there."""
        seal = replaced.find(digest)
        if seal is None or not replaced.is_right(seal):
            return False
        moved = seal.resealing
        self.stdout.write(
            f"{digest} was the seal of {seal.day} in {moved.cell or 'public'} until {moved.company_id} moved at "
            f"{moved.created_at:%Y-%m-%d %H:%M} UTC. What it sealed is as it was."
        )
        return True

    def _report(self, part: Part) -> None:
        name = part.of._meta.verbose_name_plural if part.of else "totals"
        if name != getattr(self, "_last", None):
            self._last = name
            self.stdout.write(f"  {name}")
