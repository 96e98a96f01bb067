"""Reads of proofs."""

from datetime import timedelta

from accounts.base.clock import utcnow
from ledger.proofs.models import Proof

LONGEST = timedelta(minutes=15)
"""A run that has not finished by then was interrupted: the task has a time limit."""


def last() -> Proof | None:
    """The newest finished run."""
    return Proof.objects.filter(finished_at__isnull=False).order_by("-pk").first()


def is_running() -> bool:
    newest = Proof.objects.order_by("-pk").first()
    return newest is not None and newest.finished_at is None and newest.started_at > utcnow() - LONGEST


def stopped_since(proof: Proof | None) -> int:
    """How many later runs did not finish."""
    begun = Proof.objects.filter(pk__gt=proof.pk if proof else 0, finished_at=None)
    return begun.filter(started_at__lte=utcnow() - LONGEST).count()
