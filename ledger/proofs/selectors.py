"""Reads of proofs."""

from datetime import UTC, datetime, time, timedelta

from django.db.models import Q

from accounts.base.clock import utcnow
from accounts.cells import each_cell
from ledger.proofs.models import LONGEST, Proof, Scope

OLD = timedelta(minutes=15)
"""Three scheduled runs were missed."""
WHOLE_OLD = timedelta(hours=36)
"""A night was missed."""
NIGHT = time(2, tzinfo=UTC)
"""When everything is proved, every day."""


def last() -> Proof | None:
    """The newest finished run. One over everything that found something stands until the next one: others read less."""
    finished = Proof.objects.filter(finished_at__isnull=False).order_by("-pk")
    whole = finished.filter(scope=Scope.WHOLE).first()
    return whole if whole and whole.violations else finished.first()


def last_whole() -> Proof | None:
    """The newest finished run over everything."""
    return Proof.objects.filter(scope=Scope.WHOLE, finished_at__isnull=False).order_by("-pk").first()


def is_overdue() -> bool:
    """Whether no proof has finished for so long that something is wrong: a worker is down, or its time is too short."""
    now = utcnow()
    finished = Proof.objects.filter(finished_at__isnull=False).order_by("-pk").first()
    if finished is None:
        return stopped_since(None) > 0
    whole = last_whole()
    wholly = whole.finished_at if whole else Proof.objects.earliest("pk").started_at
    assert finished.finished_at and wholly
    return abs(now - finished.finished_at) > OLD or abs(now - wholly) > WHOLE_OLD  # the clock may have been set back


def is_whole_due() -> bool:
    """Whether everything is to be proved: no such proof that began since the last night has finished.

    One that began later than now does not count: the clock was set back.
    """
    now = utcnow()
    night = datetime.combine(now.date(), NIGHT)
    since = night if night <= now else night - timedelta(days=1)
    since_then = Proof.objects.filter(scope=Scope.WHOLE, started_at__range=(since, now), finished_at__isnull=False)
    return not since_then.exists()


def is_running() -> bool:
    newest = Proof.objects.order_by("-pk").first()
    return newest is not None and newest.finished_at is None and newest.started_at > utcnow() - OLD


def stopped_since(proof: Proof | None) -> int:
    """How many later runs did not finish."""
    now, stopped = utcnow(), Q()
    for scope, longest in LONGEST.items():
        stopped |= Q(scope=scope, started_at__lte=now - longest)
    return Proof.objects.filter(stopped, pk__gt=proof.pk if proof else 0, finished_at=None).count()


def is_well() -> bool:
    """Whether proofs finish in time in every cell, and the last one of each found nothing."""
    return all(not is_overdue() and _holds(last()) for _ in each_cell())


def _holds(found: Proof | None) -> bool:
    return found is None or found.holds is True
