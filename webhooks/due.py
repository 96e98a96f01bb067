"""What of webhooks waits for a time. Deliveries are claimed by a statement of their own (`queue`), many at once."""

from accounts.base.rows import table
from accounts.due import Work
from webhooks.models import Delivery, Endpoint

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
