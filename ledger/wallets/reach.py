"""Where a period begins in the books of a bucket, so that reading a week does not scan the years before."""

from datetime import datetime, timedelta

from accounts.base.rows import first, table
from accounts.models import Merchant
from ledger.books.models import Account, Balance, Entry, Transfer
from ledger.chart import AccountKind

SLACK = timedelta(hours=1)
"""Clock difference between hosts, plus how long a posting may wait for its accounts."""

# Nothing is posted ahead of its merchant's clock, which never goes back. So an entry effective after `since` was
# written after `since` minus the clock's offset, and entries of an account are in the order of writing: a binary search
# finds the first candidate.
_FIRST = f"""
    WITH RECURSIVE halving (account_id, low, high) AS (
        SELECT a.id, 1::bigint, b.version + 1
          FROM {table(Account)} a JOIN {table(Balance)} b ON b.account_id = a.id
         WHERE a.merchant_id = %(merchant)s AND a.currency = %(currency)s AND a.kind = %(bucket)s
         UNION ALL
        SELECT h.account_id, CASE WHEN h.is_before THEN h.middle + 1 ELSE h.low END,
               CASE WHEN h.is_before THEN h.high ELSE h.middle END
          FROM (SELECT n.*, t.created_at < %(written)s AS is_before
                  FROM (SELECT *, (low + high) / 2 AS middle FROM halving WHERE low < high) n
                  JOIN {table(Entry)} e ON e.account_id = n.account_id AND e.sequence = n.middle
                  JOIN {table(Transfer)} t ON t.id = e.transfer_id) h
    )
    SELECT low FROM halving WHERE low = high
"""


def first_sequence(merchant: Merchant, currency: str, bucket: AccountKind, since: datetime) -> int:
    """No earlier entry of the bucket counts for the period after `since`."""
    written = since - merchant.clock_offset - SLACK
    row = first(_FIRST, {"merchant": merchant.pk, "currency": currency, "bucket": str(bucket), "written": written})
    return int(row[0]) if row else 1
