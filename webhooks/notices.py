"""Endpoints that fail: people are told after a day, and after five days they are switched off (contract §13.4)."""

from datetime import datetime, timedelta

import structlog
from django.core.mail import send_mail
from django.db import transaction

from accounts.clock import wall
from accounts.models import Membership
from accounts.roles import Role
from webhooks.models import Delivery, Endpoint

log = structlog.get_logger()

WARNED_AFTER = timedelta(days=1)
DISABLED_AFTER = timedelta(days=5)
FAILED_AT_LEAST = 10


def look_after_endpoints() -> int:
    """Warns and disables where it is time; returns how many endpoints that concerned."""
    now = wall()
    # What was announced while an endpoint was being deleted.
    orphans = Delivery.objects.filter(endpoint__deleted_at__isnull=False, status=Delivery.Status.PENDING)
    orphans.update(status=Delivery.Status.CANCELED, next_attempt_at=None)
    failing = Endpoint.objects.filter(status=Endpoint.Status.ACTIVE, failing_since__lte=now - WARNED_AFTER)
    return sum(_look_after(endpoint_id, now) for endpoint_id in failing.values_list("pk", flat=True))


@transaction.atomic
def _look_after(endpoint_id: str, now: datetime) -> bool:
    rows = Endpoint.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    endpoint = rows.select_related("merchant__company").filter(pk=endpoint_id, status=Endpoint.Status.ACTIVE).first()
    if endpoint is None or endpoint.failing_since is None:
        return False
    if endpoint.failing_since <= now - DISABLED_AFTER and _gave_up(endpoint) >= FAILED_AT_LEAST:
        endpoint.status, endpoint.disabled_reason = Endpoint.Status.DISABLED, Endpoint.DisabledReason.FAILURES
        subject, fact = "was switched off", "Nothing arrived for five days: it is switched off, and nothing is sent."
    elif endpoint.warned_at is None:
        endpoint.warned_at = now
        subject, fact = "fails", "Nothing arrived for a day. After five days it is switched off."
    else:
        return False
    endpoint.save()
    transaction.on_commit(lambda: _tell(endpoint, subject, fact))
    return True


def _gave_up(endpoint: Endpoint) -> int:
    """Deliveries that were given up since it fails."""
    failed = Delivery.objects.filter(endpoint=endpoint, status=Delivery.Status.FAILED)
    return failed.filter(created_at__gte=endpoint.failing_since - DISABLED_AFTER).count()  # type: ignore[operator]


def _tell(endpoint: Endpoint, subject: str, fact: str) -> None:
    """By e-mail to owners and developers of the company. A mail server that is away is said; nothing waits for it."""
    company = endpoint.merchant.company
    people = Membership.objects.filter(company=company, role__in=(Role.OWNER, Role.DEVELOPER), user__is_active=True)
    addresses = list(people.values_list("user__email", flat=True))
    text = (
        f"{fact}\n\nEndpoint: {endpoint.id}\nAddress: {endpoint.url}\nCompany: {company.trade_name}\n"
        f"Environment: {endpoint.merchant.get_environment_display()}\n\n"
        "No event is lost: everything of the last 30 days can be sent again once the endpoint is ACTIVE."
    )
    try:
        send_mail(f"Your webhook endpoint {subject}", text, None, addresses)
    except OSError:
        log.exception("webhooks.notice_not_sent", endpoint=endpoint.id)
