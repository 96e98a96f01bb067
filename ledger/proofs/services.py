"""Proving the books, and recording the result."""

from datetime import timedelta

import structlog

from accounts.base.clock import utcnow
from ledger.closings.seals import last_seal
from ledger.proofs import selectors
from ledger.proofs.models import Proof, Round, Scope
from ledger.proofs.recent import verify_recent
from ledger.verify import BeingVerified, Violation, all_invariants, verify

log = structlog.get_logger()

CONNECTIONS = 2
"""Parts of the books that are proved at the same time when everything is."""
KEPT_FOR = timedelta(days=7)
"""Retention of proofs that found nothing; the others stay."""


def prove(scope: Scope = Scope.RECENT) -> Proof | None:
    """Checks every invariant and records the result. Returns None if another process is doing it.

    A violation is a critical log line, and so is an interrupted run: this one as it breaks off, a killed one when the
    next run starts.
    """
    now = utcnow()
    Proof.objects.filter(started_at__lt=now - KEPT_FOR, violations=[]).delete()
    Round.objects.filter(ended_at__lt=now - KEPT_FOR).delete()
    if stopped := selectors.stopped_since(selectors.last()):
        log.critical("ledger.proofs_unfinished", runs=stopped)
    proof, sealed = Proof.objects.create(scope=scope, started_at=now), last_seal()
    try:
        violations = verify(alone=True, connections=CONNECTIONS) if scope == Scope.WHOLE else verify_recent()
    except BeingVerified:
        proof.delete()
        return None
    except BaseException:
        after = round((utcnow() - now).total_seconds(), 1)
        log.critical("ledger.proof_broken_off", proof=proof.pk, scope=scope, after_s=after)
        raise
    for violation in violations:
        log.critical("ledger.violation", invariant=violation.invariant.number, detail=str(violation))
    if sealed:
        proof.sealed_day, proof.seal = sealed.day, sealed.digest
    proof.invariants, proof.finished_at = len(all_invariants()), utcnow()
    proof.violations = [_written(violation) for violation in violations]
    proof.save()
    return proof


def prove_all() -> Proof | None:
    """Proves everything once a night. Returns None if it is not due, or another process is doing it."""
    return prove(Scope.WHOLE) if selectors.is_whole_due() else None


def watch() -> None:
    """Says so if no proof has finished for too long. Runs apart from them: their worker may be what is down."""
    if selectors.is_overdue():
        last, whole = selectors.last(), selectors.last_whole()
        log.critical("ledger.proofs_overdue", last=_ended(last), last_whole=_ended(whole))


def _ended(proof: Proof | None) -> str | None:
    return str(proof.finished_at) if proof else None


def _written(violation: Violation) -> dict[str, object]:
    return {
        "number": violation.invariant.number,
        "claim": violation.invariant.claim,
        "counterexamples": [[str(value) for value in row] for row in violation.counterexamples],
    }
