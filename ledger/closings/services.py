"""Closing the books of past days."""

from datetime import date, datetime, timedelta

from django.db import transaction

from accounts.base.clock import utcnow
from accounts.base.rows import execute, first, table
from accounts.models import Merchant
from ledger.books.models import Transfer
from ledger.books.writers import PATIENCE_S, writers_end
from ledger.closings.models import ClosedBalance, ClosedDay, Closing
from ledger.closings.parts import PARTS
from ledger.closings.seals import seal_days

SLACK = timedelta(hours=1)
"""How long after its day a posting may be committed, including clock differences between hosts."""
DAY = timedelta(days=1)
AT_ONCE = 400
"""Days per run when catching up."""

# The day after the last closed one, or that of the first posting.
_NEXT = f"""
    SELECT day FROM (SELECT coalesce(
        (SELECT max(day) + 1 FROM {table(ClosedDay)}),
        (SELECT (min(created_at) AT TIME ZONE 'UTC')::date FROM {table(Transfer)})) AS day) following
     WHERE (day + 1)::timestamp AT TIME ZONE 'UTC' <= %s
"""
_CLAIM = f"INSERT INTO {table(ClosedDay)} (day, closed_at) VALUES (%s, %s) ON CONFLICT DO NOTHING"
WRITTEN_ON = f"""
    SELECT * FROM {table(Transfer)}
     WHERE created_at >= {{day}}::timestamp AT TIME ZONE 'UTC'
       AND created_at < ({{day}} + 1)::timestamp AT TIME ZONE 'UTC'
"""
_SUM = f"""
    INSERT INTO {table(Closing)} (merchant_id, currency, bucket, day, kind, count, amount, fee_count, fee,
                                advance_fee_count, advance_fee, first_at, last_at)
    SELECT merchant_id, currency, bucket, %(day)s, kind, count(*) FILTER (WHERE amount <> 0), sum(amount),
           count(*) FILTER (WHERE fee <> 0), sum(fee), count(*) FILTER (WHERE advance_fee <> 0), sum(advance_fee),
           min(posted_at), max(posted_at)
      FROM ({PARTS.format(transfers=WRITTEN_ON.format(day="%(day)s::date"))}) parts
     WHERE (amount, fee, advance_fee) <> (0, 0, 0)
     GROUP BY merchant_id, currency, bucket, kind
"""

# The previous day plus the movements of the day; for the first day only the movements.
_CARRY = f"""
    INSERT INTO {table(ClosedBalance)} (day, environment, currency, bucket, amount)
    SELECT %(day)s, environment, currency, bucket, sum(amount)
      FROM (SELECT environment, currency, bucket, amount FROM {table(ClosedBalance)} WHERE day = %(day)s::date - 1
             UNION ALL
            SELECT m.environment, c.currency, c.bucket, c.amount - c.fee - c.advance_fee
              FROM {table(Closing)} c JOIN {table(Merchant)} m ON m.id = c.merchant_id WHERE c.day = %(day)s) parts
     GROUP BY environment, currency, bucket
"""


def close_days(limit: int = AT_ONCE, patience_s: int = PATIENCE_S) -> int:
    """Sums up past days, oldest first, and seals what is proved of them; returns how many. Idempotent: may run twice,
    late or not at all.

    Not before every transaction that could still write to them has ended: what begins after them is of a later day.
    """
    closed, over = 0, utcnow() - SLACK
    if _next(over) and writers_end(patience_s):
        while closed < limit and (day := _next(over)) and _close(day):
            closed += 1
    seal_days()
    return closed


def _next(over: datetime) -> date | None:
    row = first(_NEXT, [over])
    return row[0] if row else None


@transaction.atomic
def _close(day: date) -> bool:
    """Returns False if another process is doing it."""
    claimed = execute(_CLAIM, [day, utcnow()])
    if claimed:
        execute(_SUM, {"day": day})
        execute(_CARRY, {"day": day})
    return bool(claimed)
