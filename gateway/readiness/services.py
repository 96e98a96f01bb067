"""Starting and finishing checks, and the releases that shops report."""

from datetime import datetime, timedelta

from django.db import transaction

from accounts.base import clock
from accounts.base.clock import utcnow
from accounts.models import Merchant, User
from gateway.chaos import selectors as chaos_runs
from gateway.chaos import services as chaos
from gateway.payments import selectors as payments
from gateway.payments.models import Payment, Status
from gateway.readiness import selectors
from gateway.readiness.errors import ReadinessCheckRunning
from gateway.readiness.findings import Verdict
from gateway.readiness.models import ReadinessCheck, ReportedRelease
from gateway.simulations.services import require_sandbox

LOOKS_EVERY = timedelta(seconds=30)
MOST_OF_A_PAYMENT = 10
"""Further releases of a payment within a check say nothing new, and are not kept."""


@transaction.atomic
def start(merchant: Merchant, endpoint_id: str, *, by: User | None = None) -> ReadinessCheck:
    """Disturbs the endpoint and the answers to the company for an hour, and watches what its shop does.

    Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS, ONP404_WEBHOOK, ONP409_WEBHOOK_STATE for an endpoint that is not
    active, and ONP409_READINESS_CHECK while another check of the company runs.
    """
    require_sandbox(merchant)
    if (over := selectors.running(merchant)) and over.ends_at <= utcnow():
        finish(merchant, over.pk)  # like everybody: the check is locked first, then the merchant
    held = Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)
    if other := selectors.running(merchant):
        raise ReadinessCheckRunning(readinessCheckId=other.id)
    run = chaos.start(merchant, endpoint_id=endpoint_id)
    return ReadinessCheck.objects.create(
        merchant=merchant,
        endpoint_id=endpoint_id,
        started_by=by,
        started_at=run.started_at,
        payments_since=clock.now(held),
        ends_at=run.ends_at,
        look_at=run.started_at + LOOKS_EVERY,
    )


@transaction.atomic
def finish(merchant: Merchant, check_id: str) -> ReadinessCheck:
    """Ends the disturbances and fixes what was found. A finished check stays as it is.

    Raises ONP404_READINESS_CHECK.
    """
    selectors.get(merchant, check_id)
    check = ReadinessCheck.objects.select_for_update(of=("self",), no_key=True).get(pk=check_id)
    if check.finished_at is None:
        _finish(check, min(utcnow(), check.ends_at))
    return selectors.get(merchant, check_id)


def look(check: ReadinessCheck, _due_at: datetime) -> None:
    """Finishes a check whose time is over, whose endpoint was deleted, or of which every probe was observed."""
    at = utcnow()
    found = selectors.findings(check)
    is_over = at >= check.ends_at or check.endpoint.deleted_at is not None
    if is_over or all(one.verdict != Verdict.NOT_OBSERVED for one in found.values()):
        _finish(check, min(at, check.ends_at))
    else:
        check.look_at = at + LOOKS_EVERY
        check.save(update_fields=["look_at"])


def _finish(check: ReadinessCheck, at: datetime) -> None:
    found = selectors.findings(check)
    check.findings = {probe: {"verdict": one.verdict, "evidence": list(one.evidence)} for probe, one in found.items()}
    check.grade = selectors.grade_of(found)
    check.finished_at, check.look_at = at, None
    check.save()
    if chaos_runs.active(check.merchant):
        chaos.end(check.merchant)


@transaction.atomic
def report_release(merchant: Merchant, payment_id: str) -> tuple[Payment, ReadinessCheck | None]:
    """The shop has released the order of this payment. Without a running check nothing is kept.

    Raises ONP403_SANDBOX_ONLY and ONP404_PAYMENT.
    """
    require_sandbox(merchant)
    payment = payments.get(merchant, payment_id)
    check = selectors.running(merchant)
    if check and check.ends_at > utcnow():
        if check.releases.filter(payment=payment).count() < MOST_OF_A_PAYMENT:
            ReportedRelease.objects.create(
                readiness_check=check,
                payment=payment,
                was_paid=payment.paid_at is not None,
                was_refunded=payment.status == Status.REFUNDED,
            )
        return payment, check
    return payment, None
