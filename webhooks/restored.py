"""The order of events in a database that was restored from a dump: each server counts its transactions by itself."""

from typing import Any

from accounts.base import cells
from accounts.base.rows import execute, first, table
from accounts.cells import beside_the_first
from accounts.models import Merchant
from webhooks.models import Event

# In the server that wrote it, no transaction's number is still to come.
_IS_FOREIGN = f"""
    SELECT EXISTS (
           SELECT FROM unnest(%s::bigint[]) merchant CROSS JOIN LATERAL (
                  SELECT xid FROM {table(Event)} WHERE merchant_id = merchant
                   ORDER BY xid DESC LIMIT 1) newest
            WHERE newest.xid >= pg_snapshot_xmax(pg_current_snapshot()))
"""
_RENUMBER = f"UPDATE {table(Event)} SET xid = '0' WHERE xid <> '0'"


def renumber(**kwargs: Any) -> None:
    """Puts what was restored before what happens from now on, by id. After each `migrate`; else it changes nothing.

    Cell by cell: each may be on a server of its own.
    """
    others = beside_the_first()
    for cell in (cells.FIRST, *others):
        living = Merchant.objects.filter(cell_id=cell or None) if others else Merchant.objects.all()
        with cells.opened(cell):
            if first(_IS_FOREIGN, [list(living.values_list("pk", flat=True))]) == (True,):
                execute(_RENUMBER)
