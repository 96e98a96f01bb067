"""Proving the books, and keeping what was found."""

from datetime import timedelta

import structlog

from accounts.clock import wall
from ledger.proofs.models import Proof
from ledger.verify import Violation, all_invariants, verify

log = structlog.get_logger()

KEPT_FOR = timedelta(days=7)
"""Of proofs that found nothing; the others stay."""


def prove() -> Proof:
    """Checks every invariant, keeps the result, and says it loudly when one does not hold."""
    now = wall()
    Proof.objects.filter(started_at__lt=now - KEPT_FOR, violations=[]).delete()
    proof = Proof.objects.create(started_at=now)
    violations = verify()
    for violation in violations:
        log.critical("ledger.violation", invariant=violation.invariant.number, detail=str(violation))
    proof.invariants, proof.finished_at = len(all_invariants()), wall()
    proof.violations = [_written(violation) for violation in violations]
    proof.save()
    return proof


def _written(violation: Violation) -> dict[str, object]:
    return {
        "number": violation.invariant.number,
        "claim": violation.invariant.claim,
        "counterexamples": [[str(value) for value in row] for row in violation.counterexamples],
    }
