"""Reads of chaos runs. The first argument is always the merchant."""

from accounts.base.clock import utcnow
from accounts.models import Merchant
from gateway.chaos.errors import NoChaos
from gateway.chaos.models import ChaosRun


def active(merchant: Merchant) -> ChaosRun | None:
    runs = ChaosRun.objects.filter(merchant=merchant, ended_at=None, ends_at__gt=utcnow())
    return runs.order_by("-started_at").first()


def get(merchant: Merchant) -> ChaosRun:
    """The run that is going on. Raises ONP404_CHAOS."""
    run = active(merchant)
    if run is None:
        raise NoChaos
    return run
