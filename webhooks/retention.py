"""Retention: events and deliveries are kept for thirty days (contract §13.4), then they go by whole ranges of ids."""

from datetime import timedelta

from accounts.base.clock import utcnow
from accounts.base.ranges.chain import Ranged
from accounts.base.ranges.keeping import keep
from webhooks.models import Attempt, Delivery, Event

KEPT_FOR = timedelta(days=30)
# A delivery's id has the time of its event, so both go together. What belongs to another row goes before it.
RANGES = (Ranged(Attempt, "dlv", "delivery_id"), Ranged(Delivery, "dlv"), Ranged(Event, "evt"))


def forget_old() -> list[str]:
    """Makes ranges ahead and drops old ones; returns the names of those. Raises NotTheOwner and Busy."""
    now = utcnow()
    return [name for of in RANGES for name in keep(of, now - KEPT_FOR, now)]
