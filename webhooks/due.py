"""Due work on webhooks: deliveries, and failing endpoints.

Deliveries have no `Due`: hundreds are claimed in one statement, shared fairly among companies and endpoints, and sent
concurrently (`queue`, `dispatch`). A failed attempt delays the delivery and its endpoint; lost ones are claimed again
after their lease.
"""

from accounts.base.rows import table
from accounts.due import Due, Work
from webhooks import chaos
from webhooks.disturbances import is_genuine
from webhooks.lifecycle import CANCELED
from webhooks.models import Delivery, Endpoint
from webhooks.notices import DISABLED_AFTER, FAILED_AT_LEAST, WARNED_AFTER, warn_or_disable

_STATUS = Endpoint.Status
DELIVERIES = Work(
    title="Webhooks to deliver",
    model=Delivery,
    column="next_attempt_at",
    statuses=(Delivery.Status.PENDING,),
    condition=f"""(w.leased_until IS NULL OR w.leased_until < %(now)s) AND w.endpoint_id IN (
        SELECT id FROM {table(Endpoint)}
         WHERE status = '{_STATUS.ACTIVE}' AND coalesce(open_until < %(now)s, true))""",
)
WORK = (DELIVERIES,)
CHECK = Due(
    kind="endpoint.checked",
    title="Failing endpoints",
    model=Endpoint,
    column="failing_since",
    statuses=(_STATUS.ACTIVE,),
    condition=f"""w.failing_since <= %(now)s - interval '{WARNED_AFTER.days} days' AND (
        w.warned_at IS NULL OR w.failing_since <= %(now)s - interval '{DISABLED_AFTER.days} days' AND (
            SELECT count(*) FROM {table(Delivery)} gone
             WHERE gone.endpoint_id = w.id AND gone.status = '{Delivery.Status.FAILED}'
               AND {is_genuine("gone")}
               AND gone.created_at >= w.failing_since - interval '{DISABLED_AFTER.days} days') >= {FAILED_AT_LEAST})""",
    run=warn_or_disable,
    everywhere=True,
)
"""`column` is the time when the endpoint began to fail, not a due time."""


def check_endpoints(limit: int = 100) -> int:
    """Warns about and disables failing endpoints, at most `limit`; returns how many."""
    # Events announced while an endpoint was being deleted.
    orphans = Delivery.objects.filter(endpoint__deleted_at__isnull=False, status=Delivery.Status.PENDING)
    orphans.update(status=CANCELED, next_attempt_at=None)
    chaos.cancel_late()
    return CHECK.sweep(limit)
