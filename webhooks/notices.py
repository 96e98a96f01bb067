"""Failing endpoints: people are notified after a day, and after five days the endpoint is disabled (contract §13.4)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.base.clock import utcnow
from accounts.emails.topics import Topic
from accounts.notices import notify
from accounts.roles import Role
from webhooks.disturbances import EXTRA
from webhooks.models import Delivery, Endpoint

WARNED_AFTER = timedelta(days=1)
DISABLED_AFTER = timedelta(days=5)
FAILED_AT_LEAST = 10


def warn_or_disable(endpoint: Endpoint, _failing_since: datetime) -> None:
    """Disables an endpoint to which enough deliveries failed; warns about others, once."""
    if _is_given_up(endpoint):
        endpoint.status, endpoint.disabled_reason = Endpoint.Status.DISABLED, Endpoint.DisabledReason.FAILURES
        _notify_disabled(endpoint)
    else:
        endpoint.warned_at = utcnow()
        _notify(endpoint, _("a webhook endpoint fails"), "endpoint_failing")
    endpoint.save()


def _is_given_up(endpoint: Endpoint) -> bool:
    """Whether it has been failing for long, and enough deliveries have failed permanently since."""
    assert endpoint.failing_since
    if endpoint.failing_since > utcnow() - DISABLED_AFTER:
        return False
    failed = Delivery.objects.filter(endpoint=endpoint, status=Delivery.Status.FAILED).exclude(disturbance__in=EXTRA)
    return failed.filter(created_at__gte=endpoint.failing_since - DISABLED_AFTER).count() >= FAILED_AT_LEAST


def gone(endpoint_ids: Sequence[str]) -> None:
    """Notifies about endpoints that were disabled because they answered 410."""
    for endpoint in Endpoint.objects.select_related("merchant__company").filter(pk__in=endpoint_ids):
        _notify_disabled(endpoint)


def _notify_disabled(endpoint: Endpoint) -> None:
    is_gone = endpoint.disabled_reason == Endpoint.DisabledReason.GONE
    _notify(endpoint, _("a webhook endpoint was disabled"), "endpoint_disabled", gone=is_gone)


def _notify(endpoint: Endpoint, subject: Promise, template: str, **facts: Any) -> None:
    notify(
        endpoint.merchant.company,
        (Role.OWNER, Role.DEVELOPER),
        subject,
        template,
        "webhook",
        args=(endpoint.pk,),
        environment=endpoint.merchant.environment,
        topic=Topic.ENDPOINTS,
        mails_sandbox=True,
        endpoint=endpoint.pk,
        address=endpoint.url,
        **facts,
    )
