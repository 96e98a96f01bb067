"""Proving the books, and keeping what was found."""

from datetime import timedelta

import structlog

from accounts.base.clock import utcnow
from ledger.proofs import selectors
from ledger.proofs.models import Proof
from ledger.verify import BeingVerified, Violation, all_invariants, verify

log = structlog.get_logger()

KEPT_FOR = timedelta(days=7)
"""Of proofs that found nothing; the others stay."""


def prove() -> Proof | None:
    """Checks every invariant and keeps the result. None where somebody else is at it.

    One that does not hold is a critical line of the log, and so is a run that does not come to its end: this one as
    it breaks off, one that was killed by the next that begins.
    """
    now = utcnow()
    Proof.objects.filter(started_at__lt=now - KEPT_FOR, violations=[]).delete()
    if stopped := selectors.stopped_since(selectors.last()):
        log.critical("ledger.proofs_unfinished", runs=stopped)
    proof = Proof.objects.create(started_at=now)
    try:
        violations = verify(alone=True)
    except BeingVerified:
        proof.delete()
        return None
    except BaseException:
        log.critical("ledger.proof_broken_off", proof=proof.pk, after_s=round((utcnow() - now).total_seconds(), 1))
        raise
    for violation in violations:
        log.critical("ledger.violation", invariant=violation.invariant.number, detail=str(violation))
    proof.invariants, proof.finished_at = len(all_invariants()), utcnow()
    proof.violations = [_written(violation) for violation in violations]
    proof.save()
    return proof


def _written(violation: Violation) -> dict[str, object]:
    return {
        "number": violation.invariant.number,
        "claim": violation.invariant.claim,
        "counterexamples": [[str(value) for value in row] for row in violation.counterexamples],
    }
