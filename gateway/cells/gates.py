"""Gates before the tables of a cell that merchants leave: who still believes that they live there can write nothing.

A process may believe it for as long as a request, a provider's answer or an attempt takes. So the gates stay for an
hour, and as long as they do `moving_since` of the merchant says so.
"""

from collections.abc import Callable
from datetime import timedelta

from django.db import connection

from accounts.base.clock import utcnow
from accounts.base.ranges.briefly import briefly
from accounts.base.rows import every, table
from accounts.models import Merchant
from gateway.cells.leading import MERCHANT, leads
from gateway.database.turns import PAUSE_S, TRIES

STAY_FOR = timedelta(hours=1)
"""Longer than any request, task, attempt or provider's answer."""
_FUNCTION = "public.accounts_is_let_through"
_NAMES = {"a_gate": ("INSERT OR UPDATE", "NEW"), "a_gate_of_deletes": ("DELETE", "OLD")}
# A trigger has as its argument for whom it is.
_STANDING = f"""
    SELECT format('%%s.%%s', nspname, relname), min(rtrim(encode(tgargs, 'escape'), '\\0')) FROM pg_trigger
      JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE tgparentid = 0 AND tgfoid = '{_FUNCTION}'::regproc GROUP BY 1 HAVING count(*) = {len(_NAMES)} ORDER BY 1
"""


def put_up(cell: str, tell: Callable[[str], None]) -> None:
    """Before each table of the cell, for all merchants that move. Writers of a table wait for a moment.

    Raises Busy if a table was in use each time.
    """
    moving = Merchant.objects.filter(moving_since__isnull=False).order_by("pk").values_list("pk", flat=True)
    ids, standing = ", ".join(map(str, moving)), dict(every(_STANDING))
    for lead in (one for one in leads() if one.has_merchant):
        name = f"{cell or 'public'}.{table(lead.model)}"
        if standing.get(name) == ids:
            continue
        tell(f"putting up the gate of {name}")
        made = [
            f"CREATE OR REPLACE TRIGGER {gate} BEFORE {on} ON {name} FOR EACH ROW"
            f" WHEN ({row}.{MERCHANT}_id IN ({ids})) EXECUTE FUNCTION {_FUNCTION}('{ids}')"
            for gate, (on, row) in _NAMES.items()
        ]
        briefly(connection, [name], made, TRIES, PAUSE_S, "SHARE ROW EXCLUSIVE")


def open_old() -> int:
    """Takes the gates away when the last move began more than an hour ago; returns of how many tables."""
    Merchant.objects.filter(moving_since__lt=utcnow() - STAY_FOR).update(moving_since=None)
    if Merchant.objects.filter(moving_since__isnull=False).exists():
        return 0
    standing = dict(every(_STANDING))
    for name in standing:
        gone = [f"DROP TRIGGER IF EXISTS {gate} ON {name}" for gate in _NAMES]
        briefly(connection, [name], gone, TRIES, PAUSE_S)
    return len(standing)
