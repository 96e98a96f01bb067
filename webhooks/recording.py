"""Results of attempts are recorded together; one that cannot be costs the others nothing."""

from collections.abc import Sequence
from functools import partial
from uuid import uuid4

import structlog
from django.db import DatabaseError

from accounts.base import cells
from accounts.base.counters import WEBHOOK_SECONDS
from accounts.base.retryable import is_retryable
from accounts.base.rows import execute, retry_on_deadlock, table
from accounts.base.tracing import following
from accounts.cells import staying
from webhooks import queue
from webhooks.models import Delivery

log = structlog.get_logger()
LONGEST_S = 3600
# Under a lease of nobody's, which ends by time alone.
_PUT_OFF = f"""
    UPDATE {table(Delivery)}
       SET leased_until = statement_timestamp() + %s * interval '1 second', lease = %s
     WHERE id = %s AND lease = %s AND attempts = %s
"""


def record(tried: Sequence[queue.Tried]) -> None:
    """Records the results: those of a cell together, or one by one where that raises. A merchant may have moved to
    another cell since the attempt began.

    A delivery whose own result raises is made again after a delay that grows with its attempts. Raises
    DatabaseError where nothing can be recorded in a cell, after those of the others: then the leases run out.
    """
    failed: DatabaseError | None = None
    with staying(one.claimed.merchant_id for one in tried) as living:
        for cell, some in queue.by_cell(tried, lambda one: living[one.claimed.merchant_id]):
            try:
                with cells.opened(cell):
                    _record(some)
            except DatabaseError as error:
                failed = error
    if failed:
        raise failed


def _record(tried: Sequence[queue.Tried]) -> None:
    try:
        retry_on_deadlock(partial(queue.record, tried))
        for one in (one for one in tried if one.claimed.counts):
            outcome = "accepted" if one.answer.is_success else "refused"
            WEBHOOK_SECONDS.labels(outcome).observe(one.answer.elapsed_ms / 1000)
    except DatabaseError as error:
        if is_retryable(error):
            raise
        if len(tried) == 1:
            _put_off(tried[0].claimed, error)
            return
        for one in tried:
            _record([one])


def _put_off(claimed: queue.Claimed, error: DatabaseError) -> None:
    delay_s = min(LONGEST_S, queue.LEASE_S * 2 ** min(claimed.attempt, 10))
    with following(claimed.request_id):
        log.error(
            "dispatch.not_recorded", delivery=claimed.id, error=type(error).__name__, delay_s=delay_s, exc_info=error
        )
    execute(_PUT_OFF, [delay_s, uuid4(), claimed.id, claimed.lease, claimed.attempt])
