"""Where in the books a time begins, so that the story of a week does not read the years before it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from accounts.models import Merchant
from accounts.rows import first
from ledger.chart import Kind

SLACK = timedelta(hours=1)
"""By how much the clocks of hosts may differ, and how long a posting may wait for its accounts."""

# Nothing is posted ahead of its merchant's clock, which never goes back. So what counts for a time after `since` was
# written after that time less what the clock is ahead, and within an account what was written later stands later: the
# first entry that may count is found by halving. Everything before it is in `before`, the balance up to there.
REACH = """
    halving (account_id, low, high) AS (
        SELECT a.id, 1::bigint, CASE WHEN %(written)s::timestamptz IS NULL THEN 1 ELSE b.version + 1 END
          FROM ledger_account a JOIN ledger_balance b ON b.account_id = a.id
         WHERE a.merchant_id = %(merchant)s AND a.currency = %(currency)s AND a.kind = ANY(%(kinds)s)
         UNION ALL
        SELECT h.account_id, CASE WHEN h.is_before THEN h.middle + 1 ELSE h.low END,
               CASE WHEN h.is_before THEN h.high ELSE h.middle END
          FROM (SELECT n.*, t.created_at < %(written)s AS is_before
                  FROM (SELECT *, (low + high) / 2 AS middle FROM halving WHERE low < high) n
                  JOIN ledger_entry e ON e.account_id = n.account_id AND e.sequence = n.middle
                  JOIN ledger_transfer t ON t.id = e.transfer_id) h
    ), reach AS MATERIALIZED (
        SELECT a.id, a.kind, h.low, (
               SELECT balance_after FROM ledger_entry WHERE account_id = a.id AND sequence = h.low - 1) AS before
          FROM halving h JOIN ledger_account a ON a.id = h.account_id WHERE h.low = h.high
    )
"""
"""For a WITH RECURSIVE: accounts of the `kinds`, each with the first entry to be read. See `asked_of`."""

_FIRST = f"WITH RECURSIVE {REACH} SELECT low FROM reach"


def first_sequence(merchant: Merchant, currency: str, bucket: Kind, since: datetime) -> int:
    """Before this entry of the bucket none counts for the time after `since`."""
    row = first(_FIRST, asked_of(merchant, currency, [bucket], since))
    return int(row[0]) if row else 1


def asked_of(merchant: Merchant, currency: str, kinds: Sequence[str], since: datetime | None) -> dict[str, Any]:
    """The parameters of REACH. `since` None: from the first entry."""
    written = since - merchant.clock_offset - SLACK if since else None
    return {"merchant": merchant.pk, "currency": currency, "kinds": [str(kind) for kind in kinds], "written": written}
