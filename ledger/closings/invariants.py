"""Invariants between closed days and the books."""

from accounts.base.rows import table
from accounts.models import Merchant
from ledger.books.models import Transfer
from ledger.closings.models import ClosedBalance, ClosedDay, Closing
from ledger.closings.parts import PARTS
from ledger.verify import invariant

_COLUMNS = """merchant_id, currency, bucket, day, kind, count, amount, fee_count, fee, advance_fee_count, advance_fee,
              first_at, last_at"""

invariant(
    "I23",
    "what a closed day was summed up to is what was written on it",
    f"""
    SELECT coalesce(told.day, found.day), coalesce(told.merchant_id, found.merchant_id),
           coalesce(told.kind, found.kind), told.amount, found.amount
      FROM (SELECT {_COLUMNS} FROM {table(Closing)}) told
      FULL JOIN (
           SELECT merchant_id, currency, bucket, (created_at AT TIME ZONE 'UTC')::date AS day, kind,
                  count(*) FILTER (WHERE amount <> 0) AS count, sum(amount) AS amount,
                  count(*) FILTER (WHERE fee <> 0) AS fee_count, sum(fee) AS fee,
                  count(*) FILTER (WHERE advance_fee <> 0) AS advance_fee_count, sum(advance_fee) AS advance_fee,
                  min(posted_at) AS first_at, max(posted_at) AS last_at
             FROM ({PARTS.format(transfers=f"SELECT * FROM {table(Transfer)}")}) parts
            WHERE (amount, fee, advance_fee) <> (0, 0, 0)
              AND created_at < (SELECT (max(day) + 1)::timestamp AT TIME ZONE 'UTC' FROM {table(ClosedDay)})
            GROUP BY merchant_id, currency, bucket, (created_at AT TIME ZONE 'UTC')::date, kind) found
     USING ({", ".join(("merchant_id", "currency", "bucket", "day", "kind"))})
     WHERE (told.count, told.amount, told.fee_count, told.fee, told.advance_fee_count, told.advance_fee, told.first_at,
            told.last_at)
           IS DISTINCT FROM (found.count, found.amount, found.fee_count, found.fee, found.advance_fee_count,
                             found.advance_fee, found.first_at, found.last_at)
    """,
)

invariant(
    "I24",
    "what a closed day ended with is what the day before ended with and what the day did",
    f"""
    SELECT coalesce(told.day, found.day), environment, currency, bucket, told.grew, found.grew
      FROM (SELECT day, environment, currency, bucket,
                   amount - coalesce(lag(amount) OVER (PARTITION BY environment, currency, bucket ORDER BY day), 0)
                   AS grew FROM {table(ClosedBalance)}) told
      FULL JOIN (
           SELECT c.day, m.environment, c.currency, c.bucket, sum(c.amount - c.fee - c.advance_fee) AS grew
             FROM {table(Closing)} c JOIN {table(Merchant)} m ON m.id = c.merchant_id
            GROUP BY c.day, m.environment, c.currency, c.bucket) found
     USING (day, environment, currency, bucket)
     WHERE coalesce(told.grew, 0) <> coalesce(found.grew, 0)
    """,
)
