"""Proving the books, and recording the result."""

from datetime import timedelta

import structlog

from accounts.base.clock import utcnow
from ledger.proofs import selectors
from ledger.proofs.models import Proof
from ledger.verify import BeingVerified, Violation, all_invariants, verify

log = structlog.get_logger()

KEPT_FOR = timedelta(days=7)
"""Retention of proofs that found nothing; the others stay."""


def prove() -> Proof | None:
    """Checks every invariant and records the result. Returns None if another process is doing it.

    A violation is a critical log line, and so is an interrupted run: this one as it breaks off, a killed one when the
    next run starts.
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
