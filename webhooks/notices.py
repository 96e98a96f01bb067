"""Failing endpoints: people are notified after a day, and after five days the endpoint is disabled (contract §13.4)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.base.clock import utcnow
from accounts.emails.topics import Topic
from accounts.notices import tell
from accounts.roles import Role
from webhooks.lifecycle import CANCELED
from webhooks.models import Delivery, Endpoint

log = structlog.get_logger()

WARNED_AFTER = timedelta(days=1)
DISABLED_AFTER = timedelta(days=5)
FAILED_AT_LEAST = 10


def check_endpoints() -> int:
    """Warns and disables where it is time; returns how many endpoints that concerned. One that raises is logged."""
    now = utcnow()
    # What was announced while an endpoint was being deleted.
    orphans = Delivery.objects.filter(endpoint__deleted_at__isnull=False, status=Delivery.Status.PENDING)
    orphans.update(status=CANCELED, next_attempt_at=None)
    failing = Endpoint.objects.filter(status=Endpoint.Status.ACTIVE, failing_since__lte=now - WARNED_AFTER)
    concerned = 0
    for endpoint_id in failing.values_list("pk", flat=True):
        try:
            concerned += _check(endpoint_id, now)
        except Exception:
            log.exception("webhooks.endpoint_stuck", endpoint=endpoint_id)
    return concerned


@transaction.atomic
def _check(endpoint_id: str, now: datetime) -> bool:
    rows = Endpoint.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
    endpoint = rows.select_related("merchant__company").filter(pk=endpoint_id, status=Endpoint.Status.ACTIVE).first()
    if endpoint is None or endpoint.failing_since is None:
        return False
    if endpoint.failing_since <= now - DISABLED_AFTER and _gave_up(endpoint) >= FAILED_AT_LEAST:
        endpoint.status, endpoint.disabled_reason = Endpoint.Status.DISABLED, Endpoint.DisabledReason.FAILURES
        _tell_switched_off(endpoint)
    elif endpoint.warned_at is None:
        endpoint.warned_at = now
        _tell(endpoint, _("a webhook endpoint fails"), "endpoint_failing")
    else:
        return False
    endpoint.save()
    return True


def _gave_up(endpoint: Endpoint) -> int:
    """Deliveries that failed for good since the endpoint started to fail."""
    failed = Delivery.objects.filter(endpoint=endpoint, status=Delivery.Status.FAILED)
    return failed.filter(created_at__gte=endpoint.failing_since - DISABLED_AFTER).count()  # type: ignore[operator]


def gone(endpoint_ids: Sequence[str]) -> None:
    """Notifies about endpoints that were disabled because they answered 410."""
    for endpoint in Endpoint.objects.select_related("merchant__company").filter(pk__in=endpoint_ids):
        _tell_switched_off(endpoint)


def _tell_switched_off(endpoint: Endpoint) -> None:
    is_gone = endpoint.disabled_reason == Endpoint.DisabledReason.GONE
    _tell(endpoint, _("a webhook endpoint was disabled"), "endpoint_disabled", gone=is_gone)


def _tell(endpoint: Endpoint, subject: Promise, template: str, **facts: Any) -> None:
    tell(
        endpoint.merchant.company,
        (Role.OWNER, Role.DEVELOPER),
        subject,
        template,
        "webhook",
        args=(endpoint.pk,),
        environment=endpoint.merchant.environment,
        topic=Topic.ENDPOINTS,
        endpoint=endpoint.pk,
        address=endpoint.url,
        **facts,
    )
