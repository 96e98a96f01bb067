"""Proves the books, or reports what is wrong."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ledger.verify import Invariant, all_invariants, verify


class Command(BaseCommand):
    help = "Checks every invariant of the books; fails with counterexamples if one is violated."

    def handle(self, *args: Any, **options: Any) -> None:
        violations = verify(self._report)
        for violation in violations:
            self.stderr.write(self.style.ERROR(str(violation)))
        if violations:
            raise CommandError(f"{len(violations)} of {len(all_invariants())} invariants do not hold.")
        self.stdout.write(self.style.SUCCESS(f"All {len(all_invariants())} invariants hold."))

    def _report(self, invariant: Invariant) -> None:
        self.stdout.write(f"{invariant.number:>4}  {invariant.claim}")
