"""Starting and ending chaos mode: one run per company, in the sandbox only."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.chaos import selectors
from gateway.chaos.disturbances import ALL
from gateway.chaos.errors import NoChaos
from gateway.chaos.models import ChaosRun
from gateway.payments.services import require_active
from gateway.simulations.services import require_sandbox
from webhooks import chaos as deliveries
from webhooks.disturbances import Disturbance
from webhooks.errors import EndpointOff
from webhooks.models import Endpoint
from webhooks.services import lock

LONGEST = timedelta(hours=1)
KEPT_FOR = timedelta(days=30)


@transaction.atomic
def start(
    merchant: Merchant,
    disturbances: Sequence[str] | None = None,
    *,
    endpoint_id: str | None = None,
    lasts: timedelta = LONGEST,
) -> ChaosRun:
    """Disturbs the company's API responses, and the deliveries to one endpoint or to all active ones.

    None: every disturbance. A run that is still going on ends first. Raises ONP403_SANDBOX_ONLY, ONP403_COMPANY_STATUS,
    ONP404_WEBHOOK and ONP409_WEBHOOK_STATE.
    """
    require_sandbox(merchant)
    require_active(merchant)
    assert timedelta(0) < lasts <= LONGEST
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)
    _end(merchant)
    chosen = [one for one in ALL if disturbances is None or one in disturbances]
    at = utcnow()
    until = at + lasts
    endpoints = _endpoints(merchant, endpoint_id)
    deliveries.start(endpoints, [one for one in Disturbance if one in chosen], until)
    _set(merchant, until)
    return ChaosRun.objects.create(
        merchant=merchant,
        disturbances=chosen,
        endpoint_ids=[one.pk for one in endpoints],
        started_at=at,
        ends_at=until,
    )


@transaction.atomic
def end(merchant: Merchant) -> ChaosRun:
    """Ends the run now. Raises ONP403_SANDBOX_ONLY and ONP404_CHAOS."""
    require_sandbox(merchant)
    Merchant.objects.select_for_update(no_key=True).get(pk=merchant.pk)
    if not (run := _end(merchant)):
        raise NoChaos
    return run


def forget_old() -> None:
    """Deletes old runs with their requests."""
    ChaosRun.objects.filter(started_at__lt=utcnow() - KEPT_FOR).delete()


def _end(merchant: Merchant) -> ChaosRun | None:
    run = selectors.active(merchant)
    if run:
        run.ended_at = utcnow()
        run.save(update_fields=["ended_at"])
    deliveries.end(merchant)
    _set(merchant, None)
    return run


def _endpoints(merchant: Merchant, endpoint_id: str | None) -> list[Endpoint]:
    if endpoint_id is None:
        return list(Endpoint.objects.filter(merchant=merchant, deleted_at=None, status=Endpoint.Status.ACTIVE))
    endpoint = lock(merchant, endpoint_id)
    if endpoint.status != Endpoint.Status.ACTIVE:
        raise EndpointOff
    return [endpoint]


def _set(merchant: Merchant, until: datetime | None) -> None:
    Merchant.objects.filter(pk=merchant.pk).update(disturbed_until=until)
    merchant.disturbed_until = until
