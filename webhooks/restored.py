"""The order of events in a database that was restored from a dump: each server counts its transactions by itself."""

from typing import Any

from accounts.base.rows import execute, table
from accounts.models import Merchant
from webhooks.models import Event

# In the server that wrote it, no transaction's number is still to come.
_RENUMBER = f"""
    UPDATE {table(Event)} SET xid = '0'
     WHERE xid <> '0' AND EXISTS (
           SELECT FROM unnest(%s::bigint[]) merchant CROSS JOIN LATERAL (
                  SELECT xid FROM {table(Event)} WHERE merchant_id = merchant
                   ORDER BY xid DESC LIMIT 1) newest
            WHERE newest.xid >= pg_snapshot_xmax(pg_current_snapshot()))
"""


def renumber(**kwargs: Any) -> None:
    """Puts what was restored before what happens from now on, by id. After each `migrate`; else it changes nothing."""
    execute(_RENUMBER, [list(Merchant.objects.values_list("pk", flat=True))])
