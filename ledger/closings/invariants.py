"""Invariants between closed days and the books."""

from accounts.base.rows import table
from accounts.models import Merchant
from ledger.books.models import Transfer
from ledger.closings.models import ClosedBalance, ClosedDay, Closing, Seal
from ledger.closings.parts import PARTS
from ledger.closings.seals import CONTENT, DIGEST
from ledger.proofs.models import Proof
from ledger.verify import invariant

_COLUMNS = """merchant_id, currency, bucket, day, kind, count, amount, fee_count, fee, advance_fee_count, advance_fee,
              first_at, last_at"""
_KEY = "merchant_id, currency, bucket, day, kind"
_OF_THE_DAYS = f"""
    SELECT t.* FROM part CROSS JOIN LATERAL (
           SELECT * FROM {table(Transfer)}
            WHERE created_at >= part.day::timestamp AT TIME ZONE 'UTC'
              AND created_at < (part.day + 1)::timestamp AT TIME ZONE 'UTC' OFFSET 0) t
"""
_SPAN = f"SELECT min(day) AS first, max(day) AS last, count(*) AS days FROM {table(ClosedDay)}"

# Every closed day has its place in the chain; what a proof has told as the last seal is still in it.
invariant(
    "I14",
    "what was proved of a sealed day is what was sealed, and its seal continues that of the day before",
    f"""
    SELECT day, 'sealed' FROM {table(Seal)} LEFT JOIN {table(ClosedDay)} c USING (day) WHERE c.day IS NULL
    UNION ALL
    SELECT c.day, 'not sealed' FROM {table(ClosedDay)} c LEFT JOIN {table(Seal)} s USING (day)
     WHERE s.day IS NULL AND c.day < (SELECT max(day) FROM {table(Seal)})
    UNION ALL
    SELECT p.sealed_day, p.seal FROM {table(Proof)} p
      LEFT JOIN {table(Seal)} s ON (s.day, s.digest) = (p.sealed_day, p.seal)
     WHERE p.sealed_day IS NOT NULL AND s.day IS NULL
    UNION ALL
    SELECT s.day, s.digest FROM {table(Seal)} s
      LEFT JOIN {table(Seal)} before ON before.day = s.day - 1
     CROSS JOIN LATERAL ({CONTENT.format(day="s.day")}) read
     WHERE (s.transfers, s.entries) IS DISTINCT FROM (read.transfers, read.entries)
        OR s.digest IS DISTINCT FROM {DIGEST.format(day="s.day", content="read", before="before.digest")}
    """,
)

# What was posted before the first closed day, or summed up for a day that is not closed, is on none of them.
invariant(
    "I23",
    "what a closed day was summed up to is what was written on it",
    f"""
    SELECT first, NULL::bigint, 'not every day', NULL::bigint, NULL::bigint FROM ({_SPAN}) days
     WHERE days <> last - first + 1
    UNION ALL
    SELECT c.day, c.merchant_id, c.kind, c.amount, NULL FROM {table(Closing)} c, ({_SPAN}) days
     WHERE days = 0 OR c.day NOT BETWEEN first AND last
    UNION ALL
    SELECT (t.created_at AT TIME ZONE 'UTC')::date, t.merchant_id, t.kind, NULL, t.id
      FROM ({_SPAN}) days JOIN {table(Transfer)} t ON t.created_at < first::timestamp AT TIME ZONE 'UTC'
    """,
    each={
        ClosedDay: f"""
    SELECT coalesce(told.day, found.day), coalesce(told.merchant_id, found.merchant_id),
           coalesce(told.kind, found.kind), told.amount, found.amount
      FROM (SELECT {_COLUMNS} FROM {table(Closing)} WHERE day IN (SELECT day FROM part)) told
      FULL JOIN (
           SELECT merchant_id, currency, bucket, (created_at AT TIME ZONE 'UTC')::date AS day, kind,
                  count(*) FILTER (WHERE amount <> 0) AS count, sum(amount) AS amount,
                  count(*) FILTER (WHERE fee <> 0) AS fee_count, sum(fee) AS fee,
                  count(*) FILTER (WHERE advance_fee <> 0) AS advance_fee_count, sum(advance_fee) AS advance_fee,
                  min(posted_at) AS first_at, max(posted_at) AS last_at
             FROM ({PARTS.format(transfers=_OF_THE_DAYS)}) parts
            WHERE (amount, fee, advance_fee) <> (0, 0, 0)
            GROUP BY merchant_id, currency, bucket, (created_at AT TIME ZONE 'UTC')::date, kind) found
     USING ({_KEY})
     WHERE (told.count, told.amount, told.fee_count, told.fee, told.advance_fee_count, told.advance_fee, told.first_at,
            told.last_at)
           IS DISTINCT FROM (found.count, found.amount, found.fee_count, found.fee, found.advance_fee_count,
                             found.advance_fee, found.first_at, found.last_at)
    """
    },
)

invariant(
    "I24",
    "what a closed day ended with is what the day before ended with and what the day did",
    f"""
    SELECT b.day, b.environment, b.currency, b.bucket, b.amount, NULL::bigint
      FROM {table(ClosedBalance)} b, ({_SPAN}) days
     WHERE days = 0 OR b.day NOT BETWEEN first AND last
    """,
    each={
        ClosedDay: f"""
    SELECT day, environment, currency, bucket, told.grew, found.grew
      FROM (SELECT day, environment, currency, bucket, sum(amount) AS grew
              FROM (SELECT b.day, environment, currency, bucket, amount
                      FROM part JOIN {table(ClosedBalance)} b USING (day)
                     UNION ALL
                    SELECT part.day, environment, currency, bucket, -amount
                      FROM part JOIN {table(ClosedBalance)} b ON b.day = part.day - 1) ends
             GROUP BY 1, 2, 3, 4) told
      FULL JOIN (
           SELECT c.day, m.environment, c.currency, c.bucket, sum(c.amount - c.fee - c.advance_fee) AS grew
             FROM part JOIN {table(Closing)} c USING (day) JOIN {table(Merchant)} m ON m.id = c.merchant_id
            GROUP BY c.day, m.environment, c.currency, c.bucket) found
     USING (day, environment, currency, bucket)
     WHERE coalesce(told.grew, 0) <> coalesce(found.grew, 0)
    """
    },
)
